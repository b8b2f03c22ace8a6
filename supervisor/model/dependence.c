/*
 * Footprints of operations. Every line of the functions that families name in their tables is a claim about the
 * model that tests hold against it: transitions without a conflict can be swapped without any difference.
 */
#include "supervisor/model/family.h"
#include "supervisor/model/state.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/supervisor/bitset.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* Below this no number of pending posts reaches SEM_VALUE_MAX, where a post fails and no longer commutes. */
#define FAR_FROM_OVERFLOW (INT32_MAX / 2)

/* Bytes of memory that are told apart, and in how long an access. */
enum { WORD = 4, WORDS_APART = 16 };

void footprint_clear(struct footprint *footprint)
{
	footprint->length = 0;
	footprint->failed = false;
}

void footprint_release(struct footprint *footprint)
{
	free(footprint->at);
	*footprint = (struct footprint){0};
}

void footprint_touch(struct footprint *footprint, uint64_t key, enum touch_mode mode)
{
	for (uint32_t i = 0; i < footprint->length; i++) {
		struct access *access = &footprint->at[i];
		if (access->key != key)
			continue;
		if (access->mode != mode)
			access->mode = TOUCH_WRITE;
		return;
	}
	if (!ARRAY_GROW(footprint->at, footprint->length, footprint->room)) {
		footprint->failed = true;
		return;
	}
	footprint->at[footprint->length++] = (struct access){key, mode, TOUCH_UNLIMITED};
}

void footprint_add(struct footprint *footprint, uint64_t key, uint32_t left)
{
	footprint_touch(footprint, key, TOUCH_ADD);
	for (uint32_t i = 0; i < footprint->length; i++)
		if (footprint->at[i].key == key && footprint->at[i].left > left)
			footprint->at[i].left = left;
}

void footprint_copy(struct footprint *footprint, struct accesses from)
{
	footprint_clear(footprint);
	if (from.length > footprint->room) {
		struct access *at = reallocarray(footprint->at, from.length, sizeof *at);
		footprint->failed = !at;
		if (!at)
			return;
		footprint->at = at;
		footprint->room = from.length;
	}
	if (from.length > 0)
		memcpy(footprint->at, from.at, from.length * sizeof *from.at);
	footprint->length = from.length;
}

static void touch(struct footprint *footprint, enum touch_class class, uint32_t number, enum touch_mode mode)
{
	footprint_touch(footprint, touch_key(class, number), mode);
}

/* All that sleep at the object; those that stay asleep are taken out by dependence_performed(). */
static void touch_sleepers(struct footprint *footprint, const struct model *m, uint32_t object)
{
	for (uint32_t u = 0; u < model_threads(m); u++) {
		const struct op *op = model_pending(m, u);
		if (op_is_asleep(op->kind) && op->object == object)
			touch(footprint, TOUCH_WAKING, u, TOUCH_WRITE);
	}
}

static struct object_state state_of(const struct model *m, uint32_t object)
{
	struct object_state state;
	model_object_state(m, object, &state);
	return state;
}

static void touch_object(struct footprint *footprint, uint32_t object, bool passive)
{
	touch(footprint, TOUCH_OBJECT, object, passive ? TOUCH_READ : TOUCH_WRITE);
}

/* Wakes the sleepers there; where there are none, it only looks. */
static void touch_waking(struct footprint *footprint, const struct model *m, uint32_t object)
{
	touch_object(footprint, object, state_of(m, object).count == 0);
	touch_sleepers(footprint, m, object);
}

/*
 * Operations on threads. What a join needs is the end of the thread, but which transition is its last only the
 * program knows, and two threads that join each other need still less: so all of the thread's count.
 */
