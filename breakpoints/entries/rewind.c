/*
 * A thread that waits in a function of libc's, taken back to the function's entry. The caller's registers come from the
 * stack, the arguments from the futex word: it is a part of the object. What glibc notes of a waiter:
 *
 *     mutex      the word says that somebody waits: whoever unlocks makes a system call
 *     semaphore  the number of waiters, to the same effect
 *     condition  references, which pthread_cond_destroy() waits for; and a user of the mutex, which pthread_mutex_destroy()
 *                minds. Waiting itself is never left to libc
 *     rwlock     readers that wait are counted among those that read; a writer that waits may have closed the lock
 *     barrier    how many have come
 *
 * musl: the number of waiters of a mutex and of a semaphore. Its other objects have waiters in lists on their stacks, which
 * are not taken apart here.
 */
#include "breakpoints/op/entry_table.h"
#include "breakpoints/traps/state.h"
#include <fmc/breakpoints/stance.h>
#include <linux/futex.h>
#include <stdio.h>
#include <time.h>

#define WAITERS UINT32_C(0x80000000) /* FUTEX_WAITERS */

/* glibc, struct __pthread_mutex_s: lock, count, owner, nusers, kind. musl: type, lock, waiters */
enum { MUTEX_USERS = 12, MUTEX_KIND = 16, MUSL_LOCK = 4, MUSL_MUTEX_WAITERS = 8 };
/* Kinds that keep the owner in the lock word, and a bit for those who wait: robust ones and those that inherit priorities. */
#define KEEPS_OWNER 0x30
/* glibc, struct __pthread_cond_s; a reference is 8. */
enum { COND_REFERENCES = 36, COND_SIGNALS = 40, COND_BYTES = 48, COND_REFERENCE = 8 };
/* glibc, struct __pthread_rwlock_arch_t */
enum { RWLOCK_WRITERS_WORD = 4, RWLOCK_PHASE = 8, RWLOCK_CLOSED = 12, RWLOCK_WRITER = 24 };
enum { READER_WAITS = 4, READER = 8, HELD_BY_WRITER = 3 };
/* glibc, struct pthread_barrier */
enum { BARRIER_ROUND = 4 };
/* Both keep a semaphore's waiters after its value. */
enum { SEM_WAITERS = 4 };

/* What isn't there can't be repaired, and the program fails by itself when it gets there: so these return nothing. */
static void add(struct target *target, uint64_t address, int32_t amount)
{
	int32_t word;
	if (target_read(target, address, &word, sizeof word) != STATUS_OK)
		return;
	word += amount;
	(void)target_write(target, address, &word, sizeof word);
}

static void put(struct target *target, uint64_t address, uint32_t word)
{
	(void)target_write(target, address, &word, sizeof word);
}

static uint32_t get(struct target *target, uint64_t address)
{
	uint32_t word = 0;
	(void)target_read(target, address, &word, sizeof word);
	return word;
}

static void unmark_mutex(struct target *target, bool musl, uint64_t address)
{
	if (musl) {
		put(target, address + MUSL_LOCK, get(target, address + MUSL_LOCK) & ~WAITERS);
		put(target, address + MUSL_MUTEX_WAITERS, 0);
		return;
	}
	uint32_t lock = get(target, address);
	if (get(target, address + MUTEX_KIND) & KEEPS_OWNER)
		put(target, address, lock & ~WAITERS);
	else if (lock == 2)
		put(target, address, 1);
}

static void unmark_semaphore(struct target *target, bool musl, uint64_t address)
{
	uint32_t value = get(target, address);
	put(target, address + SEM_WAITERS, 0);
	if (musl && value & WAITERS)
		put(target, address, value == UINT32_MAX ? 0 : value & ~WAITERS);
}

void object_unmark(struct target *target, const struct entries *entries, enum object_class class,
		   uint64_t address)
{
	if (class == CLASS_MUTEX)
		unmark_mutex(target, entries->musl, address);
	else if (class == CLASS_SEM)
		unmark_semaphore(target, entries->musl, address);
}

/* As many readers as before, or the writer, and nobody who waits. */
static void settle_rwlock(struct target *target, uint64_t address)
{
	uint32_t readers = get(target, address) & ~(READER - 1u);
	bool written = get(target, address + RWLOCK_WRITER) != 0;
	put(target, address, readers | (written ? HELD_BY_WRITER : 0));
	put(target, address + RWLOCK_WRITERS_WORD, 0);
	put(target, address + RWLOCK_PHASE, written);
	put(target, address + RWLOCK_CLOSED, written);
}

/*
 * Which word of the lock it is tells what the thread waits for. Readers and the writer whose turn is next wait for the
 * phase to change; other writers for the lock to be open, other readers for the writers before them.
 */
static uint64_t rwlock_around(const struct stance *stance)
{
	if (stance->word % 8)
		return stance->word - RWLOCK_CLOSED;
	return stance->expected & READER_WAITS ? stance->word : stance->word - RWLOCK_PHASE;
}

static uint64_t undo_rwlock(struct target *target, const struct stance *stance)
{
	uint64_t lock = rwlock_around(stance);
	if (op_reads(stance->function) && stance->word == lock + RWLOCK_PHASE)
		add(target, lock, -READER);
	settle_rwlock(target, lock);
	return lock;
}

/* glibc's record of a wait, on its stack, for the case that it is cancelled. */
struct wait_record {
	uint64_t cond, mutex;
	uint32_t private; /* 0 or FUTEX_PRIVATE_FLAG */
};

