/*
 * Two threads read standard input or write standard output, and main closes both: "ordered" after it has heard from them, but before it joins them; else
 * whenever it likes.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

static sem_t heard;

static void *reads(void *argument)
{
	char byte;
	(void)(read(STDIN_FILENO, &byte, 1) == 1);
	sem_post(&heard);
	return argument;
}

static void *writes(void *argument)
{
	(void)(write(STDOUT_FILENO, "written\n", 8) == 8);
	sem_post(&heard);
	return argument;
}

int main(int argc, char **argv)
{
	const int ordered = argc > 1 && strcmp(argv[1], "ordered") == 0;
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, reads, NULL);
	pthread_create(&threads[1], NULL, writes, NULL);
	for (int i = 0; i < 2 && ordered; i++)
		sem_wait(&heard);
	if (!ordered)
		sem_post(&heard);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
