/* asleep N: N threads that wait for one mutex, which is never unlocked; a line says when all are there. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STACK (256 * 1024)

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_ever(void *argument)
{
	pthread_mutex_lock(&held);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	pthread_mutex_lock(&held);
	for (int left = argc > 1 ? atoi(argv[1]) : 1; left > 1; left--)
		if (pthread_create(&thread, &attributes, wait_for_ever, NULL))
			return 1;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
