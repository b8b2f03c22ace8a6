#include "tracer/call_registers.h"
#include "tracer/call_traits.h"
#include "tracer/private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

/*
 * A stop ends the system call that its thread sleeps in. The kernel begins most again by itself; some fail with EINTR, and some
 * return with the part of a transfer that they have done, which the program would never have seen: no signal of its own
 * had come. Those are gone on with here.
 *
 * Of a call that fails with EINTR the kernel is told, in its own way, to begin it again. The rest of a transfer is another
 * call, made in its place:
 *
 *     whole call --cut_call_mend--> rest wanted --resumed--> in the rest --cut_call_stopped--> whole call, with all results
 *
 * A vector's rest is transferred part by part. When a handler of the program's own is to run, the call has ended with
 * what is done (cut_call_leave), as it would have without fmc.
 */

/* In the kernel only: begin the call again, unless a handler runs; then ERESTARTSYS is left to SA_RESTART, the other isn't. */
#define ERESTARTSYS	      512
#define ERESTARTNOHAND	      514
#define ERESTART_RESTARTBLOCK 516

#define VECTOR_MOST 1024 /* the longest that the kernel takes */

/* What is left of a transfer, as a call of its own. */
struct rest {
	long number;
	uint64_t arguments[6];
	uint64_t
	    size; /* what its result would be if it did all of that; 0: nothing is left, or it can't be said */
};

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
	char name[64];
	return descriptor_name(tracee, descriptor, name) &&
	       (strncmp(name, "pipe:", 5) == 0 || name[0] == '/'); /* a FIFO has a name */
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

/* Does a receiver wait for all that it wants? Messages come one at a time. */
static bool waits_for_all(const struct tracee *tracee, uint64_t descriptor, uint64_t flags)
{
	int type = 0;
	socklen_t length = sizeof type;
	if (!(flags & MSG_WAITALL) || flags & MSG_PEEK)
		return false;
	const int copy = duplicate(tracee, descriptor);
	const bool stream =
	    copy >= 0 && getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
	if (copy >= 0)
		close(copy);
	return stream;
}

/* Up to here read() goes on by itself; 0: from what gives what it has. */
static uint64_t read_least(const struct tracee *tracee, const struct user_regs_struct *regs)
{
	static const char *const endless[] = {"/dev/zero", "/dev/urandom", "/dev/random"};
	char name[64];
	if (!descriptor_name(tracee, regs->rdi, name))
		return 0;
	for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++)
		if (strcmp(name, endless[i]) == 0)
			return regs->rdx;
	if (strncmp(name, "/dev/", 5) != 0)
		return 0;
	const uint64_t least = terminal_least(tracee, regs->rdi);
	return least < regs->rdx ? least : regs->rdx;
}

/* The same call with `size` of its bytes left, which begin `done` later. */
static struct rest rest_of_bytes(const struct user_regs_struct *regs, uint64_t done, uint64_t size)
{
	return (struct rest){
	    .number = (long)regs->orig_rax,
	    .arguments = {regs->rdi, regs->rsi + done, size - done, regs->r10, regs->r8, regs->r9},
	    .size = size - done};
}

/* The part of a vector that `done` lies in, or from its beginning. */
static struct rest rest_of_vector(const struct tracee *tracee, long number,
				  const struct user_regs_struct *regs, uint64_t vector, uint64_t length,
				  uint64_t flags, uint64_t done)
{
	for (uint64_t i = 0; i < length && i < VECTOR_MOST; i++) {
		struct iovec part;
		if (target_read(tracee->target, vector + i * sizeof part, &part, sizeof part) != STATUS_OK)
			break;
		if (done < part.iov_len)
			return (struct rest){.number = number,
					     .arguments = {regs->rdi,
							   (uint64_t)(uintptr_t)part.iov_base + done,
							   part.iov_len - done, flags},
					     .size = part.iov_len - done};
		done -= part.iov_len;
	}
	return nothing;
}

static struct rest rest_of_message(const struct tracee *tracee, long number,
				   const struct user_regs_struct *regs, uint64_t done)
{
	struct msghdr head;
	if (target_read(tracee->target, regs->rsi, &head, sizeof head) != STATUS_OK)
		return nothing;
	return rest_of_vector(tracee, number, regs, (uint64_t)(uintptr_t)head.msg_iov, head.msg_iovlen,
			      regs->rdx, done);
}

