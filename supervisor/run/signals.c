#include "supervisor/signals/signals.h"
#include "supervisor/before/stores.h"
#include "supervisor/lives/lives.h"
#include "supervisor/run/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* What the kernel says within itself of calls that are to be made again: ERESTARTSYS to ERESTART_RESTARTBLOCK. */
#define ERESTART_FIRST 512
#define ERESTART_LAST  516

/* Signals of the target: delivered, unless they would end it. */

/*
 * A signal from outside (a timer, a child) has come since the model has performed the operation: the handler runs when the function has
 * done so, too.
 */
static bool handle_after_function(struct run *run, int signal)
{
	struct process_thread *self = run_self(run);
	const uint64_t back = target_gadget_trap(run->process->target), caller = self->call.return_address;
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	siginfo_t info;
	self->native = 0;
	if (!regs || tracee_signal_info(self->tracee, &info) != STATUS_OK ||
	    target_write(run->process->target, regs->rsp, &back, sizeof back) != STATUS_OK)
		return run_resume(run, signal);
	if (process_go(run->process, run->thread, 0) != STATUS_OK ||
	    run_to_gadget(run->process, run->thread, run->outcome) != STATUS_OK)
		return true;
	regs = tracee_change_regs(self->tracee);
	if (!regs)
		return run_fail(run, END_ERROR, STATUS_GONE, "lost the target");
	regs->rip = caller;
	(void)tracee_set_signal_info(self->tracee, &info);
	return run_resume(run, signal);
}

static bool at_beginning(const struct process_thread *thread)
{
	const struct user_regs_struct *regs = thread->native ? tracee_regs(thread->tracee) : NULL;
	return regs && regs->rip == thread->native;
}

/* What fmc keeps of the output is in a file, for which the limit holds as well: the program might write to a terminal without one. */
static bool output_is_too_large(const struct process *process)
{
	struct rlimit limit;
	struct stat file;
	return process->capture >= 0 && fstat(process->capture, &file) == 0 &&
	       getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       (rlim_t)file.st_size >= limit.rlim_cur;
}

/* It comes at the end of a call by which the thread has sent it to itself, or lets it in: that is the thread's own course. */
static bool is_own(const struct user_regs_struct *regs)
{
	switch ((long)regs->orig_rax) {
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
	case SYS_rt_sigqueueinfo:
	case SYS_rt_tgsigqueueinfo:
	case SYS_rt_sigprocmask:
		return regs->rax == 0;
	default:
		return false;
	}
}

/* One that the program's own have sent comes where the thread happens to be, and not in a wait that lets it in. */
static bool comes_between(const struct run *run, int signal)
{
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	const int64_t result = regs ? (int64_t)regs->rax : 0;
	const bool waited = regs && (int64_t)regs->orig_rax >= 0 &&
			    (result == -EINTR || (result <= -ERESTART_FIRST && result >= -ERESTART_LAST));
	return run->process->sent >> (signal - 1) & 1 && !waited && !(regs && is_own(regs));
}

bool run_on_signal(struct run *run, const struct stop *stop)
{
	int signal = (int)stop->number;
	sent_tell(run_self(run), signal);
	if (signal == SIGXFSZ && output_is_too_large(run->process))
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED,
				"the program's output is larger than files may be (ulimit -f)");
	if (signals_end_process(run_self(run)->tracee, signal) && followed_outlived(run->process, signal))
		return run_resume(run, signal);
	if (signals_end_process(run_self(run)->tracee, signal)) {
		run_end_process(run, END_SIGNAL, signal);
		if (signal == SIGSEGV || signal == SIGBUS)
			snprintf(run->outcome->message, sizeof run->outcome->message,
				 "accessing address 0x%llx", (unsigned long long)stop->address);
		return true;
	}
	const bool handled = tracee_signals(stop->tracee).caught >> (signal - 1) & 1;
	if (handled && comes_between(run, signal))
		process_remark(run->process, SIGNALS_BETWEEN);
	/* The kernel is entered, and a processor that comes back from there has waited for its stores. */
	if (handled && stores_follow(run_self(run)))
		stores_fenced(run_self(run));
	if (handled && run_self(run)->stores.length > 0) {
		run_self(run)->stores.signal = signal;
		return run_stop_at_fence(run);
	}
	if (handled && at_beginning(run_self(run)))
		return handle_after_function(run, signal);
	return run_resume(run, signal);
}
