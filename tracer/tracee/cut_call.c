#include "tracer/tracee/cut_call.h"
#include "tracer/tracee/call_registers.h"
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/assert.h>
#include <fmc/tracer/call_traits.h>

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>

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
 * A vector's rest is transferred part by part, that of several messages first of the last one. When a handler of the program's own is to run, the call has ended with
 * what is done (cut_call_leave), as it would have without fmc.
 */

/* In the kernel only: begin the call again, unless a handler runs; then ERESTARTSYS is left to SA_RESTART, the other isn't. */
#define ERESTARTSYS	      512
#define ERESTARTNOHAND	      514
#define ERESTART_RESTARTBLOCK 516

static void put_whole_back(struct tracee *tracee, struct user_regs_struct *regs, int64_t result)
{
	FMC_ASSERT(tracee->cut_call.goes_on);
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
	FMC_ASSERT(!tracee->cut_call.goes_on);
	const struct rest rest = cut_call_rest(tracee, regs, done);
	if (!rest.size)
		return false;
	tracee->cut_call = (struct cut_call){
	    .goes_on = true,
	    .number = (long)regs->orig_rax,
	    .arguments = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9},
	    .done = done,
	    .within = rest.within,
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
	return (result == -EINTR && call_traits((long)regs->orig_rax)->cut) || (result > 0 && peeks);
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

/* More of the last message has gone. */
static void add_to_message(struct tracee *tracee, uint64_t sent)
{
	const struct cut_call *cut = &tracee->cut_call;
	struct mmsghdr last;
	const uint64_t at =
	    cut->arguments[1] + (cut->done - 1) * sizeof last + offsetof(struct mmsghdr, msg_len);
	uint32_t length;
	if (target_read(tracee->target, at, &length, sizeof length) != STATUS_OK)
		return;
	length += (uint32_t)sent;
	(void)target_write(tracee->target, at, &length, sizeof length); /* it was read just now */
}

/*
 * The rest has returned this much, and may have been cut again: it is gone on with until it gives no more. An error counts only
 * where nothing has been done before.
 */
static void rest_returned(struct tracee *tracee, struct user_regs_struct *regs, int64_t result)
{
	struct cut_call *cut = &tracee->cut_call;
	const bool goes_on = result > 0 && cut->number != SYS_io_uring_enter;
	if (goes_on && cut->within)
		add_to_message(tracee, (uint64_t)result);
	else if (goes_on)
		cut->done += (uint64_t)result;
	put_whole_back(tracee, regs, (int64_t)cut->done);
	if (goes_on && want_rest(tracee, regs, cut->done))
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
	if (regs && result == -EINTR && call_traits((long)regs->orig_rax)->cut)
		send_back(
		    regs); /* if that was a signal of the program's own, its handler is told what has been done */
	else if (regs && (result > -ERESTARTSYS || result < -ERESTART_RESTARTBLOCK))
		rest_returned(tracee, regs, result);
	else if (regs && tracee->cut_call.number == SYS_recvmmsg)
		send_back(regs); /* the kernel has kept the stop as the socket's error, and tells it now */
	return !tracee->stepping;
}
