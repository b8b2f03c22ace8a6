/*
 * Makes objects of each kind without telling anybody: by static initialisers, and while there is only one
 * thread. Then unlocks the mutexes and posts the semaphores, and writes to standard output how each is kept
 * before that: enum mutex_type and how often it is locked, or the semaphore's value.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t robust, inherit;
static sem_t semaphore;

static void *run(void *argument)
{
	return argument;
}

static void make_more(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inherit, &attributes);
	sem_init(&semaphore, 0, 6);
}

int main(void)
{
	pthread_mutex_t *mutexes[] = {&normal, &recursive, &errorcheck, &adaptive, &robust, &inherit};
	size_t length = sizeof(mutexes) / sizeof(mutexes[0]);
	pthread_t thread;
	make_more();
	puts("0 1\n1 2\n1 1\n2 1\n3 1\n4 1\n9 2\n9 1\n6\n7\n0 0");
	fflush(stdout);
	for (size_t i = 0; i < length; i++)
		pthread_mutex_lock(mutexes[i]);
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&inherit);
	pthread_create(&thread, NULL, run, NULL);
	pthread_mutex_unlock(&normal);
	pthread_mutex_unlock(&recursive);
	for (size_t i = 1; i < length; i++)
		pthread_mutex_unlock(mutexes[i]);
	pthread_mutex_unlock(&inherit);
	sem_post(&semaphore);
	sem_post(&semaphore);
	pthread_mutex_unlock(&normal);
	pthread_join(thread, NULL);
	return 0;
}
