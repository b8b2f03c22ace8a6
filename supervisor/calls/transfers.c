/*
 * Calls that transfer to and from others by connections that never wait: they are no operations, and one that has been looked at is like the next. So from
 * the second one on threads make them without stops (transfer_leads.h), until the descriptor leads elsewhere or the connection may wait.
 */
#include "supervisor/calls/calls.h"
#include "supervisor/uses/kernel_calls.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void let(struct process *process, int descriptor, bool pass)
{
	struct transfers *transfers = &process->ahead->transfers;
	if (descriptor < 0 || descriptor >= TRANSFER_DESCRIPTORS || transfers->pass[descriptor] == pass)
		return;
	transfers->pass[descriptor] = pass;
	if (pass && descriptor >= transfers->end)
		transfers->end = descriptor + 1;
	/* A death is told by the next wait. */
	(void)transfer_leads_let(process->target, descriptor, pass);
}

static void forget_from(struct process *process, int low, int high)
{
	for (int i = low; i < process->ahead->transfers.end && i <= high; i++)
		let(process, i, false);
}

/* Calls that go on there come to where they can pass, if that can be had. */
static void lead(struct process *process, uint64_t after)
{
	struct transfers *transfers = &process->ahead->transfers;
	for (uint32_t i = 0; i < transfers->sites_length; i++)
		if (transfers->sites[i] == after)
			return;
	if (transfers->sites_length == TRANSFER_SITES)
		return;
	transfers->sites[transfers->sites_length++] = after;
	(void)transfer_leads_add(process->entries, process->target, after);
}

static const struct user_regs_struct *regs_of(const struct process *process, uint32_t thread)
{
	struct tracee *tracee = process->threads[thread].tracee;
	return process->ahead && process->ahead->transfers.planted && tracee ? tracee_regs(tracee) : NULL;
}

void transfers_meet(struct process *process, uint32_t thread, long number)
{
	const struct user_regs_struct *regs = regs_of(process, thread);
	if (!regs || !transfer_leads_are_for(number) || (int)regs->rdi <= STDERR_FILENO ||
	    !kernel_call_is_outside(process, (int)regs->rdi))
		return;
	lead(process, regs->rip);
	let(process, (int)regs->rdi, true);
}

void transfers_change(struct process *process, uint32_t thread, long number)
{
	const struct user_regs_struct *regs = regs_of(process, thread);
	if (!regs)
		return;
	switch (number) {
	case SYS_close:
		let(process, (int)regs->rdi, false);
		break;
	case SYS_dup2:
	case SYS_dup3:
		let(process, (int)regs->rsi, false);
		break;
	case SYS_close_range:
		if (regs->rdi < TRANSFER_DESCRIPTORS)
			forget_from(process, (int)regs->rdi, TRANSFER_DESCRIPTORS);
		break;
	case SYS_fcntl: /* another descriptor may lead to the same */
		if (regs->rsi == F_SETFL && !(regs->rdx & O_NONBLOCK))
			forget_from(process, 0, TRANSFER_DESCRIPTORS);
		break;
	case SYS_ioctl:
		if (regs->rsi == FIONBIO)
			forget_from(process, 0, TRANSFER_DESCRIPTORS);
		break;
	case SYS_connect:
		forget_from(process, 0, TRANSFER_DESCRIPTORS);
		break;
	default:
		break;
	}
}
