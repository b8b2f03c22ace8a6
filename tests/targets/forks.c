/*
 * forks: two threads, each of which makes a child process twice, waits for its end and adds its exit status to `counter`, of
 * which an update is lost if they come between each other. A handler counts the signals that tell of the ends. Exits with 1.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter, ended;

static void on_child(int signal)
{
	(void)signal;
	ended++;
}

static int work_of_child(void)
{
	volatile int sum = 0;
	for (int i = 0; i < 20000; i++)
		sum += i & 1;
	return sum > 0 ? 3 : 4;
}

static int read_counter(void)
{
	pthread_mutex_lock(&lock);
	const int value = counter;
	pthread_mutex_unlock(&lock);
	return value;
}

static void *work(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2; i++) {
		int status = 0;
		const pid_t child = fork();
		if (child == 0)
			_exit(work_of_child());
		waitpid(child, &status, 0);
		const int value = read_counter() + WEXITSTATUS(status);
		pthread_mutex_lock(&lock);
		counter = value;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	signal(SIGCHLD, on_child);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 1;
}
