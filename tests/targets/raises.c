/* For run-gdb.sh: two signals between two operations, of which GDB stops only at the first, and one of the real-time kind. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

volatile int caught;

static void handle(int signal)
{
	(void)signal;
	caught++;
}

static void *work(void *unused)
{
	raise(SIGUSR1);
	raise(SIGALRM);
	return unused;
}

int main(void)
{
	pthread_t thread;
	signal(SIGUSR1, handle);
	signal(SIGALRM, handle);
	signal(SIGRTMIN + 1, handle);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	raise(SIGRTMIN + 1);
	exit(caught);
}
