/*
 * A reader that reads again while it reads. Where writers go first, one that comes in between stops the second
 * reading, and the first one never ends. glibc's default lets readers in, so that it works.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy dfs
 * fmc-args: writers-first
 * fmc-verdict: deadlock
 * fmc-message: T1 waits for lock
 * fmc-static: yes
 *
 * fmc-options: --strategy dfs --wakeup rwlock=writers
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy dfs --wakeup lock=fifo
 * fmc-verdict: deadlock
 */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock;

static void *writer(void *unused)
{
	(void)unused;
	pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_rwlockattr_t attributes;
	pthread_t thread;

	(void)argv;
	pthread_rwlockattr_init(&attributes);
	if (argc > 1)
		pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&lock, &attributes);
	pthread_create(&thread, NULL, writer, NULL);
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
