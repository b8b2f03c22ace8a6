/*
 * Ends in several ways, as the argument says: `always`: with status 3 under every schedule; `crash`: so as well, but by abort()
 * where T2 is the first to take the lock; `differs`: with 3 where main is the first, as in the first schedule, else with 0;
 * `killed`: by SIGTERM under every schedule.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void enter(int who)
{
	pthread_mutex_lock(&lock);
	if (!first)
		first = who;
	pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
	(void)unused;
	enter(2);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_create(&thread, NULL, work, NULL);
	enter(1);
	pthread_join(thread, NULL);
	if (strcmp(mode, "crash") == 0 && first == 2)
		abort();
	if (strcmp(mode, "killed") == 0)
		raise(SIGTERM);
	return strcmp(mode, "differs") == 0 && first == 2 ? 0 : 3;
}