/* Of several messages the last one may have gone in part, and only whole ones can be counted. */
static bool last_is_whole(const struct tracee *tracee, const struct user_regs_struct *regs, uint64_t done)
{
	struct mmsghdr last;
	uint64_t size = 0;
	if (!done || target_read(tracee->target, regs->rsi + (done - 1) * sizeof last, &last, sizeof last) !=
			 STATUS_OK)
		return false;
	for (size_t i = 0; i < last.msg_hdr.msg_iovlen && i < VECTOR_MOST; i++) {
		struct iovec part;
		const uint64_t at = (uint64_t)(uintptr_t)(last.msg_hdr.msg_iov + i);
		if (target_read(tracee->target, at, &part, sizeof part) != STATUS_OK)
			return false;
		size += part.iov_len;
	}
	return last.msg_len == size;
}

static struct rest rest_of_messages(const struct user_regs_struct *regs, uint64_t done)
{
	if (done >= regs->rdx)
		return nothing;
	struct rest rest = rest_of_bytes(regs, 0, regs->rdx);
	rest.arguments[1] += done * sizeof(struct mmsghdr);
	rest.arguments[2] = rest.size = regs->rdx - done;
	return rest;
}

/* Offsets have been moved on by the kernel; `index` is that of the size among the arguments. */
static struct rest rest_of_file(const struct user_regs_struct *regs, size_t index, uint64_t done)
{
	struct rest rest = rest_of_bytes(regs, 0, regs->rdx);
	if (done >= rest.arguments[index])
		return nothing;
	rest.arguments[index] -= done;
	rest.size = rest.arguments[index];
	return rest;
}

/* Everything has been handed in, but not waited for. */
static struct rest rest_of_ring(const struct user_regs_struct *regs, uint64_t done)
{
	struct rest rest = rest_of_bytes(regs, 0, regs->rdx);
	if (!(regs->r10 & IORING_ENTER_GETEVENTS) || !regs->rdx || done != regs->rsi)
		return nothing;
	rest.arguments[1] = 0;
	rest.size = 1;
	return rest;
}

/* What the call would have gone on with, had it not been cut after `done`. */
static struct rest rest_of(const struct tracee *tracee, const struct user_regs_struct *regs, uint64_t done)
{
	switch ((long)regs->orig_rax) {
	case SYS_write:
	case SYS_sendto:
		return rest_of_bytes(regs, done, regs->rdx);
	case SYS_recvfrom:
		return waits_for_all(tracee, regs->rdi, regs->r10) ? rest_of_bytes(regs, done, regs->rdx)
								   : nothing;
	case SYS_read:
		return rest_of_bytes(regs, done, read_least(tracee, regs));
	case SYS_writev:
		return rest_of_vector(tracee, SYS_write, regs, regs->rsi, regs->rdx, 0, done);
	case SYS_pwritev2:
		/* Elsewhere than at the file's own position nothing waits in the middle. */
		return (int64_t)regs->r10 == -1
			   ? rest_of_vector(tracee, SYS_write, regs, regs->rsi, regs->rdx, 0, done)
			   : nothing;
	case SYS_sendmsg:
		return rest_of_message(tracee, SYS_sendto, regs, done);
	case SYS_recvmsg:
		return waits_for_all(tracee, regs->rdi, regs->rdx)
			   ? rest_of_message(tracee, SYS_recvfrom, regs, done)
			   : nothing;
	case SYS_sendmmsg:
		return last_is_whole(tracee, regs, done) ? rest_of_messages(regs, done) : nothing;
	case SYS_recvmmsg:
		return regs->r10 & MSG_WAITFORONE || regs->r8 ? nothing : rest_of_messages(regs, done);
	case SYS_sendfile:
		/* A pipe gets what there is room for. */
		return is_pipe(tracee, regs->rdi) ? nothing : rest_of_file(regs, 3, done);
	case SYS_copy_file_range:
		return rest_of_file(regs, 4, done);
	case SYS_io_uring_enter:
		return rest_of_ring(regs, done);
	default:
		return nothing;
	}
}

