/*
 * passed CASE: mutexes that nobody else wants, in all the ways by which they come and go, up to a deadlock: a main thread that locks a mutex it has. For
 * tests/run-passed.sh.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define ROUNDS 200

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int counted, turn;

static void count(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	counted++;
	pthread_mutex_unlock(mutex);
}

static void *plain(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		count(i % 3 ? &first : &second);
	return unused;
}

/* Hands over after each few rounds, so that others come between. */
static void *turns(void *number)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&first);
		while (turn != *(int *)number)
			pthread_cond_wait(&come, &first);
		turn = !turn;
		pthread_cond_broadcast(&come);
		pthread_mutex_unlock(&first);
		for (int k = 0; k < 10; k++)
			count(&second);
	}
	return NULL;
}

/* One object after the other at one place, of several kinds, and made without a call while the last one is held. */
static void *anew(void *unused)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_mutexattr_t attributes;
	for (int i = 0; i < 10; i++)
		count(&mutex);
	pthread_mutex_lock(&mutex);
	memcpy(&mutex, &first, sizeof mutex);
	for (int i = 0; i < 10; i++)
		count(&mutex);
	pthread_mutex_destroy(&mutex);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &attributes);
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&mutex);
		count(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_destroy(&mutex);
	memcpy(&mutex, &first, sizeof mutex);
	for (int i = 0; i < 10; i++)
		count(&mutex);
	memcpy(&mutex, &recursive, sizeof mutex);
	for (int i = 0; i < 10; i++)
		count(&mutex);
	return unused;
}

static void make(void)
{
	for (int i = 0; i < 10; i++)
		count(&first);
}

static void *within_once(void *unused)
{
	count(&first);
	count(&second);
	pthread_once(&once, make);
	for (int i = 0; i < 10; i++)
		count(&second);
	return unused;
}

static void handle(int signal)
{
	(void)signal;
	for (int i = 0; i < 5; i++)
		count(&second);
}

/* A handler comes between, and so do calls that each have a place in the order of operations. */
static void *signals(void *unused)
{
	signal(SIGUSR1, handle);
	for (int i = 0; i < 5; i++) {
		plain(NULL);
		pthread_kill(pthread_self(), SIGUSR1);
		usleep(1000);
	}
	return unused;
}

static void *births(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pthread_t born;
		plain(NULL);
		pthread_create(&born, NULL, plain, NULL);
		plain(NULL);
		pthread_join(born, NULL);
	}
	return unused;
}

static void *forks(void *unused)
{
	plain(NULL);
	const int before = counted;
	const pid_t child = fork();
	if (child == 0) {
		plain(NULL);
		_exit(counted == before + ROUNDS ? 3 : 4);
	}
	int status = 0;
	waitpid(child, &status, 0);
	if (WEXITSTATUS(status) != 3)
		abort();
	return plain(unused);
}

static void *of_c11(void *unused)
{
	mtx_t mutex;
	mtx_init(&mutex, mtx_plain);
	for (int i = 0; i < 10; i++) {
		mtx_lock(&mutex);
		count(&first);
		mtx_unlock(&mutex);
	}
	mtx_destroy(&mutex);
	return unused;
}

/* A timer that is off sends no signals. */
static void *disarms(void *unused)
{
	const struct itimerval off = {.it_value = {0}};
	alarm(0);
	setitimer(ITIMER_REAL, &off, NULL);
	return plain(unused);
}

/* Who yields lets others go on. */
static void *yields(void *unused)
{
	for (int i = 0; i < 10; i++) {
		plain(NULL);
		sched_yield();
		count(&first);
		count(&second);
		sched_yield();
		usleep(1000);
	}
	return unused;
}

/* Who yields twice while the other one waits has to let it go before: as soon as that can go on, which an unlock without a stop must not pass. */
static void *owes(void *number)
{
	count(&second);
	pthread_mutex_lock(&first);
	for (int i = 0; i < 4 && *(int *)number == 0; i++) {
		sched_yield();
		pthread_mutex_unlock(&first);
		pthread_mutex_lock(&first);
	}
	sched_yield();
	counted = 2 * counted + *(int *)number;
	pthread_mutex_unlock(&first);
	for (int i = 0; i < ROUNDS; i++)
		count(&second);
	return NULL;
}

/* Many mutexes: more than are known at a time. */
static void *many(void *unused)
{
	enum { MUTEXES = 300 };
	pthread_mutex_t *mutexes = calloc(MUTEXES, sizeof *mutexes);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < MUTEXES; i++)
			count(&mutexes[i]);
	free(mutexes);
	return unused;
}

/* One that another thread holds has to be waited for. */
static void *held(void *number)
{
	for (int i = 0; i < 20; i++)
		count(&second);
	pthread_mutex_lock(&first);
	for (int i = 0; i < 20; i++)
		count(&second);
	if (*(int *)number == 0)
		usleep(1000);
	pthread_mutex_unlock(&first);
	return NULL;
}

/* Polls without a yield: the other thread never gets to set it. */
static void *polls(void *number)
{
	int seen = 0;
	while (*(int *)number == 0 && !seen) {
		pthread_mutex_lock(&first);
		seen = turn;
		pthread_mutex_unlock(&first);
	}
	pthread_mutex_lock(&first);
	turn = 1;
	pthread_mutex_unlock(&first);
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} cases[] = {{"plain", plain},	   {"turns", turns},	{"anew", anew},	  {"once", within_once},
		     {"signals", signals}, {"births", births},	{"forks", forks}, {"c11", of_c11},
		     {"yields", yields},   {"many", many},	{"held", held},	  {"polls", polls},
		     {"owes", owes},	   {"disarms", disarms}};
	static int numbers[2] = {0, 1};
	pthread_t threads[2];
	const char *wanted = argc > 1 ? argv[1] : "";
	void *(*run)(void *) = NULL;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (strcmp(cases[i].name, wanted) == 0)
			run = cases[i].run;
	if (!run)
		return 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", counted);
	fflush(stdout);
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&first);
	return 0;
}
