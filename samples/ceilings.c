/*
 * Two threads each set the priority ceiling of a mutex and keep the one that they have found, to put it back later. The program
 * exits with status 1 where the second has found what the first had set, and would put that back.
 *
 * fmc-options: --strategy dfs --all
 * fmc-verdict: exit
 * fmc-complete: yes
 * fmc-executions: 19
 * fmc-message: 1
 *
 * fmc-options: --strategy optimal --all
 * fmc-verdict: exit
 * fmc-complete: yes
 * fmc-executions: 2
 * fmc-message: 1
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int before[2];

static void *raise_ceiling(void *number)
{
	int i = *(int *)number;

	pthread_mutex_setprioceiling(&lock, 20 + i, &before[i]);
	return NULL;
}

int main(void)
{
	static int numbers[] = {0, 1};
	pthread_mutexattr_t attributes;
	pthread_t one, two;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
	pthread_mutexattr_setprioceiling(&attributes, 10);
	pthread_mutex_init(&lock, &attributes);
	pthread_create(&one, NULL, raise_ceiling, &numbers[0]);
	pthread_create(&two, NULL, raise_ceiling, &numbers[1]);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return before[1] == 10 ? 0 : 1;
}
