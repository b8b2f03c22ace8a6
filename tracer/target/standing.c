#include "tracer/target/standing.h"
#include "tracer/tracee/tracee.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

enum status run_to_stop(struct tracee *tracee, enum stop_kind kind, struct stop *stop)
{
	enum status status = target_resume(tracee, 0);
	while (status == STATUS_OK) {
		/* An interrupt of fmc's user waits: this is over in microseconds. */
		do
			status = target_wait(tracee->target, tracee, -1, stop);
		while (status == STATUS_INTERRUPTED);
		if (status == STATUS_OK && stop->kind == kind)
			return STATUS_OK;
		if (status == STATUS_OK)
			status = stop->kind == STOP_INTERRUPT ? target_resume(tracee, 0) : STATUS_GONE;
	}
	return status;
}

enum status standing_take(struct tracee *tracee, struct standing *standing)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	if (tracee->after_call.due || tracee->cut_call.goes_on)
		return STATUS_UNSUPPORTED;
	/* A call that has been skipped is over as far as the registers say. */
	standing->before_call = tracee->at_syscall && (long)regs->orig_rax >= 0;
	standing->signal = tracee->at_signal;
	if (standing->signal && ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &standing->info) != 0)
		return STATUS_GONE;
	return STATUS_OK;
}

/* The registers of before the `syscall` instruction, which is 2 bytes long. */
static enum status meet_call_again(struct tracee *tracee)
{
	struct stop stop;
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	const long number = (long)regs->orig_rax;
	regs->rip -= 2;
	regs->rax = (unsigned long long)number;
	regs->orig_rax = (unsigned long long)-1;
	const enum status status = run_to_stop(tracee, STOP_SYSCALL, &stop);
	return status == STATUS_OK && stop.number != number ? STATUS_BUG : status;
}

/* The same signal is sent and arrives before the next instruction; what it tells is put in its place. */
static enum status meet_signal_again(struct tracee *tracee, const struct standing *standing)
{
	struct stop stop;
	enum status status = tracee_unblock_signals(tracee, ~(UINT64_C(1) << (standing->signal - 1)));
	if (status == STATUS_OK &&
	    syscall(SYS_tgkill, tracee->target->pid, tracee->tid, standing->signal) != 0)
		return STATUS_GONE;
	if (status == STATUS_OK)
		status = run_to_stop(tracee, STOP_SIGNAL, &stop);
	if (status == STATUS_OK && ptrace(PTRACE_SETSIGINFO, tracee->tid, NULL, &standing->info) != 0)
		return STATUS_GONE;
	return status == STATUS_OK && stop.number != standing->signal ? STATUS_BUG : status;
}

enum status standing_restore(struct tracee *tracee, const struct standing *standing)
{
	if (standing->before_call)
		return meet_call_again(tracee);
	return standing->signal ? meet_signal_again(tracee, standing) : STATUS_OK;
}
