/*
 * A sequence lock: who reads looks at a number before and after, and tries again if a writer has come between (Lameter, Effective
 * Synchronization on Linux/NUMA Systems, 2005). Correct; with an argument the reader forgets the second look, and sees half of a
 * change.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options:
 * fmc-args: broken
 * fmc-verdict: abort
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static volatile unsigned sequence; /* odd: somebody writes */
static volatile int x, y;
static bool broken;

static void *move(void *unused)
{
	sequence = sequence + 1;
	x = 1;
	y = 1;
	sequence = sequence + 1;
	return unused;
}

static void *look(void *unused)
{
	unsigned before;
	int seen_x, seen_y;

	do {
		while ((before = sequence) % 2)
			;
		seen_x = x;
		seen_y = y;
	} while (!broken && sequence != before);
	assert(seen_x == seen_y);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	broken = argc > 1;
	pthread_create(&threads[0], NULL, move, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
