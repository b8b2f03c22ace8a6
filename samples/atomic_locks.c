/*
 * Two locks made of atomic instructions that call the kernel only when contended, as those of Rust and C++20 do, taken
 * in both orders. Without --atomics nothing shows, and fmc says why.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: no
 *
 * fmc-options: --strategy cb:1 --atomics
 * fmc-verdict: deadlock
 * fmc-message: waits for a wake of (first|second)
 *
 * fmc-options: --strategy dfs --atomics
 * fmc-args: ordered
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int first, second; /* 0: free, 1: taken, 2: taken, and somebody may sleep */
static bool ordered;

static void lock(atomic_int *word)
{
	int expected = 0;

	if (atomic_compare_exchange_strong(word, &expected, 1))
		return;
	while (atomic_exchange(word, 2) != 0)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(atomic_int *word)
{
	if (atomic_exchange(word, 0) == 2)
		syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *other(void *unused)
{
	lock(ordered ? &first : &second);
	lock(ordered ? &second : &first);
	unlock(&first);
	unlock(&second);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	ordered = argc > 1;
	pthread_create(&thread, NULL, other, NULL);
	lock(&first);
	lock(&second);
	unlock(&second);
	unlock(&first);
	pthread_join(thread, NULL);
	return 0;
}
