/* System calls that transfer from what one descriptor leads to into what another one does, as one operation on both. */
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct transfer {
	int from, into;
	bool from_moves, into_moves; /* the places at which files are read and written */
	bool never_waits;	     /* for a pipe */
	uint64_t amount;
};

/* ioctl() that lets one file have the contents of another. */
static bool clones(const struct process *process, const struct user_regs_struct *regs,
		   struct transfer *transfer)
{
	struct file_clone_range range = {.src_fd = (int)regs->rdx};
	if ((unsigned)regs->rsi != FICLONE && (unsigned)regs->rsi != FICLONERANGE)
		return false;
	*transfer = (struct transfer){.from = (int)regs->rdx, .into = (int)regs->rdi};
	if ((unsigned)regs->rsi == FICLONERANGE &&
	    target_read(process->target, regs->rdx, &range, sizeof range) != STATUS_OK)
		return false;
	transfer->from = (int)range.src_fd;
	return true;
}

static bool transfer_of(const struct process *process, const struct user_regs_struct *regs, long number,
			struct transfer *transfer)
{
	switch (number) {
	case SYS_splice:
		*transfer =
		    (struct transfer){(int)regs->rdi, (int)regs->rdx, !regs->rsi, !regs->r10, 0, regs->r8};
		transfer->never_waits = regs->r9 & SPLICE_F_NONBLOCK;
		return true;
	case SYS_tee:
		*transfer =
		    (struct transfer){.from = (int)regs->rdi, .into = (int)regs->rsi, .amount = regs->rdx};
		transfer->never_waits = regs->r10 & SPLICE_F_NONBLOCK;
		return true;
	case SYS_sendfile:
		*transfer =
		    (struct transfer){(int)regs->rsi, (int)regs->rdi, !regs->rdx, true, false, regs->r10};
		return true;
	case SYS_copy_file_range:
		*transfer = (struct transfer){(int)regs->rdi, (int)regs->rdx, !regs->rsi,
					      !regs->r10,     false,	      regs->r8};
		return true;
	case SYS_ioctl:
		return clones(process, regs, transfer);
	default:
		return false;
	}
}

/* One end, as a call of its own that reads or writes there. False: it's nothing that could be one. */
static bool decode_end(struct process *process, int descriptor, bool into, bool moves, uint64_t amount,
		       struct kernel_call *end)
{
	return kernel_call_decode_end(process, descriptor, into, amount, end) ||
	       kernel_call_decode_contents(process, descriptor, into, moves, end);
}

static bool is_local(const struct process *process, int descriptor)
{
	const int copy = kernel_duplicate(process, descriptor);
	int domain = 0;
	socklen_t size = sizeof domain;
	const bool local =
	    copy >= 0 && getsockopt(copy, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
	if (copy >= 0)
		close(copy);
	return local;
}

/* Flags of the call are for pipes and for local sockets that are read. */
static void set_waiting(const struct process *process, const struct transfer *transfer,
			struct kernel_call *from, struct kernel_call *into)
{
	const bool pipes = from->class == CLASS_PIPE && into->class == CLASS_PIPE;
	const bool either = transfer->never_waits || (pipes && (from->never_waits || into->never_waits));
	if (from->class == CLASS_PIPE || (from->class != CLASS_FILE && is_local(process, transfer->from)))
		from->never_waits |= either;
	if (into->class == CLASS_PIPE)
		into->never_waits |= either;
}

/* The operation on both; its first object is that which it may wait for longest. OP_KINDS: there is none. */
static enum op_kind kind_of(enum object_class from, enum object_class into, bool *turned)
{
	static const struct {
		enum object_class from, into;
		enum op_kind kind;
		bool turned;
	} kinds[] = {
	    {CLASS_PIPE, CLASS_PIPE, OP_PIPE_TO_PIPE, false},
	    {CLASS_PIPE, CLASS_SOCKET, OP_PIPE_TO_SOCKET, false},
	    {CLASS_PIPE, CLASS_FILE, OP_PIPE_TO_FILE, false},
	    {CLASS_PIPE, CLASS_CONNECTION, OP_CONNECTION_FROM_PIPE, true},
	    {CLASS_SOCKET, CLASS_PIPE, OP_SOCKET_TO_PIPE, false},
	    {CLASS_CONNECTION, CLASS_PIPE, OP_CONNECTION_TO_PIPE, false},
	    {CLASS_FILE, CLASS_PIPE, OP_PIPE_FROM_FILE, true},
	    {CLASS_FILE, CLASS_SOCKET, OP_SOCKET_FROM_FILE, true},
	    {CLASS_FILE, CLASS_CONNECTION, OP_CONNECTION_FROM_FILE, true},
	    {CLASS_FILE, CLASS_FILE, OP_FILE_TO_FILE, false},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (kinds[i].from == from && kinds[i].into == into) {
			*turned = kinds[i].turned;
			return kinds[i].kind;
		}
	return OP_KINDS;
}

static void put_together(const struct kernel_call *first, const struct kernel_call *second, enum op_kind kind,
			 struct kernel_call *call)
{
	*call = *first;
	call->own_kind = first->kind;
	call->kind = kind;
	call->amount = op_is_tried(kind) ? 1 : first->amount;
	call->other = second->id;
	call->other_sender = second->sender;
	call->second = (struct kernel_part){.class = second->class,
					    .kind = second->kind,
					    .descriptor = second->descriptor,
					    .used = second->used,
					    .moves = second->moves,
					    .never_waits = second->never_waits,
					    .others = second->others};
	call->can_be_operation &= second->can_be_operation;
}

static bool decode(struct process *process, const struct transfer *transfer, struct kernel_call *call)
{
	struct kernel_call from, into;
	bool turned = false;
	const bool has_from =
	    decode_end(process, transfer->from, false, transfer->from_moves, transfer->amount, &from);
	const bool has_into =
	    decode_end(process, transfer->into, true, transfer->into_moves, transfer->amount, &into);
	set_waiting(process, transfer, &from, &into);
	/* Where a file can't be part of an operation the other end alone is it, and the verdict names the file. */
	const bool only_from = !has_into || (into.class == CLASS_FILE && !into.can_be_operation);
	const bool only_into = !has_from || (from.class == CLASS_FILE && !from.can_be_operation);
	if (only_from != only_into) {
		*call = only_from ? from : into;
		return true;
	}
	if (!has_from || !has_into)
		return false;
	const enum op_kind kind = kind_of(from.class, into.class, &turned);
	if (kind == OP_KINDS)
		return false;
	put_together(turned ? &into : &from, turned ? &from : &into, kind, call);
	return true;
}

bool kernel_call_decode(struct process *process, struct tracee *tracee, long number, struct kernel_call *call)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct transfer transfer;
	*call = (struct kernel_call){.class = CLASS_NONE};
	if (regs && transfer_of(process, regs, number, &transfer))
		return decode(process, &transfer, call);
	return kernel_call_decode_single(process, tracee, number, call);
}
