/* System calls on pipes, eventfds and sockets, as operations on these. */
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum direction {
	DIRECTION_NONE,
	DIRECTION_IN,
	DIRECTION_OUT,
	DIRECTION_CLOSE,
	DIRECTION_ASK,
	DIRECTION_OPEN,
	DIRECTION_LISTEN,
	DIRECTION_ACCEPT
};

#define MOST_PARTS 64 /* of a vector: more are as many bytes as there may be */
#define MANY_BYTES INT32_MAX

static uint64_t count_vector(const struct process *process, uint64_t address, uint64_t parts)
{
	struct iovec vector[MOST_PARTS];
	uint64_t bytes = 0;
	if (parts > MOST_PARTS ||
	    target_read(process->target, address, vector, parts * sizeof *vector) != STATUS_OK)
		return MANY_BYTES;
	for (uint64_t i = 0; i < parts; i++)
		bytes += vector[i].iov_len;
	return bytes;
}

static void look_at_message(const struct process *process, const struct msghdr *message,
			    struct kernel_call *call)
{
	call->amount += count_vector(process, (uint64_t)(uintptr_t)message->msg_iov, message->msg_iovlen);
	call->name = (uint64_t)(uintptr_t)message->msg_name;
	call->name_size = message->msg_namelen;
}

static bool count_message(const struct process *process, uint64_t address, struct kernel_call *call)
{
	struct msghdr message;
	if (target_read(process->target, address, &message, sizeof message) != STATUS_OK)
		return false;
	call->amount = 0;
	look_at_message(process, &message, call);
	return true;
}

/* They are one operation together. False: too many, or not all for the same. */
static bool count_messages(const struct process *process, uint64_t address, uint64_t count,
			   struct kernel_call *call)
{
	struct mmsghdr messages[MOST_PARTS];
	bool same = true;
	if (count > MOST_PARTS ||
	    target_read(process->target, address, messages, count * sizeof *messages) != STATUS_OK)
		return false;
	call->amount = 0;
	for (uint64_t i = 0; i < count; i++) {
		look_at_message(process, &messages[i].msg_hdr, call);
		same &= !call->name || count == 1;
	}
	return same;
}

/* Of a pipe's end that is read it takes what is there. */
static enum direction look_at_vmsplice(const struct process *process, const struct user_regs_struct *regs,
				       struct kernel_call *call)
{
	struct kernel_end end = {.class = CLASS_NONE};
	kernel_look_closer(process, (int)regs->rdi, &end);
	call->amount = count_vector(process, regs->rsi, regs->rdx);
	call->never_waits = regs->r10 & SPLICE_F_NONBLOCK;
	return end.writes ? DIRECTION_OUT : DIRECTION_IN;
}

/* preadv2() and pwritev2() where they don't say at which place; elsewhere there is none in a pipe. */
static enum direction look_at_vector(const struct process *process, const struct user_regs_struct *regs,
				     enum direction direction, struct kernel_call *call)
{
	call->amount = count_vector(process, regs->rsi, regs->rdx);
	call->never_waits = regs->r9 & RWF_NOWAIT;
	return regs->r10 == UINT64_MAX ? direction : DIRECTION_NONE;
}