static void touch_thread(struct footprint *footprint, const struct model *m, const struct op *op,
			 int32_t choice)
{
	bool passive =
	    choice == CHOICE_TIMEOUT || (op->kind == OP_THREAD_TRYJOIN && !model_exited(m, op->object));
	enum touch_mode mode = passive ? TOUCH_READ : TOUCH_WRITE;
	touch(footprint, TOUCH_JOINABLE, op->object, mode);
	if (op->kind != OP_THREAD_DETACH)
		touch(footprint, TOUCH_THREAD, op->object, mode);
}

/* All of a semaphore. */
static void touch_value(struct footprint *footprint, uint32_t semaphore, enum touch_mode mode)
{
	touch(footprint, TOUCH_OBJECT, semaphore, mode);
	touch(footprint, TOUCH_POSTS, semaphore, mode);
}

/*
 * Waits of a semaphore and its posts are touched apart. Of the waits that succeed the first so many would do so
 * without any post, as many as there were units when it was initialised (struct object_state: unspent). These
 * commute with one another and with posts. Each later wait needs one more post, no matter which, and so depends on
 * all of them, and on those that took the first units.
 *
 * Swapping neighbours that don't conflict makes no first wait a later one, nor the other way round: only waits
 * and initialisations before it decide that, and of two waits without a conflict both are among the first, in
 * either order. Failed tries, time-outs and looks at the value conflict with every wait and every post. While units
 * are unspent nobody blocks and no try fails.
 *
 * Sleep-set and wakeup-tree entries, whose wait is put off, need a stronger test: each of several others commutes with it, but
 * all of them together may leave none of the first units for it. Hence `left`.
 */
void touch_semaphore(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		     int32_t choice)
{
	struct object_state state = state_of(m, op->object);
	bool waits = op->kind == OP_SEM_WAIT || op->kind == OP_SEM_TRYWAIT || op->kind == OP_SEM_TIMEDWAIT;
	bool fails = choice == CHOICE_TIMEOUT || (op->kind == OP_SEM_TRYWAIT && state.count == 0);
	bool far = state.count < FAR_FROM_OVERFLOW;
	if (op->kind == OP_SEM_POST && far)
		touch(footprint, TOUCH_POSTS, op->object, TOUCH_ADD);
	else if (op->kind == OP_SEM_GETVALUE || fails)
		touch_value(footprint, op->object, TOUCH_READ);
	else if (waits && far && state.unspent > 0 && state.wakeup == WAKE_ANY && !model_cancels(m, t))
		footprint_add(footprint, touch_key(TOUCH_OBJECT, op->object), state.unspent - 1);
	else
		touch_value(footprint, op->object, TOUCH_WRITE);
}

/* Readers' locks and unlocks only count, unless a policy makes waiting threads matter. */
void touch_rwlock(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		  int32_t choice)
{
	if (op_initialises(op->kind) || op_destroys(op->kind)) {
		touch_object(footprint, op->object, false);
		return;
	}
	struct object_state state = state_of(m, op->object);
	bool counts = state.wakeup == WAKE_ANY && state.type != RWLOCK_WRITERS;
	bool written = state.owner != NO_THREAD, shared = false, passive = choice == CHOICE_TIMEOUT;
	if (op->kind == OP_RWLOCK_TRYWRLOCK)
		passive |= written || state.count > 0;
	else if (op->kind == OP_RWLOCK_TRYRDLOCK)
		passive |= written;
	if (op->kind == OP_RWLOCK_UNLOCK)
		shared = state.owner != t && state.count > 0;
	else
		shared = op_reads(op->kind);
	enum touch_mode mode = !counts	 ? TOUCH_WRITE
			       : passive ? TOUCH_READ
			       : shared	 ? TOUCH_ADD
					 : TOUCH_WRITE;
	touch(footprint, TOUCH_OBJECT, op->object, mode);
}

/* An operation whose objects the machine can't tell might be on any of them. */
static bool unknown(const struct op *op)
{
	if (op->kind == OP_THREAD_CREATE)
		return false;
	return (op_class(op->kind) != CLASS_NONE && op->object == NO_OBJECT) ||
	       (op_class2(op->kind) != CLASS_NONE && op->object2 == NO_OBJECT);
}

