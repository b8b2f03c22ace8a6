/*
 * Calls each kind of entry point and writes to standard output which operations that makes, one a line. The
 * new thread is expected to run to its end before its creator goes on, and condition waits to be completed
 * from outside: 0, or a time-out for the timed ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int failures;
#define EXPECT(call, value)                                                                                  \
	do {                                                                                                 \
		if ((call) != (value)) {                                                                     \
			failures++;                                                                          \
			fprintf(stderr, "%s\n", #call);                                                      \
		}                                                                                            \
	} while (0)

static const char expected[] =
    "thread_create\nmutex_lock\nmutex_unlock\nthread_join\n"
    "thread_create\nmutex_lock\nmutex_unlock\nthread_tryjoin\n"
    "thread_create\nmutex_lock\nmutex_unlock\nthread_timedjoin\n"
    "thread_create\nmutex_lock\nmutex_unlock\nthread_timedjoin\n"
    "thread_create\nmutex_lock\nmutex_unlock\nthread_join\n"
    "thread_create\nmutex_lock\nmutex_unlock\nthread_detach\n"
    "mutex_init 2\nmutex_lock\nmutex_trylock\nmutex_unlock\nmutex_timedlock\nmutex_unlock\n"
    "mutex_timedlock\nmutex_unlock\nmutex_destroy\n"
    "mutex_init 5\nmutex_consistent\nmutex_destroy\n"
    "mutex_init 24\nmutex_setprioceiling 20\nmutex_destroy\n"
    "cond_init\nmutex_lock\ncond_wait\ncond_timedwait\ncond_timedwait\ncond_signal\n"
    "cond_broadcast\nmutex_unlock\ncond_destroy\n"
    "sem_init 3\nsem_wait\nsem_trywait\nsem_timedwait\nsem_timedwait\nsem_post\nsem_getvalue\n"
    "sem_destroy\n"
    "sem_open 7\nsem_post\nsem_close\n"
    "yield\nsleep 1000000\nsleep 2000000\npoll 3000000\nprocess_exit 0\n";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec past = {.tv_sec = 1}, soon = {.tv_nsec = 1000000};
static const struct timespec far = {.tv_sec = 32503680000}; /* the year 3000 */

static void *run(void *argument)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return argument;
}

static void threads(void)
{
	pthread_t thread;
	EXPECT(pthread_create(&thread, NULL, run, NULL), 0);
	EXPECT(pthread_join(thread, NULL), 0);
	EXPECT(pthread_create(&thread, NULL, run, NULL), 0);
	EXPECT(pthread_tryjoin_np(thread, NULL), 0);
	EXPECT(pthread_create(&thread, NULL, run, NULL), 0);
	EXPECT(pthread_timedjoin_np(thread, NULL, &far), 0);
	EXPECT(pthread_create(&thread, NULL, run, NULL), 0);
	EXPECT(pthread_clockjoin_np(thread, NULL, CLOCK_REALTIME, &far), 0);
	EXPECT(pthread_create(&thread, NULL, run, NULL), 0);
	EXPECT(pthread_timedjoin_np(thread, NULL, NULL), 0);
	EXPECT(pthread_create(&thread, NULL, run, NULL), 0);
	EXPECT(pthread_detach(thread), 0);
}

static void mutexes(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;
	int ceiling = 0;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	EXPECT(pthread_mutex_init(&mutex, &attributes), 0);
	EXPECT(pthread_mutex_lock(&mutex), 0);
	EXPECT(pthread_mutex_trylock(&mutex), EBUSY);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	EXPECT(pthread_mutex_timedlock(&mutex, &past), 0);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	EXPECT(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past), 0);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	EXPECT(pthread_mutex_destroy(&mutex), 0);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	EXPECT(pthread_mutex_init(&mutex, &attributes), 0);
	EXPECT(pthread_mutex_consistent(&mutex), EINVAL);
	EXPECT(pthread_mutex_destroy(&mutex), 0);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
	pthread_mutexattr_setprioceiling(&attributes, 10);
	EXPECT(pthread_mutex_init(&mutex, &attributes), 0);
	EXPECT(pthread_mutex_setprioceiling(&mutex, 20, &ceiling), 0);
	EXPECT(ceiling, 10);
	EXPECT(pthread_mutex_destroy(&mutex), 0);
}

static void conditions(void)
{
	pthread_cond_t condition;
	EXPECT(pthread_cond_init(&condition, NULL), 0);
	EXPECT(pthread_mutex_lock(&lock), 0);
	EXPECT(pthread_cond_wait(&condition, &lock), 0);
	EXPECT(pthread_cond_timedwait(&condition, &lock, &past), ETIMEDOUT);
	EXPECT(pthread_cond_clockwait(&condition, &lock, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	EXPECT(pthread_cond_signal(&condition), 0);
	EXPECT(pthread_cond_broadcast(&condition), 0);
	EXPECT(pthread_mutex_unlock(&lock), 0);
	EXPECT(pthread_cond_destroy(&condition), 0);
}

static void semaphores(void)
{
	sem_t semaphore;
	int value;
	EXPECT(sem_init(&semaphore, 0, 3), 0);
	EXPECT(sem_wait(&semaphore), 0);
	EXPECT(sem_trywait(&semaphore), 0);
	EXPECT(sem_timedwait(&semaphore, &past), 0);
	EXPECT(sem_clockwait(&semaphore, CLOCK_REALTIME, &past), -1);
	EXPECT(sem_post(&semaphore), 0);
	EXPECT(sem_getvalue(&semaphore, &value), 0);
	EXPECT(sem_destroy(&semaphore), 0);

	char name[64];
	snprintf(name, sizeof(name), "/fmc-test-%d", getpid());
	sem_t *named = sem_open(name, O_CREAT, 0600, 7);
	EXPECT(named != SEM_FAILED, 1);
	sem_unlink(name);
	EXPECT(sem_post(named), 0);
	EXPECT(sem_close(named), 0);
}

int main(void)
{
	fputs(expected, stdout);
	fflush(stdout);
	threads();
	mutexes();
	conditions();
	semaphores();
	sched_yield();
	nanosleep(&soon, NULL);
	clock_nanosleep(CLOCK_REALTIME, 0, &(struct timespec){.tv_nsec = 2000000}, NULL);
	poll(NULL, 0, 3);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
