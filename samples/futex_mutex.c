/*
 * A mutex made of one futex word with three states (Drepper, Futexes Are Tricky, section 5): free, taken, and
 * taken with sleepers. The yield inside the critical section lets the others run into the lock. All orders of what
 * can be seen are run; the search isn't called complete, because threads aren't switched at atomic instructions.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-executions: 44
 * fmc-static: yes
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE, TAKEN, SLEEPERS };

static atomic_int word = FREE;
static int counter;

static void lock(void)
{
	int seen = FREE;

	if (atomic_compare_exchange_strong(&word, &seen, TAKEN))
		return;
	/* There may be others asleep: whoever had to wait can only take it as SLEEPERS. */
	while (atomic_exchange(&word, SLEEPERS) != FREE)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, SLEEPERS, NULL, NULL, 0);
}

static void unlock(void)
{
	if (atomic_exchange(&word, FREE) == SLEEPERS)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *add(void *unused)
{
	(void)unused;
	lock();
	int copy = counter;
	sched_yield();
	counter = copy + 1;
	unlock();
	return NULL;
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
