/* System calls on regular files, as operations on what these hold. */
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By its offset, preadv2() and pwritev2() may do as readv() and writev(). */
static bool moves(long number, const struct user_regs_struct *regs)
{
	const bool either = number == SYS_preadv2 || number == SYS_pwritev2;
	return call_traits(number)->moves || (either && regs->r10 == UINT64_MAX);
}

/* The descriptor whose file the call reads or writes; -1: none. */
static int descriptor_of(const struct process *process, const struct user_regs_struct *regs, long number)
{
	const struct call_traits *traits = call_traits(number);
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx};
	const bool asks =
	    descriptors_asks(process, number, regs) && !descriptors_asked_by_libc(process, regs);
	if (asks)
		return (int)regs->rdi;
	if (traits->from == NO_ARGUMENT && traits->into == NO_ARGUMENT)
		return -1;
	return (int)arguments[traits->into != NO_ARGUMENT ? traits->into : traits->from];
}

/*
 * By its path, which is the same in all executions, while the number of a descriptor depends on what others have opened before. What
 * follows a '#' there is a number of the kernel's.
 */
static int known_by(const struct process *process, int descriptor)
{
	char name[48], path[PATH_ROOM];
	uint32_t digest = 2166136261;
	snprintf(name, sizeof name, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	const ssize_t length = readlink(name, path, sizeof path - 1);
	for (ssize_t i = 0; i < length && path[i] != '#'; i++)
		digest = (digest ^ (unsigned char)path[i]) * 16777619;
	return (int)(digest & INT32_MAX);
}

/* What forbids to write is a change of the file to those who do. */
static bool seals(long number, const struct user_regs_struct *regs)
{
	return number == SYS_fcntl && (int)regs->rsi == F_ADD_SEALS;
}

/* Copies of the process would have these in common. */
bool kernel_call_has_own(const struct process *process)
{
	return !spaces_unfollowed(process) && !origin_advanced(process->origin) &&
	       !process->options.program.image;
}

static bool set_contents(const struct process *process, int descriptor, bool writes, bool moves,
			 struct kernel_call *call)
{
	struct stat file;
	if (descriptor < 0 || !channels_find_file(process, descriptor, &file) || !S_ISREG(file.st_mode))
		return false;
	*call = (struct kernel_call){.class = CLASS_FILE,
				     .kind = writes ? OP_FILE_WRITE : OP_FILE_READ,
				     .descriptor = known_by(process, descriptor),
				     .used = descriptor,
				     .id = channels_file_id(process, &file),
				     .moves = moves,
				     .amount = writes || moves,
				     .never_waits = true,
				     .can_be_operation = true};
	return true;
}

/* Who is run once, or has a client, may be met by others. */
bool kernel_call_decode_fifo(const struct process *process, const struct user_regs_struct *regs, long number,
			     struct kernel_call *call)
{
	struct fifo_call fifo;
	if ((number != SYS_open && number != SYS_openat && number != SYS_openat2 && number != SYS_creat) ||
	    !process->options.outside_ms || !kernel_find_fifo(process, regs, &fifo))
		return false;
	*call = (struct kernel_call){.class = CLASS_FIFO,
				     .kind = OP_FIFO_OPEN,
				     .used = -1,
				     .id = fifo.id,
				     .other = fifo.id,
				     .amount = 1,
				     .never_waits = fifo.flags & (O_NONBLOCK | O_RDWR),
				     .others = !kernel_made_fifo_at(process, &fifo),
				     .can_be_operation = kernel_call_has_own(process) && !process->drive};
	const char *name = strrchr(fifo.path, '/') + 1;
	snprintf(call->label, sizeof call->label, "%.*s", (int)sizeof call->label - 1, name);
	memcpy(call->other_label, call->label, sizeof call->other_label);
	return true;
}

bool kernel_call_decode_contents(const struct process *process, int descriptor, bool into, bool moves,
				 struct kernel_call *call)
{
	if (!set_contents(process, descriptor, into, moves, call))
		return false;
	call->can_be_operation = kernel_call_has_own(process);
	return true;
}

bool kernel_call_decode_file(const struct process *process, const struct user_regs_struct *regs, long number,
			     struct kernel_call *call)
{
	const bool forbids = seals(number, regs);
	const int descriptor = forbids ? (int)regs->rdi : descriptor_of(process, regs, number);
	const bool writes = forbids || call_traits(number)->into != NO_ARGUMENT;
	if (!set_contents(process, descriptor, writes, moves(number, regs), call))
		return false;
	if (writes && !forbids && events_tell_write(process, descriptor))
		events_add(call);
	return true;
}
