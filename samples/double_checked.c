/*
 * Double-checked locking: the pointer is there for all to see before the object that it points to is complete.
 *
 * fmc-options:
 * fmc-verdict: abort
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-only-if: shared at double_checked\.c
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct settings {
	volatile int width;
};

static struct settings *volatile shared;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static struct settings *settings(void)
{
	if (!shared) {
		pthread_mutex_lock(&making);
		if (!shared) {
			shared = calloc(1, sizeof(*shared));
			shared->width = 80;
		}
		pthread_mutex_unlock(&making);
	}
	return shared;
}

static void *use(void *unused)
{
	assert(settings()->width == 80);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(shared);
	return 0;
}
