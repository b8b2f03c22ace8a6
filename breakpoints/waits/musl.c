#include "breakpoints/waits/inspector.h"
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>

/* Objects of musl on x86-64. */

#define SLEEPERS 0x80000000u /* bit of a word: somebody sleeps there */

/* pthread_mutex_t */
struct mutex {
	uint32_t type;
	uint32_t lock; /* the owner's number; EBUSY for a normal one, which keeps no owner */
	uint32_t waiters;
	uint32_t padding;
	uint32_t spins;
	uint32_t count; /* less one */
};

enum {
	TYPE_MASK = 3,
	TYPE_RECURSIVE = 1,
	TYPE_ROBUST = 4,
	TYPE_INHERIT = 8,
	TYPE_SHARED = 0x80,
	TYPE_KNOWN = 0x8f
};

static bool is_mutex(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		     struct wait *wait)
{
	struct mutex mutex;
	uint64_t object = futex->address - offsetof(struct mutex, lock);
	bool inherit = futex->command == FUTEX_LOCK_PI;
	if ((object & 7) || (hint != WAIT_NOTHING && hint != WAIT_MUTEX && hint != WAIT_COND) ||
	    !inspector_read(inspector, object, &mutex, sizeof(mutex)) ||
	    (mutex.type & ~(uint32_t)TYPE_KNOWN) || (!inherit && !(futex->expected & SLEEPERS)) ||
	    mutex.waiters > 100000)
		return false;
	uint32_t owner = mutex.lock & FUTEX_TID_MASK;
	bool keeps_owner = (mutex.type & (TYPE_MASK | TYPE_ROBUST | TYPE_INHERIT)) != 0;
	bool sound = keeps_owner ? thread_of_number(inspector, (pid_t)owner) != NOBODY : owner == EBUSY;
	if (hint != WAIT_MUTEX && !sound)
		return false;
	wait_for(inspector, futex, WAIT_MUTEX, object, wait);
	wait->count = owner == 0 ? 0 : (mutex.type & TYPE_MASK) == TYPE_RECURSIVE ? mutex.count + 1 : 1;
	if (keeps_owner && owner)
		wait_held_by(inspector, (pid_t)owner, wait);
	else
		wait_for_any(inspector, futex, wait);
	if (!keeps_owner)
		wait_say(wait, "normal mutexes of musl keep no owner");
	return true;
}

/* What a thread that waits at a condition variable has on its stack; it sleeps at `barrier`. */
struct node {
	uint64_t previous, next;
	uint32_t state;
	uint32_t barrier;
	uint64_t notify;
};

/* pthread_cond_t */
struct cond {
	uint64_t shared; /* 0: the list is used */
	uint64_t head;
	uint32_t more[2];
	uint32_t lock;
	uint32_t waiters;
	uint64_t unused;
	uint64_t tail;
};

_Static_assert(offsetof(struct cond, tail) == 40, "as musl has it");

#define WORDS_LOOKED	64
#define SAVED_REGISTERS 6

/* Words that a thread's waiting function may keep an address in: callee-saved registers, then its stack. 0 after the last. */
static uint64_t word_near(const struct inspector *inspector, uint32_t thread, size_t i)
{
	const struct user_regs_struct *regs = &snapshot_thread(inspector->snapshot, thread)->regs;
	const uint64_t saved[SAVED_REGISTERS] = {regs->rbx, regs->rbp, regs->r12,
						 regs->r13, regs->r14, regs->r15};
	uint64_t word;
	if (i < SAVED_REGISTERS)
		return saved[i];
	uint64_t at = (regs->rsp & ~UINT64_C(7)) + (i - SAVED_REGISTERS) * sizeof(word);
	return inspector_read(inspector, at, &word, sizeof(word)) ? word : 0;
}

/* The condition variable of the first node of the list: a word near where head and tail fit. */
static uint64_t cond_of(struct inspector *inspector, uint32_t thread, uint64_t node)
{
	struct node at;
	uint64_t head = node;
	for (size_t i = 0; i < inspector->inspection->length &&
			   inspector_read(inspector, head, &at, sizeof(at)) && at.previous;
	     i++)
		head = at.previous;
	for (size_t i = 0; i < WORDS_LOOKED + SAVED_REGISTERS; i++) {
		struct cond cond;
		uint64_t word = word_near(inspector, thread, i);
		if (word && (word & 7) == 0 && inspector_read(inspector, word, &cond, sizeof(cond)) &&
		    cond.shared == 0 && cond.head == head)
			return word;
	}
	return 0;
}

static bool is_cond(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		    struct wait *wait)
{
	uint64_t node = futex->address - offsetof(struct node, barrier);
	bool on_stack = futex->address > snapshot_thread(inspector->snapshot, futex->thread)->regs.rsp &&
			futex->address - snapshot_thread(inspector->snapshot, futex->thread)->regs.rsp < 4096;
	if (futex->expected == 2 && on_stack) {
		uint64_t object = cond_of(inspector, futex->thread, node);
		if (!object && hint != WAIT_COND)
			return false;
		wait_for(inspector, futex, WAIT_COND, object, wait);
		wait_for_any(inspector, futex, wait);
		return true;
	}
	if (hint != WAIT_COND || !futex->shared)
		return false;
	wait_for(inspector, futex, WAIT_COND, futex->address - offsetof(struct cond, head), wait);
	return true;
}

