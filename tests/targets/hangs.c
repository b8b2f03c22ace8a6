/*
 * Hangs, or only seems to, as its argument says: cycle, idle (a pool of threads that wait for work from one that waits for input), chain,
 * hot, queue (workers that nobody gives work any more), exits (a thread that holds a lock and has ended), quit (a semaphore that a handler
 * of a signal posts), crash, child (a lock shared with a child process, which holds it).
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { WORKERS = 4 };

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t met;
static pthread_t threads[WORKERS];
static sem_t quit;
static volatile unsigned long count;

static void *cross(void *unused)
{
	pthread_mutex_lock(&second);
	pthread_barrier_wait(&met);
	pthread_mutex_lock(&first);
	return unused;
}

static void cycle(void)
{
	pthread_create(&threads[0], NULL, cross, NULL);
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&met);
	pthread_mutex_lock(&second);
}

static void *take_work(void *unused)
{
	pthread_mutex_lock(&first);
	for (;;)
		pthread_cond_wait(&work, &first);
	return unused;
}

static void start_workers(void *(*routine)(void *))
{
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, routine, NULL);
}

static void wait_for_input(void)
{
	char byte;
	while (read(0, &byte, 1) == 1)
		pthread_cond_signal(&work);
}

static void *lock_first(void *unused)
{
	pthread_mutex_lock(&first);
	return unused;
}

/* The main thread holds the lock and reads, or counts for ever. */
static void hold(int hot)
{
	pthread_mutex_lock(&first);
	start_workers(lock_first);
	while (hot)
		count++;
	wait_for_input();
}

static void leave_locked(void)
{
	pthread_create(&threads[0], NULL, lock_first, NULL);
	pthread_join(threads[0], NULL);
	pthread_mutex_lock(&first);
}

static void on_end(int signal)
{
	(void)signal;
	sem_post(&quit);
}

static void wait_for_end(void)
{
	signal(SIGTERM, on_end);
	start_workers(take_work);
	sem_wait(&quit);
}

static void share_with_child(void)
{
	pthread_mutex_t *shared =
	    mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t kind;
	int ready[2];
	char byte;
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(shared, &kind);
	if (pipe(ready) == 0 && fork() == 0) {
		close(ready[0]);
		pthread_mutex_lock(shared);
		(void)!write(ready[1], "", 1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	close(ready[1]);
	(void)!read(ready[0], &byte, 1);
	pthread_mutex_lock(shared);
}

static void *crash(void *address)
{
	*(volatile int *)address = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_barrier_init(&met, NULL, 2);
	sem_init(&quit, 0, 0);
	if (strcmp(how, "cycle") == 0)
		cycle();
	else if (strcmp(how, "idle") == 0) {
		start_workers(take_work);
		wait_for_input();
	} else if (strcmp(how, "chain") == 0 || strcmp(how, "hot") == 0)
		hold(how[0] == 'h');
	else if (strcmp(how, "queue") == 0) {
		start_workers(take_work);
		pthread_join(threads[0], NULL);
	} else if (strcmp(how, "exits") == 0)
		leave_locked();
	else if (strcmp(how, "quit") == 0)
		wait_for_end();
	else if (strcmp(how, "crash") == 0) {
		pthread_create(&threads[0], NULL, crash, NULL);
		pthread_join(threads[0], NULL);
	} else if (strcmp(how, "child") == 0)
		share_with_child();
	return 0;
}
