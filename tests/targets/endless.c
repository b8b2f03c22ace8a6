/*
 * Comes to no end, as the argument says: `compute`: T2 computes for ever; `yield`: it yields for ever; `some`: it computes for ever
 * if it is the first to take the lock, which isn't so in the first schedule; `beat`: it counts under the lock and sleeps for ever;
 * `wait`: main waits for what nobody sends, and never has another thread.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entered;
static volatile unsigned long rounds;

static void compute(void)
{
	for (;;)
		rounds++;
}

static void beat(void)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		rounds++;
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
}

static int enter(void)
{
	pthread_mutex_lock(&lock);
	int before = entered++;
	pthread_mutex_unlock(&lock);
	return before;
}

static void *work(void *mode)
{
	int before = enter();
	while (strcmp(mode, "yield") == 0)
		sched_yield();
	if (strcmp(mode, "beat") == 0)
		beat();
	if (strcmp(mode, "compute") == 0 || before == 0)
		compute();
	return NULL;
}

static char receive(void)
{
	int ends[2];
	char byte = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
		(void)!read(ends[0], &byte, 1);
	return byte;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "wait") == 0)
		return receive();
	pthread_create(&thread, NULL, work, argv[1]);
	(void)enter();
	pthread_join(thread, NULL);
	return 0;
}
