#include "supervisor/accesses/accesses.h"
#include "supervisor/handlers/handlers.h"
#include "supervisor/lives/lives.h"
#include "supervisor/run/run.h"
#include "supervisor/signals/signals.h"

#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>

/*
 * Signals from outside, and from threads in ways that takes.c can't follow, to threads that fmc holds before an operation: they handle them as soon as they have been sent, as they would in the
 * kernel. The handler runs as part of the sender's transition up to its own first operation, which then is what the thread has
 * pending, or until it returns to where the thread was held: before its operation, not after it. Those that are held before what
 * the kernel itself interrupts, or before nothing that could be met again, handle them when they go on.
 */

/* Does one of these signals' handlers end a wait (no SA_RESTART)? Asked of the kernel through the thread. */
bool held_ends_waits(struct tracee *tracee, uint64_t signals)
{
	struct {
		uint64_t handler, flags, restorer, mask;
	} action, before;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	bool ends = false;
	if (!regs)
		return false;
	/* Below the red zone nothing lives; it is put back all the same. */
	const uint64_t room = (regs->rsp - 512) & ~UINT64_C(15);
	if (target_read(tracee->target, room, &before, sizeof before) != STATUS_OK)
		return false;
	for (int signal = 1; signal <= 64; signal++) {
		const uint64_t arguments[6] = {(uint64_t)signal, 0, room, 8};
		int64_t result;
		if (!(signals >> (signal - 1) & 1) ||
		    tracee_syscall(tracee, SYS_rt_sigaction, arguments, &result) != STATUS_OK || result != 0)
			continue;
		if (target_read(tracee->target, room, &action, sizeof action) == STATUS_OK)
			ends |= !(action.flags & SA_RESTART);
	}
	/* A death is told by the next wait. */
	(void)target_write(tracee->target, room, &before, sizeof before);
	return ends;
}

/* Make the thread meet again the trap or the system call that it is stopped at. */
bool held_rewind(struct process_thread *thread, uint64_t *where, uint64_t *stack)
{
	struct user_regs_struct *regs = tracee_change_regs(thread->tracee);
	if (!regs)
		return false;
	if (thread->call.entry) {
		regs->rip -= 1;
	} else {
		regs->rip -= 2;
		regs->rax = regs->orig_rax;
		regs->orig_rax = (unsigned long long)-1;
	}
	*where = regs->rip;
	*stack = regs->rsp;
	return true;
}

/* The wait for a semaphore ends with EINTR: libc's function sees to that when its futex wait does. */
void held_end_wait(struct process *process, uint32_t t, struct outcome *outcome)
{
	struct process_thread *thread = &process->threads[t];
	const uint64_t back = target_gadget_trap(process->target), caller = thread->call.return_address;
	if (entries_pass(process->entries, thread->tracee, thread->call.entry) != STATUS_OK)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	struct user_regs_struct *regs = tracee_change_regs(thread->tracee);
	if (!regs || target_write(process->target, regs->rsp, &back, sizeof back) != STATUS_OK ||
	    process_go(process, t, 0) != STATUS_OK)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	if (run_interrupted(process, t, outcome) != STATUS_OK)
		return;
	regs = tracee_change_regs(thread->tracee);
	if (!regs)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	regs->rip = caller;
	if (process_go(process, t, 0) != STATUS_OK)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	run_to_operation(process, t, outcome);
}

/* In a wait whose beginning has been performed, so that it can't be met again from there. */
static bool is_within_wait(const struct op *op)
{
	return op->kind == OP_COND_ASLEEP || op->kind == OP_COND_RELOCK || op->kind == OP_BARRIER_ASLEEP ||
	       op->flags & OP_WAITS;
}

/*
 * The thread has come to another operation than that which it was held before, and comes to that one anew when the handler has
 * returned. Until then, as in the kernel, it doesn't wait for it, and a futex word may be another by then.
 */
static void take_in(struct process *process, uint32_t t, const struct outcome *came, struct outcome *outcome)
{
	struct model *model = process->model->model;
	bool within = is_within_wait(model_pending(model, t));
	if (came->kind == OUTCOME_PENDING && !within) {
		model_interrupt(model, t);
		model_set_pending(model, t, &came->next);
	} else if (came->kind == OUTCOME_EXITED) {
		model_thread_exit(model, t);
	} else if (came->kind == OUTCOME_PENDING) {
		run_failed(outcome, END_UNSUPPORTED, STATUS_UNSUPPORTED, "");
		snprintf(outcome->message, sizeof outcome->message,
			 "a signal handler calls %s while its thread T%u waits in %s: fmc can't follow that",
			 op_name(came->next.kind), t + 1, op_name(model_pending(model, t)->kind));
	} else {
		*outcome = *came;
	}
}

