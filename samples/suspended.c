/*
 * Waiting for a signal: whoever looks whether it has come, and then suspends itself, sleeps for ever when it comes in between. With the
 * argument `masked` the signal is blocked from before the look on, and only sigsuspend() lets it in.
 *
 * fmc-options:
 * fmc-verdict: deadlock
 * fmc-message: T1 waits
 * fmc-options: --strategy dfs --granularity sync
 * fmc-args: masked
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-executions: 1
 */
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t done;
static pthread_t main_thread;

static void on_done(int signal)
{
	(void)signal;
	done = 1;
}

static void *work(void *unused)
{
	pthread_kill(main_thread, SIGUSR1);
	return unused;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_done};
	sigset_t set, before;
	pthread_t worker;

	(void)argv;
	main_thread = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(argc > 1 ? SIG_BLOCK : SIG_UNBLOCK, &set, &before);
	pthread_create(&worker, NULL, work, NULL);
	while (!done)
		sigsuspend(&before);
	pthread_join(worker, NULL);
	return 0;
}
