/*
 * Signals that threads send each other: signal(7), pthread_kill(3p). A thread that doesn't block one takes it before it does anything else,
 * as the kernel sees to: when it is next in user mode. So where in the thread's course the signal is sent is all there is to decide. One that
 * everybody blocks stays with the kernel, which gives it to who unblocks it or waits for it.
 *
 *     X pending -(OP_SIGNAL_SEND of another thread; OP_PROCESS_EXIT of a child)-> OP_SIGNAL_TAKE, under it X
 *     OP_SIGNAL_TAKE -(X waits and can be interrupted: 0)-> X begins to wait, the handlers run, X fails with EINTR
 *                    -(1; else 0)-> the handlers run, and then X is pending again
 *
 * Another process's thread for whose process it is the end (OP_ENDS) takes it in the same way, whatever it is about to do or waits for:
 *
 *     X pending, or asleep -(OP_SIGNAL_SEND)-> OP_SIGNAL_TAKE -> the process is over
 */
#include "supervisor/state/state.h"

#define MOST_TAKERS 64

const struct op *model_under(const struct model *m, uint32_t t)
{
	const struct op *op = model_pending(m, t);
	return op->kind == OP_SIGNAL_TAKE ? &model_thread_const(m, t)->under : op;
}

void model_interrupt(struct model *m, uint32_t t)
{
	struct model_thread *thread = model_thread(m, t);
	FMC_ASSERT(thread->op.kind != OP_COND_ASLEEP && thread->op.kind != OP_BARRIER_ASLEEP);
	if (!model_sleeps(thread))
		return;
	model_queue_remove(m, model_awaited(&thread->op), t);
	thread->op.flags &= (uint16_t)~OP_QUEUED;
	if (thread->op.kind == OP_FUTEX_ASLEEP)
		thread->op.kind = OP_FUTEX_WAIT;
}

bool model_disarmed(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->flags & THREAD_DISARMED;
}

uint32_t model_signal_ways(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	uint32_t takers = 0;
	if (model_disarmed(m, t))
		return 1;
	for (uint64_t set = op->object == NO_OBJECT ? (uint64_t)op->arg2 : 0; set; set &= set - 1)
		takers++;
	return takers ? takers : 1;
}

/* Who gets it, if anybody. */
static uint32_t receiver(const struct op *op, int32_t choice)
{
	if (op->object != NO_OBJECT)
		return op->object;
	for (uint32_t t = 0; t < MOST_TAKERS; t++)
		if ((uint64_t)op->arg2 >> t & 1 && choice-- == 0)
			return t;
	return NO_THREAD;
}

static bool takes_at_once(const struct op *op, uint32_t t)
{
	return (uint64_t)op->arg3 >> (op->object == NO_OBJECT ? t : 0) & 1;
}

/* Before an operation that can be put off, not in the middle of one that the model goes on with. */
static bool can_put_off(const struct model_thread *thread)
{
	if (thread->run != THREAD_STOPPED || thread->op.kind == OP_SIGNAL_TAKE || thread->op.flags & OP_WAITS)
		return false;
	return thread->op.kind == OP_FUTEX_ASLEEP || !op_is_by_model(thread->op.kind);
}

/* The signal comes before what it has pending. */
static void put_before(struct model_thread *thread, int64_t signal, uint16_t flags)
{
	if (thread->op.kind != OP_SIGNAL_TAKE)
		thread->under = thread->op;
	thread->op = (struct op){
	    .kind = OP_SIGNAL_TAKE,
	    .object = NO_OBJECT,
	    .object2 = NO_OBJECT,
	    .flags = flags,
	    .arg = signal,
	    .arg2 = thread->under.kind,
	    .place = thread->under.place,
	};
}

void model_signal_take(struct model *m, uint32_t t, int64_t signal)
{
	struct model_thread *thread = t < m->threads ? model_thread(m, t) : NULL;
	if (!thread || !can_put_off(thread))
		return;
	model_interrupt(m, t);
	put_before(thread, signal, 0);
}

/* What it was about to do, or waited for, comes to nothing. */
static void end(struct model *m, uint32_t t, int64_t signal)
{
	struct model_thread *thread = model_thread(m, t);
	if (thread->run != THREAD_STOPPED)
		return;
	if (model_sleeps(thread))
		model_queue_remove(m, model_awaited(&thread->op), t);
	put_before(thread, signal, OP_ENDS);
	thread->under.flags &= (uint16_t) ~(OP_QUEUED | OP_WAITS);
}

void model_signal_send(struct model *m, uint32_t t, int32_t choice)
{
	const struct op *op = &model_thread(m, t)->op;
	if (op->flags & OP_ENDS) {
		if (op->arg3)
			end(m, op->object, op->arg);
		return;
	}
	const uint32_t r = model_disarmed(m, t) ? NO_THREAD : receiver(op, choice);
	if (r < m->threads && r != t && takes_at_once(op, r))
		model_signal_take(m, r, op->arg);
}
