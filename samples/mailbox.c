/*
 * A letter is put into a box that was allocated, and an atomic flag in it says that it is there. Nothing but accesses to memory orders
 * this, through a pointer. Correct; with an argument the flag is set before the letter is whole. Compiled to tell of its accesses
 * (fmc-check(1), COMPILED TO TELL), it is switched at all of them in the first search.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal --granularity sync
 * fmc-compiled: only
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options:
 * fmc-args: early
 * fmc-compiled: yes
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: early
 * fmc-compiled: only
 * fmc-verdict: abort
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct letter {
	int from, to, text;
};

struct box {
	struct letter letter;
	atomic_bool full;
};

static bool early;

static void *post(void *argument)
{
	const struct letter letter = {1, 2, 42};
	struct box *box = argument;

	if (early)
		atomic_store_explicit(&box->full, true, memory_order_release);
	box->letter = letter;
	atomic_store_explicit(&box->full, true, memory_order_release);
	return NULL;
}

static void *look(void *argument)
{
	struct box *box = argument;

	if (atomic_load_explicit(&box->full, memory_order_acquire))
		assert(box->letter.text == 42);
	return NULL;
}

int main(int argc, char **argv)
{
	struct box *box = calloc(1, sizeof *box);
	pthread_t threads[2];

	(void)argv;
	early = argc > 1;
	pthread_create(&threads[0], NULL, post, box);
	pthread_create(&threads[1], NULL, look, box);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(box);
	return 0;
}
