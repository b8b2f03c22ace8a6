/*
 * Processes of a program: threads belong to one each, which is named by the first of them. wait(2), _exit(2).
 *
 *     alive -(OP_PROCESS_EXIT, or the exit of its last thread)-> over -(OP_PROCESS_WAIT of its parent's)-> collected
 */
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"
#include "supervisor/threads/threads.h"

void model_thread_of(struct model *m, uint32_t t, uint32_t process, uint32_t parent)
{
	struct model_thread *thread = model_thread(m, t);
	thread->process = process;
	thread->parent = parent;
}

uint32_t model_process(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->process;
}

uint32_t model_parent(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->parent;
}

bool model_process_over(const struct model *m, uint32_t process)
{
	for (uint32_t t = process; t < m->threads; t++)
		if (model_process(m, t) == process && !model_exited(m, t))
			return false;
	return true;
}

bool model_has_others(const struct model *m, uint32_t process)
{
	for (uint32_t t = 0; t < m->threads; t++)
		if (model_process(m, t) != process && model_process(m, t) != NO_THREAD && !model_exited(m, t))
			return true;
	return false;
}

static bool is_collected(const struct model *m, uint32_t first)
{
	return model_thread_const(m, first)->flags & PROCESS_COLLECTED;
}

/* Is this first thread's process one that the operation, of a thread of `parent`, asks for? */
static bool is_asked_for(const struct model *m, const struct op *op, uint32_t parent, uint32_t first)
{
	const struct model_thread *thread = model_thread_const(m, first);
	return thread->process == first && thread->parent == parent &&
	       (op->arg == ANY_PROCESS || (uint32_t)op->arg == first);
}

/* Could it collect that one? */
static bool is_awaited(const struct model *m, const struct op *op, uint32_t parent, uint32_t first)
{
	return is_asked_for(m, op, parent, first) && !is_collected(m, first);
}

/* The one that it would collect now; NO_THREAD, and whether there is any that it can wait for. */
static uint32_t find_over(const struct model *m, uint32_t t, const struct op *op, bool *any)
{
	const uint32_t parent = model_process(m, t);
	*any = false;
	for (uint32_t first = 0; first < m->threads; first++) {
		if (!is_awaited(m, op, parent, first))
			continue;
		*any = true;
		if (model_process_over(m, first))
			return first;
	}
	return NO_THREAD;
}

/* The kernel answers that there is no child at once. */
bool model_process_ready(const struct model *m, uint32_t t, const struct op *op)
{
	bool any;
	return op->arg2 & PROCESS_NO_WAIT || find_over(m, t, op, &any) != NO_THREAD || !any;
}

static void collect(struct model *m, uint32_t t, struct effect *effect)
{
	const struct op *op = &model_thread_const(m, t)->op;
	bool any;
	const uint32_t found = find_over(m, t, op, &any);
	if (found != NO_THREAD && !(op->arg2 & PROCESS_KEEP))
		model_thread(m, found)->flags |= PROCESS_COLLECTED;
	effect->yield = found == NO_THREAD && any;
}

/* All of its threads end with it, and its parent takes the signal. Where it is the last process, that is the end of all. */
static void exit_all(struct model *m, uint32_t t)
{
	const uint32_t process = model_process(m, t), taker = (uint32_t)model_thread_const(m, t)->op.arg3;
	if (!model_has_others(m, process))
		return;
	for (uint32_t u = process; u < m->threads; u++)
		if (u != t && model_process(m, u) == process && !model_exited(m, u)) {
			model_thread(m, u)->flags |= THREAD_CUT;
			model_thread_exit(m, u);
		}
	if (taker)
		model_signal_take(m, taker - 1, MODEL_SIGCHLD);
}

void model_process_perform(struct model *m, uint32_t t, struct effect *effect)
{
	if (model_thread_const(m, t)->op.kind == OP_PROCESS_WAIT)
		collect(m, t, effect);
	else
		exit_all(m, t);
}

/* As with a join: which of a thread's transitions is its last only the program knows, so all count. */
static void touch_threads(struct footprint *footprint, const struct model *m, uint32_t process, uint32_t but,
			  enum touch_mode mode)
{
	for (uint32_t u = process; u < m->threads; u++) {
		if (u == but || model_process(m, u) != process)
			continue;
		touch(footprint, TOUCH_THREAD, u, mode);
		if (model_holds_robust(m, u))
			touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
	}
}

/* Of several that are over the kernel collects the first: what those after it do makes no difference. */
static void touch_wait(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op)
{
	bool any;
	const uint32_t found = find_over(m, t, op, &any);
	for (uint32_t first = 0; first < m->threads && first <= found; first++) {
		if (!is_asked_for(m, op, model_process(m, t), first))
			continue;
		/* Others of its process may collect the same, or have, and it would have been the one to. */
		touch(footprint, TOUCH_JOINABLE, first, is_collected(m, first) ? TOUCH_READ : TOUCH_WRITE);
		if (!is_collected(m, first))
			touch_threads(footprint, m, first, NO_THREAD, TOUCH_WRITE);
	}
}

void model_process_touch(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op)
{
	const uint32_t process = model_process(m, t);
	if (op->kind == OP_PROCESS_WAIT)
		touch_wait(footprint, m, t, op);
	else if (op->arg2 || !model_has_others(m, process))
		/* A signal comes of it that is noticed, or it is the end of all: see dependence_ended(). */
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
	else
		touch_threads(footprint, m, process, t, TOUCH_WRITE);
}

uint32_t model_process_blocker(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	uint32_t blocker = NO_THREAD;
	for (uint32_t first = 0; first < m->threads; first++) {
		if (!is_awaited(m, op, model_process(m, t), first))
			continue;
		for (uint32_t u = first; u < m->threads; u++) {
			if (model_process(m, u) != first || model_exited(m, u))
				continue;
			/* There isn't just one. */
			if (blocker != NO_THREAD)
				return NO_THREAD;
			blocker = u;
		}
	}
	return blocker;
}
