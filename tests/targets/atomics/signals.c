/* Signals that come while their thread stands before an atomic instruction. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
static atomic_int n, handled;
static void handle(int signal)
{
	(void)signal;
	handled++;
}
static void *count(void *unused)
{
	n++;
	n++;
	return unused;
}
int main(void)
{
	pthread_t thread;
	struct sigaction action = {.sa_handler = handle};
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	pthread_create(&thread, NULL, count, NULL);
	n++;
	pthread_kill(thread, SIGUSR1);
	pthread_kill(thread, SIGUSR2);
	n++;
	pthread_join(thread, NULL);
	assert(n == 4);
	assert(handled <= 2);
	return 0;
}
