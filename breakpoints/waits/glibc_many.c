#include "breakpoints/waits/inspector.h"
#include <stddef.h>

/* Read-write locks and barriers of glibc on x86-64. */

/* struct __pthread_rwlock_arch_t */
struct rwlock {
	uint32_t readers; /* eight for each, flags below */
	uint32_t writers;
	uint32_t phase_word;
	uint32_t writer_word;
	uint32_t unused[2];
	uint32_t writer; /* the number of the thread that has locked it to write */
	uint32_t shared;
	uint8_t elision, padding[7];
	uint64_t more_padding;
	uint32_t kind;
};

enum {
	RWLOCK_WRITE_PHASE = 1, /* flags of `readers` */
	RWLOCK_WRITE_LOCKED = 2,
	RWLOCK_READERS_WAIT = 4,
	RWLOCK_READERS = 3, /* bits below their number */
	RWLOCK_KINDS = 3,
	RWLOCK_PREFERS_WRITERS = 2, /* of its kinds */
};

/* What threads sleep with: bit 1 says that somebody does, bit 0 that writers have the lock. */
enum { UNTIL_READ_PHASE = 3, UNTIL_WRITE_PHASE = 2, UNTIL_WRITER_DONE = 3 };

/*
 * Three words are slept at: `phase_word` by readers until writers are done, and by the first writer until readers are;
 * `writer_word` by the other writers; `readers` by readers that let a writer go first. The lock is aligned to eight bytes,
 * so address and value tell which it is.
 */
static enum wait_kind rwlock_word(const struct futex *futex, uint64_t *object)
{
	if (futex->address & 4) {
		*object = futex->address - offsetof(struct rwlock, writer_word);
		return futex->expected == UNTIL_WRITER_DONE ? WAIT_WRITE : WAIT_NOTHING;
	}
	if (futex->expected == UNTIL_READ_PHASE || futex->expected == UNTIL_WRITE_PHASE) {
		*object = futex->address - offsetof(struct rwlock, phase_word);
		return futex->expected == UNTIL_READ_PHASE ? WAIT_READ : WAIT_WRITE;
	}
	*object = futex->address;
	return futex->expected & RWLOCK_READERS_WAIT ? WAIT_READ : WAIT_NOTHING;
}

static bool rwlock_sound(const struct inspector *inspector, const struct rwlock *lock,
			 const struct futex *futex, enum wait_kind hint)
{
	bool known = lock->writer == 0 || lock->shared || hint == WAIT_READ || hint == WAIT_WRITE ||
		     thread_of_number(inspector, (pid_t)lock->writer) != NOBODY;
	return known && lock->kind <= RWLOCK_KINDS && lock->shared == futex->shared && lock->elision == 0 &&
	       lock->readers != 0 && lock->phase_word <= 3 && lock->writer_word <= 3;
}

/* What it waits for: a writer that has it, or readers, whose numbers aren't kept. */
static void rwlock_holders(struct inspector *inspector, const struct rwlock *lock, struct wait *wait)
{
	uint32_t readers = lock->readers >> RWLOCK_READERS;
	if (lock->writer)
		wait_held_by(inspector, (pid_t)lock->writer, wait);
	else if (lock->readers & RWLOCK_WRITE_PHASE)
		wait_say(wait, "about to change hands");
	else if (wait->kind == WAIT_READ)
		wait_say(wait, "a writer comes first, which waits for %u reader%s", readers,
			 readers == 1 ? "" : "s");
	else
		wait_say(wait, "%u reader%s it", readers, readers == 1 ? " has" : "s have");
	wait->count = lock->readers & RWLOCK_WRITE_PHASE ? 0 : readers;
}

static bool is_rwlock(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		      struct wait *wait)
{
	struct rwlock lock;
	uint64_t object;
	enum wait_kind kind = rwlock_word(futex, &object);
	if (kind == WAIT_NOTHING || (hint != WAIT_NOTHING && hint != kind) ||
	    !inspector_read(inspector, object, &lock, sizeof(lock)) ||
	    !rwlock_sound(inspector, &lock, futex, hint))
		return false;
	bool waits_for_writer = object == futex->address;
	if (waits_for_writer &&
	    (lock.kind != RWLOCK_PREFERS_WRITERS || !(lock.readers & RWLOCK_WRITE_LOCKED)))
		return false;
	wait_for(inspector, futex, kind, object, wait);
	wait_for_any(inspector, futex, wait);
	rwlock_holders(inspector, &lock, wait);
	return true;
}

/* struct pthread_barrier */
struct barrier {
	uint32_t in;	/* threads that have come, in all rounds */
	uint32_t round; /* `in` when this round began: what they sleep at */
	uint32_t count;
	uint32_t shared; /* 0 or 128 */
	uint32_t out;
};

#define BARRIER_SHARED 128
#define BARRIER_MOST   100000 /* threads that meet */

static bool is_barrier(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		       struct wait *wait)
{
	struct barrier barrier;
	uint64_t object = futex->address - offsetof(struct barrier, round);
	if ((object & 7) || (hint != WAIT_NOTHING && hint != WAIT_BARRIER) ||
	    !inspector_read(inspector, object, &barrier, sizeof(barrier)))
		return false;
	uint32_t come = barrier.in - barrier.round;
	if (barrier.shared != (futex->shared ? BARRIER_SHARED : 0) || barrier.count > BARRIER_MOST ||
	    come == 0 || barrier.round != futex->expected || come >= barrier.count)
		return false;
	wait_for(inspector, futex, WAIT_BARRIER, object, wait);
	wait->count = barrier.count - come;
	wait_for_any(inspector, futex, wait);
	wait_say(wait, "%u of %u have come", come, barrier.count);
	return true;
}

bool glibc_meeting(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		   struct wait *wait)
{
	return is_rwlock(inspector, futex, hint, wait) || is_barrier(inspector, futex, hint, wait);
}
