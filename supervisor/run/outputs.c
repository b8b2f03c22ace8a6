#include "supervisor/run/perform.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	switch (number) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_vmsplice:
	case SYS_sendfile:
	case SYS_ftruncate:
	case SYS_fallocate:
	case SYS_lseek:
		return (int)regs->rdi;
	case SYS_splice:
	case SYS_copy_file_range:
		return (int)regs->rdx;
	default:
		return -1;
	}
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

/* The function has not come back: whoever looks at the stack is to find its caller, and it is to return there. */
static void put_back(struct process *process, uint64_t slot, uint64_t caller)
{
	if (process->target)
		(void)target_write(process->target, slot, &caller, sizeof caller);
}

void perform_output(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const uint64_t caller = process->threads[thread].call.return_address;
	const uint64_t back = target_gadget_trap(process->target);
	enum status status = entries_pass(process->entries, tracee, process->threads[thread].call.entry);
	const struct user_regs_struct *now = status == STATUS_OK ? tracee_regs(tracee) : NULL;
	const uint64_t slot = now ? now->rsp : 0;
	outcome->result_valid = false;
	run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	if (!now || target_write(process->target, slot, &back, sizeof back) != STATUS_OK ||
	    process_go(process, thread, 0) != STATUS_OK)
		return;
	if (run_to_return(process, thread, slot + sizeof back, outcome) != STATUS_OK)
		return put_back(process, slot, caller);
	struct user_regs_struct *regs = tracee_change_regs(process->threads[thread].tracee);
	if (!regs)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	regs->rip = caller;
	perform_go_on(process, thread, outcome);
}