static void touch_words(struct footprint *footprint, uint64_t address, uint64_t bytes, enum touch_mode mode)
{
	for (uint64_t word = address / WORD; word <= (address + bytes - 1) / WORD; word++)
		touch(footprint, TOUCH_WORD, (uint32_t)word, mode);
}

/* Does a read find all that it reads in a store of its own thread's, so that nobody else has a part in it? */
static bool is_forwarded(const struct model *m, uint32_t t, const struct op *op)
{
	const struct model_thread *thread = model_thread_const(m, t);
	const uint64_t address = (uint64_t)op->arg2, bytes = (uint64_t)op->arg;
	for (uint32_t i = 0; i < thread->waiting; i++) {
		const struct model_store *store = &thread->stores[i];
		if (address >= store->address && address + bytes <= store->address + store->bytes)
			return true;
	}
	return false;
}

/*
 * Ranges conflict where they overlap and one writes, so what is touched is their words, and not the object,
 * which stands for one beginning only. Addresses 16 GiB apart share a number, which does no harm.
 */
void touch_memory(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		  int32_t choice)
{
	const struct model_store *flushed =
	    choice == CHOICE_FLUSH ? &model_thread_const(m, t)->stores[0] : NULL;
	enum touch_mode mode = flushed || op->kind != OP_MEMORY_READ ? TOUCH_WRITE : TOUCH_READ;
	uint64_t address = flushed ? flushed->address : (uint64_t)op->arg2;
	uint64_t bytes = flushed ? flushed->bytes : op->arg > 0 ? (uint64_t)op->arg : 1;
	if (op->flags & OP_BUFFERED || (mode == TOUCH_READ && is_forwarded(m, t, op)))
		return;
	if (bytes > WORDS_APART * WORD) {
		touch(footprint, TOUCH_MEMORY, 0, TOUCH_WRITE);
		return;
	}
	touch(footprint, TOUCH_MEMORY, 0, TOUCH_READ);
	touch_words(footprint, address, bytes, mode);
	if (op->kind == OP_MEMORY_WRITE && op->arg3)
		touch_words(footprint, (uint64_t)op->arg3, bytes, TOUCH_READ);
}

/*
 * What comes with an order of waiting (enum wakeup): leaving a queue changes who is next, also by a time-out;
 * the thread that wakes a waiter puts it into the queue of its mutex.
 */
static void touch_queues(struct footprint *footprint, const struct model *m, const struct op *op)
{
	if (op->flags & OP_QUEUED)
		touch_object(footprint, op->kind == OP_COND_RELOCK ? op->object2 : op->object, false);
	if (op_class(op->kind) != CLASS_COND)
		return;
	for (uint32_t u = 0; u < model_threads(m); u++) {
		const struct op *other = model_pending(m, u);
		bool sleeps = other->kind == OP_COND_ASLEEP && other->object == op->object;
		if (sleeps && state_of(m, other->object2).wakeup != WAKE_ANY)
			touch_object(footprint, other->object2, false);
	}
}

void touch_thread_operation(struct footprint *footprint, const struct model *m, uint32_t t,
			    const struct op *op, int32_t choice)
{
	(void)t;
	switch (op->kind) {
	case OP_THREAD_CREATE:
		/* Threads are numbered as they are created: what T3 is depends on who came first. */
		touch(footprint, TOUCH_BIRTHS, 0, TOUCH_WRITE);
		return;
	case OP_THREAD_CANCEL:
		/* It may turn whatever the other thread does next into its end. */
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
		return;
	default:
		touch_thread(footprint, m, op, choice);
	}
}

/* Leaves the queue, by a time-out or by chance. */
static void touch_leaving(struct footprint *footprint, uint32_t t, const struct op *op, int32_t choice)
{
	/* A spurious wakeup is open only while another thread can go on: any of them may be the last. */
	if (choice == CHOICE_SPURIOUS)
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
	touch_object(footprint, op->object, false);
	touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE);
}

