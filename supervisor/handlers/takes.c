/*
 * A thread that is held before an operation takes signals that others have sent it: before it does anything else, as it would when the kernel
 * lets it run. Its handlers run up to their first operation, which then is what it has pending, or to their end: then it comes to its operation
 * again. They may as well come while it waits there, which then fails with EINTR.
 */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/handlers/handlers.h"
#include "supervisor/lives/lives.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/run/run.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

static uint64_t bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* Of such a call a part may be done, which it then says: it can't begin anew. */
static bool may_be_halved(const struct process_thread *self)
{
	const struct user_regs_struct *regs = tracee_regs(self->tracee);
	if (!regs || self->call.entry)
		return false;
	const uint64_t arguments[6] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	return call_is_halved((long)regs->orig_rax, arguments);
}

static bool can_take(const struct process *process, uint32_t thread, int signal)
{
	const struct process_thread *self = &process->threads[thread];
	const struct tracee *tracee = self->tracee;
	const struct op *op = model_pending(process->model->model, thread);
	if (!tracee || tracee->life != TRACEE_STOPPED)
		return false;
	const struct signal_sets signals = tracee_signals(tracee);
	if (!(signals.caught & ~signals.blocked & bit(signal)))
		return false;
	return op->kind == OP_SIGNAL_TAKE || (held_before(self, op) && !may_be_halved(self));
}

static bool handles(const struct process *process, uint32_t thread, int signal)
{
	return tracee_signals(process->threads[thread].tracee).caught & bit(signal);
}

/* It waits for that signal, or will as soon as it goes on. */
static bool awaits(const struct process *process, uint32_t thread, int signal)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	uint64_t set = 0;
	if (!regs || model_pending(process->model->model, thread)->kind != OP_SYSCALL ||
	    ((long)regs->orig_rax != SYS_rt_sigtimedwait && (long)regs->orig_rax != SYS_rt_sigsuspend) ||
	    target_read(process->target, regs->rdi, &set, sizeof set) != STATUS_OK)
		return false;
	return (set >> (signal - 1) & 1) == ((long)regs->orig_rax == SYS_rt_sigtimedwait);
}

static void aim_send(const struct process *process, uint32_t thread, struct op *op)
{
	const int signal = (int)op->arg;
	op->arg2 = op->arg3 = 0;
	if (op->object != NO_OBJECT) {
		op->arg3 = can_take(process, op->object, signal);
		return;
	}
	for (uint32_t t = 0; t < process->threads_length && t < SIGNAL_TAKERS; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		if (!tracee || tracee->life != TRACEE_STOPPED)
			continue;
		const bool at_once = t != thread && can_take(process, t, signal);
		if (at_once || (t == thread ? !(tracee_signals(tracee).blocked & bit(signal)) &&
						  handles(process, t, signal)
					    : awaits(process, t, signal)))
			op->arg2 |= INT64_C(1) << t;
		if (at_once)
			op->arg3 |= INT64_C(1) << t;
	}
	/* Who waits for it gets it from the kernel, if there is nobody else. */
	if (!op->arg3 && !(op->arg2 >> thread & 1))
		op->arg2 = 0;
}

/* These fail with EINTR whatever the handler's flags: signal(7). */
static bool never_restarts(long number)
{
	switch (number) {
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_msgrcv:
	case SYS_msgsnd:
	case SYS_semop:
	case SYS_semtimedop:
		return true;
	default:
		return false;
	}
}

static bool would_wait(struct process *process, uint32_t thread, const struct op *op)
{
	struct object_state state;
	uint32_t word;
	if (op->kind == OP_PROCESS_WAIT)
		return !model_process_ready(process->model->model, thread, op);
	if (op->kind == OP_FUTEX_WAIT)
		return target_read(process->target, process->threads[thread].call.object, &word,
				   sizeof word) == STATUS_OK &&
		       word == (uint32_t)op->arg;
	if (op->kind == OP_FIFO_OPEN)
		return kernel_fifo_waits(process, thread);
	if (op_class(op->kind) != CLASS_SEM)
		return !outside_completes(process, thread);
	if (op->object == NO_OBJECT)
		return false;
	model_object_state(process->model->model, op->object, &state);
	return state.count == 0;
}

static uint64_t numbers(const struct signals_sent *signals)
{
	uint64_t set = 0;
	for (uint32_t i = 0; i < signals->length; i++)
		set |= bit(signals->at[i].si_signo);
	return set;
}

static void aim_take(struct process *process, uint32_t thread, struct op *op)
{
	struct process_thread *self = &process->threads[thread];
	const struct op *under = model_under(process->model->model, thread);
	const struct user_regs_struct *regs = self->tracee ? tracee_regs(self->tracee) : NULL;
	op->flags &= (uint16_t)~OP_INTERRUPTS;
	if (!regs || !op_interruptible(under->kind) || !would_wait(process, thread, under))
		return;
	if ((!self->call.entry && never_restarts((long)regs->orig_rax)) ||
	    held_ends_waits(self->tracee, numbers(&self->signals) | signals_deliverable_now(self->tracee)))
		op->flags |= OP_INTERRUPTS;
}

/* The kernel gives the parent's process the signal. Of several threads that could take it nobody knows which one does. */
static void aim_exit(const struct process *process, uint32_t thread, struct op *op)
{
	const struct model *model = process->model->model;
	const uint32_t parent = model_parent(model, process->spaces[process->threads[thread].space].first);
	uint32_t taker = NO_THREAD, takers = 0;
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		if (!tracee || model_process(model, t) != parent ||
		    tracee_signals(tracee).blocked & bit(SIGCHLD))
			continue;
		taker = t;
		takers++;
	}
	op->arg3 = takers == 1 && can_take(process, taker, SIGCHLD) ? 1 + (int64_t)taker : 0;
}