/* What the call would do, and with how many bytes; `can_be_operation` and `never_waits` by its arguments. */
static enum direction direction_of(const struct process *process, const struct user_regs_struct *regs,
				   long number, struct kernel_call *call)
{
	uint64_t flags = 0;
	enum direction direction = DIRECTION_NONE;
	call->descriptor = (int)regs->rdi;
	call->can_be_operation = true;
	call->amount = regs->rdx;
	switch (number) {
	case SYS_read:
		direction = DIRECTION_IN;
		break;
	case SYS_readv:
		call->amount = count_vector(process, regs->rsi, regs->rdx);
		direction = DIRECTION_IN;
		break;
	case SYS_recvfrom:
		flags = regs->r10;
		direction = DIRECTION_IN;
		break;
	case SYS_recvmsg:
		flags = regs->rdx;
		call->can_be_operation = count_message(process, regs->rsi, call);
		direction = DIRECTION_IN;
		break;
	case SYS_recvmmsg:
		flags = regs->r10;
		call->can_be_operation = count_messages(process, regs->rsi, regs->rdx, call) && !regs->r8;
		direction = DIRECTION_IN;
		break;
	case SYS_write:
		direction = DIRECTION_OUT;
		break;
	case SYS_writev:
		call->amount = count_vector(process, regs->rsi, regs->rdx);
		direction = DIRECTION_OUT;
		break;
	case SYS_preadv2:
		direction = look_at_vector(process, regs, DIRECTION_IN, call);
		break;
	case SYS_pwritev2:
		direction = look_at_vector(process, regs, DIRECTION_OUT, call);
		break;
	case SYS_vmsplice:
		direction = look_at_vmsplice(process, regs, call);
		break;
	case SYS_sendto:
		flags = regs->r10;
		call->name = regs->r8;
		call->name_size = (uint32_t)regs->r9;
		direction = DIRECTION_OUT;
		break;
	case SYS_sendmsg:
		flags = regs->rdx;
		call->can_be_operation = count_message(process, regs->rsi, call);
		direction = DIRECTION_OUT;
		break;
	case SYS_sendmmsg:
		flags = regs->r10;
		call->can_be_operation = count_messages(process, regs->rsi, regs->rdx, call);
		direction = DIRECTION_OUT;
		break;
	case SYS_connect:
		call->name = regs->rsi;
		call->name_size = (uint32_t)regs->rdx;
		direction = DIRECTION_OPEN;
		break;
	case SYS_bind:
		call->name = regs->rsi;
		call->name_size = (uint32_t)regs->rdx;
		direction = DIRECTION_LISTEN;
		break;
	case SYS_listen:
		direction = DIRECTION_LISTEN;
		break;
	case SYS_accept:
	case SYS_accept4:
		direction = DIRECTION_ACCEPT;
		break;
	case SYS_close:
	case SYS_shutdown:
		direction = DIRECTION_CLOSE;
		break;
	case SYS_dup2:
	case SYS_dup3:
		call->descriptor = regs->rsi == regs->rdi ? -1 : (int)regs->rsi;
		direction = DIRECTION_CLOSE;
		break;
	case SYS_ioctl:
		direction = regs->rsi == FIONREAD ? DIRECTION_ASK : DIRECTION_NONE;
		break;
	default:
		break;
	}
	/* A stop can't take up again what both looks and waits for all. */
	call->can_be_operation &= !(flags & MSG_PEEK && flags & MSG_WAITALL) && !(flags & MSG_OOB);
	call->never_waits |= flags & MSG_DONTWAIT || direction == DIRECTION_CLOSE ||
			     direction == DIRECTION_ASK || direction == DIRECTION_LISTEN;
	return direction;
}

static void set_eventfd(const struct process *process, const struct user_regs_struct *regs,
			enum direction direction, struct kernel_call *call)
{
	uint64_t number = 0;
	call->kind = direction == DIRECTION_CLOSE ? OP_EVENTFD_CLOSE
		     : direction == DIRECTION_OUT ? OP_EVENTFD_WRITE
						  : OP_EVENTFD_READ;
	call->never_waits |= call->amount < sizeof number;
	call->amount = 0;
	if (direction != DIRECTION_OUT)
		return;
	/* What is no number is refused. */
	if (target_read(process->target, regs->rsi, &number, sizeof number) != STATUS_OK ||
	    number == UINT64_MAX)
		call->never_waits = true;
	call->amount = number;
}

static void set_pipe(enum direction direction, struct kernel_call *call)
{
	call->kind = direction == DIRECTION_CLOSE ? OP_PIPE_CLOSE
		     : direction == DIRECTION_OUT ? OP_PIPE_WRITE
						  : OP_PIPE_READ;
	call->never_waits |= call->amount == 0;
}

/* A wait that ends by itself isn't the model's. */
static bool has_time_out(const struct process *process, int descriptor)
{
	const int options[] = {SO_RCVTIMEO, SO_SNDTIMEO}, copy = kernel_duplicate(process, descriptor);
	bool has = copy < 0;
	for (size_t i = 0; i < sizeof options / sizeof *options && !has; i++) {
		struct timeval time = {0};
		socklen_t size = sizeof time;
		has = getsockopt(copy, SOL_SOCKET, options[i], &time, &size) != 0 || time.tv_sec ||
		      time.tv_usec;
	}
	if (copy >= 0)
		close(copy);
	return has;
}

static enum op_kind connection_kind(enum direction direction)
{
	switch (direction) {
	case DIRECTION_OPEN:
		return OP_CONNECTION_OPEN;
	case DIRECTION_LISTEN:
		return OP_CONNECTION_LISTEN;
	case DIRECTION_ACCEPT:
		return OP_CONNECTION_ACCEPT;
	case DIRECTION_OUT:
		return OP_CONNECTION_SEND;
	case DIRECTION_CLOSE:
		return OP_CONNECTION_CLOSE;
	default:
		return OP_CONNECTION_RECEIVE;
	}
}

/* By its descriptor none is known: one thread has one end, and others have the other one. */
static bool set_connection(struct process *process, enum direction direction, struct kernel_call *call)
{
	struct kernel_end end = {.class = CLASS_SOCKET};
	const bool found = kernel_call_decode_connection(process, connection_kind(direction), call);
	call->can_be_operation = call->can_be_operation && !has_time_out(process, call->descriptor);
	if (call->can_be_operation) {
		kernel_look_closer(process, call->descriptor, &end);
		call->never_waits |= !end.blocking;
	}
	call->amount = direction != DIRECTION_ASK;
	call->descriptor = 0;
	return found;
}

