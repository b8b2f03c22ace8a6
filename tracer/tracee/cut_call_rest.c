#include "tracer/tracee/cut_call.h"
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/call_traits.h>

#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* How much a call waits for, and with which call it is gone on with after a part of that. */

#define VECTOR_MOST 1024 /* the longest that the kernel takes */

static const struct rest nothing;

/* A duplicate of the program's own descriptor; -1: it can't be had. */
static int duplicate(const struct tracee *tracee, uint64_t descriptor)
{
	const int pidfd = (int)syscall(SYS_pidfd_open, tracee->target->pid, 0);
	const int copy = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, (int)descriptor, 0);
	if (pidfd >= 0)
		close(pidfd);
	return copy;
}

static bool descriptor_name(const struct tracee *tracee, uint64_t descriptor, char name[64])
{
	char path[48];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", tracee->target->pid, (int)descriptor);
	const ssize_t length = readlink(path, name, 63);
	if (length < 0)
		return false;
	name[length] = '\0';
	return true;
}

static bool is_pipe(const struct tracee *tracee, uint64_t descriptor)
{
	char path[48];
	struct stat about;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", tracee->target->pid, (int)descriptor);
	return stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

/* So many bytes a terminal without line editing has to have before read() returns. */
static uint64_t terminal_least(const struct tracee *tracee, uint64_t descriptor)
{
	struct termios settings;
	const int copy = duplicate(tracee, descriptor);
	const bool raw = copy >= 0 && tcgetattr(copy, &settings) == 0 && !(settings.c_lflag & ICANON);
	if (copy >= 0)
		close(copy);
	return raw && !settings.c_cc[VTIME] ? settings.c_cc[VMIN] : 0;
}

/* So many of the bytes that it wants a receiver waits for; 0: for any. Messages come one at a time. */
static uint64_t receive_least(const struct tracee *tracee, uint64_t descriptor, uint64_t flags,
			      uint64_t wanted)
{
	int type = 0, least = 1;
	socklen_t length = sizeof type;
	if (flags & MSG_PEEK)
		return 0;
	const int copy = duplicate(tracee, descriptor);
	const bool stream =
	    copy >= 0 && getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
	if (stream && getsockopt(copy, SOL_SOCKET, SO_RCVLOWAT, &least, &length) != 0)
		least = 1;
	if (copy >= 0)
		close(copy);
	if (stream && flags & MSG_WAITALL)
		return wanted;
	return !stream || least <= 1 ? 0 : (uint64_t)least < wanted ? (uint64_t)least : wanted;
}

/* Up to here reading goes on by itself; 0: from what gives what it has. */
static uint64_t read_least(const struct tracee *tracee, uint64_t descriptor, uint64_t wanted)
{
	static const char *const endless[] = {"/dev/zero", "/dev/urandom", "/dev/random"};
	char name[64];
	if (!descriptor_name(tracee, descriptor, name))
		return 0;
	for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++)
		if (strcmp(name, endless[i]) == 0)
			return wanted;
	if (strncmp(name, "socket:", 7) == 0)
		return receive_least(tracee, descriptor, 0, wanted);
	if (strncmp(name, "/dev/", 5) != 0)
		return 0;
	const uint64_t least = terminal_least(tracee, descriptor);
	return least < wanted ? least : wanted;
}

/* The call as it is; what is left of it is to be said. */
static struct rest the_same(const struct user_regs_struct *regs)
{
	return (struct rest){.number = (long)regs->orig_rax,
			     .arguments = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9}};
}

/* With `size` of its bytes left, which begin `done` later. */
static struct rest rest_of_bytes(const struct user_regs_struct *regs, uint64_t done, uint64_t size)
{
	struct rest rest = the_same(regs);
	if (done >= size)
		return nothing;
	rest.arguments[1] += done;
	rest.arguments[2] = rest.size = size - done;
	return rest;
}

/* All that a vector has room for. */
static uint64_t vector_size(const struct tracee *tracee, uint64_t vector, uint64_t length)
{
	uint64_t size = 0;
	for (uint64_t i = 0; i < length && i < VECTOR_MOST; i++) {
		struct iovec part;
		if (target_read(tracee->target, vector + i * sizeof part, &part, sizeof part) != STATUS_OK)
			return 0;
		size += part.iov_len;
	}
	return size;
}

/* The part of a vector that `done` lies in, or from its beginning, up to `size` bytes of the whole. */
static struct rest rest_of_vector(const struct tracee *tracee, long number,
				  const struct user_regs_struct *regs, uint64_t vector, uint64_t length,
				  uint64_t flags, uint64_t done, uint64_t size)
{
	uint64_t left = size - done;
	if (done >= size)
		return nothing;
	for (uint64_t i = 0; i < length && i < VECTOR_MOST; i++) {
		struct iovec part;
		if (target_read(tracee->target, vector + i * sizeof part, &part, sizeof part) != STATUS_OK)
			break;
		if (done < part.iov_len) {
			if (left > part.iov_len - done)
				left = part.iov_len - done;
			return (struct rest){
			    .number = number,
			    .arguments = {regs->rdi, (uint64_t)(uintptr_t)part.iov_base + done, left, flags},
			    .size = left};
		}
		done -= part.iov_len;
	}
	return nothing;
}

static struct rest rest_of_reads(const struct tracee *tracee, const struct user_regs_struct *regs,
				 uint64_t done)
{
	const uint64_t least = read_least(tracee, regs->rdi, vector_size(tracee, regs->rsi, regs->rdx));
	return rest_of_vector(tracee, SYS_read, regs, regs->rsi, regs->rdx, 0, done, least);
}