void touch_cond(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		int32_t choice)
{
	switch (op->kind) {
	case OP_COND_WAIT:
	case OP_COND_TIMEDWAIT:
		/* The order in which they fall asleep numbers the choices of the thread that wakes them. */
		touch_object(footprint, op->object, false);
		touch_object(footprint, op->object2, false);
		return;
	case OP_COND_ASLEEP:
		touch_leaving(footprint, t, op, choice);
		return;
	case OP_COND_RELOCK:
		/* After the one that woke it, not after all that touch the condition variable. */
		touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE);
		touch_object(footprint, op->object2, false);
		return;
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
		touch_waking(footprint, m, op->object);
		return;
	default:
		touch_object(footprint, op->object, false);
	}
}

void touch_futex(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		 int32_t choice)
{
	switch (op->kind) {
	case OP_FUTEX_WAIT:
		/* Whether the word is as expected only the program's memory knows; others may write it by OP_MEMORY_WRITE. */
		touch_object(footprint, op->object, false);
		touch(footprint, TOUCH_MEMORY, 0, TOUCH_READ);
		touch(footprint, TOUCH_WORD, (uint32_t)((uint64_t)op->arg3 / WORD), TOUCH_READ);
		return;
	case OP_FUTEX_ASLEEP:
		touch_leaving(footprint, t, op, choice);
		return;
	case OP_FUTEX_RESUME:
		touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE);
		return;
	case OP_FUTEX_WAKE:
		touch_waking(footprint, m, op->object);
		return;
	default: /* OP_FUTEX_REQUEUE, OP_FUTEX_WAKE_OP: these also write */
		touch(footprint, TOUCH_MEMORY, 0, TOUCH_WRITE);
		touch_object(footprint, op->object, false);
		touch_object(footprint, op->object2, false);
		touch_sleepers(footprint, m, op->object);
		touch_sleepers(footprint, m, op->object2);
	}
}

void touch_barrier(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		   int32_t choice)
{
	(void)choice;
	if (op->kind == OP_BARRIER_RESUME) {
		touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE);
		return;
	}
	/* Only the last of those who meet is told something else. The others commute: see touch_semaphore(). */
	uint32_t unspent = state_of(m, op->object).unspent;
	if (op->kind == OP_BARRIER_WAIT && unspent > 0) {
		footprint_add(footprint, touch_key(TOUCH_OBJECT, op->object), unspent - 1);
		return;
	}
	touch_object(footprint, op->object, false);
	if (op->kind == OP_BARRIER_WAIT)
		touch_sleepers(footprint, m, op->object);
}

/* Mutexes and spinlocks: a lock that isn't had changes nothing. */
void touch_lock(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		int32_t choice)
{
	bool passive = op->kind == OP_MUTEX_TIMEDLOCK && choice == CHOICE_TIMEOUT;
	if (op->kind == OP_SPIN_TRYLOCK || op->kind == OP_MUTEX_TRYLOCK) {
		uint32_t owner = state_of(m, op->object).owner;
		passive = owner != NO_THREAD && owner != t;
	}
	touch_object(footprint, op->object, passive);
}

/* Operations without an object. */
void touch_other(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		 int32_t choice)
{
	(void)m;
	(void)choice;
	switch (op->kind) {
	case OP_NONE:
	case OP_YIELD:
	case OP_SLEEP:
	case OP_CHOOSE:
		return; /* nobody else notices but for fairness */
	case OP_THREAD_START:
		touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE); /* after its creation */
		return;
	case OP_THREAD_TESTCANCEL:
	case OP_THREAD_CANCELSTATE:
	case OP_THREAD_CANCELTYPE:
		return; /* after the cancellations, and otherwise the thread's own affair */
	case OP_PROCESS_EXIT:
		dependence_ended(footprint);
		return;
	default:
		/* OP_POLL, OP_SYSCALL: what they wait for may come from any other thread, through a pipe or a socket. */
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
	}
}

