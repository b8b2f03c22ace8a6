#include "supervisor/before/before.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/uses.h"

#include <sched.h>

/* The thread stands before an operation: which one it is, and the numbers of its objects. */

static uint32_t object_number(struct process *process, const struct call *call, enum object_class class,
			      uint64_t address)
{
	if (class == CLASS_NONE || !address)
		return NO_OBJECT;
	if (class == CLASS_THREAD)
		return threads_by_pthread(process, address);
	return objects_intern(process, class, address, op_initialises(call->op.kind));
}

bool run_is_after_once(const struct run *run, int64_t *ran)
{
	const struct process_thread *thread = run_self(run);
	uint32_t word;
	if (!thread->once_length)
		return false;
	uint64_t address = thread->once[thread->once_length - 1];
	if (target_read(run->process->target, address, &word, sizeof word) != STATUS_OK)
		return false;
	*ran = (word & 3) == 2;
	return !(word & 1);
}

bool run_stop_after_once(struct run *run, const struct call *call, int64_t ran)
{
	struct process_thread *thread = run_self(run);
	thread->after = *call;
	thread->call = *call;
	thread->call.op =
	    (struct op){.kind = OP_ONCE_END, .object2 = NO_OBJECT, .arg = ran, .place = call->op.place};
	thread->call.op.object = objects_find(run->process, CLASS_ONCE, thread->once[--thread->once_length]);
	run->outcome->kind = OUTCOME_PENDING;
	run->outcome->next = thread->call.op;
	return true;
}

/*
 * In glibc pthread_spin_unlock and pthread_spin_init are one function: a lock that nobody has used and that
 * isn't held is being made.
 */
static bool is_spin_init(struct process *process, const struct call *call)
{
	struct object_state state;
	uint32_t object = objects_find(process, CLASS_SPIN, call->object);
	if (call->op.kind != OP_SPIN_UNLOCK)
		return false;
	if (object == NO_OBJECT)
		return true;
	model_object_state(process->model->model, object, &state);
	return state.destroyed;
}

/*
 * Has this mutex a ceiling, and the thread no real-time scheduling? glibc then refuses the lock with EINVAL or doesn't, by which
 * ceilings the thread has met before; and it does so before it would wait.
 */
static bool may_be_refused(const struct process *process, const struct process_thread *thread)
{
	const struct op *op = &thread->call.op;
	struct object_state state;
	if (op_class(op->kind) != CLASS_MUTEX || !op_takes(op->kind, false) || op->object == NO_OBJECT)
		return false;
	model_object_state(process->model->model, op->object, &state);
	if (!(state.type & MUTEX_CEILING))
		return false;
	int policy = sched_getscheduler(thread->tracee->tid) & ~SCHED_RESET_ON_FORK;
	return policy != SCHED_FIFO && policy != SCHED_RR;
}

/* The thread stands before an operation: number its objects. */
bool run_stop_before(struct run *run, const struct call *call)
{
	struct process *process = run->process;
	struct process_thread *thread = run_self(run);
	int64_t ran;
	if (stores_hold(process, thread, call))
		return run_stop_before_flush(run, call);
	if (run_is_after_once(run, &ran))
		return run_stop_after_once(run, call, ran);
	thread->call = *call;
	thread->asked.known = false;
	if (stores_buffer(process, call))
		thread->call.op.flags |= OP_BUFFERED;
	stores_pass(thread);
	if (is_spin_init(process, call))
		thread->call.op.kind = OP_SPIN_INIT;
	call = &thread->call;
	struct op *op = &thread->call.op;
	if (op->kind == OP_THREAD_CREATE)
		op->object = NO_OBJECT;
	else if (op->kind != OP_SIGNAL_SEND && op->kind != OP_TIMER_SET)
		op->object = object_number(process, call, op_class(op->kind), call->object);
	op->object2 = object_number(process, call, op_class2(op->kind), call->object2);
	op->end = time_end(process, thread->tracee, call);
	channels_watch(process, run->thread, op);
	outside_meet(process, thread->tracee, op);
	objects_verify(process, op);
	if (may_be_refused(process, thread))
		return run_fail(
		    run, END_UNSUPPORTED, STATUS_UNSUPPORTED,
		    "a mutex with a priority ceiling is locked by a thread without real-time scheduling");
	if (process->find_places)
		op->place = process_own_place(process, thread->tracee, op->place);
	if (process->ahead)
		ahead_meet(process, call);
	/* Threads that are born move those that there are. */
	struct op next = *op;
	spaces_name_memory(process, &next);
	if (senders_bear(run))
		return true;
	run->outcome->kind = OUTCOME_PENDING;
	run->outcome->next = next;
	return true;
}

void run_from_call(struct process *process, uint32_t thread, const struct call *call, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	run_stop_before(&run, call);
}
