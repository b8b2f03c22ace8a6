/*
 * A pipe with one byte in it as a lock. Two threads add one to a counter by reading it under the lock and writing it under the lock
 * taken anew; the program exits with status 1 when an addition got lost. With the argument `whole` each does both under one lock.
 *
 * fmc-options: --strategy optimal
 * fmc-verdict: exit
 * fmc-message: 1
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: whole
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 2
 */
#include <pthread.h>
#include <unistd.h>

static int ends[2], counter, whole;

static void lock(void)
{
	char byte;

	while (read(ends[0], &byte, 1) != 1)
		;
}

static void unlock(void)
{
	while (write(ends[1], "", 1) != 1)
		;
}

static void *add(void *unused)
{
	int copy;

	lock();
	copy = counter;
	if (!whole) {
		unlock();
		lock();
	}
	counter = copy + 1;
	unlock();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	whole = argc > 1;
	if (pipe(ends) != 0)
		return 2;
	unlock();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return counter != 2;
}
