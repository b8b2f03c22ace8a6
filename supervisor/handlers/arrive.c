/*
 * Who sends the program signals without being one of its threads: somebody outside (process_options.arrivals), timers. To the schedule each is
 * a thread, which is born when the program could first take the signal, after the operation in whose course it has come to that:
 *
 *     outside:  OP_THREAD_START -> OP_SIGNAL_SEND -> exited
 *     timer:    OP_THREAD_START -> OP_SLEEP -> OP_SIGNAL_SEND -> exited, or OP_SLEEP again if it has an interval
 *
 * A timer that is read from (timerfd_create(2)) has OP_TIMER_EXPIRE in place of OP_SIGNAL_SEND. The kernel's is never set, and told how often it
 * has expired.
 *
 * Setting a timer anew (OP_TIMER_SET) leaves the thread that stood for it with nothing to send.
 */
#include "supervisor/handlers/handlers.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/signals/signals.h"

#include <fmc/supervisor/moments.h>
#include <fmc/tracer/fdinfo.h>

#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* What the taker is told of it, as the kernel would. */
static void tell(const struct sender *sender, siginfo_t *info)
{
	memset(info, 0, sizeof *info);
	info->si_signo = sender->signal;
	info->si_code = sender->kind == SENDER_OUTSIDE ? SI_USER
			: sender->kind == SENDER_TIMER ? SI_TIMER
						       : SI_KERNEL;
	if (sender->kind == SENDER_OUTSIDE)
		info->si_uid = getuid();
	if (sender->kind != SENDER_TIMER)
		return;
	info->si_timerid = (int)sender->timer;
	info->si_value.sival_ptr = (void *)(uintptr_t)sender->value;
}

/* To who blocks it, or can't take it just now; where it would end the program it doesn't come. */
static void give_kernel(struct process *process, const struct sender *sender, siginfo_t *info)
{
	const struct tracee *tracee =
	    sender->receiver == NO_THREAD ? NULL : process->threads[sender->receiver].tracee;
	if ((sender->receiver != NO_THREAD && !tracee) ||
	    !(senders_handled(process, sender->signal) ||
	      senders_blocked(process, sender->receiver, sender->signal)))
		return;
	if (sender->kind == SENDER_TIMER)
		target_queue(process->target, tracee, info);
	else
		target_send(process->target, tracee, sender->signal);
	process->signalled = true;
}

static void send(struct process *process, struct sender *sender, const struct op *op, int32_t choice,
		 struct outcome *outcome)
{
	siginfo_t info;
	bool given;
	tell(sender, &info);
	process->sent |= bit(sender->signal);
	if (takes_deliver(process, op, choice, &info, outcome, &given) && !given)
		give_kernel(process, sender, &info);
}

/* Who waits for it finds that out from the kernel. A descriptor that is closed is no timer any more. */
static void expire(const struct process *process, struct sender *sender)
{
	uint64_t times = 0;
	const int copy = kernel_duplicate(process, sender->descriptor);
	(void)fdinfo_number(getpid(), copy, "ticks", 10, &times);
	times++;
	if (copy < 0 || ioctl(copy, TIMER_SET_TICKS, &times) != 0)
		sender->interval = 0;
	if (copy >= 0)
		close(copy);
}

static struct op next_send(const struct sender *sender)
{
	if (sender->kind == SENDER_DESCRIPTOR)
		return (struct op){.kind = OP_TIMER_EXPIRE, .object = NO_OBJECT, .object2 = NO_OBJECT};
	return (struct op){.kind = OP_SIGNAL_SEND,
			   .object = sender->receiver == NO_THREAD ? NO_OBJECT : sender->receiver,
			   .object2 = NO_OBJECT,
			   .arg = sender->signal};
}

static struct op next_sleep(const struct process *process, const struct sender *sender)
{
	const int64_t left = sender->end - time_now(process);
	return (struct op){.kind = OP_SLEEP,
			   .object = NO_OBJECT,
			   .object2 = NO_OBJECT,
			   .arg = left > 0 ? left : 0,
			   .end = sender->end};
}

void arrive_perform(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		    struct outcome *outcome)
{
	struct sender *sender = &process->senders.at[process->threads[thread].sender - 1];
	const bool disarmed = model_disarmed(process->model->model, thread);
	memset(outcome, 0, sizeof *outcome);
	outcome->created = NO_THREAD;
	outcome->kind = OUTCOME_PENDING;
	process->performed = (struct performed){.manner = MANNER_STAY};
	if ((op->kind == OP_SIGNAL_SEND || op->kind == OP_TIMER_EXPIRE) && disarmed) {
		outcome->kind = OUTCOME_EXITED;
	} else if (op->kind == OP_THREAD_START && sender->kind != SENDER_OUTSIDE) {
		outcome->next = next_sleep(process, sender);
	} else if (op->kind == OP_THREAD_START) {
		outcome->next = next_send(sender);
	} else if (op->kind == OP_SLEEP) {
		if (!disarmed)
			time_reach(process, op->end);
		outcome->next = next_send(sender);
	} else {
		if (op->kind == OP_TIMER_EXPIRE)
			expire(process, sender);
		else
			send(process, sender, op, choice, outcome);
		sender->end = moments_later(sender->end, sender->interval);
		sender->armed = sender->interval > 0;
		if (outcome->kind != OUTCOME_FAILED && sender->armed)
			outcome->next = next_sleep(process, sender);
		else if (outcome->kind != OUTCOME_FAILED)
			outcome->kind = OUTCOME_EXITED;
	}
	process->threads[thread].call.op = outcome->next;
}
