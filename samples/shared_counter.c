/*
 * A process and its child increase a counter in memory that they share, without a lock; with an argument under a mutex in the same memory. With
 * `--follow` accesses to such memory become operations where a sample of executions shows them.
 *
 * fmc-options: --follow
 * fmc-verdict: abort
 * fmc-message: abort: T1.1, .*Assertion `shared->count == 2' failed
 *
 * fmc-options: --follow
 * fmc-args: locked
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t lock;
	int count;
};

static void add(struct shared *shared, int locked)
{
	if (locked)
		pthread_mutex_lock(&shared->lock);
	shared->count++;
	if (locked)
		pthread_mutex_unlock(&shared->lock);
}

int main(int argc, char **argv)
{
	(void)argv;
	pthread_mutexattr_t attributes;
	struct shared *shared =
	    mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 0;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attributes);
	const pid_t child = fork();
	if (child < 0)
		return 0;
	add(shared, argc > 1);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	assert(shared->count == 2);
	return 0;
}
