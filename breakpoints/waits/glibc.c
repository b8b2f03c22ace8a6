#include "breakpoints/waits/inspector.h"
#include <linux/futex.h>
#include <stddef.h>

/* Condition variables and semaphores of glibc on x86-64. */

/* struct __pthread_cond_s: up to 2.40 with references of the groups of waiters, from 2.41 on without. */
struct cond {
	uint64_t sequence; /* twice the number of waits, and which group is the new one */
	uint64_t start;
	uint32_t references[2];
	uint32_t sizes[2];
	uint32_t original_size;
	uint32_t waiters; /* eight for each, flags below */
	uint32_t signals[2];
};

struct new_cond {
	uint64_t sequence, start;
	uint32_t sizes[2];
	uint32_t original_size;
	uint32_t waiters;
	uint32_t signals[2];
	uint32_t unused[2];
};

_Static_assert(sizeof(struct cond) == 48 && sizeof(struct new_cond) == 48, "as large as pthread_cond_t");

#define COND_SHARED 1u
#define WAITERS	    3 /* bits below their number */

/* How many wait, 0 if this is no condition variable at which somebody could sleep so. */
static uint32_t cond_waiters(const struct inspector *inspector, const struct futex *futex, uint64_t sequence,
			     uint32_t flags)
{
	uint32_t waiters = flags >> WAITERS;
	bool shared = flags & COND_SHARED;
	if (shared != futex->shared || sequence / 2 < waiters)
		return 0;
	return shared || waiters <= inspector->inspection->length ? waiters : 0;
}

static uint32_t old_cond(struct inspector *inspector, const struct futex *futex, int group, uint64_t *object)
{
	struct cond cond;
	*object = futex->address - offsetof(struct cond, signals) - (uint64_t)group * sizeof(uint32_t);
	if (inspector->glibc >= 41 || (*object & 7) ||
	    !inspector_read(inspector, *object, &cond, sizeof(cond)))
		return 0;
	/* Bit 0 of a group's references says something else; a sleeping thread has one. */
	if (futex->expected != 0 || cond.references[group] / 2 == 0)
		return 0;
	return cond_waiters(inspector, futex, cond.sequence, cond.waiters);
}

static uint32_t new_cond(struct inspector *inspector, const struct futex *futex, int group, uint64_t *object)
{
	struct new_cond cond;
	*object = futex->address - offsetof(struct new_cond, signals) - (uint64_t)group * sizeof(uint32_t);
	if ((inspector->glibc > 0 && inspector->glibc < 41) || (*object & 7) ||
	    !inspector_read(inspector, *object, &cond, sizeof(cond)))
		return 0;
	return cond_waiters(inspector, futex, cond.sequence, cond.waiters);
}

/*
 * The waiting function keeps what it would need if its thread were cancelled: the condition variable's address and, after it,
 * the mutex's. 0 if that isn't on the stack.
 */
#define WORDS_LOOKED 160
static uint64_t mutex_of(struct inspector *inspector, uint32_t thread, uint64_t cond)
{
	uint64_t at = snapshot_thread(inspector->snapshot, thread)->regs.rsp & ~UINT64_C(7), pair[2];
	for (size_t i = 0; i < WORDS_LOOKED && inspector_read(inspector, at, pair, sizeof(pair));
	     i++, at += sizeof(pair[0]))
		if (pair[0] == cond && pair[1] && (pair[1] & 3) == 0 && pair[1] != cond &&
		    inspector_read(inspector, pair[1], &(uint32_t){0}, sizeof(uint32_t)))
			return pair[1];
	return 0;
}

static bool is_cond(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		    struct wait *wait)
{
	uint64_t object = 0, mutex = 0;
	uint32_t waiters = 0;
	/* Aligned to eight, so that the group is known. */
	int group = futex->address & 4 ? 1 : 0;
	waiters = old_cond(inspector, futex, group, &object);
	if (waiters)
		mutex = mutex_of(inspector, futex->thread, object);
	if (!waiters || (hint != WAIT_COND && !mutex)) {
		waiters = new_cond(inspector, futex, group, &object);
		mutex = waiters ? mutex_of(inspector, futex->thread, object) : 0;
	}
	if (!waiters || (hint != WAIT_COND && !mutex))
		return false;
	wait_for(inspector, futex, WAIT_COND, object, wait);
	wait->mutex = mutex;
	wait_for_any(inspector, futex, wait);
	if (futex->value != futex->expected)
		wait_say(wait, "signalled, about to wake up");
	else if (waiters > 1)
		wait_say(wait, "%u threads wait there", waiters);
	return true;
}

/* struct new_sem */
struct semaphore {
	uint32_t value;
	uint32_t waiters;
	uint32_t is_shared; /* 0 or 128 */
};

#define SEMAPHORE_SHARED 128

static bool is_semaphore(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
			 struct wait *wait)
{
	struct semaphore semaphore;
	if (futex->expected != 0 || futex->command != FUTEX_WAIT_BITSET || (futex->address & 7) ||
	    !inspector_read(inspector, futex->address, &semaphore, sizeof(semaphore)))
		return false;
	if (semaphore.waiters == 0 || semaphore.is_shared != (futex->shared ? SEMAPHORE_SHARED : 0) ||
	    (!futex->shared && semaphore.waiters > inspector->inspection->length))
		return false;
	if (hint != WAIT_SEMAPHORE && semaphore.value > semaphore.waiters)
		return false;
	wait_for(inspector, futex, WAIT_SEMAPHORE, futex->address, wait);
	wait->count = semaphore.value;
	wait_for_any(inspector, futex, wait);
	wait_say(wait, "value %u%s", semaphore.value, futex->shared ? ", process-shared" : "");
	return true;
}

bool glibc_wait(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		struct wait *wait)
{
	return is_cond(inspector, futex, hint, wait) || is_semaphore(inspector, futex, hint, wait) ||
	       glibc_meeting(inspector, futex, hint, wait);
}
