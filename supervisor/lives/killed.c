/*
 * A process that is followed sends others a signal which ends them, or which they handle: kill(2). To send it is an operation for each of them, and so is
 * what comes of it: in the model a thread of the other process takes it (state/signal.c), whose handler runs, or whose process ends. The kernel is told
 * when that is performed, as SIGKILL would not wait for it.
 */
#include "supervisor/lives/lives.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/children.h>
#include <fmc/tracer/fdinfo.h>

#include "supervisor/before/before.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
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

/*
 * The one that gets it where it ends nothing: the first thread unless that blocks it, as with the kernel, else the only one that doesn't; NO_THREAD: that
 * isn't known.
 */
static uint32_t find_receiver(const struct process *process, uint32_t space, const struct send *send)
{
	uint32_t receiver = NO_THREAD;
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		if (process->threads[t].space != space || !tracee ||
		    (send->thread && tracee->tid != send->thread) ||
		    tracee_signals(tracee).blocked >> (send->signal - 1) & 1)
			continue;
		if (tracee->tid == target_pid(tracee->target) || send->thread)
			return t;
		if (receiver != NO_THREAD)
			return NO_THREAD;
		receiver = t;
	}
	return receiver;
}

/* The next process from this one on that gets the signal, and to which it is something; NO_SPACE: there is none. */
static uint32_t next_meant(const struct process *process, const struct send *send, uint32_t space)
{
	while (space < process->spaces_length &&
	       (process->spaces[space].over || space == process->space || !is_meant(process, send, space) ||
		ignores(process, space, send->signal)))
		space++;
	return space < process->spaces_length ? space : NO_SPACE;
}

/* To this process. */
static void aim_at(const struct process *process, uint32_t space, const struct send *send, struct op *op)
{
	const uint32_t taker = find_taker(process, space, send->signal),
		       receiver = find_receiver(process, space, send);
	op->flags = (uint16_t)(taker != NO_THREAD ? op->flags | OP_ENDS : op->flags & ~OP_ENDS);
	op->arg3 = taker != NO_THREAD;
	if (taker != NO_THREAD || receiver != NO_THREAD)
		op->object = taker != NO_THREAD ? taker : receiver;
}

static void set_send(const struct process *process, uint32_t space, const struct send *send, struct op *op)
{
	*op = (struct op){.kind = OP_SIGNAL_SEND,
			  .object = process->spaces[space].first,
			  .object2 = NO_OBJECT,
			  .arg = send->signal,
			  .arg2 = SIGNAL_ACROSS,
			  .place = op->place};
	aim_at(process, space, send, op);
}

static bool decode_call(const struct process *process, uint32_t thread, struct send *send)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	return regs && decode(process, (long)regs->orig_rax, regs, send) && send->signal >= 1 &&
	       send->signal <= 64;
}

/*
 * It is an operation whatever the other process does with the signal by now, and whether it has ended: that may be another thing when its turn has
 * come, and threads are to have the same operations in all orders.
 */
enum killing killed_meets(struct run *run, struct call *call)
{
	struct process *process = run->process;
	struct send send;
	uint32_t meant = 0, other = NO_SPACE;
	if (process->spaces_length < 2 || !decode_call(process, run->thread, &send))
		return KILLS_NOBODY;
	for (uint32_t i = 0; i < process->spaces_length; i++) {
		if (!is_meant(process, &send, i))
			continue;
		if (send.signal == SIGSTOP && i != process->space && !process->spaces[i].over)
			return KILLS_OTHERWISE;
		meant += !process->spaces[i].over;
		other = i != process->space ? i : other;
	}
	if (other == NO_SPACE)
		return KILLS_NOBODY;
	const uint32_t first = next_meant(process, &send, 0);
	run_self(run)->sends_to_several = meant > 1;
	set_send(process, first == NO_SPACE ? other : first, &send, &call->op);
	return KILLS_SOMEBODY;
}

void killed_aim(const struct process *process, uint32_t thread, struct op *op)
{
	struct send send;
	const uint32_t space = process->threads[op->object].space;
	if (decode_call(process, thread, &send) && !process->spaces[space].over)
		aim_at(process, space, &send, op);
	else
		op->arg3 = 0;
}

void killed_info(const struct process *process, uint32_t thread, siginfo_t *info)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	struct signal_call call = {.info = 0};
	if (regs && regs->orig_rax == SYS_pidfd_send_signal)
		call.info = regs->rdx;
	else if (regs)
		(void)sends_decode((long)regs->orig_rax, regs, &call);
	memset(info, 0, sizeof *info);
	if (call.info && target_read(process->target, call.info, info, sizeof *info) == STATUS_OK)
		return;
	info->si_code = call.to_thread ? SI_TKILL : SI_USER;
	info->si_pid = process->threads[process->spaces[process->space].first].tid;
	info->si_uid = getuid();
}

/* What no operation takes the kernel gives to who gets it. */
static void give(const struct process *process, uint32_t space, uint32_t receiver, int signal)
{
	if (!process->spaces[space].over)
		target_send(process->spaces[space].target,
			    receiver == NO_THREAD ? NULL : process->threads[receiver].tracee, signal);
}

/* The sender takes it before its call returns, but where the kernel gives it to another thread. */
static void give_own(struct process *process, uint32_t thread, const struct send *send)
{
	const uint32_t receiver = find_receiver(process, process->space, send);
	give(process, process->space, receiver, send->signal);
	if (receiver == thread)
		return;
	uses_remark(process, CHANNEL_SIGNAL);
	process->signalled = true;
}

bool killed_goes_on(struct process *process, uint32_t thread, const struct op *op, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	const uint32_t space = process->threads[op->object].space;
	struct send send;
	if (!self->sends_to_several || !decode_call(process, thread, &send))
		return false;
	if (!op->arg3)
		give(process, space, find_receiver(process, space, &send), send.signal);
	const uint32_t next = next_meant(process, &send, space + 1);
	if (next != NO_SPACE) {
		struct call call = self->call;
		set_send(process, next, &send, &call.op);
		return run_stop_before(&run, &call);
	}
	tracee_skip_syscall(self->tracee, 0);
	if (is_meant(process, &send, process->space))
		give_own(process, thread, &send);
	return false;
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
