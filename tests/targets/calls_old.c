/* As calls.c, with the condition variables of GLIBC_2.2.5, which jump into those of 2.3.2. Dynamic programs
 * only. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char expected[] =
    "thread_create\nthread_join\ncond_init\nmutex_lock\ncond_signal\ncond_broadcast\n"
    "cond_wait\nmutex_unlock\ncond_destroy\nprocess_exit 0\n";

static void *run(void *argument)
{
	return argument;
}

static int (*old(const char *name))(void *, void *)
{
	int (*function)(void *, void *);
	*(void **)&function = dlvsym(RTLD_DEFAULT, name, "GLIBC_2.2.5");
	return function;
}

int main(void)
{
	/* The old structure is a pointer to a new one, made at first use. */
	static void *condition;
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	int (*init)(void *, void *) = old("pthread_cond_init");
	int (*signal)(void *, void *) = old("pthread_cond_signal");
	int (*broadcast)(void *, void *) = old("pthread_cond_broadcast");
	int (*wait)(void *, void *) = old("pthread_cond_wait");
	int (*destroy)(void *, void *) = old("pthread_cond_destroy");
	pthread_t thread;
	fputs(expected, stdout);
	fflush(stdout);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	int failures = init(&condition, NULL) != 0;
	pthread_mutex_lock(&mutex);
	failures += signal(&condition, NULL) != 0;
	failures += broadcast(&condition, NULL) != 0;
	failures += wait(&condition, &mutex) != 0;
	pthread_mutex_unlock(&mutex);
	failures += destroy(&condition, NULL) != 0;
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
