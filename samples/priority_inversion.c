/*
 * Priority inversion: a thread that is urgent needs a lock that one in the background holds, which waits for its turn behind one of middle
 * importance that never stops working. The scheduler of this program, which gives the turn to the most important thread that wants it,
 * lets the middle one go first for ever: the urgent one, before which it would come, is kept by one behind which it would come. Each
 * thread takes its turns, so that all is fair, and no lock is missing: what doesn't come about is a formula. Where the holder of the
 * lock inherits the importance of the one that waits for it, as with PTHREAD_PRIO_INHERIT, it does.
 *
 * fmc-options: --seed 1 --prop wants=wants_lock --ltl G(wants->F{urgent_done})
 * fmc-verdict: ltl
 * fmc-executions: 1
 * fmc-message: ^ltl: 'G\(wants->F\{urgent_done\}\)' isn't fulfilled while transitions [0-9]+ to [0-9]+ repeat for ever$
 *
 * fmc-options: --seed 1 --strategy random --executions 50 --prop wants=wants_lock --ltl G(wants->F{urgent_done})
 * fmc-args: inherit
 * fmc-verdict: none
 * fmc-executions: 50
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t resource = PTHREAD_MUTEX_INITIALIZER;
static volatile bool wants_lock, holds_lock, urgent_done, inherits;

/* In the background: it holds the resource, and gives it back when nobody more important works. */
static void *background(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&resource);
	holds_lock = true;
	while (!(inherits && wants_lock))
		sched_yield(); /* the middle one works, and goes first */
	pthread_mutex_unlock(&resource);
	return NULL;
}

static void *middle(void *unused)
{
	(void)unused;
	while (!urgent_done)
		sched_yield();
	return NULL;
}

static void *urgent(void *unused)
{
	(void)unused;
	wants_lock = true;
	pthread_mutex_lock(&resource);
	urgent_done = true;
	pthread_mutex_unlock(&resource);
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const bodies[])(void *) = {background, middle, urgent};
	pthread_t threads[3];
	(void)argv;
	inherits = argc > 1;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, bodies[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