static void set_pair(struct process *process, enum direction direction, struct kernel_call *call)
{
	const uint64_t own = call->id, peer = kernel_peer(process, own);
	call->can_be_operation = call->can_be_operation && peer != 0 &&
				 !has_time_out(process, call->descriptor) &&
				 (direction == DIRECTION_IN || !call->name);
	call->kind = direction == DIRECTION_CLOSE ? OP_SOCKET_CLOSE
		     : direction == DIRECTION_OUT ? OP_SOCKET_SEND
						  : OP_SOCKET_RECEIVE;
	call->sender = peer;
	if (call->kind == OP_SOCKET_RECEIVE)
		return;
	call->id = peer;
	call->sender = own;
	if (call->kind == OP_SOCKET_CLOSE) {
		call->other = own;
		call->other_sender = peer;
	}
}

static bool is_private(struct process *process, const struct kernel_call *call, const struct kernel_end *end)
{
	if (spaces_unfollowed(process))
		return false;
	const uint32_t object = kernel_find(process, call->class, call->id);
	if (object != NO_OBJECT || kernel_use_owns(process, call))
		return object == NO_OBJECT || !process->objects[object].kernel.others;
	if (end->named)
		return kernel_made_fifo(process, call->descriptor);
	if (end->class == CLASS_PIPE)
		return kernel_owns_pipe(process, end);
	return target_made(process->target, call->descriptor) ||
	       (end->class == CLASS_SOCKET && kernel_made_pair(process, call->descriptor));
}

/* A call in the wrong direction fails. */
static void set_waiting(const struct process *process, enum direction direction, struct kernel_end *end,
			struct kernel_call *call)
{
	kernel_look_closer(process, call->descriptor, end);
	call->never_waits |= !end->blocking || (direction == DIRECTION_OUT && !end->writes) ||
			     (direction == DIRECTION_IN && !end->reads);
}

static bool asks_for_connection(enum direction direction)
{
	return direction == DIRECTION_OPEN || direction == DIRECTION_LISTEN || direction == DIRECTION_ACCEPT;
}

/* All that isn't one of a pair, as far as it can be told apart. */
static bool is_connection(struct process *process, enum direction direction, struct kernel_call *call)
{
	struct kernel_call connection = *call;
	if (!asks_for_connection(direction) && kernel_peer(process, call->id) &&
	    !kernel_call_has_name(process, call->descriptor, call->id))
		return false;
	if (!set_connection(process, direction, &connection))
		return false;
	*call = connection;
	return true;
}

/* The object at this end, of a call that would do this; `regs` are for one that writes a number. */
static bool decode_end(struct process *process, const struct user_regs_struct *regs, enum direction direction,
		       struct kernel_end end, struct kernel_call *call)
{
	call->used = call->descriptor;
	call->class = end.class;
	call->named = end.named;
	call->id = end.id;
	if (end.class == CLASS_SOCKET && is_connection(process, direction, call))
		return true;
	if (asks_for_connection(direction))
		return false;
	switch (end.class) {
	case CLASS_EVENTFD:
		set_eventfd(process, regs, direction, call);
		break;
	case CLASS_PIPE:
		set_pipe(direction, call);
		break;
	default:
		set_pair(process, direction, call);
	}
	call->can_be_operation = call->can_be_operation && is_private(process, call, &end);
	if (call->can_be_operation)
		set_waiting(process, direction, &end, call);
	return true;
}

bool kernel_call_decode_single(struct process *process, struct tracee *tracee, long number,
			       struct kernel_call *call)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct kernel_end end;
	*call = (struct kernel_call){.class = CLASS_NONE};
	const enum direction direction = regs ? direction_of(process, regs, number, call) : DIRECTION_NONE;
	if (direction == DIRECTION_NONE || !kernel_look(process, call->descriptor, &end))
		return regs && kernel_call_decode_other(process, regs, number, call);
	return decode_end(process, regs, direction, end, call);
}

bool kernel_call_decode_end(struct process *process, int descriptor, bool into, uint64_t amount,
			    struct kernel_call *call)
{
	struct kernel_end end;
	*call = (struct kernel_call){.descriptor = descriptor, .amount = amount, .can_be_operation = true};
	return kernel_look(process, descriptor, &end) && end.class != CLASS_EVENTFD &&
	       decode_end(process, NULL, into ? DIRECTION_OUT : DIRECTION_IN, end, call);
}

bool kernel_call_decode_asked(struct process *process, int descriptor, struct kernel_call *call)
{
	struct kernel_end end;
	*call = (struct kernel_call){.descriptor = descriptor, .can_be_operation = true};
	return kernel_look(process, descriptor, &end) && decode_end(process, NULL, DIRECTION_ASK, end, call);
}
