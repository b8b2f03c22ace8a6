/*
 * A flag without a lock says that a result is there, and is set too early. fmc sees that no operation orders these accesses,
 * and switches threads there.
 *
 * fmc-options:
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --granularity race --all
 * fmc-verdict: abort
 * fmc-complete: yes
 * fmc-executions: 6
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-only-if: ready at publication\.c:26 by T2 and publication\.c:33 by T3
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int ready, result;

static void *produce(void *unused)
{
	ready = 1;
	result = 42;
	return unused;
}

static void *consume(void *unused)
{
	if (ready)
		assert(result == 42);
	return unused;
}

int main(void)
{
	pthread_t producer, consumer;

	pthread_create(&producer, NULL, produce, NULL);
	pthread_create(&consumer, NULL, consume, NULL);
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	return 0;
}
