/* A library with two spin locks; with PAUSES one that doesn't yield, released by an atomic instruction. */
#include <sched.h>
#include <stdatomic.h>
static atomic_int locks[2];
void spin_lock(int i)
{
	while (atomic_exchange(&locks[i], 1))
#ifdef PAUSES
		__builtin_ia32_pause();
#else
		sched_yield();
#endif
}
void spin_unlock(int i)
{
#ifdef PAUSES
	atomic_store(&locks[i], 0);
#else
	atomic_store_explicit(&locks[i], 0, memory_order_release);
#endif
}
