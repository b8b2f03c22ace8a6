/*
 * A handler takes the lock that guards a counter, and so does the code that it interrupts: when the signal comes to the main thread while
 * that holds the lock, the thread waits for itself. With the argument `masked` the signal is blocked as long as the lock is held.
 *
 * fmc-options:
 * fmc-verdict: deadlock
 * fmc-message: T1 waits for lock held by itself
 * fmc-options: --strategy optimal
 * fmc-verdict: deadlock
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: masked
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-executions: 3
 */
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t main_thread;
static int ticks;

static void count(void)
{
	pthread_mutex_lock(&lock);
	ticks++;
	pthread_mutex_unlock(&lock);
}

static void on_tick(int signal)
{
	(void)signal;
	count();
}

static void *tick(void *unused)
{
	pthread_kill(main_thread, SIGUSR1);
	return unused;
}

static void mask(int how)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(how, &set, NULL);
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_tick};
	pthread_t ticker;

	(void)argv;
	main_thread = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&ticker, NULL, tick, NULL);
	if (argc > 1)
		mask(SIG_BLOCK);
	count();
	mask(SIG_UNBLOCK);
	pthread_join(ticker, NULL);
	return 0;
}
