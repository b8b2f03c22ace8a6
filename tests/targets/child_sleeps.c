/*
 * child_sleeps CASE: main forks while another thread may have a lock, and waits for the child, which takes the lock. lock: the child sleeps for
 * ever then; prepared: pthread_atfork() sees to it that it doesn't; alarmed: a timer of the child's ends it; handled: so does a signal with a handler, which others
 * could send it.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *what;

static void take(void)
{
	pthread_mutex_lock(&lock);
}

static void give(void)
{
	pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
	take();
	give();
	return unused;
}

static void leave(int signal)
{
	(void)signal;
	_exit(0);
}

static void child(void)
{
	if (strcmp(what, "alarmed") == 0)
		alarm(1);
	if (strcmp(what, "handled") == 0)
		signal(SIGUSR1, leave);
	take();
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	what = argc > 1 ? argv[1] : "";
	if (strcmp(what, "prepared") == 0)
		pthread_atfork(take, give, give);
	pthread_create(&thread, NULL, work, NULL);
	const pid_t pid = fork();
	if (pid == 0)
		child();
	waitpid(pid, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
