/*
 * Calls that no program may make; each is found before it is made. Some need another thread to come first.
 *
 * fmc-options: --strategy dfs
 * fmc-args: unlock
 * fmc-verdict: misuse
 * fmc-message: T2 unlocks lock, which (another thread|nobody) holds
 *
 * fmc-options: --strategy dfs
 * fmc-args: destroy
 * fmc-verdict: misuse
 * fmc-message: T1 destroys lock, which is held
 *
 * fmc-options: --strategy dfs
 * fmc-args: after-destroy
 * fmc-verdict: misuse
 * fmc-message: T2 uses lock, which has been destroyed
 *
 * fmc-options: --strategy dfs
 * fmc-args: after-free
 * fmc-verdict: misuse
 * fmc-message: T2 uses heap.*, which has been destroyed
 *
 * fmc-options: --strategy dfs
 * fmc-args: wait
 * fmc-verdict: misuse
 * fmc-message: T1 waits for cond without holding lock
 *
 * fmc-options: --strategy dfs
 * fmc-args: two-mutexes
 * fmc-verdict: misuse
 * fmc-message: waits for cond with .*, while another thread waits there with another mutex
 *
 * fmc-options: --strategy dfs
 * fmc-args: join
 * fmc-verdict: misuse
 * fmc-message: T1 joins T2, which has been joined or detached
 *
 * fmc-options: --strategy dfs
 * fmc-args: overflow
 * fmc-verdict: misuse
 * fmc-message: T1 posts sem beyond SEM_VALUE_MAX
 *
 * fmc-options: --strategy dfs
 * fmc-args: barrier
 * fmc-verdict: misuse
 * fmc-message: (T1 destroys barrier, where a thread waits|T2 uses barrier, which has been destroyed)
 *
 * fmc-options: --strategy dfs
 * fmc-args: unmade
 * fmc-verdict: misuse
 * fmc-message: T1 waits at never, which has never been initialised
 *
 * fmc-options: --strategy dfs
 * fmc-args: again
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-static: yes
 */
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t *made, lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier, never;
static sem_t sem;
static const char *what;

static int does(const char *name)
{
	return strcmp(what, name) == 0;
}

static void wait_with(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_cond_wait(&cond, mutex);
	pthread_mutex_unlock(mutex);
}

static void *run(void *unused)
{
	(void)unused;
	if (does("unlock")) {
		pthread_mutex_unlock(&lock);
	} else if (does("after-free")) {
		pthread_mutex_lock(made);
	} else if (does("barrier")) {
		pthread_barrier_wait(&barrier);
	} else if (does("two-mutexes")) {
		wait_with(&other);
	} else {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* Made again where another one was: nothing wrong with that. */
static void make_again(void)
{
	pthread_mutex_destroy(&lock);
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_mutex_destroy(&lock);
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	what = argc > 1 ? argv[1] : "";
	made = malloc(sizeof *made);
	pthread_mutex_init(made, NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, SEM_VALUE_MAX);
	pthread_create(&thread, NULL, run, NULL);
	if (does("unlock") || does("destroy")) {
		pthread_mutex_lock(&lock);
		if (does("destroy"))
			pthread_mutex_destroy(&lock);
		pthread_mutex_unlock(&lock);
	} else if (does("after-destroy")) {
		pthread_mutex_destroy(&lock);
	} else if (does("after-free")) {
		/* What malloc writes into the block must not make it look like another mutex. */
		pthread_mutex_destroy(made);
		free(made);
	} else if (does("wait")) {
		pthread_cond_wait(&cond, &lock);
	} else if (does("two-mutexes")) {
		wait_with(&lock);
	} else if (does("overflow")) {
		sem_post(&sem);
	} else if (does("barrier")) {
		pthread_barrier_destroy(&barrier);
	} else if (does("unmade")) {
		pthread_barrier_wait(&never);
	}
	pthread_join(thread, NULL);
	if (does("join"))
		pthread_join(thread, NULL);
	if (does("again"))
		make_again();
	return 0;
}
