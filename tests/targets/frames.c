/*
 * A program whose stacks are of every kind that call frame information tells of: recursion, a frame without a frame pointer, one
 * with an aligned stack, one of variable size, a signal's on another stack and within it one more, calls through the linkage
 * table, a thread's and a coroutine's.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static volatile int sink;
static ucontext_t caller, coroutine;

__attribute__((noinline)) static int leaf(int n)
{
	return n * 7 + sink;
}

__attribute__((noinline)) static int recurse(int n)
{
	if (n == 0)
		return leaf(n);
	return recurse(n - 1) + n;
}

__attribute__((noinline)) static int aligned(int n)
{
	_Alignas(64) volatile char room[128];
	room[n] = (char)leaf(n);
	return room[n];
}

__attribute__((noinline)) static int variable(int n)
{
	volatile char *room = __builtin_alloca((size_t)n);
	room[n - 1] = (char)aligned(n);
	return room[n - 1];
}

/* Other compilers decide by themselves. */
#ifdef __clang__
#define FRAME_POINTER(how) __attribute__((noinline))
#else
#define FRAME_POINTER(how) __attribute__((noinline, optimize(how)))
#endif

FRAME_POINTER("omit-frame-pointer") static int bare(int n)
{
	volatile int room[20];
	room[n % 20] = variable(n);
	return room[n % 20];
}

FRAME_POINTER("no-omit-frame-pointer") static int pointed(int n)
{
	return bare(n) + 1;
}

static int compare(const void *a, const void *b)
{
	sink = recurse(3);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void sort(void)
{
	int numbers[] = {3, 1, 2};
	qsort(numbers, 3, sizeof numbers[0], compare);
}

static void on_signal(int number)
{
	sink = pointed(number);
	if (number == SIGUSR1)
		raise(SIGUSR2);
}

static void take_signals(void)
{
	static char other[65536];
	const stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR1);
}

static void run_coroutine(void)
{
	sink = pointed(9);
}

static void switch_stacks(void)
{
	static char other[65536];
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = other;
	coroutine.uc_stack.ss_size = sizeof other;
	coroutine.uc_link = &caller;
	makecontext(&coroutine, run_coroutine, 0);
	swapcontext(&caller, &coroutine);
}

static void *run(void *unused)
{
	sink = pointed(5);
	return unused;
}

int main(void)
{
	char text[64];
	pthread_t thread;
	raise(SIGURG); /* ignored: here a test begins to step */
	sink = pointed(11) + recurse(5);
	sort();
	take_signals();
	switch_stacks();
	snprintf(text, sizeof text, "%d %f", sink, 1.5);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