static bool is_record(const struct wait_record *record, uint64_t word, bool woken)
{
	bool waits = word >= record->cond + COND_SIGNALS && word < record->cond + COND_BYTES;
	return (woken ? word == record->mutex : waits) && record->cond && record->mutex &&
	       record->mutex % 4 == 0 && record->cond != record->mutex &&
	       (record->private & ~FUTEX_PRIVATE_FLAG) == 0;
}

static bool find_record(struct target *target, const struct stance *stance, bool woken,
			struct wait_record *record)
{
	uint64_t at = stance->inner & ~UINT64_C(7);
	for (; at + sizeof *record <= stance->return_slot; at += 8)
		if (target_read(target, at, record, sizeof *record) == STATUS_OK &&
		    is_record(record, stance->word, woken))
			return true;
	return false;
}

static enum status rewind_condition(struct target *target, const struct stance *stance, uint64_t arguments[2],
				    enum rewound *rewound)
{
	struct wait_record record;
	if (!find_record(target, stance, false, &record) && !find_record(target, stance, true, &record))
		return STATUS_UNSUPPORTED;
	*rewound = stance->word == record.mutex ? REWOUND_WOKEN : REWOUND_ASLEEP;
	if (*rewound == REWOUND_ASLEEP)
		add(target, record.cond + COND_REFERENCES, -COND_REFERENCE);
	else
		unmark_mutex(target, false, record.mutex);
	add(target, record.mutex + MUTEX_USERS, -1);
	arguments[0] = record.cond;
	arguments[1] = record.mutex;
	return STATUS_OK;
}

/* The object that it waits for, and what has been done to it. */
static enum status undo(struct target *target, const struct entries *entries, const struct stance *stance,
			uint64_t arguments[2], enum rewound *rewound)
{
	*rewound = REWOUND_BEFORE;
	arguments[0] = stance->word;
	switch (op_class(stance->function)) {
	case CLASS_MUTEX:
		arguments[0] -= entries->musl ? MUSL_LOCK : 0;
		unmark_mutex(target, entries->musl, arguments[0]);
		return STATUS_OK;
	case CLASS_SEM:
		unmark_semaphore(target, entries->musl, arguments[0]);
		return STATUS_OK;
	case CLASS_COND:
		return entries->musl ? STATUS_UNSUPPORTED
				     : rewind_condition(target, stance, arguments, rewound);
	case CLASS_BARRIER:
		if (entries->musl)
			return STATUS_UNSUPPORTED;
		*rewound = REWOUND_ASLEEP;
		arguments[0] -= BARRIER_ROUND;
		add(target, arguments[0], -1);
		return STATUS_OK;
	case CLASS_RWLOCK:
		if (entries->musl)
			return STATUS_UNSUPPORTED;
		arguments[0] = undo_rwlock(target, stance);
		return STATUS_OK;
	default:
		return STATUS_UNSUPPORTED;
	}
}

/* The time-out, and the clock where the function is told it: both stand where its table says. */
static void set_time(const struct entry_point *point, const struct stance *stance, uint64_t room,
		     struct user_regs_struct *regs)
{
	const uint64_t time = stance->until ? room : 0;
	const uint64_t clock = stance->until_real ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	const int usual = point->shape == SHAPE_COND_WAIT ? 2 : 1;
	if (point->timeout == 1)
		regs->rsi = time;
	else if (point->timeout == 2)
		regs->rdx = time;
	else if (point->timeout == 3)
		regs->rcx = time;
	if (point->timeout > usual && usual == 1)
		regs->rsi = clock;
	else if (point->timeout > usual)
		regs->rdx = clock;
}

static bool keep_time(struct target *target, uint64_t from, uint64_t room)
{
	uint64_t time[2];
	return !from || (target_read(target, from, time, sizeof time) == STATUS_OK &&
			 target_write(target, room, time, sizeof time) == STATUS_OK);
}

enum status stance_rewind(const struct entries *entries, struct tracee *tracee, const struct stance *stance,
			  uint64_t room, enum rewound *rewound, char why[160])
{
	struct target *target = tracee->target;
	const struct trap *trap = entries_trap_of(entries, stance->entry);
	const struct user_regs_struct *now = tracee_regs(tracee);
	uint64_t back, arguments[2] = {0, 0};
	if (!now || !trap)
		return STATUS_GONE;
	snprintf(why, 160, "it waits in %s, which it can't be taken out of", trap->point->name);
	if (target_read(target, stance->return_slot, &back, sizeof back) != STATUS_OK ||
	    back != stance->caller.rip || !keep_time(target, stance->until, room))
		return STATUS_UNSUPPORTED;
	enum status status = undo(target, entries, stance, arguments, rewound);
	if (status != STATUS_OK)
		return status;
	struct user_regs_struct regs = *now;
	regs.rbx = stance->caller.rbx;
	regs.rbp = stance->caller.rbp;
	regs.r12 = stance->caller.r12;
	regs.r13 = stance->caller.r13;
	regs.r14 = stance->caller.r14;
	regs.r15 = stance->caller.r15;
	regs.rsp = stance->return_slot;
	regs.rip = stance->entry;
	regs.rdi = arguments[0];
	if (trap->point->shape == SHAPE_COND_WAIT)
		regs.rsi = arguments[1];
	set_time(trap->point, stance, room, &regs);
	regs.orig_rax = (unsigned long long)-1;
	*tracee_change_regs(tracee) = regs;
	return STATUS_OK;
}
