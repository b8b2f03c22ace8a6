/*
 * A handler changes errno. The main thread looks at why its sem_trywait() has failed only after it has logged that, under a lock; if the
 * signal comes in between it finds another reason. With the argument `kept` the handler puts errno back.
 *
 * fmc-options:
 * fmc-verdict: exit
 * fmc-message: status 1
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: kept
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-executions: 4
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t main_thread;
static sem_t jobs;
static int keeps, failures;

static void on_notice(int signal)
{
	const int before = errno;
	(void)signal;
	close(-1);
	if (keeps)
		errno = before;
}

static void *notify(void *unused)
{
	pthread_kill(main_thread, SIGUSR1);
	return unused;
}

static void log_failure(void)
{
	pthread_mutex_lock(&log_lock);
	failures++;
	pthread_mutex_unlock(&log_lock);
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_notice};
	pthread_t notifier;
	int wrong = 0;

	(void)argv;
	keeps = argc > 1;
	main_thread = pthread_self();
	sem_init(&jobs, 0, 0);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&notifier, NULL, notify, NULL);
	if (sem_trywait(&jobs) == -1) {
		log_failure();
		wrong = errno != EAGAIN;
	}
	pthread_join(notifier, NULL);
	return wrong;
}
