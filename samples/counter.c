/*
 * The first thing that people try: two threads add to a variable. There is no operation between the read and the write. A search
 * that switches threads at operations alone says on what its result depends; then it is made again with these accesses. The compiler
 * may make a single instruction of both, and other processors still come between.
 *
 * fmc-options:
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --granularity race --all
 * fmc-verdict: abort
 * fmc-complete: yes
 * fmc-executions: 7
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-only-if: ^counter at counter\.c:26 by T2 and T3$
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
