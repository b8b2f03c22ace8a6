/*
 * Failing: a reader looks at a point while a writer moves it. Each coordinate is read as a whole, but both aren't: it sees half of
 * the move.
 *
 * fmc-options:
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --granularity race --all
 * fmc-verdict: abort
 * fmc-complete: yes
 * fmc-executions: 8
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile struct {
	int x, y;
} point;

static void *move(void *unused)
{
	point.x = 1;
	point.y = 1;
	return unused;
}

static void *look(void *unused)
{
	int x = point.x;
	int y = point.y;

	assert(x == y);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, move, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
