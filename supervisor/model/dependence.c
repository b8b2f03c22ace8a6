/* Footprints of transitions: what the operation's family says, what comes with queues and fairness, and when two depend. */
#include "supervisor/memory/buffer.h"
#include "supervisor/model/families.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

/* These come first in each footprint: what concerns all, windows, and the thread's own two. */
#define TOUCHED_BY_ALL 4

/* An operation whose objects the machine can't tell might be on any of them. */
static bool unknown(const struct op *op)
{
	return op->kind != OP_THREAD_CREATE && !op_knows_objects(op);
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

/*
 * Line 20 of Algorithm 1 puts into D(t) whom t's transition disables. Two transitions that commute otherwise
 * may each disable a third thread or not, depending on which is first: readers that lock before a writer; a
 * wait and a post of a semaphore; a signal for a thread that then wants a mutex, and whoever takes that. A thread
 * that moves itself in the window is in S and doesn't count.
 */
static void touch_holding(struct footprint *footprint, const struct model *m)
{
	uint32_t length = footprint->length;
	for (uint32_t i = TOUCHED_BY_ALL; i < length; i++) {
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

/*
 * Without the signal the thread would do now what it has put off: so its step depends on what that does. And whether the handlers can end a
 * wait depends on whether it would wait.
 */
static void touch_put_off(struct footprint *footprint, const struct model *m, uint32_t t,
			  const struct op *under)
{
	const enum object_class class = op_class(under->kind);
	if (under->kind == OP_YIELD || under->kind == OP_SLEEP || under->kind == OP_CHOOSE)
		return;
	if (class == CLASS_NONE || class == CLASS_THREAD || op_interruptible(under->kind) ||
	    !op_knows_objects(under)) {
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
		return;
	}
	family_of(class)->touch(footprint, m, t, under, CHOICE_DEFAULT);
	touch_object(footprint, under->object, false);
	if (class == CLASS_SEM)
		touch(footprint, TOUCH_POSTS, under->object, TOUCH_WRITE);
}

void dependence_begin(struct footprint *footprint, const struct model *before, uint32_t t, int32_t choice)
{
	const struct op *op = model_pending(before, t);
	const enum touch_class lane = choice == CHOICE_FLUSH && before->apart ? TOUCH_BUFFER : TOUCH_THREAD;
	const struct access first[TOUCHED_BY_ALL] = {
	    {touch_key(TOUCH_ALL, 0), TOUCH_READ, TOUCH_UNLIMITED},
	    {touch_key(TOUCH_WINDOW, 0), TOUCH_READ, TOUCH_UNLIMITED},
	    {touch_key(TOUCH_PRIORITY, t), TOUCH_WRITE, TOUCH_UNLIMITED},
	    {touch_key(lane, t), TOUCH_WRITE, TOUCH_UNLIMITED},
	};
	footprint_copy(footprint, (struct accesses){first, TOUCHED_BY_ALL});
	if (choice == CHOICE_FLUSH) {
		model_touch_flush(footprint, before, t);
		return;
	}
	/* It would have sent or expired, had it come before its timer was set anew. */
	if ((op->kind == OP_SIGNAL_SEND || op->kind == OP_TIMER_EXPIRE) && model_disarmed(before, t)) {
		touch(footprint, TOUCH_JOINABLE, t, TOUCH_WRITE);
		return;
	}
	if (unknown(op)) {
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
		return;
	}
	/* Whether others go on depends on all that they do. */
	if (model_awaits_alone(before, t))
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
	family_of(op_class(op->kind))->touch(footprint, before, t, op, choice);
	if (op->flags & OP_IN_SETS)
		touch(footprint, TOUCH_SETS, 0, TOUCH_WRITE);
	if (op->kind == OP_SIGNAL_TAKE)
		touch_put_off(footprint, before, t, model_under(before, t));
	model_touch_places(footprint, before, t);
	touch_queues(footprint, before, op);
	touch_holding(footprint, before);
}

void dependence_performed(struct footprint *footprint, const struct model *after, uint32_t t)
{
	uint32_t kept = footprint->length < TOUCHED_BY_ALL ? footprint->length : TOUCHED_BY_ALL;
	for (uint32_t i = kept; i < footprint->length; i++) {
		struct access access = footprint->at[i];
		uint32_t u = (uint32_t)access.key;
		if (touch_class(access.key) != TOUCH_WAKING || u == t ||
		    !op_is_asleep(model_pending(after, u)->kind))
			footprint->at[kept++] = access;
	}
	footprint->length = kept;
	for (uint32_t i = TOUCHED_BY_ALL; i < kept; i++) {
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
	/* Threads have numbers in the order in which they are born, by whatever operation. */
	touch(footprint, TOUCH_BIRTHS, 0, TOUCH_WRITE);
}

static bool is_alone(const struct model *m, uint32_t t)
{
	for (uint32_t u = 0; u < m->threads; u++)
		if (u != t && model_process(m, u) == model_process(m, t) && !model_exited(m, u))
			return false;
	return true;
}

void dependence_forked(struct footprint *footprint, const struct model *after, uint32_t t)
{
	touch(footprint, TOUCH_BIRTHS, 0, TOUCH_WRITE);
	if (!is_alone(after, t))
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
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
