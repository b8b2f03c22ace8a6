/*
 * A process that is followed ends another one by a signal: kill(2). To send it is an operation, and so is what comes of it: in the model a thread of
 * the other process takes it (state/signal.c), whose process ends. The kernel is told when that is performed, as SIGKILL would not wait for it.
 */
#include "supervisor/lives/lives.h"
#include "supervisor/signals/signals.h"

#include <fmc/tracer/children.h>
#include <fmc/tracer/fdinfo.h>

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whom it is sent to, as the kernel calls them. */
struct send {
	int signal;
	pid_t process, thread, group; /* one of them; 0: not that */
	bool all;
};

static pid_t real(const struct process *process, int64_t number)
{
	return target_real_number(process->target, (pid_t)number);
}

static bool decode(const struct process *process, long number, const struct user_regs_struct *regs,
		   struct send *send)
{
	struct signal_call call;
	uint64_t pid = 0;
	if (number == SYS_pidfd_send_signal) {
		const bool known =
		    fdinfo_number(target_pid(process->target), (int)regs->rdi, "Pid", 10, &pid);
		*send = (struct send){.signal = (int)regs->rsi, .process = known ? (pid_t)pid : -1};
		return true;
	}
	if (!sends_decode(number, regs, &call))
		return false;
	*send = (struct send){.signal = call.signal};
	if (call.to_thread)
		send->thread = real(process, call.thread);
	else if (call.process > 0)
		send->process = real(process, call.process);
	else if (call.process == -1)
		send->all = true;
	else
		send->group = call.process ? real(process, -(int64_t)call.process)
					   : getpgid(target_pid(process->target));
	return true;
}

static bool has_thread(const struct process *process, uint32_t space, pid_t tid)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (process->threads[t].space == space && process->threads[t].tracee &&
		    process->threads[t].tracee->tid == tid)
			return true;
	return false;
}

static bool is_meant(const struct process *process, const struct send *send, uint32_t space)
{
	const pid_t pid = target_pid(process->spaces[space].target);
	if (send->thread)
		return has_thread(process, space, send->thread);
	if (send->process)
		return pid == send->process;
	return send->all || getpgid(pid) == send->group;
}

/* The thread of the process that takes it, and ends it by that; NO_THREAD: it doesn't. The kernel, too, prefers the first. */
static uint32_t find_taker(const struct process *process, uint32_t space, int signal)
{
	if (process->spaces[space].over)
		return NO_THREAD;
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		if (process->threads[t].space == space && tracee && signals_end_process(tracee, signal) &&
		    (signal == SIGKILL || !(tracee_signals(tracee).blocked >> (signal - 1) & 1)))
			return t;
	}
	return NO_THREAD;
}

/* To the process it is nothing. */
static bool ignores(const struct process *process, uint32_t space, int signal)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (process->threads[t].space == space && process->threads[t].tracee)
			return tracee_signals(process->threads[t].tracee).ignored >> (signal - 1) & 1;
	return true;
}

enum killing killed_meets(const struct run *run, long number, struct call *call)
{
	const struct process *process = run->process;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	struct send send;
	uint32_t taker = NO_THREAD, meant = 0;
	if (process->spaces_length < 2 || !regs || !decode(process, number, regs, &send) || send.signal < 1 ||
	    send.signal > 64)
		return KILLS_NOBODY;
	for (uint32_t i = 0; i < process->spaces_length; i++) {
		if (process->spaces[i].over || !is_meant(process, &send, i))
			continue;
		if (send.signal == SIGSTOP && i != process->space)
			return KILLS_OTHERWISE;
		meant += !ignores(process, i, send.signal);
		if (i != process->space && taker == NO_THREAD)
			taker = find_taker(process, i, send.signal);
	}
	if (taker == NO_THREAD)
		return KILLS_NOBODY;
	/* The others get it as well, whatever that is to them. */
	if (meant > 1)
		return KILLS_OTHERWISE;
	call->op = (struct op){.kind = OP_SIGNAL_SEND,
			       .object = taker,
			       .object2 = NO_OBJECT,
			       .flags = OP_ENDS,
			       .arg = send.signal,
			       .place = call->op.place};
	return KILLS_ONE;
}

void killed_aim(const struct process *process, struct op *op)
{
	const uint32_t taker = find_taker(process, process->threads[op->object].space, (int)op->arg);
	op->arg3 = taker != NO_THREAD;
	if (taker != NO_THREAD)
		op->object = taker;
}

/* Until the thread is on its way out. False: interrupted. */
static bool send_out(struct tracee *tracee, int signal)
{
	struct target *target = tracee->target;
	struct stop stop;
	/* Whatever it stands before isn't to happen any more: the signal comes first then. */
	tracee_skip_syscall(tracee, -EINTR);
	target_send(target, tracee, signal);
	if (tracee->life == TRACEE_STOPPED)
		(void)target_resume(tracee, 0);
	for (;;) {
		const enum status status = target_wait(target, tracee, -1, &stop);
		if (status != STATUS_OK || stop.kind == STOP_EXITED)
			return status != STATUS_INTERRUPTED;
		const bool comes = stop.kind == STOP_SIGNAL && stop.number == signal;
		(void)target_resume(tracee, comes ? signal : 0);
		if (stop.kind == STOP_EXITING)
			return true;
	}
}

void killed_perform(struct process *process, uint32_t thread, const struct op *op, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	if (send_out(process->threads[thread].tracee, (int)op->arg))
		(void)followed_end(&run, 128 + (int)op->arg); /* the outcome says what came of it */
	else
		run_failed(outcome, END_INTERRUPTED, STATUS_INTERRUPTED, "interrupted");
}