void touch_any(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
	       int32_t choice)
{
	(void)m;
	(void)t;
	(void)choice;
	touch_object(footprint, op->object, false);
}

/* Would the pending operation of t, on an object in this state, leave all as it is? */
static bool only_reads(const struct op *op, uint32_t t, struct object_state state)
{
	struct fmc_effect effect;
	if (!plugin_enabled(op, t, state.user))
		return false;
	plugin_apply(op, t, state.user, &effect);
	return effect.reads;
}

/*
 * Operations a and b of a class that depend on each other, while those of their own kind commute: each adds to what the
 * other reads.
 */
static void touch_dependent(struct footprint *footprint, uint32_t a, uint32_t b, uint32_t object, bool reads)
{
	if (a == b) {
		footprint_touch(footprint, touch_pair(a, a, object), reads ? TOUCH_READ : TOUCH_WRITE);
		return;
	}
	footprint_touch(footprint, touch_pair(b, a, object), TOUCH_READ);
	if (!reads)
		footprint_touch(footprint, touch_pair(a, b, object), TOUCH_ADD);
}

/* What the plug-in says of this operation and those that are pending, in the present state. */
static void check_independent(const struct model *m, uint32_t t, const struct op *op, uint32_t dependent)
{
	struct object_state state = state_of(m, op->object);
	for (uint32_t u = 0; u < model_threads(m); u++) {
		const struct op *other = model_pending(m, u);
		bool same = u != t && other->kind >= OP_USER && other->object == op->object;
		if (same && !(dependent >> plugin_number(other->kind) & 1))
			plugin_check(op, t, other, u, state.user);
	}
}

/* Of those that the plug-in takes for independent, two may still each disable a third, as readers do a writer. */
void touch_user(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		int32_t choice)
{
	(void)choice;
	uint32_t number = plugin_number(op->kind), dependent = plugin_dependent(op->kind);
	bool reads = only_reads(op, t, state_of(m, op->object));
	if (dependent == PLUGIN_EVERY)
		touch_object(footprint, op->object, reads);
	else
		check_independent(m, t, op, dependent);
	for (uint32_t other = 0; dependent != PLUGIN_EVERY && dependent >> other; other++)
		if (dependent >> other & 1)
			touch_dependent(footprint, number, other, op->object, reads);
	if (!reads)
		touch(footprint, TOUCH_HOLDING, op->object, TOUCH_WRITE);
}

/*
 * Line 20 of Algorithm 1 puts into D(t) whom t's transition disables. Two transitions that commute otherwise
 * may each disable a third thread or not, depending on which is first: readers that lock before a writer; a
 * wait and a post of a semaphore; a signal for a thread that then wants a mutex, and whoever takes that. A thread
 * that moves itself in the window is in S and doesn't count.
 */
static void touch_holding(struct footprint *footprint, const struct model *m)
{
	uint32_t length = footprint->length;
	for (uint32_t i = 0; i < length; i++) {
		struct access access = footprint->at[i];
		uint32_t object = (uint32_t)access.key;
		if (access.mode == TOUCH_READ)
			continue;
		if (touch_class(access.key) == TOUCH_POSTS)
			touch(footprint, TOUCH_HOLDING, object, access.mode);
		if (touch_class(access.key) != TOUCH_OBJECT)
			continue;
		enum object_class class = model_object_class(m, object);
		if (class == CLASS_MUTEX || class == CLASS_RWLOCK || class == CLASS_SEM)
			touch(footprint, TOUCH_HOLDING, object, TOUCH_WRITE);
	}
}

