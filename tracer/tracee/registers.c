#include "tracer/tracee/tracee.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

/* The registers of a stopped x86-64 thread: fetched once a stop, written back once. */

void registers_forget(struct tracee *tracee)
{
	tracee->regs_known = false;
	tracee->regs_changed = false;
	tracee->runs++;
}

struct user_regs_struct *tracee_regs(struct tracee *tracee)
{
	if (tracee->regs_known)
		return &tracee->regs;
	if (tracee->life != TRACEE_STOPPED && tracee->life != TRACEE_EXITING)
		return NULL;
	if (ptrace(PTRACE_GETREGS, tracee->tid, NULL, &tracee->regs) != 0)
		return NULL;
	tracee->regs_known = true;
	return &tracee->regs;
}

struct user_regs_struct *tracee_change_regs(struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee_regs(tracee);
	if (regs)
		tracee->regs_changed = true;
	return regs;
}

enum status registers_write_back(struct tracee *tracee)
{
	if (!tracee->regs_changed)
		return STATUS_OK;
	tracee->regs_changed = false;
	return ptrace(PTRACE_SETREGS, tracee->tid, NULL, &tracee->regs) == 0 ? STATUS_OK : STATUS_GONE;
}

long registers_syscall_number(struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee_regs(tracee);
	return regs ? (long)regs->orig_rax : -1;
}

void tracee_skip_syscall(struct tracee *tracee, int64_t result)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return;
	regs->orig_rax = (unsigned long long)-1;
	regs->rax = (unsigned long long)result;
}

enum status tracee_extended(struct tracee *tracee, void *area, size_t *size)
{
	struct iovec part = {.iov_base = area, .iov_len = *size};
	if (ptrace(PTRACE_GETREGSET, tracee->tid, (void *)NT_X86_XSTATE, &part) != 0)
		return errno == ESRCH ? STATUS_GONE : STATUS_UNSUPPORTED;
	*size = part.iov_len;
	return STATUS_OK;
}

enum status tracee_set_extended(struct tracee *tracee, const void *area, size_t size)
{
	struct iovec part = {.iov_base = (void *)(uintptr_t)area, .iov_len = size};
	tracee->runs++;
	if (ptrace(PTRACE_SETREGSET, tracee->tid, (void *)NT_X86_XSTATE, &part) != 0)
		return errno == ESRCH ? STATUS_GONE : STATUS_UNSUPPORTED;
	return STATUS_OK;
}
