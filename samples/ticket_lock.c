/*
 * A ticket lock made of atomic instructions, which fmc knows as an operation by the plug-in samples/ops/ticket.c: it
 * doesn't see the loop in which threads wait, and who comes first gets the lock first. "crossed": two threads take two
 * locks in opposite orders. "tries": one of them gives the first back if it can't have the second at once.
 * "twice": a thread unlocks twice.
 *
 * fmc-options: --strategy dfs --ops BUILD/samples/ticket.so
 * fmc-args: 2
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-static: yes
 *
 * fmc-options: --strategy optimal --ops BUILD/samples/ticket.so
 * fmc-args: 3
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 36
 *
 * fmc-options: --strategy dfs --ops BUILD/samples/ticket.so
 * fmc-args: 2 crossed
 * fmc-verdict: deadlock
 * fmc-message: T2 waits for locks\[1\].next held by T3 \(in this order: T2\), T3 waits for locks\[0\].next held by T2
 *
 * fmc-options: --strategy random --ops BUILD/samples/ticket.so
 * fmc-args: 2 crossed
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy dfs --ops BUILD/samples/ticket.so
 * fmc-args: 2 tries
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-only-if: ^counter at ticket_lock\.c:92 by T2 and T3$
 *
 * fmc-options: --strategy optimal --ops BUILD/samples/ticket.so
 * fmc-args: 2 twice
 * fmc-verdict: misuse
 * fmc-message: T2 unlocks locks\[0\].next, which nobody holds
 */
#include "include/arguments.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

enum { MOST = 8 };

struct ticket_lock {
	unsigned next, serving;
};

static struct ticket_lock locks[2];
static bool crossed, tries, twice;
static int counter;

__attribute__((noinline)) void ticket_lock(struct ticket_lock *lock);
__attribute__((noinline)) int ticket_trylock(struct ticket_lock *lock);
__attribute__((noinline)) void ticket_unlock(struct ticket_lock *lock);

void ticket_lock(struct ticket_lock *lock)
{
	unsigned mine = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

	while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != mine)
		sched_yield();
}

int ticket_trylock(struct ticket_lock *lock)
{
	unsigned mine = __atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE);
	bool got = __atomic_compare_exchange_n(&lock->next, &mine, mine + 1, false, __ATOMIC_ACQUIRE,
					       __ATOMIC_RELAXED);

	return got ? 0 : EBUSY;
}

void ticket_unlock(struct ticket_lock *lock)
{
	__atomic_store_n(&lock->serving, lock->serving + 1, __ATOMIC_RELEASE);
}

static void *count(void *argument)
{
	int first = crossed || tries ? (int)(intptr_t)argument % 2 : 0;

	ticket_lock(&locks[first]);
	if (tries && first == 1 && ticket_trylock(&locks[0]) == 0)
		ticket_unlock(&locks[0]);
	if (crossed || (tries && first == 0)) {
		ticket_lock(&locks[!first]);
		ticket_unlock(&locks[!first]);
	}
	counter++;
	ticket_unlock(&locks[first]);
	if (twice)
		ticket_unlock(&locks[first]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = argument_number(argc, argv, 1, 2, 1, MOST);

	crossed = argument_word(argc, argv, "crossed");
	tries = argument_word(argc, argv, "tries");
	twice = argument_word(argc, argv, "twice");
	for (intptr_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, count, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return crossed || tries || counter == n ? 0 : 1;
}