static void put_whole_back(struct tracee *tracee, struct user_regs_struct *regs, int64_t result)
{
	if ((long)regs->orig_rax < 0) /* it has been sent back, and hasn't entered the kernel yet */
		regs->rip += 2;
	call_arguments(regs, tracee->cut_call.arguments);
	regs->orig_rax = (unsigned long long)tracee->cut_call.number;
	regs->rax = (unsigned long long)result;
	tracee->cut_call.goes_on = false;
}

/* The registers are those of the whole call, after `done`. False: nothing of it is left. */
static bool want_rest(struct tracee *tracee, struct user_regs_struct *regs, uint64_t done)
{
	const struct rest rest = rest_of(tracee, regs, done);
	if (!rest.size)
		return false;
	tracee->cut_call = (struct cut_call){
	    .goes_on = true,
	    .number = (long)regs->orig_rax,
	    .arguments = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9},
	    .done = done,
	    .rest = rest.size,
	};
	call_arguments(regs, rest.arguments);
	regs->orig_rax = (unsigned long long)rest.number;
	regs->rax = (unsigned long long)-ERESTARTSYS;
	return true;
}

/* Did fmc's stop cut it, and has nothing been done? Peeking has done nothing in any case. */
static bool begins_again(const struct user_regs_struct *regs)
{
	const int64_t result = (int64_t)regs->rax;
	const bool peeks = (regs->orig_rax == SYS_recvfrom && regs->r10 & MSG_PEEK &&
			    regs->r10 & MSG_WAITALL && regs->rax < regs->rdx) ||
			   (regs->orig_rax == SYS_recvmsg && regs->rdx & MSG_PEEK && regs->rdx & MSG_WAITALL);
	return (result == -EINTR && call_is_cut((long)regs->orig_rax)) || (result > 0 && peeks);
}

void cut_call_mend(struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || (long)regs->orig_rax < 0 || tracee->cut_call.goes_on)
		return;
	if (begins_again(regs))
		tracee_change_regs(tracee)->rax = (unsigned long long)-ERESTARTNOHAND;
	else if ((int64_t)regs->rax > 0)
		tracee->regs_changed |= want_rest(tracee, regs, regs->rax);
}

void cut_call_leave(struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee->cut_call.goes_on ? tracee_change_regs(tracee) : NULL;
	if (regs)
		put_whole_back(tracee, regs, (int64_t)tracee->cut_call.done);
}

/* Outside of a stop by a signal the kernel begins nothing again: the thread does, at the instruction. */
static void send_back(struct user_regs_struct *regs)
{
	regs->rip -= 2;
	regs->rax = regs->orig_rax;
	regs->orig_rax = (unsigned long long)-1;
}

/* The rest has returned this much: an error counts only where nothing has been done before. */
static void rest_returned(struct tracee *tracee, struct user_regs_struct *regs, int64_t result)
{
	struct cut_call *cut = &tracee->cut_call;
	const bool all = result > 0 && (uint64_t)result == cut->rest;
	if (result > 0 && cut->number != SYS_io_uring_enter)
		cut->done += (uint64_t)result;
	put_whole_back(tracee, regs, (int64_t)cut->done);
	if (all && want_rest(tracee, regs, cut->done))
		send_back(regs);
}

/* Stopped by PTRACE_SYSCALL: at the beginning (1) or the end (2) of a call; else 0. */
static unsigned long stopped_at(const struct tracee *tracee)
{
	unsigned long edge = 0;
	return ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &edge) == 0 ? edge : 0;
}

bool cut_call_stopped(struct tracee *tracee)
{
	enum { BEGINNING = 1, END = 2 };
	if (!tracee->cut_call.goes_on)
		return false;
	/* A step is all of the call. */
	const unsigned long edge = tracee->stepping ? END : stopped_at(tracee);
	if (edge != BEGINNING && edge != END)
		return false;
	struct user_regs_struct *regs = edge == END ? tracee_change_regs(tracee) : NULL;
	const int64_t result = regs ? (int64_t)regs->rax : 0;
	if (regs && (result > -ERESTARTSYS || result < -ERESTART_RESTARTBLOCK))
		rest_returned(tracee, regs, result);
	else if (regs && tracee->cut_call.number == SYS_recvmmsg)
		send_back(regs); /* the kernel has kept the stop as the socket's error, and tells it now */
	return !tracee->stepping;
}
