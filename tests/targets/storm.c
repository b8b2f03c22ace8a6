/*
 * storm [N]: threads are born and end all the time; then a thread that isn't the main one replaces the program by itself
 * with N - 1. Ends with 0 after the last one.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BIRTHS	300
#define AT_ONCE 8

static char *program;
static int left;

static void *short_life(void *argument)
{
	return argument;
}

static void *replace(void *argument)
{
	char number[16];
	snprintf(number, sizeof number, "%d", left - 1);
	execl(program, program, number, (char *)NULL);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[AT_ONCE];
	program = argv[0];
	left = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < BIRTHS; i++) {
		for (int j = 0; j < AT_ONCE; j++)
			if (pthread_create(&threads[j], NULL, short_life, NULL))
				return 1;
		for (int j = 0; j < AT_ONCE; j++)
			pthread_join(threads[j], NULL);
	}
	if (left == 0)
		return 0;
	pthread_create(&threads[0], NULL, replace, NULL);
	pthread_join(threads[0], NULL);
	return 2;
}
