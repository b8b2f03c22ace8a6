/*
 * Two event counters as locks, which two threads take in opposite orders: a deadlock. With the argument `ordered` both take the same one first.
 *
 * fmc-options: --strategy optimal
 * fmc-verdict: deadlock
 * fmc-message: T2 waits for eventfd [34], T3 waits for eventfd [34]
 * fmc-options: --strategy optimal
 * fmc-args: ordered
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 2
 */
#include <pthread.h>
#include <sys/eventfd.h>

static int locks[2], ordered;

static void lock(int i)
{
	eventfd_t value;

	eventfd_read(locks[i], &value);
}

static void unlock(int i)
{
	eventfd_write(locks[i], 1);
}

static void *take_both(void *argument)
{
	int first = argument && !ordered;

	lock(first);
	lock(!first);
	unlock(!first);
	unlock(first);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	ordered = argc > 1;
	for (int i = 0; i < 2; i++)
		locks[i] = eventfd(1, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_both, i ? locks : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
