/*
 * The work-stealing queue of Cilk (Frigo, Leiserson and Randall, PLDI 1998), as a test of CHESS: its owner
 * pushes and pops at the tail without a lock, stealers take from the head with one, and both announce what
 * they take before they test whether it is there. The owner pushes two items and pops one, twice, and pops
 * what is left; each stealer tries twice. Every item has to be taken exactly once.
 *
 * The bugs: "steal" moves the head after its test, "pop" moves the tail after its test, and "push" fills the
 * slot that a stealer who has moved the head may not have read yet. Arguments: STEALERS [steal|pop|push].
 *
 * fmc-options: --strategy cb:1
 * fmc-args: 1
 * fmc-verdict: none
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 1 steal
 * fmc-verdict: abort
 * fmc-message: taken
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 1 pop
 * fmc-verdict: abort
 * fmc-message: taken
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 1 push
 * fmc-verdict: abort
 * fmc-message: taken
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 2 steal
 * fmc-long: yes
 * fmc-verdict: abort
 * fmc-message: taken
 */
#include "include/arguments.h"
#include "include/points.h"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { ITEMS = 4, ATTEMPTS = 2, MOST = 4, NOTHING = -1 };
enum bug { BUG_NONE, BUG_STEAL, BUG_POP, BUG_PUSH };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int head, tail;
static volatile int slots[ITEMS];
static int size = 2;
static enum bug bug;
static int taken[MOST + 1][ITEMS]; /* by thread, the owner first */

static void acquire(void)
{
	while (pthread_mutex_trylock(&lock) != 0)
		;
}

static void release(void)
{
	pthread_mutex_unlock(&lock);
}

/* Twice the size, so that the items find room; with the lock, so that nobody is stealing meanwhile. */
static void grow(void)
{
	int items[ITEMS];

	acquire();
	for (int i = head; i < tail; i++)
		items[i % (2 * size)] = slots[i % size];
	size *= 2;
	for (int i = head; i < tail; i++)
		slots[i % size] = items[i % size];
	release();
}

/* One slot stays free: a stealer who has moved the head may still have to read the one after it. */
static void push(int item)
{
	int spare = bug == BUG_PUSH ? 0 : 1;

	if (tail >= LOAD(head) + size - spare)
		grow();
	STORE(slots[tail % size], item);
	STORE(tail, tail + 1);
}

static int pop(void)
{
	int at = tail - 1;

	if (bug != BUG_POP)
		STORE(tail, at);
	if (LOAD(head) <= at) {
		if (bug == BUG_POP)
			STORE(tail, at);
		return LOAD(slots[at % size]);
	}
	/* Empty, or a stealer is about to take the last one: with the lock it is clear. */
	acquire();
	bool mine = head <= at;
	STORE(tail, mine ? at : head);
	int item = mine ? slots[at % size] : NOTHING;
	release();
	return item;
}

static int steal(void)
{
	acquire();
	int at = head, item = NOTHING;

	if (bug != BUG_STEAL)
		STORE(head, at + 1);
	if (at < LOAD(tail)) {
		if (bug == BUG_STEAL)
			STORE(head, at + 1);
		item = LOAD(slots[at % size]);
	} else if (bug != BUG_STEAL) {
		STORE(head, at);
	}
	release();
	return item;
}

static void take(int thread, int item)
{
	if (item != NOTHING)
		taken[thread][item]++;
}

static void *be_stealer(void *argument)
{
	for (int i = 0; i < ATTEMPTS; i++)
		take((int)(intptr_t)argument, steal());
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int stealers = argument_number(argc, argv, 1, 1, 0, MOST);

	bug = argument_word(argc, argv, "steal")  ? BUG_STEAL
	      : argument_word(argc, argv, "pop")  ? BUG_POP
	      : argument_word(argc, argv, "push") ? BUG_PUSH
						  : BUG_NONE;
	for (intptr_t i = 0; i < stealers; i++)
		pthread_create(&threads[i], NULL, be_stealer, (void *)(i + 1));
	for (int i = 0; i < ITEMS; i += 2) {
		push(i);
		push(i + 1);
		take(0, pop());
	}
	take(0, pop());
	take(0, pop());
	for (int i = 0; i < stealers; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ITEMS; i++) {
		int times_taken = 0;
		for (int thread = 0; thread <= stealers; thread++)
			times_taken += taken[thread][i];
		assert(times_taken == 1);
	}
	return 0;
}
