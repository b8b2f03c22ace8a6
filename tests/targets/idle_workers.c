/* Two threads look for work every millisecond, under a lock made of a futex word; a third one needs that lock once, to say that all is done. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE, TAKEN, SLEEPERS };

static atomic_int word = FREE;
static int done;

static void lock(void)
{
	int seen = FREE;

	if (atomic_compare_exchange_strong(&word, &seen, TAKEN))
		return;
	while (atomic_exchange(&word, SLEEPERS) != FREE)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, SLEEPERS, NULL, NULL, 0);
}

static void unlock(void)
{
	if (atomic_exchange(&word, FREE) == SLEEPERS)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int is_done(void)
{
	lock();
	int seen = done;
	unlock();
	return seen;
}

static void *look(void *unused)
{
	(void)unused;
	while (!is_done())
		usleep(1000);
	return NULL;
}

static void *finish(void *unused)
{
	(void)unused;
	lock();
	done = 1;
	unlock();
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, look, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	pthread_create(&threads[2], NULL, finish, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
