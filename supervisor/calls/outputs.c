#include "supervisor/calls/calls.h"

#include <fmc/tracer/call_traits.h>

#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * What the program prints, as operations (process_options.outputs): calls of functions that write to a stream, of which the order of the
 * calls is that of the output though it is written later, and system calls. A function runs to its end in one transition, with all that
 * it calls. Where it has to wait for the stream's lock, which the program can hold over several calls (flockfile), it goes on as without
 * this: the wait is an operation then.
 */

bool outputs_leads(const struct process *process, int descriptor)
{
	char path[48];
	struct stat file, kept;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	return process->options.outputs && descriptor >= 0 && process->printed >= 0 &&
	       stat(path, &file) == 0 && fstat(process->printed, &kept) == 0 && file.st_ino == kept.st_ino &&
	       file.st_dev == kept.st_dev;
}

/* The descriptor that this call writes to, or moves in; -1: none. */
static int written_by(long number, const struct user_regs_struct *regs)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx};
	const int into = number == SYS_lseek ? 0 : call_traits(number)->into;
	return into == NO_ARGUMENT ? -1 : (int)arguments[into];
}

bool outputs_call(const struct run *run, long number, struct call *call)
{
	const struct process *process = run->process;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	if (!process->options.outputs || !process->threaded || run->own_calls || !regs ||
	    !outputs_leads(process, written_by(number, regs)))
		return false;
	call->op.kind = OP_OUTPUT;
	return true;
}
