/*
 * Threads that meet by futex(2) and atomic instructions alone: what a search that takes operations for independent must not lose.
 *
 *     futexes mutex      two that add under a mutex of the program's own
 *     futexes events     two that wait for an event that main sets
 *     futexes bits       two that wait for other bits, of which main wakes one after the other
 *     futexes requeue    two that are moved from one word to another, should it be as expected
 *     futexes wake_op    one that waits on each of two words; both are woken, the second should the first have been 0
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word, other, count;

static long futex(int *at, int op, int value, intptr_t value2, int *second, int value3)
{
	return syscall(SYS_futex, at, op | FUTEX_PRIVATE_FLAG, value, value2, second, value3);
}

static void lock(void)
{
	int seen = 0;
	if (__atomic_compare_exchange_n(&word, &seen, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	while (__atomic_exchange_n(&word, 2, __ATOMIC_SEQ_CST) != 0)
		futex(&word, FUTEX_WAIT, 2, 0, NULL, 0);
}

static void unlock(void)
{
	if (__atomic_exchange_n(&word, 0, __ATOMIC_SEQ_CST) == 2)
		futex(&word, FUTEX_WAKE, 1, 0, NULL, 0);
}

static void *add(void *argument)
{
	lock();
	count++;
	unlock();
	return argument;
}

static void *wait_for_event(void *argument)
{
	while (__atomic_fetch_add(&word, 0, __ATOMIC_SEQ_CST) == 0)
		futex(&word, FUTEX_WAIT, 0, 0, NULL, 0);
	__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	return argument;
}

static void *wait_for_bit(void *argument)
{
	futex(&word, FUTEX_WAIT_BITSET, 0, 0, NULL, argument ? 2 : 1);
	__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	return argument;
}

static void *wait_on(void *at)
{
	futex(at, FUTEX_WAIT, 0, 0, NULL, 0);
	__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void set_event(void)
{
	__atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST);
	futex(&word, FUTEX_WAKE, 2, 0, NULL, 0);
}

static void set_bits(void)
{
	__atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST);
	for (int bit = 1; bit <= 2; bit++)
		futex(&word, FUTEX_WAKE_BITSET, 1, 0, NULL, bit);
}

/* One may come too late to be moved or woken, and finds the words changed. */
static void move(void)
{
	futex(&word, FUTEX_CMP_REQUEUE, 1, 1, &other, 0);
	__atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST);
	futex(&word, FUTEX_WAKE, 2, 0, NULL, 0);
	futex(&other, FUTEX_WAKE, 2, 0, NULL, 0);
}

static void wake_both(void)
{
	__atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST);
	futex(&word, FUTEX_WAKE_OP, 1, 1, &other, FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*first)(void *);
		void *(*second)(void *);
		void *arguments[2];
		void (*main)(void);
	} cases[] = {{"mutex", add, add, {NULL, NULL}, NULL},
		     {"events", wait_for_event, wait_for_event, {NULL, NULL}, set_event},
		     {"bits", wait_for_bit, wait_for_bit, {NULL, &other}, set_bits},
		     {"requeue", wait_on, wait_on, {&word, &word}, move},
		     {"wake_op", wait_on, wait_on, {&word, &other}, wake_both}};
	pthread_t threads[2];
	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(argv[1], cases[i].name) != 0)
			continue;
		pthread_create(&threads[0], NULL, cases[i].first, cases[i].arguments[0]);
		pthread_create(&threads[1], NULL, cases[i].second, cases[i].arguments[1]);
		if (cases[i].main)
			cases[i].main();
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		return 0;
	}
	return 2;
}
