/*
 * replaced: a thread sends itself a signal; on SIGUSR2 the main thread executes /bin/true. A child process is there meanwhile.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void tell(int signal)
{
	told = signal;
}

static void *signalled(void *unused)
{
	raise(SIGUSR1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	signal(SIGUSR1, tell);
	signal(SIGUSR2, tell);
	if (fork() == 0) {
		pause();
		_exit(0);
	}
	pthread_create(&thread, NULL, signalled, NULL);
	while (told != SIGUSR2)
		;
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}
