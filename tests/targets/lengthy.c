/* lengthy FILE: more transitions than executions are let make before somebody looks for a loop. Writes b as it begins, e as it ends. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;

static void put(const char *letter)
{
	if (write(file, letter, 1) != 1)
		_exit(1);
}

static void *work(void *unused)
{
	put("b");
	for (int i = 0; i < 15000; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t thread;
	if (count != 2)
		return 64;
	file = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	put("e");
	return 0;
}