/* sem_t: value, waiters, 128 unless process-shared */
static bool is_semaphore(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
			 struct wait *wait)
{
	uint32_t words[3];
	if ((hint != WAIT_NOTHING && hint != WAIT_SEMAPHORE) ||
	    !inspector_read(inspector, futex->address, words, sizeof(words)) ||
	    words[2] != (futex->shared ? 0 : 128u) ||
	    (futex->expected != SLEEPERS && futex->expected != UINT32_MAX))
		return false;
	if (hint == WAIT_NOTHING && words[1] == 0)
		return false;
	wait_for(inspector, futex, WAIT_SEMAPHORE, futex->address, wait);
	wait_for_any(inspector, futex, wait);
	wait->count = words[0] == UINT32_MAX ? 0 : words[0] & ~SLEEPERS;
	wait_say(wait, "value %u", wait->count);
	return true;
}

/* pthread_rwlock_t: the number of readers or all ones; nothing tells who they are. Only the stack tells it from others. */
static bool is_rwlock(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		      struct wait *wait)
{
	if ((hint != WAIT_READ && hint != WAIT_WRITE) || !(futex->expected & SLEEPERS))
		return false;
	uint32_t held = futex->value & ~SLEEPERS;
	wait_for(inspector, futex, hint, futex->address, wait);
	wait_for_any(inspector, futex, wait);
	if (held == ~SLEEPERS)
		wait_say(wait, "a writer has it");
	else
		wait_say(wait, "%u reader%s it", held, held == 1 ? " has" : "s have");
	wait->count = held == ~SLEEPERS ? 0 : held;
	return true;
}

/* What the thread that comes to a barrier first has on its stack; it sleeps at `finished`, the others at `last`. */
struct instance {
	uint32_t count; /* of the others */
	uint32_t last;
	uint32_t waiters;
	uint32_t finished;
};

/* pthread_barrier_t */
struct barrier {
	uint32_t lock, waiters;
	uint32_t limit; /* less one */
	uint32_t more[3];
	uint64_t instance;
};

_Static_assert(offsetof(struct barrier, instance) == 24, "as musl has it");

static uint64_t barrier_near(struct inspector *inspector, uint32_t thread, uint64_t instance,
			     struct barrier *barrier)
{
	for (size_t i = 0; i < WORDS_LOOKED + SAVED_REGISTERS; i++) {
		uint64_t word = word_near(inspector, thread, i);
		if (word && (word & 7) == 0 && inspector_read(inspector, word, barrier, sizeof(*barrier)) &&
		    barrier->instance == instance)
			return word;
	}
	return 0;
}

/* Only those that come later still have the barrier's address when they sleep. */
static uint64_t barrier_of(struct inspector *inspector, uint64_t instance, struct barrier *barrier)
{
	uint64_t found = 0;
	for (uint32_t t = 0; t < inspector->inspection->length && !found; t++)
		if (snapshot_thread(inspector->snapshot, t)->arguments[0] ==
		    instance + offsetof(struct instance, last))
			found = barrier_near(inspector, t, instance, barrier);
	return found;
}

static bool is_barrier(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		       struct wait *wait)
{
	bool first = futex->expected == 1;
	uint64_t at =
	    futex->address - (first ? offsetof(struct instance, finished) : offsetof(struct instance, last));
	struct barrier barrier;
	struct instance instance;
	if (hint != WAIT_BARRIER)
		return false;
	uint64_t object = barrier_of(inspector, at, &barrier);
	wait_for(inspector, futex, WAIT_BARRIER, object, wait);
	wait_for_any(inspector, futex, wait);
	if (!object || !inspector_read(inspector, at, &instance, sizeof(instance)) ||
	    instance.count >= barrier.limit)
		return true;
	/* The limit doesn't count the first thread, nor does the instance. */
	wait->count = barrier.limit - instance.count;
	wait_say(wait, "%u of %u have come", instance.count + 1, barrier.limit + 1);
	return true;
}

/* struct pthread: the word that tells whether it has ended, after its number and its errno. */
#define DETACH_BEHIND_NUMBER 8
static bool is_join(struct inspector *inspector, const struct futex *futex, struct wait *wait)
{
	if (inspector->tid_offset == 0)
		return false;
	uint64_t description = futex->address - DETACH_BEHIND_NUMBER - inspector->tid_offset;
	uint32_t ends = thread_of_description(inspector, description);
	if (ends == NOBODY || ends == futex->thread)
		return false;
	wait_for(inspector, futex, WAIT_JOIN, 0, wait);
	wait->certain = wait_add_holder(wait, ends) && !futex->timed;
	return true;
}

/* The lock of a FILE: its owner's number with a bit that says that somebody waits. */
#define FILE_WAITERS 0x40000000u

static bool is_stream(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		      struct wait *wait)
{
	if (hint != WAIT_NOTHING || !(futex->expected & FILE_WAITERS) || futex->value != futex->expected ||
	    thread_of_number(inspector, (pid_t)(futex->value & ~FILE_WAITERS)) == NOBODY)
		return false;
	wait_for(inspector, futex, WAIT_MUTEX, futex->address, wait);
	wait->call = "flockfile";
	wait_held_by(inspector, (pid_t)(futex->value & ~FILE_WAITERS), wait);
	wait_say(wait, "the lock of a FILE");
	return true;
}

bool musl_wait(struct inspector *inspector, const struct futex *futex, enum wait_kind hint, struct wait *wait)
{
	return is_join(inspector, futex, wait) || is_rwlock(inspector, futex, hint, wait) ||
	       is_barrier(inspector, futex, hint, wait) || is_cond(inspector, futex, hint, wait) ||
	       is_stream(inspector, futex, hint, wait) || is_mutex(inspector, futex, hint, wait) ||
	       is_semaphore(inspector, futex, hint, wait);
}
