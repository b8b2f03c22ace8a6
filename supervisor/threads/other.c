/*
 * Operations without an object that the model knows: yields, sleeps, waits for the outside, choices.
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"
#include "supervisor/threads/threads.h"

/* The next object from this one on that is asked for; all there are if there is none. */
static uint32_t next_asked(const struct model *m, const struct op *op, uint32_t object)
{
	while (object < m->objects && (object >= OP_ASKED_MOST || !((uint64_t)op->arg2 >> object & 1)))
		object++;
	return object;
}

/* How its objects stand: other numbers when any of them has changed. */
static int64_t asked_state(const struct model *m, const struct op *op)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	for (uint32_t o = next_asked(m, op, 0); o < m->objects; o = next_asked(m, op, o + 1)) {
		const struct model_object *object = model_object_const(m, o);
		digest = (digest ^ object->count ^ (uint64_t)object->standing << 32) *
			 UINT64_C(0x9e3779b97f4a7c15);
		digest ^= digest >> 29;
	}
	return 1 + (int64_t)(digest >> (OP_ASKED_BITS + 2));
}

bool model_asks_again(const struct model *m, const struct op *op)
{
	return op->arg3 >> OP_ASKED_BITS != asked_state(m, op);
}

static bool finds_something(const struct model *m, const struct op *op)
{
	bool found = op->arg3 & OP_ASKED_READY;
	if (op->arg3 & OP_ASKED_TRIES)
		return found || model_asks_again(m, op);
	for (uint32_t o = next_asked(m, op, 0); o < m->objects && !found; o = next_asked(m, op, o + 1))
		found = model_kernel_reads(model_object_const(m, o));
	return found;
}

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	if (op_waits_outside(op->kind))
		return op->flags & OP_READY || (op->flags & OP_ASKS && finds_something(m, op));
	return op->kind != OP_PROCESS_WAIT || model_process_ready(m, t, op);
}

/* Nobody means more than that; and of none there is still the one that the function returns natively. */
static uint32_t values_to_choose(const struct op *op)
{
	return op->arg < 1 ? 1 : op->arg > MODEL_VALUES ? MODEL_VALUES : (uint32_t)op->arg;
}

static uint32_t ways(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	if (op->kind == OP_SIGNAL_SEND)
		return model_signal_ways(m, t);
	if (op->kind == OP_SIGNAL_TAKE)
		return op->flags & OP_INTERRUPTS ? 2 : 1;
	return op->kind == OP_CHOOSE ? values_to_choose(op) : 1;
}

/* Of a call that would find nothing only one with a time-out of 0 returns. */
static void perform_poll(const struct model *m, struct op *op, const struct observation *seen,
			 struct effect *effect)
{
	FMC_ASSERT(seen != NULL);
	if (model_came_late(op, seen->word)) {
		op->arg3 &= (INT64_C(1) << OP_ASKED_BITS) - 1;
		op->arg3 |= asked_state(m, op) << OP_ASKED_BITS;
		effect->asleep = effect->blocked = true;
	}
	effect->yield = seen->word == TRIED_FAILS;
}

/* Who sleeps at a set is to look again, and waits for what is new there, too. */
static void change_set(struct model *m, const struct op *op)
{
	for (uint32_t u = 0; u < m->threads; u++) {
		struct op *other = &model_thread(m, u)->op;
		if (other->kind != OP_POLL || !(other->flags & OP_IN_SETS))
			continue;
		other->arg2 |= op->arg2;
		other->arg3 &= (INT64_C(1) << OP_ASKED_BITS) - 1;
		if (!(op->flags & OP_IN_SETS))
			other->flags &= (uint16_t) ~(OP_ASKS | OP_IN_SETS);
	}
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	struct op *op = &model_thread(m, t)->op;
	model_cancel_set(m, t);
	if (op->kind == OP_THREAD_CANCELSTATE || op->kind == OP_THREAD_CANCELTYPE) {
		effect_result(effect, 0);
	} else if (op->kind == OP_SIGNAL_SEND) {
		model_signal_send(m, t, choice);
	} else if (op->kind == OP_CHOOSE || op_class(op->kind) == CLASS_MEMORY) {
		/* The result is the choice; what the program does then is its own. */
		effect_result(effect, choice);
		effect->blocked = true;
	} else if (op->kind == OP_PROCESS_WAIT || op->kind == OP_PROCESS_EXIT || op->flags & OP_ENDS) {
		model_process_perform(m, t, effect);
	} else if (op->kind == OP_YIELD || op->kind == OP_SLEEP) {
		effect_failed(effect, 0);
		effect->blocked = op->kind == OP_SLEEP;
	} else if (choice == CHOICE_TIMEOUT) {
		effect_timed_out(effect, 0);
		/* What a system call says then, EAGAIN or 0 or something else, the machine knows. */
		effect->result_known = op->kind == OP_POLL;
	} else if (op->kind == OP_POLL_CHANGE) {
		change_set(m, op);
	} else if (op->kind == OP_POLL && op_tries(op)) {
		perform_poll(m, op, seen, effect);
	}
}

/* What may be in a set touches all sets already. */
static void touch_asked(struct footprint *footprint, const struct model *m, const struct op *op)
{
	if (op->flags & OP_IN_SETS)
		return;
	for (uint32_t o = next_asked(m, op, 0); o < m->objects; o = next_asked(m, op, o + 1))
		touch_object(footprint, o, true);
}

/* Operations without an object. */
static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	(void)choice;
	switch (op->kind) {
	case OP_NONE:
	case OP_YIELD:
	case OP_SLEEP:
	case OP_CHOOSE:
	case OP_SIGNAL_TAKE: /* see model/dependence.c */
		if (op->flags & OP_ENDS)
			touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
		return; /* nobody else notices but for fairness */
	case OP_THREAD_START:
		touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE); /* after its creation */
		return;
	case OP_THREAD_TESTCANCEL:
	case OP_THREAD_CANCELSTATE:
	case OP_THREAD_CANCELTYPE:
		return; /* after the cancellations, and otherwise the thread's own affair */
	case OP_OUTPUT:
		touch(footprint, TOUCH_OUTPUT, 0, TOUCH_WRITE);
		return;
	case OP_PROCESS_WAIT:
	case OP_PROCESS_EXIT:
		model_process_touch(footprint, m, t, op);
		return;
	case OP_POLL_CHANGE:
		touch(footprint, TOUCH_SETS, 0, TOUCH_WRITE);
		return;
	case OP_POLL:
		if (op->flags & OP_ASKS)
			return touch_asked(footprint, m, op);
		/* fall through */
	default:
		/*
		 * OP_SYSCALL, and OP_POLL of what the model doesn't know: what they wait for may come from any other thread, through a pipe or a
		 * socket. OP_TIMER_EXPIRE: it may be waited for in these ways. OP_PROCESS_FORK: what any other thread has left in memory is copied.
		 */
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
	}
}

const struct family family_other = {.ready = ready, .ways = ways, .perform = perform, .touch = touches};
