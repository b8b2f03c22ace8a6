/*
 * The first thing that people try: two threads add to a variable. fmc switches threads at operations, and here is none
 * between the read and the write; it says so, and on what the result depends. samples/lost_update.c is what it finds.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-only-if: ^counter at counter\.c:17 by T2 and T3$
 */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *add(void *unused)
{
	counter++;
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
