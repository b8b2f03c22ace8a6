/*
 * Signals that threads of the program send each other: operations, as where in the other's course one comes is up to the schedule. Those that
 * a thread sends itself it takes at once: that is its own course. What it takes to end the process, or to stop it, is left to the kernel.
 */
#include "supervisor/signals/signals.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIBC_CANCELS 32
#define LIBC_CHANGES 33 /* whose the process is */

struct send {
	uint64_t signal;
	uint32_t receiver; /* NO_THREAD: the process */
	uint64_t info;	   /* where the program has put what is to be told of it; 0: nowhere */
};

static uint32_t thread_of(const struct process *process, uint64_t tid)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (process->threads[t].tracee && (uint64_t)process->threads[t].tid == tid)
			return t;
	return NO_THREAD;
}

bool sends_decode(long number, const struct user_regs_struct *regs, struct signal_call *call)
{
	*call = (struct signal_call){.process = (int)regs->rdi, .signal = (int)regs->rsi};
	switch (number) {
	case SYS_kill:
		return true;
	case SYS_rt_sigqueueinfo:
		call->info = regs->rdx;
		return true;
	case SYS_tkill:
		call->process = 0;
		call->to_thread = true;
		call->thread = (int)regs->rdi;
		return true;
	case SYS_rt_tgsigqueueinfo:
		call->info = regs->r10;
		/* fall through */
	case SYS_tgkill:
		call->to_thread = true;
		call->thread = (int)regs->rsi;
		call->signal = (int)regs->rdx;
		return true;
	default:
		return false;
	}
}

/* Is it sent to this process, or to a thread of it? */
static bool decode(const struct process *process, long number, const struct user_regs_struct *regs,
		   struct send *send)
{
	const pid_t own = process->threads[0].tid;
	struct signal_call call;
	if (!sends_decode(number, regs, &call))
		return false;
	*send =
	    (struct send){.signal = (uint64_t)(int64_t)call.signal, .receiver = NO_THREAD, .info = call.info};
	if (call.to_thread)
		send->receiver = thread_of(process, (uint64_t)call.thread);
	return (number == SYS_tkill || call.process == own) &&
	       (!call.to_thread || send->receiver != NO_THREAD);
}

static bool blocks(const struct tracee *tracee, uint64_t signal)
{
	return tracee_signals(tracee).blocked >> (signal - 1) & 1;
}

static bool handles(const struct process *process, uint32_t thread, uint64_t signal)
{
	return tracee_signals(process->threads[thread].tracee).caught >> (signal - 1) & 1;
}

/* Without a handler it is left to those who wait for it, if nobody else may take it. */
static bool stays(const struct process *process, const struct send *send)
{
	if (send->receiver != NO_THREAD)
		return blocks(process->threads[send->receiver].tracee, send->signal);
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (process->threads[t].tracee && !blocks(process->threads[t].tracee, send->signal))
			return false;
	return true;
}

static uint32_t alive(const struct process *process)
{
	uint32_t n = 0;
	for (uint32_t t = 0; t < process->threads_length; t++)
		n += process->threads[t].tracee != NULL;
	return n;
}

bool sends_is_operation(struct run *run, long number, struct call *call)
{
	struct process *process = run->process;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	struct send send;
	/* Among several processes signals are left to the kernel, as those from outside. */
	if (!regs || !process->threaded || run->own_calls || process->options.follow ||
	    !decode(process, number, regs, &send))
		return false;
	if (send.signal < 1 || send.signal > 64 || send.signal == LIBC_CANCELS ||
	    send.signal == LIBC_CHANGES || send.receiver == run->thread || alive(process) < 2 ||
	    process->threads_length > SIGNAL_TAKERS)
		return false;
	if (!handles(process, run->thread, send.signal) && !stays(process, &send))
		return false;
	call->op.kind = OP_SIGNAL_SEND;
	call->op.object = send.receiver == NO_THREAD ? NO_OBJECT : send.receiver;
	call->op.arg = (int64_t)send.signal;
	return true;
}

void sends_note(struct process *process, uint32_t thread, long number)
{
	const struct user_regs_struct *regs = tracee_regs(process->threads[thread].tracee);
	struct send send;
	if (regs && decode(process, number, regs, &send) && send.signal >= 1 && send.signal <= 64)
		process->sent |= UINT64_C(1) << (send.signal - 1);
}

/* What the receiver is told of it, as the kernel would. */
static bool tell(const struct process *process, const struct send *send, siginfo_t *info)
{
	memset(info, 0, sizeof *info);
	if (send->info && target_read(process->target, send->info, info, sizeof *info) != STATUS_OK)
		return false;
	if (!send->info) {
		info->si_code = send->receiver == NO_THREAD ? SI_USER : SI_TKILL;
		info->si_pid = process->threads[0].tid;
		info->si_uid = getuid();
	}
	info->si_signo = (int)send->signal;
	return true;
}

bool sends_info(const struct process *process, uint32_t thread, siginfo_t *info)
{
	const struct user_regs_struct *regs = tracee_regs(process->threads[thread].tracee);
	struct send send;
	return regs && decode(process, (long)regs->orig_rax, regs, &send) && tell(process, &send, info);
}
