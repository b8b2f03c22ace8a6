/* As calls.c, with the functions of <threads.h>. */
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static int failures;
#define EXPECT(call, value)                                                                                  \
	do {                                                                                                 \
		if ((call) != (value)) {                                                                     \
			failures++;                                                                          \
			fprintf(stderr, "%s\n", #call);                                                      \
		}                                                                                            \
	} while (0)

static const char expected[] =
    "thread_create\nmutex_init 0\nmutex_lock\nmutex_unlock\nmutex_destroy\nthread_join\n"
    "thread_create\nmutex_init 0\nmutex_lock\nmutex_unlock\nmutex_destroy\nthread_detach\n"
    "mutex_init 1\nmutex_lock\nmutex_trylock\nmutex_timedlock\nmutex_unlock\n"
    "cond_init\ncond_wait\ncond_timedwait\ncond_signal\ncond_broadcast\ncond_destroy\n"
    "mutex_unlock\nmutex_unlock\nmutex_destroy\nyield\nsleep 1000000\nprocess_exit 0\n";

static mtx_t mutex;
static cnd_t condition;
static const struct timespec past = {.tv_sec = 1};

static int run(void *argument)
{
	(void)argument;
	EXPECT(mtx_init(&mutex, mtx_plain), thrd_success);
	EXPECT(mtx_lock(&mutex), thrd_success);
	EXPECT(mtx_unlock(&mutex), thrd_success);
	mtx_destroy(&mutex);
	return 5;
}

int main(void)
{
	thrd_t thread;
	int result;
	fputs(expected, stdout);
	fflush(stdout);
	EXPECT(thrd_create(&thread, run, NULL), thrd_success);
	EXPECT(thrd_join(thread, &result), thrd_success);
	EXPECT(result, 5);
	EXPECT(thrd_create(&thread, run, NULL), thrd_success);
	EXPECT(thrd_detach(thread), thrd_success);
	EXPECT(mtx_init(&mutex, mtx_timed | mtx_recursive), thrd_success);
	EXPECT(mtx_lock(&mutex), thrd_success);
	EXPECT(mtx_trylock(&mutex), thrd_success);
	EXPECT(mtx_timedlock(&mutex, &past), thrd_success);
	EXPECT(mtx_unlock(&mutex), thrd_success);
	EXPECT(cnd_init(&condition), thrd_success);
	EXPECT(cnd_wait(&condition, &mutex), thrd_success);
	EXPECT(cnd_timedwait(&condition, &mutex, &past), thrd_timedout);
	EXPECT(cnd_signal(&condition), thrd_success);
	EXPECT(cnd_broadcast(&condition), thrd_success);
	cnd_destroy(&condition);
	EXPECT(mtx_unlock(&mutex), thrd_success);
	EXPECT(mtx_unlock(&mutex), thrd_success);
	mtx_destroy(&mutex);
	thrd_yield();
	thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
