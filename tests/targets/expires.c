/* Every kind of time-out, one after the other. Fails when all of them have run out. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/select.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static int expired;

static void *wait_for_all(void *unused)
{
	struct timespec soon;
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec += 1000;
	const struct timespec before = soon;
	struct timeval short_time = {1000, 0};
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	expired += sem_timedwait(&empty, &soon) == -1 && errno == ETIMEDOUT;
	expired += pthread_mutex_timedlock(&lock, &soon) == ETIMEDOUT;
	expired += pthread_rwlock_timedrdlock(&rwlock, &soon) == ETIMEDOUT;
	pthread_mutex_lock(&own);
	expired += pthread_cond_timedwait(&never, &own, &soon) == ETIMEDOUT;
	pthread_mutex_unlock(&own);
	expired += poll(NULL, 0, 1000000) == 0;
	expired += select(0, NULL, NULL, NULL, &short_time) == 0;
	expired += soon.tv_sec == before.tv_sec && soon.tv_nsec == before.tv_nsec;
	return unused;
}

int main(void)
{
	pthread_t thread;
	sem_init(&empty, 0, 0);
	pthread_mutex_lock(&lock);
	pthread_rwlock_wrlock(&rwlock);
	pthread_create(&thread, NULL, wait_for_all, NULL);
	pthread_join(thread, NULL);
	assert(expired != 7);
	return 0;
}
