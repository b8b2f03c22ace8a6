/*
 * Readers that hold a lock by turns, so that nobody who wants to write ever gets it: rwlocks of glibc prefer readers. Each of them yields,
 * and every thread that could go on does: the loop is fair, and so fmc check alone calls it a livelock. As a formula it is told what
 * doesn't come about. Where writers are preferred it does.
 *
 * fmc-options: --seed 1 --depth 400
 * fmc-verdict: livelock
 *
 * fmc-options: --seed 1 --ltl G(wants->F{wrote==1}) --prop wants=wants==1
 * fmc-verdict: ltl
 * fmc-message: ^ltl: 'G\(wants->F\{wrote==1\}\)' isn't fulfilled while transitions [0-9]+ to [0-9]+ repeat for ever$
 *
 * fmc-options: --seed 1 --wakeup rwlock=writers --strategy random --executions 50 --ltl G(wants->F{wrote==1}) --prop wants=wants==1
 * fmc-verdict: none
 * fmc-complete: no
 */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int wants, wrote;

static void *read_again(void *unused)
{
	while (!wrote) {
		pthread_rwlock_rdlock(&lock);
		sched_yield();
		pthread_rwlock_unlock(&lock);
	}
	return unused;
}

static void *write_once(void *unused)
{
	wants = 1;
	pthread_rwlock_wrlock(&lock);
	wrote = 1;
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i < 2 ? read_again : write_once, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
