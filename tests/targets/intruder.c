/*
 * Does something to the memory of fmc's agent where that is there: `intruder WHAT`. By stops it isn't, and nothing is done. The addresses are those of
 * <fmc/supervisor/agent.h>.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *const image = (char *)0x200000000000, *const region = (char *)0x210000000000;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *wanted;

/* The kernel doesn't find a path there where nothing is mapped. */
static int is_there(const char *at)
{
	return access(at, F_OK) == 0 || errno != EFAULT;
}

static void intrude(void)
{
	if (!is_there(region))
		return;
	if (strcmp(wanted, "region") == 0)
		memset(region, 0, 8);
	else if (strcmp(wanted, "trace") == 0)
		memset(region, 0xa5, 1 << 20);
	else if (strcmp(wanted, "code") == 0)
		memset(image, 0, 1 << 20);
	else if (strcmp(wanted, "protect") == 0)
		mprotect(region, 4096, PROT_READ);
	else if (strcmp(wanted, "unmap") == 0)
		munmap(region, 4096);
	else
		((void (*)(void))(void *)region)();
}

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	intrude();
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t thread;
	wanted = count > 1 ? arguments[1] : "";
	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return pthread_join(thread, NULL);
}
