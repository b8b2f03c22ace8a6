/* Peterson's lock of atomics that compile to plain loads and stores; without TURNS it isn't right. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int wants[2], turn, inside;
#define set(object, value) atomic_store_explicit(object, value, memory_order_release)
#define get(object)	   atomic_load_explicit(object, memory_order_acquire)
#define ROUTINE(name, me, other, first)                                                                      \
	static void *name(void *unused)                                                                      \
	{                                                                                                    \
		set(&wants[me], 1);                                                                          \
		if (TURNS)                                                                                   \
			set(&turn, other);                                                                   \
		while (get(&wants[other]) && (!TURNS || get(&turn) == other))                                \
			sched_yield();                                                                       \
		int before = get(&inside);                                                                   \
		set(&inside, before + 1);                                                                    \
		assert(get(&inside) == 1);                                                                   \
		set(&inside, 0);                                                                             \
		set(&wants[me], 0);                                                                          \
		return unused;                                                                               \
	}
ROUTINE(zero, 0, 1, 0)
ROUTINE(one, 1, 0, 1)
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, zero, NULL);
	pthread_create(&threads[1], NULL, one, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
