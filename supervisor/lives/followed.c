/*
 * Processes that are followed (process_options.follow): how they come, are waited for, and end. Each of their threads is a thread of the
 * execution; the process's end is an operation, and so is a wait for it.
 */
#include "supervisor/accesses/accesses.h"
#include "supervisor/lives/lives.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/children.h>

#include <sys/syscall.h>
#include <sys/wait.h>

/* The new process as a target; NULL: it isn't followed, as it has ended, or the way has. */
static struct target *follow(struct run *run, const struct stop *stop, bool *over)
{
	const struct process_pilot *pilot = run->process->options.pilot;
	bool interrupted = false;
	/* A child that shares its parent's memory runs in it until it becomes another program. */
	if (stop->value && pilot)
		pilot->plant(pilot->context, run->process->target, false);
	struct target *child = stop->value ? target_follow_sharing(stop, &interrupted) : target_follow(stop);
	if (pilot && stop->value)
		pilot->plant(pilot->context, run->process->target, true);
	else if (pilot && child)
		pilot->plant(pilot->context, child, false);
	if (interrupted)
		*over = run_fail(run, END_INTERRUPTED, STATUS_INTERRUPTED, "interrupted");
	else if (!child && !stop->value)
		*over = run_fail(run, END_ERROR, STATUS_GONE, "a child process was lost at its birth");
	return child;
}

/* Its first thread, which stands before its start; NULL: the way has ended. */
static struct process_thread *add_first(struct run *run, struct target *child)
{
	struct process *process = run->process;
	const uint32_t number = model_block_add_thread(process->model);
	const uint32_t space =
	    number == NO_THREAD ? NO_SPACE : spaces_add(process, child, number, run->thread);
	if (space == NO_SPACE)
		target_kill(child);
	struct process_thread *born =
	    space == NO_SPACE ? NULL : threads_add(process, target_tracee(child, 0));
	if (!born) {
		run_fail(run, END_ERROR, STATUS_NO_MEMORY, "too many threads");
		return NULL;
	}
	born->space = space;
	born->call.op = (struct op){.kind = OP_THREAD_START, .object = number, .object2 = NO_OBJECT};
	model_thread_of(process->model->model, number, number,
			model_process(process->model->model, run->thread));
	if (!run->outcome->births++)
		run->outcome->created = number;
	return born;
}

bool followed_fork(struct run *run, const struct stop *stop, bool *followed)
{
	struct process *process = run->process;
	const bool first = !process->threaded;
	bool over = false;
	*followed = process->options.follow;
	/* Before the child is anybody's: what is planted now it hasn't got, if it has memory of its own. */
	if (!process->options.follow || run_become_threaded(run))
		return process->options.follow;
	struct target *child = follow(run, stop, &over);
	if (!child)
		return over || run_resume(run, 0);
	struct process_thread *born = add_first(run, child);
	if (!born)
		return true;
	process_watch_target(process, child);
	if (stop->value && replaced_born(run, born->space, born))
		return true;
	if (!stop->value && first && entries_plant_all(process->entries, child) == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, STATUS_INTERRUPTED, "interrupted");
	if (!stop->value && first)
		rounds_show(process, child);
	process->sent |= UINT64_C(1) << (SIGCHLD - 1);
	if (channels_inherited(process))
		process_remark(process, "descriptors of events and FIFOs that processes share");
	return run_resume(run, 0);
}

/* Has this process, as the kernel calls it, been made by the present one? Its first thread; NO_THREAD: it isn't one of those. */
static uint32_t find_child(const struct process *process, pid_t pid)
{
	const uint32_t parent = process->spaces[process->space].first;
	for (size_t i = process->spaces_length; i-- > 0;) {
		const struct space *space = &process->spaces[i];
		if (target_pid(space->target) == pid &&
		    model_parent(process->model->model, space->first) == parent)
			return space->first;
	}
	return NO_THREAD;
}

bool followed_has_children(const struct process *process)
{
	for (size_t i = 0; i < process->spaces_length; i++)
		if (model_parent(process->model->model, process->spaces[i].first) ==
		    process->spaces[process->space].first)
			return true;
	return false;
}

