/*
 * A process is made while another thread holds a lock. The child has the lock as it was then, taken, and no thread that could release it: it waits for
 * ever, and its parent waits for it. With an argument a handler of pthread_atfork() takes the lock before.
 *
 * fmc-options: --follow --strategy dfs
 * fmc-verdict: deadlock
 * fmc-message: T1.1 waits for T2.1 to exit, T2.1 waits for log_lock held by T1.2
 *
 * fmc-options: --follow
 * fmc-verdict: deadlock
 *
 * fmc-options: --follow --strategy optimal
 * fmc-args: careful
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void lock(void)
{
	pthread_mutex_lock(&log_lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&log_lock);
}

static void *work(void *unused)
{
	(void)unused;
	lock();
	lines++;
	unlock();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1)
		pthread_atfork(lock, unlock, unlock);
	pthread_create(&thread, NULL, work, NULL);
	pid_t child = fork();
	if (child == 0) {
		work(NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
