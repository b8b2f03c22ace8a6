/*
 * asks name|secure|walk: two threads take two locks, in opposite order if the variable FMC_TEST_WANTED of the environment
 * says "yes". How it is looked up: by getenv(), by secure_getenv(), or by going through environ.
 * It prints where its stack is.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WANTED "FMC_TEST_WANTED"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int crossed;

static void *other(void *unused)
{
	pthread_mutex_t *first = crossed ? &b : &a, *second = crossed ? &a : &b;
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return unused;
}

static const char *walk(void)
{
	for (char **at = environ; *at; at++)
		if (strncmp(*at, WANTED "=", sizeof(WANTED)) == 0)
			return *at + sizeof(WANTED);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	const char *how = argc > 1 ? argv[1] : "name";
	const char *value = strcmp(how, "walk") == 0	 ? walk()
			    : strcmp(how, "secure") == 0 ? secure_getenv(WANTED)
							 : getenv(WANTED);
	crossed = value && strcmp(value, "yes") == 0;
	printf("the stack is at %p\n", (void *)&thread);
	fflush(stdout);
	pthread_create(&thread, NULL, other, NULL);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return pthread_join(thread, NULL);
}
