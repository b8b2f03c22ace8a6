/*
 * A deque for work stealing (Chase and Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005) with room for a few elements: its owner
 * takes at the bottom, a thief steals at the top. The last element they get by compare-and-swap. Correct; with an argument the owner
 * takes the last one without, and both may have it.
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

#define ELEMENTS 2

static volatile long top, bottom;
static volatile int deque[ELEMENTS];
static int taken[ELEMENTS + 1], stolen;
static bool broken;

static void push(int element)
{
	deque[bottom % ELEMENTS] = element;
	bottom = bottom + 1;
}

static bool swap_top(long from)
{
	return __sync_bool_compare_and_swap(&top, from, from + 1);
}

/* 0: there is nothing. */
static int take(void)
{
	long b = bottom - 1, t;
	int element;

	bottom = b;
	__sync_synchronize();
	t = top;
	if (b < t) {
		bottom = t;
		return 0;
	}
	element = deque[b % ELEMENTS];
	if (b > t)
		return element;
	if (broken)
		top = t + 1;
	else if (!swap_top(t))
		element = 0;
	bottom = t + 1;
	return element;
}

static int steal(void)
{
	long t = top, b = bottom;
	int element;

	if (t >= b)
		return 0;
	element = deque[t % ELEMENTS];
	return swap_top(t) ? element : 0;
}

static void *thief(void *unused)
{
	stolen = steal();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	broken = argc > 1;
	for (int i = 1; i <= ELEMENTS; i++)
		push(i);
	pthread_create(&thread, NULL, thief, NULL);
	for (int i = 0; i < ELEMENTS; i++)
		taken[take()]++;
	pthread_join(thread, NULL);
	taken[stolen]++;
	for (int i = 1; i <= ELEMENTS; i++)
		assert(taken[i] == 1);
	return 0;
}
