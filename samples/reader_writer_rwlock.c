/*
 * McMini's reader_writer_rwlock: the same with the thread library's own lock. Readers don't exclude each
 * other and writers exclude all, so R readers and one writer have 2^R traces: each reader comes before or
 * after the writer. "writers": the kind that prefers writers. "deadlock": a thread that reads asks for
 * writing. Arguments: READERS WRITERS [writers] [deadlock].
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2 1
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 4
 *
 * fmc-options: --strategy optimal
 * fmc-args: 1 2
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 6
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2 1 deadlock
 * fmc-verdict: deadlock
 */
#include "include/arguments.h"
#include <assert.h>
#include <pthread.h>

enum { MOST = 16 };

static pthread_rwlock_t lock;
static int writing;
static bool upgrades;

static void *read_once(void *unused)
{
	(void)unused;
	pthread_rwlock_rdlock(&lock);
	assert(!writing);
	if (upgrades)
		pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *write_once(void *unused)
{
	(void)unused;
	pthread_rwlock_wrlock(&lock);
	writing = 1;
	writing = 0;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2 * MOST];
	pthread_rwlockattr_t attributes;
	int readers = argument_number(argc, argv, 1, 2, 0, MOST);
	int writers = argument_number(argc, argv, 2, 1, 0, MOST);

	upgrades = argument_word(argc, argv, "deadlock");
	pthread_rwlockattr_init(&attributes);
	if (argument_word(argc, argv, "writers"))
		pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&lock, &attributes);
	for (int i = 0; i < readers + writers; i++)
		pthread_create(&threads[i], NULL, i < readers ? read_once : write_once, NULL);
	for (int i = 0; i < readers + writers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
