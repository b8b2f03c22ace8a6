/* A thread that waits in the handler of a signal, on a stack that is above its own. Writes a line when it is there. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define STACK 65536

static char *stacks; /* the thread's, then the handler's */

static void on_signal(int number)
{
	(void)number;
	puts("ready");
	fflush(stdout);
	pause();
}

__attribute__((noinline)) static void work(void)
{
	raise(SIGUSR1);
	puts("goes on");
}

static void *run(void *unused)
{
	const stack_t above = {.ss_sp = stacks + STACK, .ss_size = STACK};
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	sigaltstack(&above, NULL);
	sigaction(SIGUSR1, &action, NULL);
	work();
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	stacks = mmap(NULL, (size_t)2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stacks, STACK);
	pthread_create(&thread, &attributes, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
