/*
 * tail N: in its one transition a thread writes `often` N times, then something else a while longer; exits with 1.
 */
#include <pthread.h>
#include <stdlib.h>

static volatile long other;
volatile int often;

static void *work(void *argument)
{
	const int rounds = atoi(argument);
	for (int i = 0; i < rounds; i++)
		often = i;
	for (int i = 0; i < rounds / 20; i++)
		other = i;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, argc > 1 ? argv[1] : "1000");
	pthread_join(thread, NULL);
	return 1;
}