static void handle_held(struct process *process, uint32_t t, uint64_t signals, struct outcome *outcome)
{
	struct process_thread *thread = &process->threads[t];
	const struct process_thread held = *thread;
	struct outcome came = {.created = NO_THREAD};
	uint64_t where, stack;
	const bool blocked = !model_ready(process->model->model, t);
	bool waits = blocked && held.call.entry &&
		     (held.call.op.kind == OP_SEM_WAIT || held.call.op.kind == OP_SEM_TIMEDWAIT);
	waits = waits && held_ends_waits(thread->tracee, signals);
	if (blocked)
		process_remark(process, "signals to blocked threads");
	process_note_other(process, "a thread that is held handles a signal");
	if (!held_rewind(thread, &where, &stack))
		return;
	if (run_handlers(process, t, where, stack, &came) != STATUS_OK) {
		take_in(process, t, &came, outcome);
		return;
	}
	/* It is back; what it met on the way is forgotten. */
	thread->call = held.call;
	if (!waits)
		return;
	held_end_wait(process, t, &came);
	take_in(process, t, &came, outcome);
}

/*
 * Doesn't it matter whether the handler runs before or after the operation, or isn't there a stop to come back to? Stores that wait are to be in
 * memory before.
 */
static bool handles_later(const struct process_thread *thread, const struct op *op)
{
	if (thread->stores.length > 0 || apart_stores(&thread->call))
		return true;
	switch (op->kind) {
	case OP_THREAD_START:
	case OP_ONCE_END:
	case OP_COND_RELOCK:
	case OP_BARRIER_RESUME:
	case OP_FUTEX_RESUME:
	case OP_YIELD:
	case OP_SLEEP:
		return true;
	default:
		return !thread->call.entry && !thread->tracee->at_syscall;
	}
}

bool held_before(const struct process_thread *thread, const struct op *op)
{
	const bool again = thread->call.entry || (thread->tracee->at_syscall && !thread->spinning);
	return again && !is_within_wait(op) && !handles_later(thread, op);
}

/* What has been found of a process is known of all its threads. */
struct pending {
	const struct target *target; /* NULL: of none */
	bool any;
};

static bool may_have_signals(const struct tracee *tracee, struct pending *pending)
{
	if (pending->target != tracee->target)
		*pending = (struct pending){tracee->target, target_has_signals(tracee)};
	return pending->any || tracee_has_signals(tracee);
}

/* The process's signals go to its first thread as long as that doesn't block them, whoever else could take them: complete_signal() of the kernel. */
static uint64_t leaders(const struct process *process, uint32_t t, const struct signal_sets *sets)
{
	const struct tracee *leader = NULL;
	if (!sets->of_process)
		return 0;
	for (uint32_t u = 0; u < t && !leader; u++) {
		const struct tracee *other = process->threads[u].tracee;
		if (other && other->target == process->threads[t].tracee->target &&
		    other->tid == target_pid(other->target))
			leader = other;
	}
	return leader ? sets->of_process & ~tracee_signals(leader).blocked : 0;
}

void held_handle(struct process *process, uint32_t runner, struct outcome *outcome)
{
	const struct model *model = process->model->model;
	const bool sent = process->signalled;
	struct pending pending = {.target = NULL};
	process->signalled = false;
	for (uint32_t t = 0; t < model_threads(model); t++) {
		struct tracee *tracee = process->threads[t].tracee;
		if (outcome->kind == OUTCOME_PROCESS_END || outcome->kind == OUTCOME_FAILED)
			return;
		if (t == runner || !tracee || tracee->life != TRACEE_STOPPED ||
		    (!sent && !may_have_signals(tracee, &pending)))
			continue;
		spaces_enter(process, t);
		const struct signal_sets sets = tracee_signals(tracee);
		const uint64_t signals = signals_deliverable(&sets) & ~leaders(process, t, &sets);
		const int fatal = process_is_disturbed(process) ? signals_fatal(&sets) : 0;
		if (fatal && process->spaces_length > 1 && followed_outlived(process, fatal)) {
			run_failed(outcome, END_UNSUPPORTED, STATUS_UNSUPPORTED,
				   "a process is ended by a signal, which --follow can't follow");
			return;
		}
		if (fatal) {
			outcome->kind = OUTCOME_PROCESS_END;
			outcome->end = END_SIGNAL;
			outcome->end_value = fatal;
			return;
		}
		if (!signals)
			continue;
		const struct op *op = model_pending(model, t);
		/* Of one that ends the wait nobody tries what it does to a thread that is just not there yet. */
		if (process->spaces_length > 1 && op_waits_outside(op->kind))
			process_remark(process,
				       "signals to threads that are about to wait for what is outside");
		/* It may come to a wait before: to be looked at again. */
		if (op_waits_outside(op->kind) || op->kind == OP_SIGNAL_TAKE ||
		    apart_begun(&process->threads[t].call) ||
		    (model_ready(model, t) && handles_later(&process->threads[t], op)))
			process->signalled = true;
		else
			handle_held(process, t, signals, outcome);
		pending.target = NULL; /* the handler may have sent others */
		model = process->model->model;
	}
}
