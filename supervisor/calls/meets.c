/* A program of one thread comes to where it could take a signal that is to come: its operations are visible from then on. */
#include "supervisor/calls/calls.h"
#include "supervisor/lives/lives.h"
#include "supervisor/signals/signals.h"

#include <signal.h>
#include <sys/syscall.h>

static uint64_t bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* A handler is being set for a signal that is to come, or it is waited for. */
static bool meets(const struct process *process, struct tracee *tracee, long number)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	for (uint32_t i = 0; regs && i < process->senders.length; i++) {
		const struct sender *sender = &process->senders.at[i];
		if (sender->kind == SENDER_DESCRIPTOR)
			continue;
		const bool blocked = tracee_signals(tracee).blocked & bit(sender->signal);
		if (sender->armed &&
		    (number == SYS_rt_sigaction ? regs->rsi && regs->rdi == (uint64_t)sender->signal
						: blocked || senders_handled(process, sender->signal)))
			return true;
	}
	return false;
}

/* An end that comes before it isn't noticed, and that this is so is no operation. */
static void note_handler(struct process *process, struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (regs && regs->rsi && regs->rdi == SIGCHLD && followed_has_children(process))
		process_remark(process, "handlers of SIGCHLD that are set when there are children");
}

bool meets_signal(struct run *run, long number)
{
	struct process *process = run->process;
	switch (number) {
	case SYS_rt_sigaction:
		note_handler(process, run_self(run)->tracee);
		/* fall through */
	case SYS_rt_sigtimedwait:
	case SYS_rt_sigsuspend:
	case SYS_pause:
	case SYS_signalfd:
	case SYS_signalfd4:
		return !process->threaded && meets(process, run_self(run)->tracee, number) &&
		       run_become_visible(run);
	default:
		return false;
	}
}
