/*
 * To be preloaded, so that a program that can hang does so within a few runs: waits a random time around operations of threads.
 * PERTURB is the seed. The real functions are jumped to, so that no frame of this stays on a stack.
 *
 * PERTURB_STEPS: between any two instructions of the program, from its first thread on, for what happens without any operation.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define MOST_NS	     2000000 /* around an operation */
#define MOST_STEP_NS 50000   /* around an instruction */

static uint64_t state;

static uint64_t next(void)
{
	if (!__atomic_load_n(&state, __ATOMIC_RELAXED)) {
		const char *seed = getenv("PERTURB");
		__atomic_store_n(&state, (seed ? strtoull(seed, NULL, 10) : 0) * 2 + 1, __ATOMIC_RELAXED);
	}
	uint64_t x = __atomic_add_fetch(&state, UINT64_C(0x9e3779b97f4a7c15), __ATOMIC_RELAXED);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x;
}

/* Half of the times. */
static void wait_random(long most)
{
	uint64_t x = next();
	if (x >> 63)
		nanosleep(&(struct timespec){.tv_nsec = (long)((x >> 8) % (uint64_t)most)}, NULL);
}

#define REAL(name, ...) ((int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

#define PERTURB(name, type)                                                                                  \
	int name(type argument)                                                                              \
	{                                                                                                    \
		int (*real)(type) = REAL(name, type);                                                        \
		wait_random(MOST_NS);                                                                        \
		return real(argument);                                                                       \
	}

PERTURB(pthread_mutex_lock, pthread_mutex_t *)
PERTURB(pthread_mutex_unlock, pthread_mutex_t *)
PERTURB(pthread_cond_signal, pthread_cond_t *)
PERTURB(pthread_cond_broadcast, pthread_cond_t *)
PERTURB(pthread_rwlock_rdlock, pthread_rwlock_t *)
PERTURB(pthread_rwlock_wrlock, pthread_rwlock_t *)
PERTURB(pthread_rwlock_unlock, pthread_rwlock_t *)
PERTURB(sem_wait, sem_t *)
PERTURB(sem_post, sem_t *)

int pthread_join(pthread_t thread, void **result)
{
	int (*real)(pthread_t, void **) = REAL(pthread_join, pthread_t, void **);
	wait_random(MOST_NS);
	return real(thread, result);
}

/* There are two versions of it; the newer one is meant. */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int (*real)(pthread_cond_t *, pthread_mutex_t *) =
	    (int (*)(pthread_cond_t *, pthread_mutex_t *))dlvsym(RTLD_NEXT, "pthread_cond_wait",
								 "GLIBC_2.3.2");
	wait_random(MOST_NS);
	return real(cond, mutex);
}

/* What a program calls to let the others go on: they get more than it asked for. */
int sched_yield(void)
{
	nanosleep(&(struct timespec){.tv_nsec = MOST_NS}, NULL);
	return 0;
}

static void on_step(int signal)
{
	(void)signal;
	wait_random(MOST_STEP_NS);
}

/* From here on a SIGTRAP after every instruction of this thread. */
static void step(void)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; leaq 128(%%rsp), %%rsp"
			 :
			 :
			 : "cc", "memory");
}

struct start {
	void *(*routine)(void *);
	void *argument;
};

static void *start_stepping(void *context)
{
	const struct start start = *(struct start *)context;
	free(context);
	step();
	return start.routine(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
		   void *argument)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
	    REAL(pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	struct start *start = getenv("PERTURB_STEPS") ? malloc(sizeof *start) : NULL;
	if (!start)
		return real(thread, attributes, routine, argument);
	*start = (struct start){routine, argument};
	signal(SIGTRAP, on_step);
	int result = real(thread, attributes, start_stepping, start);
	step();
	return result;
}