/* waitid() in the words of wait4(). */
static int64_t awaited(const struct user_regs_struct *regs, long number)
{
	if (number == SYS_wait4)
		return (int)regs->rdi;
	return regs->rdi == P_PID ? (int)regs->rsi : -1;
}

bool followed_wait(const struct run *run, long number, struct call *call)
{
	const struct process *process = run->process;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	if (process->spaces_length < 2 || !regs || (number != SYS_wait4 && number != SYS_waitid) ||
	    spaces_unfollowed(process))
		return false;
	const uint64_t flags = number == SYS_wait4 ? regs->rdx : regs->r10;
	if (flags & (WUNTRACED | WCONTINUED | WSTOPPED))
		return false;
	const int64_t which = awaited(regs, number);
	const uint32_t child =
	    which > 0 ? find_child(process, target_real_number(process->target, (pid_t)which)) : NO_THREAD;
	/* What isn't its child the kernel knows to say. */
	if (which > 0 && child == NO_THREAD)
		return false;
	call->op.kind = OP_PROCESS_WAIT;
	call->op.object = call->op.object2 = NO_OBJECT;
	call->op.arg = which > 0 ? (int64_t)child : ANY_PROCESS;
	call->op.arg2 = (flags & WNOHANG ? PROCESS_NO_WAIT : 0) | (flags & WNOWAIT ? PROCESS_KEEP : 0);
	return true;
}

/* A handler of the parent's, or a wait for the signal, notices the end. */
bool followed_is_noticed(const struct process *process)
{
	const struct model *model = process->model->model;
	if (process->spaces_length == 0)
		return false;
	const uint32_t parent = model_parent(model, process->spaces[process->space].first);
	const uint64_t child = UINT64_C(1) << (SIGCHLD - 1);
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		if (!tracee || model_process(model, t) != parent)
			continue;
		const struct signal_sets signals = tracee_signals(tracee);
		return (signals.caught | signals.blocked) & child;
	}
	return false;
}

/* Let go where they exit, until nothing is left of the process. */
static enum status reap(struct target *target)
{
	struct stop stop;
	while (!target_gone(target)) {
		const enum status status = target_wait(target, NULL, -1, &stop);
		if (status == STATUS_INTERRUPTED)
			return status;
		if (status != STATUS_OK)
			break;
		/* A death is told by the next wait. */
		if (stop.kind != STOP_EXITED)
			(void)target_resume(stop.tracee, 0);
	}
	return STATUS_OK;
}

bool followed_end(struct run *run, int status)
{
	struct process *process = run->process;
	if (reap(process->target) == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, STATUS_INTERRUPTED, "interrupted");
	const bool last = !spaces_others(process);
	spaces_end(process, process->space, status);
	kernel_look_again(process);
	kernel_disconnected(process);
	if (last)
		run_end_process(run, END_EXIT, process->spaces[0].status);
	else
		run->outcome->kind = OUTCOME_EXITED;
	return true;
}

bool followed_goes_on(const struct process *process)
{
	return process->spaces_length > 1 && spaces_others(process);
}

void followed_exit(struct process *process, uint32_t thread, const struct op *op, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	const int status = (int)(op->arg & 0xff);
	if (!followed_goes_on(process)) {
		run_end_process(&run, END_EXIT, process->space == 0 ? status : process->spaces[0].status);
		return;
	}
	if (target_resume(process->threads[thread].tracee, 0) == STATUS_OK)
		(void)followed_end(&run, status); /* the outcome says what came of it */
	else
		run_failed(outcome, END_ERROR, STATUS_GONE, "lost a process at its end");
}

static bool is_crash(int signal)
{
	switch (signal) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGABRT:
	case SIGTRAP:
	case SIGSYS:
		return true;
	default:
		return false;
	}
}

bool followed_outlived(const struct process *process, int signal)
{
	return followed_goes_on(process) && !is_crash(signal) && spaces_alive(process) == 1;
}