/* To another process. */
static bool is_across(const struct op *op)
{
	return op->kind == OP_SIGNAL_SEND && op->object != NO_OBJECT && op->arg2 == SIGNAL_ACROSS;
}

static void aim_across(const struct process *process, uint32_t thread, struct op *op)
{
	killed_aim(process, thread, op);
	if (!(op->flags & OP_ENDS))
		op->arg3 = can_take(process, op->object, (int)op->arg);
}

void takes_aim(struct process *process, uint32_t thread, struct op *op)
{
	if (is_across(op))
		aim_across(process, thread, op);
	else if (op->kind == OP_SIGNAL_SEND)
		aim_send(process, thread, op);
	else if (op->kind == OP_PROCESS_EXIT || op->flags & OP_ENDS)
		aim_exit(process, thread, op);
	else
		aim_take(process, thread, op);
}

/* The kernel is told of them now, as far as they aren't its own: they come before the thread's next instruction. */
static void give(struct process *process, struct process_thread *self)
{
	for (uint32_t i = 0; i < self->signals.length; i++)
		target_send(process->target, self->tracee, self->signals.at[i].si_signo);
}

void takes_perform(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		   struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct call held = self->call;
	const bool waits = op->flags & OP_INTERRUPTS && choice == 0;
	uint64_t where, stack;
	if (op->flags & OP_ENDS)
		return killed_perform(process, thread, op, outcome);
	process_note_other(process, "a thread that is held handles a signal");
	give(process, self);
	if (waits && !held.entry) {
		if (held.op.kind == OP_FUTEX_WAIT)
			tracee_skip_syscall(self->tracee, -EINTR);
		return run_go_on(process, thread, outcome);
	}
	if (!held_rewind(self, &where, &stack))
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	/* Signals come between instructions. */
	apart_anew(&held);
	handling_begin(self, where, stack);
	if (run_handlers(process, thread, where, stack, outcome) != STATUS_OK)
		return;
	/* It is back; what it met on the way is forgotten. Threads that were born have moved those that there were. */
	process->threads[thread].call = held;
	process->threads[thread].handling.where = 0;
	if (waits)
		return held_end_wait(process, thread, outcome);
	outcome->kind = OUTCOME_PENDING;
	outcome->next = held.op;
	spaces_name_memory(process, &outcome->next);
}

static uint32_t receiver(const struct op *op, int32_t choice)
{
	if (op->object != NO_OBJECT)
		return op->object;
	for (uint32_t t = 0; t < SIGNAL_TAKERS; t++)
		if ((uint64_t)op->arg2 >> t & 1 && choice-- == 0)
			return t;
	return NO_THREAD;
}

/* To the process, but this thread is to get it. */
static void send_to(struct process *process, uint32_t thread, const siginfo_t *info)
{
	target_send(process->target, process->threads[thread].tracee, info->si_signo);
	process->signalled = true;
	/* Who waits for it is told of fmc instead. */
	if (handles(process, thread, info->si_signo))
		(void)sent_put(process, thread, info);
}

bool takes_deliver(struct process *process, const struct op *op, int32_t choice, const siginfo_t *info,
		   struct outcome *outcome, bool *given)
{
	const uint32_t r = receiver(op, choice);
	const bool at_once = r != NO_THREAD && (uint64_t)op->arg3 >> (op->object == NO_OBJECT ? r : 0) & 1;
	*given = at_once || (op->object == NO_OBJECT && r != NO_THREAD);
	if (!at_once && *given)
		send_to(process, r, info);
	if (!at_once)
		return true;
	process_remark(process, SIGNALS_BETWEEN);
	if (!sent_put(process, r, info))
		run_failed(outcome, END_UNSUPPORTED, STATUS_UNSUPPORTED,
			   "a thread is sent more signals at once than fmc follows");
	return outcome->kind != OUTCOME_FAILED;
}

/* The kernel is told of it when it is taken, not before. */
static void send_across(struct process *process, uint32_t thread, const struct op *op,
			struct outcome *outcome)
{
	const struct space *space = &process->spaces[process->threads[op->object].space];
	siginfo_t info;
	process->sent |= bit((int)op->arg);
	if (op->arg3 && !(op->flags & OP_ENDS)) {
		killed_info(process, thread, &info);
		info.si_signo = (int)op->arg;
		process_remark(process, SIGNALS_BETWEEN);
		if (!sent_put(process, op->object, &info))
			return run_failed(outcome, END_UNSUPPORTED, STATUS_UNSUPPORTED,
					  "a thread is sent more signals at once than fmc follows");
	} else if (!op->arg3 && !space->over) {
		uses_remark(process, CHANNEL_SIGNAL);
		process->signalled = true;
	}
	if (killed_goes_on(process, thread, op, outcome))
		return;
	if (op->arg3)
		tracee_skip_syscall(process->threads[thread].tracee, 0);
	run_go_on(process, thread, outcome);
}

void takes_send(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		struct outcome *outcome)
{
	siginfo_t info;
	bool given;
	if (is_across(op))
		return send_across(process, thread, op, outcome);
	process->sent |= UINT64_C(1) << (op->arg - 1);
	if (!sends_info(process, thread, &info))
		return run_failed(outcome, END_ERROR, STATUS_GONE, "can't follow a signal");
	if (!takes_deliver(process, op, choice, &info, outcome, &given))
		return;
	if (given) {
		tracee_skip_syscall(process->threads[thread].tracee, 0);
	} else {
		uses_remark(process, CHANNEL_SIGNAL);
		process->signalled = true;
	}
	run_go_on(process, thread, outcome);
}
