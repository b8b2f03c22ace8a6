/*
 * main calls pthread_exit() while others go on: the process ends with the last of them, not with main, and with
 * status 0. "join": one of them joins main. "leave": one of them calls exit(), before or after the other has done
 * its work. "hold": main leaves with the lock that they need. Arguments: [join | leave | hold].
 *
 * fmc-options: --strategy optimal
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: join
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: leave
 * fmc-verdict: exit
 * fmc-message: exits with status 3
 *
 * fmc-options: --strategy optimal
 * fmc-args: hold
 * fmc-verdict: deadlock
 * fmc-message: T2 waits for lock
 */
#include "include/arguments.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;
static int done;
static bool join, leave, hold;

static void *work(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&lock);
	done++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *work_last(void *argument)
{
	if (join)
		pthread_join(first, NULL);
	work(argument);
	if (!leave)
		return NULL;
	pthread_mutex_lock(&lock);
	exit(done == 2 ? 0 : 3);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	join = argument_word(argc, argv, "join");
	leave = argument_word(argc, argv, "leave");
	hold = argument_word(argc, argv, "hold");
	first = pthread_self();
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work_last, NULL);
	if (hold)
		pthread_mutex_lock(&lock);
	pthread_exit(NULL);
}
