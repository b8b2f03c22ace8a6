/*
 * A program that SIGINT is to end, which fmc sends it (--signal). Without an argument it waits with a look at the flag that the handler sets and
 * then pause(): when the signal comes in between, it sleeps for ever. With `locks` the handler takes a lock that the main thread has now and
 * then. With `well` the signal is blocked from before the look on, and only sigsuspend() lets it in.
 *
 * fmc-options: --signal INT
 * fmc-verdict: deadlock
 * fmc-message: T1 waits
 * fmc-options: --signal INT --strategy optimal
 * fmc-verdict: deadlock
 * fmc-options: --signal SIGINT:T1
 * fmc-args: locks
 * fmc-verdict: deadlock
 * fmc-message: T1 waits for lock held by itself
 * fmc-options: --signal INT --strategy optimal --granularity sync
 * fmc-args: well
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t done;
static int locks, entries;

static void enter(void)
{
	pthread_mutex_lock(&lock);
	entries++;
	pthread_mutex_unlock(&lock);
}

static void on_stop(int signal)
{
	(void)signal;
	if (locks)
		enter();
	done = 1;
}

static void wait_in(const sigset_t *before)
{
	while (!done)
		sigsuspend(before);
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_stop};
	sigset_t set, before;

	locks = argc > 1 && strcmp(argv[1], "locks") == 0;
	sigaction(SIGINT, &action, NULL);
	if (argc > 1 && !locks) {
		sigemptyset(&set);
		sigaddset(&set, SIGINT);
		pthread_sigmask(SIG_BLOCK, &set, &before);
		enter();
		wait_in(&before);
		return 0;
	}
	enter();
	while (!done && !locks)
		pause();
	return 0;
}
