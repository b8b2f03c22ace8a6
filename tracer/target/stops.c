/* What a wait status says: it is named once, and dealt with here when it is no business of the caller's. */
#include "tracer/target/target.h"

#include <fmc/tracer/call_traits.h>

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

void target_mark_dead(struct target *target, struct tracee *tracee)
{
	tracee_enter(tracee, TRACEE_DEAD);
	target_forget_early(target, tracee->tid);
	registers_forget(tracee);
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life != TRACEE_DEAD)
			return;
	target->gone = true;
}

/*
 * exec: the kernel has killed all other threads, and the thread that called it goes on with the process's number, whichever it had
 * before. No end of the others need have been reported.
 */
static void on_exec(struct target *target, struct stop *stop)
{
	for (uint32_t i = 0; i < target->tracees_length; i++) {
		struct tracee *tracee = target->tracees[i];
		if (tracee->life == TRACEE_DEAD)
			continue;
		/* What was kept of them they did before; their deaths were waited for with the exec. */
		target_forget_early(target, tracee->tid);
		if (tracee->tid != target->pid)
			tracee_enter(tracee, TRACEE_DEAD);
	}
	target->replacing = NULL;
	target->mapping_calls++;
	target->answers->at_exec(target, target->pid);
	struct tracee *survivor = target_by_tid(target, target->pid);
	if (survivor) {
		tracee_replaced(survivor);
		survivor->watches = 0; /* the kernel has cleared the debug registers, too */
		registers_forget(survivor);
	}
	stop->kind = STOP_EXEC;
	stop->tracee = survivor;
}

/* Resume with the request used last. A death is told by the next wait. */
static void go_on(struct tracee *tracee)
{
	if (tracee->stepping)
		(void)target_step(tracee, 0);
	else
		(void)target_resume(tracee, 0);
}

static enum status on_trap(struct tracee *tracee, struct stop *stop)
{
	if (cut_call_stopped(tracee)) {
		(void)target_resume(tracee, 0); /* a death is told by the next wait */
		return STATUS_TIMEOUT;
	}
	if (tracee->after_call.due) {
		tracee->target->answers->after_call(tracee);
		if (!tracee->stepping) {
			(void)target_resume(tracee, 0); /* as above */
			return STATUS_TIMEOUT;
		}
	}
	if (tracee->stepping) {
		stop->kind = STOP_STEP;
		return STATUS_OK;
	}
	if (watch_made_stop(tracee)) {
		/* An interrupt that comes at the same time is told first; by now nobody may be watching. */
		if (tracee->watches == 0) {
			(void)target_resume(tracee, 0); /* as above */
			return STATUS_TIMEOUT;
		}
		stop->kind = STOP_WATCH;
		return STATUS_OK;
	}
	struct user_regs_struct *regs = tracee_regs(tracee);
	stop->kind = STOP_TRAP;
	stop->address = regs ? regs->rip - 1 : 0;
	return STATUS_OK;
}

/* What the instruction touched that raised the signal; 0 for a signal that was sent. */
static uint64_t fault_address(const struct tracee *tracee, int signal)
{
	siginfo_t info;
	if (signal != SIGSEGV && signal != SIGBUS)
		return 0;
	if (ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &info) != 0 || info.si_code <= 0)
		return 0;
	return (uint64_t)(uintptr_t)info.si_addr;
}

/*
 * A signal without a handler makes the kernel restart the call that it came in unseen; one that ptrace only shows must leave no more
 * trace in it than that.
 */
static void mind_call(struct tracee *tracee, int signal)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || ((long)regs->orig_rax < 0 && !tracee->cut_call.goes_on))
		return;
	if (tracee_signals(tracee).caught >> (signal - 1) & 1)
		cut_call_leave(tracee);
	else
		cut_call_mend(tracee);
}

/* STATUS_TIMEOUT: dealt with here, the tracee runs again. */
enum status stops_classify(struct target *target, struct tracee *tracee, int status, struct stop *stop)
{
	*stop = (struct stop){.tracee = tracee, .value = status};
	registers_forget(tracee);
	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		stop->kind = STOP_EXITED;
		target_mark_dead(target, tracee);
		return STATUS_OK;
	}
	if (STOPS_EVENT(status) != PTRACE_EVENT_EXEC)
		tracee_enter(tracee,
			     STOPS_EVENT(status) == PTRACE_EVENT_EXIT ? TRACEE_EXITING : TRACEE_STOPPED);
	int signal = WSTOPSIG(status);
	switch (STOPS_EVENT(status)) {
	case 0:
		if (signal == SIGTRAP)
			return on_trap(tracee, stop);
		target->answers->at_signal(tracee);
		stop->kind = STOP_SIGNAL;
		stop->number = signal;
		tracee->at_signal = signal;
		stop->address = fault_address(tracee, signal);
		mind_call(tracee, signal);
		return STATUS_OK;
	case PTRACE_EVENT_CLONE:
		return newborn_thread(target, tracee, stop);
	case PTRACE_EVENT_FORK:
		return newborn_process(target, tracee, stop, false);
	case PTRACE_EVENT_VFORK:
		return newborn_process(target, tracee, stop, true);
	case PTRACE_EVENT_EXEC:
		on_exec(target, stop);
		return STATUS_OK;
	case PTRACE_EVENT_EXIT: {
		/* Still before the kernel gives up its memory and registers, which can be read once more. */
		unsigned long value = 0;
		ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &value);
		target->answers->at_exit(tracee);
		stop->kind = STOP_EXITING;
		stop->value = (int)value;
		return STATUS_OK;
	}
	case PTRACE_EVENT_SECCOMP:
		/* Before the call: a number of -1 in orig_rax skips it, and rax is its result then. */
		tracee->at_syscall = true;
		stop->number = registers_syscall_number(tracee);
		if (target->world.confined && target->answers->outside(tracee, stop->number)) {
			stop->kind = STOP_OUTSIDE;
			return STATUS_OK;
		}
		if (filters_unheard(tracee, stop->number)) {
			go_on(tracee);
			return STATUS_TIMEOUT;
		}
		target->seccomp_stops++;
		if (filters_stop_all(target)) {
			stop->kind = STOP_SYSCALL;
			return STATUS_OK;
		}
		if (target->answers->answer(tracee) ||
		    (target->world.confined && call_traits(stop->number)->stops == STOPS_NEVER)) {
			go_on(tracee);
			return STATUS_TIMEOUT;
		}
		stop->kind = STOP_SYSCALL;
		if (stop->number != SYS_execve && stop->number != SYS_execveat)
			return STATUS_OK;
		target->replacing = tracee;
		go_on(tracee);
		return STATUS_TIMEOUT;
	default: /* PTRACE_EVENT_STOP, which only seized threads have: PTRACE_INTERRUPT, or a group stop */
		cut_call_mend(tracee);
		stop->kind = STOP_INTERRUPT;
		return STATUS_OK;
	}
}
