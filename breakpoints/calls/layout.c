#include "breakpoints/calls/arguments.h"

/* How glibc and musl keep mutexes and semaphores on x86-64: a look at objects that fmc didn't see being made.
 */

#define TID_MASK 0x3fffffff /* of a lock word that holds its owner's tid (FUTEX_TID_MASK) */

/* glibc, struct __pthread_mutex_s (sysdeps/x86/nptl/bits/struct_mutex.h) */
struct glibc_mutex {
	uint32_t lock;
	uint32_t count;
	uint32_t owner;
	uint32_t nusers;
	uint32_t kind;
};

enum glibc_kind {
	GLIBC_ROBUST = 0x10,
	GLIBC_INHERIT = 0x20,
	GLIBC_PROTECT = 0x40,
	GLIBC_DESTROYED = -1,		      /* left by pthread_mutex_destroy; all functions then fail */
	GLIBC_CEILING_MASK = (int)0xfff80000, /* of the lock word, if GLIBC_PROTECT */
};

/* musl, pthread_mutex_t (src/internal/pthread_impl.h: _m_type, _m_lock, _m_count) */
struct musl_mutex {
	uint32_t type;
	uint32_t lock;
	uint32_t waiters;
	uint32_t unused[2];
	uint32_t count; /* less one */
};

static enum status peek_glibc_mutex(const struct reader *reader, uint64_t address, struct object_state *state,
				    pid_t *owner_tid)
{
	struct glibc_mutex mutex;
	enum status status = reader_read(reader, address, &mutex, sizeof(mutex));
	if (status != STATUS_OK)
		return status;
	if (mutex.kind == (uint32_t)GLIBC_DESTROYED) {
		state->destroyed = true;
		return STATUS_OK;
	}
	state->type = mutex.kind & MUTEX_TYPE_MASK;
	if (mutex.kind & GLIBC_ROBUST)
		state->type |= MUTEX_ROBUST;
	if (mutex.kind & (GLIBC_INHERIT | GLIBC_PROTECT))
		state->type |= MUTEX_PRIORITY;
	if (mutex.kind & GLIBC_PROTECT)
		state->type |= MUTEX_CEILING;
	uint32_t held = mutex.lock;
	if (mutex.kind & GLIBC_PROTECT)
		held &= ~(uint32_t)GLIBC_CEILING_MASK;
	else if (mutex.kind & (GLIBC_ROBUST | GLIBC_INHERIT))
		held &= TID_MASK;
	if (held == 0)
		return STATUS_OK;
	*owner_tid = (pid_t)mutex.owner;
	state->count = (mutex.kind & MUTEX_TYPE_MASK) == MUTEX_RECURSIVE ? mutex.count : 1;
	return STATUS_OK;
}

static enum status peek_musl_mutex(const struct reader *reader, uint64_t address, struct object_state *state,
				   pid_t *owner_tid)
{
	struct musl_mutex mutex;
	enum status status = reader_read(reader, address, &mutex, sizeof(mutex));
	if (status != STATUS_OK)
		return status;
	state->type = mutex.type & MUTEX_TYPE_MASK;
	state->type |= mutex.type & 4 ? MUTEX_ROBUST : 0;
	state->type |= mutex.type & 8 ? MUTEX_PRIORITY : 0;
	uint32_t owner = mutex.lock & TID_MASK;
	if (owner == 0)
		return STATUS_OK;
	bool keeps_owner = (mutex.type & 15) != MUTEX_NORMAL; /* a normal one is just marked EBUSY */
	*owner_tid = keeps_owner ? (pid_t)owner : 0;
	state->count = (mutex.type & MUTEX_TYPE_MASK) == MUTEX_RECURSIVE ? mutex.count + 1 : 1;
	return STATUS_OK;
}

static enum status peek_semaphore(const struct reader *reader, uint64_t address, struct object_state *state)
{
	uint32_t value;
	enum status status = reader_read(reader, address, &value, sizeof(value));
	if (status == STATUS_OK)
		state->count = value & INT32_MAX; /* musl marks waiters in the topmost bit */
	return status;
}

/* glibc, struct __pthread_rwlock_arch_t; musl: one word, the number of readers or all ones for a writer. */
struct glibc_rwlock {
	uint32_t readers; /* 8 for each, below that flags */
	uint32_t unused[5];
	uint32_t writer;
	uint32_t more[5];
	uint32_t flags; /* the kind */
};

static enum status peek_rwlock(const struct reader *reader, bool musl, uint64_t address,
			       struct object_state *state, pid_t *owner_tid)
{
	struct glibc_rwlock lock;
	enum status status = reader_read(reader, address, &lock, sizeof(lock));
	if (status != STATUS_OK)
		return status;
	uint32_t readers = musl ? lock.readers & INT32_MAX : lock.readers >> 3;
	bool written = musl ? readers == INT32_MAX : lock.writer != 0;
	state->type = musl ? RWLOCK_READERS : lock.flags;
	if (!written)
		state->count = readers;
	else if (!musl)
		*owner_tid = (pid_t)lock.writer;
	return STATUS_OK;
}

/* glibc, struct pthread_barrier: in, current_round, count, ...; musl: the third word is the count less one.
 */
static enum status peek_barrier(const struct reader *reader, bool musl, uint64_t address,
				struct object_state *state)
{
	uint32_t words[3];
	enum status status = reader_read(reader, address, words, sizeof(words));
	if (status == STATUS_OK)
		state->count = musl ? (words[2] & INT32_MAX) + 1 : words[2];
	return status;
}

/* glibc: 1 is free, less is held; musl: 0 is free. The holder isn't kept. */
static enum status peek_spin(const struct reader *reader, bool musl, uint64_t address,
			     struct object_state *state)
{
	int32_t word;
	enum status status = reader_read(reader, address, &word, sizeof(word));
	if (status == STATUS_OK)
		state->count = musl ? word != 0 : word < 1;
	return status;
}

/* pthread_once_t of glibc and musl: 2 when done. Of a C++ guard the first byte is 1 then. */
static enum status peek_once(const struct reader *reader, uint64_t address, struct object_state *state)
{
	uint32_t word;
	enum status status = reader_read(reader, address, &word, sizeof(word));
	if (status == STATUS_OK)
		state->count = (word & 3) == 2 ? ONCE_DONE : ONCE_NEW;
	return status;
}

enum status layout_peek(const struct reader *reader, bool musl, enum object_class class, uint64_t address,
			struct object_state *state, pid_t *owner_tid)
{
	*state = (struct object_state){.class = class, .owner = NO_THREAD};
	*owner_tid = 0;
	if (class == CLASS_MUTEX && musl)
		return peek_musl_mutex(reader, address, state, owner_tid);
	if (class == CLASS_MUTEX)
		return peek_glibc_mutex(reader, address, state, owner_tid);
	if (class == CLASS_SEM)
		return peek_semaphore(reader, address, state);
	if (class == CLASS_RWLOCK)
		return peek_rwlock(reader, musl, address, state, owner_tid);
	if (class == CLASS_BARRIER)
		return peek_barrier(reader, musl, address, state);
	if (class == CLASS_SPIN)
		return peek_spin(reader, musl, address, state);
	if (class == CLASS_ONCE)
		return peek_once(reader, address, state);
	return STATUS_OK;
}
