/*
 * Failing: a reader copies a record while a writer fills it, both by memcpy(), which others may see half done. What libc's functions copy
 * is an operation in two parts, where it races.
 *
 * fmc-options:
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --granularity race --all
 * fmc-verdict: abort
 * fmc-executions: 10
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct record {
	int first;
	char text[240];
	int last;
};

static struct record shared;
static volatile size_t size = sizeof(struct record); /* the compiler isn't to copy it by itself */

static void *fill(void *unused)
{
	const struct record record = {.first = 1, .last = 1};

	memcpy(&shared, &record, size);
	return unused;
}

static void *look(void *unused)
{
	struct record seen;

	memcpy(&seen, &shared, size);
	assert(seen.first == seen.last);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, fill, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
