/*
 * pipes [child|silent]: two threads hand a byte to and fro through pipes, 20 times; with `child`, main then waits for
 * a semaphore that a child process posts; with `silent`, for one that the child doesn't post, and lives on.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 20 };

static int forth[2], back[2];

static void *answer(void *argument)
{
	char byte;
	for (int i = 0; i < TIMES; i++)
		if (read(forth[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
			return argument;
	return NULL;
}

static int wait_for_child(bool posts)
{
	sem_t *posted = mmap(NULL, sizeof *posted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	sem_init(posted, 1, 0);
	pid_t child = fork();
	if (child == 0) {
		while (!posts)
			pause();
		sem_post(posted);
		_exit(0);
	}
	sem_wait(posted);
	return waitpid(child, &status, 0) == child ? status : 1;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *failed;
	char byte = 'x';
	if (pipe(forth) || pipe(back))
		return 1;
	pthread_create(&thread, NULL, answer, &byte);
	for (int i = 0; i < TIMES; i++)
		if (write(forth[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	pthread_join(thread, &failed);
	if (failed)
		return 1;
	return argc > 1 ? wait_for_child(!strcmp(argv[1], "child")) : 0;
}