static struct rest rest_of_message(const struct tracee *tracee, long number,
				   const struct user_regs_struct *regs, uint64_t message, uint64_t flags,
				   uint64_t done)
{
	struct msghdr head;
	if (target_read(tracee->target, message, &head, sizeof head) != STATUS_OK)
		return nothing;
	const uint64_t vector = (uint64_t)(uintptr_t)head.msg_iov;
	uint64_t size = vector_size(tracee, vector, head.msg_iovlen);
	if (number == SYS_recvfrom)
		size = receive_least(tracee, regs->rdi, flags, size);
	return rest_of_vector(tracee, number, regs, vector, head.msg_iovlen, flags, done, size);
}

static struct rest rest_of_messages(const struct user_regs_struct *regs, uint64_t done)
{
	if (done >= regs->rdx)
		return nothing;
	struct rest rest = the_same(regs);
	rest.arguments[1] += done * sizeof(struct mmsghdr);
	rest.arguments[2] = rest.size = regs->rdx - done;
	return rest;
}

/* Of several messages the last one may have gone in part, and is gone on with first. */
static struct rest rest_of_sent(const struct tracee *tracee, const struct user_regs_struct *regs,
				uint64_t done)
{
	struct mmsghdr last;
	const uint64_t at = regs->rsi + (done - 1) * sizeof last;
	if (!done || target_read(tracee->target, at, &last, sizeof last) != STATUS_OK)
		return nothing;
	struct rest rest = rest_of_message(tracee, SYS_sendto, regs, at, regs->r10, last.msg_len);
	rest.within = rest.size > 0;
	return rest.within ? rest : rest_of_messages(regs, done);
}

/* The kernel has written what is left of the time. */
static bool time_is_up(const struct tracee *tracee, uint64_t address)
{
	struct timespec left;
	return address && (target_read(tracee->target, address, &left, sizeof left) != STATUS_OK ||
			   (left.tv_sec == 0 && left.tv_nsec == 0));
}

static struct rest rest_of_received(const struct tracee *tracee, const struct user_regs_struct *regs,
				    uint64_t done)
{
	return regs->r10 & MSG_WAITFORONE || time_is_up(tracee, regs->r8) ? nothing
									  : rest_of_messages(regs, done);
}

/* Offsets have been moved on by the kernel; `index` is that of the size among the arguments. */
static struct rest rest_of_file(const struct user_regs_struct *regs, size_t index, uint64_t done)
{
	struct rest rest = the_same(regs);
	if (done >= rest.arguments[index])
		return nothing;
	rest.arguments[index] -= done;
	rest.size = rest.arguments[index];
	return rest;
}

/* Everything has been handed in, but not waited for. */
static struct rest rest_of_ring(const struct user_regs_struct *regs, uint64_t done)
{
	struct rest rest = the_same(regs);
	if (!(regs->r10 & IORING_ENTER_GETEVENTS) || !regs->rdx || done != regs->rsi)
		return nothing;
	rest.arguments[1] = 0;
	rest.size = 1;
	return rest;
}

static struct rest rest_of_writes(const struct tracee *tracee, const struct user_regs_struct *regs,
				  uint64_t done)
{
	return rest_of_vector(tracee, SYS_write, regs, regs->rsi, regs->rdx, 0, done, UINT64_MAX);
}

/* Elsewhere than at the file's own position nothing that is written waits in the middle. */
static bool writes_at_position(const struct call_traits *call, const struct user_regs_struct *regs)
{
	return call->moves || (call->number == SYS_pwritev2 && (int64_t)regs->r10 == -1);
}

/* Of files read() reads all, and the endless ones have no positions. */
static uint64_t bytes_least(const struct tracee *tracee, const struct call_traits *call,
			    const struct user_regs_struct *regs)
{
	if (call->transfer == TRANSFER_OUT)
		return regs->rdx;
	return call->options == NO_ARGUMENT ? read_least(tracee, regs->rdi, regs->rdx)
					    : receive_least(tracee, regs->rdi, regs->r10, regs->rdx);
}

struct rest cut_call_rest(const struct tracee *tracee, const struct user_regs_struct *regs, uint64_t done)
{
	const struct call_traits *call = call_traits((long)regs->orig_rax);
	const bool out = call->transfer == TRANSFER_OUT;
	if (out && (call->buffer == BUFFER_BYTES || call->buffer == BUFFER_VECTOR) &&
	    !writes_at_position(call, regs))
		return nothing;
	switch ((enum call_buffer)call->buffer) {
	case BUFFER_BYTES:
		return rest_of_bytes(regs, done, bytes_least(tracee, call, regs));
	case BUFFER_VECTOR:
		return out ? rest_of_writes(tracee, regs, done) : rest_of_reads(tracee, regs, done);
	case BUFFER_MESSAGE:
		return rest_of_message(tracee, out ? SYS_sendto : SYS_recvfrom, regs, regs->rsi, regs->rdx,
				       done);
	case BUFFER_MESSAGES:
		return out ? rest_of_sent(tracee, regs, done) : rest_of_received(tracee, regs, done);
	case BUFFER_FILE:
		/* A pipe gets what there is room for. */
		return out && is_pipe(tracee, regs->rdi) ? nothing
							 : rest_of_file(regs, (size_t)call->size, done);
	case BUFFER_RING:
		return rest_of_ring(regs, done);
	case BUFFER_NONE:
		break;
	}
	return nothing;
}