void dependence_begin(struct footprint *footprint, const struct model *before, uint32_t t, int32_t choice)
{
	const struct op *op = model_pending(before, t);
	footprint_clear(footprint);
	touch(footprint, TOUCH_ALL, 0, TOUCH_READ);
	touch(footprint, TOUCH_WINDOW, 0, TOUCH_READ);
	touch(footprint, TOUCH_PRIORITY, t, TOUCH_WRITE);
	touch(footprint, TOUCH_THREAD, t, TOUCH_WRITE);
	if (unknown(op)) {
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
		return;
	}
	family_of(op_class(op->kind))->touch(footprint, before, t, op, choice);
	touch_queues(footprint, before, op);
	touch_holding(footprint, before);
}

void dependence_performed(struct footprint *footprint, const struct model *after, uint32_t t)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < footprint->length; i++) {
		struct access access = footprint->at[i];
		uint32_t u = (uint32_t)access.key;
		if (touch_class(access.key) != TOUCH_WAKING || u == t ||
		    !op_is_asleep(model_pending(after, u)->kind))
			footprint->at[kept++] = access;
	}
	footprint->length = kept;
	for (uint32_t i = 0; i < kept; i++) {
		uint32_t u = (uint32_t)footprint->at[i].key;
		if (touch_class(footprint->at[i].key) != TOUCH_WAKING || u == t)
			continue;
		const struct op *op = model_pending(after, u);
		if (op->kind == OP_COND_RELOCK)
			touch(footprint, TOUCH_HOLDING, op->object2, TOUCH_READ);
	}
	/* It may exit now, and leave its robust mutexes to the others. */
	if (model_holds_robust(after, t))
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
}

void dependence_born(struct footprint *footprint, uint32_t thread)
{
	touch(footprint, TOUCH_WAKING, thread, TOUCH_WRITE);
}

/*
 * Whatever another thread would have done next it does before, or never: each way is another outcome. So the
 * end of the process depends on every transition, and the threads that it found are as good as blocked.
 */
void dependence_ended(struct footprint *footprint)
{
	touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
}

/*
 * Where the main thread has exited by itself, libc counts those that are left, and the last one ends the process: which one that is
 * depends on the order of their ends.
 */
void dependence_exited(struct footprint *footprint)
{
	touch(footprint, TOUCH_ENDS, 0, TOUCH_WRITE);
}

bool dependence_conflict(struct accesses a, struct accesses b, bool fair)
{
	for (uint32_t i = 0; i < a.length; i++) {
		if (!fair && touch_is_fair(a.at[i].key))
			continue;
		for (uint32_t j = 0; j < b.length; j++)
			if (a.at[i].key == b.at[j].key &&
			    dependence_modes_conflict(a.at[i].mode, b.at[j].mode))
				return true;
	}
	return false;
}

static bool is_limited(const struct access *access)
{
	return access->mode == TOUCH_ADD && access->left != TOUCH_UNLIMITED;
}

bool dependence_disturbs(struct accesses done, struct accesses pending, bool fair)
{
	if (dependence_conflict(done, pending, fair))
		return true;
	for (uint32_t i = 0; i < done.length; i++)
		for (uint32_t j = 0; done.at[i].left == 0 && j < pending.length; j++)
			if (done.at[i].key == pending.at[j].key)
				return true;
	return false;
}

static uint32_t additions(struct accesses accesses, uint64_t key)
{
	uint32_t n = 0;
	for (uint32_t a = 0; a < accesses.length; a++)
		n += accesses.at[a].key == key;
	return n;
}

bool dependence_exhausts(const struct model *after, struct accesses beside, struct accesses member,
			 struct accesses pending)
{
	for (uint32_t a = 0; a < pending.length; a++) {
		const struct access *access = &pending.at[a];
		uint32_t object = (uint32_t)access->key;
		if (is_limited(access) && object < model_objects(after) &&
		    additions(member, access->key) > 0 &&
		    state_of(after, object).unspent <= additions(beside, access->key))
			return true;
	}
	return false;
}
