/*
 * Timers whose signals the program handles or waits for: alarm(), setitimer(ITIMER_REAL), timer_create(); and those that it reads
 * from: timerfd_create(). They run in the program's own time, as its sleeps do: the kernel has none of them. Each is a sender
 * (handlers/arrive.c). One that has been set before is set anew by an operation, since whether it has expired by then is up to the
 * schedule. What would end the program, as a watchdog does, is left to the kernel's timers.
 */
#include "supervisor/calls/calls.h"
#include "supervisor/lives/lives.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/uses.h"

#include <fmc/supervisor/moments.h>
#include <fmc/tracer/fdinfo.h>

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_MICRO  1000
#define FIRST_TIMER   1000000 /* the kernel's numbers are far below */
#define LIBC_TIMERS   32      /* the signal by which libc's own thread learns of timers */
#define ALARM_ROUNDS  (NS_PER_SECOND / 2)

/* What a call asks of a timer. */
struct request {
	struct sender *sender;
	bool sets, deletes;
	int64_t first, interval; /* from now on, nanoseconds; 0: never */
	uint64_t old;		 /* where the program wants to see how it stood; 0: nowhere */
	bool micros;		 /* as struct itimerval, else itimerspec */
	bool alarm;		 /* the result is what was left, in seconds */
};

static int64_t nanoseconds(int64_t seconds, int64_t rest)
{
	return seconds >= INT64_MAX / NS_PER_SECOND - 1 ? INT64_MAX : seconds * NS_PER_SECOND + rest;
}

static struct sender *add(struct process *process, enum sender_kind kind, int signal)
{
	struct senders *senders = &process->senders;
	if (senders->length == SENDERS_MOST)
		return NULL;
	struct sender *sender = &senders->at[senders->length++];
	*sender = (struct sender){.signal = signal, .receiver = NO_THREAD, .thread = NO_THREAD};
	sender->kind = kind;
	/* Copies of the process would have none of it. */
	process->has_common = true;
	return sender;
}

static struct sender *find(struct process *process, enum sender_kind kind, uint64_t timer)
{
	for (uint32_t i = 0; i < process->senders.length; i++) {
		struct sender *sender = &process->senders.at[i];
		if (sender->kind == kind && (kind == SENDER_ALARM || sender->timer == timer))
			return sender;
	}
	return NULL;
}

/* The one that sends SIGALRM. While nobody could take that a call that sets it is the kernel's. */
static struct sender *alarm_of(struct run *run, bool sets)
{
	struct process *process = run->process;
	struct sender *sender = find(process, SENDER_ALARM, 0);
	const struct tracee *tracee = run_self(run)->tracee;
	const struct signal_sets signals = tracee_signals(tracee);
	const uint64_t taken = signals.caught | signals.blocked;
	if (sender || !sets || !(taken >> (SIGALRM - 1) & 1))
		return sender;
	return add(process, SENDER_ALARM, SIGALRM);
}

/* The kernel's timer stands still, and has expired so often. */
static bool tell_kernel(int copy, uint64_t times)
{
	const struct itimerspec never = {0};
	return copy >= 0 && timerfd_settime(copy, 0, &never, NULL) == 0 &&
	       (!times || ioctl(copy, TIMER_SET_TICKS, &times) == 0);
}

static int32_t clock_of(const struct process *process, int descriptor)
{
	uint64_t clock;
	return fdinfo_number(target_pid(process->target), descriptor, "clockid", 10, &clock) ? (int32_t)clock
											     : -1;
}

static bool is_time(int64_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
}

/* The one that is read from there. Where the kernel can't be told what expires, all is left to it. */
static struct sender *read_by(struct process *process, int descriptor, bool sets)
{
	const uint32_t i = senders_at(process, descriptor);
	const int32_t clock = i == SENDERS_MOST && sets ? clock_of(process, descriptor) : -1;
	struct sender *sender = i < SENDERS_MOST ? &process->senders.at[i] : NULL;
	if (!is_time(clock))
		return sender;
	const int copy = kernel_duplicate(process, descriptor);
	if (tell_kernel(copy, 1) && tell_kernel(copy, 0))
		sender = add(process, SENDER_DESCRIPTOR, 0);
	if (copy >= 0)
		close(copy);
	if (!sender)
		return NULL;
	sender->descriptor = descriptor;
	sender->clock = clock;
	return sender;
}

static bool read_interval(const struct process *process, uint64_t address, struct request *request)
{
	struct itimerval value;
	if (target_read(process->target, address, &value, sizeof value) != STATUS_OK)
		return false;
	request->first = nanoseconds(value.it_value.tv_sec, value.it_value.tv_usec * NS_PER_MICRO);
	request->interval = nanoseconds(value.it_interval.tv_sec, value.it_interval.tv_usec * NS_PER_MICRO);
	return request->first >= 0 && request->interval >= 0;
}

static bool read_timer(const struct process *process, uint64_t address, bool absolute,
		       struct request *request)
{
	struct itimerspec value;
	if (target_read(process->target, address, &value, sizeof value) != STATUS_OK ||
	    value.it_value.tv_nsec >= NS_PER_SECOND || value.it_interval.tv_nsec >= NS_PER_SECOND)
		return false;
	request->first = nanoseconds(value.it_value.tv_sec, value.it_value.tv_nsec);
	request->interval = nanoseconds(value.it_interval.tv_sec, value.it_interval.tv_nsec);
	if (request->first > 0 && absolute) {
		request->first -= target_clock(process->target, request->sender->clock);
		request->first = request->first > 0 ? request->first : 1;
	}
	return request->first >= 0 && request->interval >= 0;
}

/* False: the kernel's. */
static bool decode(struct run *run, long number, struct request *request)
{
	struct process *process = run->process;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	*request = (struct request){0};
	if (!regs)
		return false;
	switch (number) {
	case SYS_alarm:
		request->sets = request->alarm = true;
		request->first = nanoseconds((int64_t)(uint32_t)regs->rdi, 0);
		request->sender = alarm_of(run, request->first > 0);
		break;
	case SYS_setitimer:
		request->sets = request->micros = true;
		request->old = regs->rdx;
		if (regs->rdi != ITIMER_REAL || !read_interval(process, regs->rsi, request))
			return false;
		request->sender = alarm_of(run, request->first > 0);
		break;
	case SYS_getitimer:
		request->micros = true;
		request->old = regs->rsi;
		request->sender = regs->rdi == ITIMER_REAL ? alarm_of(run, false) : NULL;
		break;
	case SYS_timer_settime:
		request->sets = true;
		request->old = regs->r10;
		request->sender = find(process, SENDER_TIMER, regs->rdi);
		return request->sender && read_timer(process, regs->rdx, regs->rsi & TIMER_ABSTIME, request);
	case SYS_timerfd_settime:
		request->sets = true;
		request->old = regs->r10;
		if (regs->rsi & ~(unsigned long long)TFD_TIMER_ABSTIME)
			return false;
		request->sender = read_by(process, (int)regs->rdi, true);
		return request->sender &&
		       read_timer(process, regs->rdx, regs->rsi & TFD_TIMER_ABSTIME, request);
	case SYS_timerfd_gettime:
		request->old = regs->rsi;
		request->sender = read_by(process, (int)regs->rdi, false);
		break;
	case SYS_timer_gettime:
		request->old = regs->rsi;
		/* fall through */
	case SYS_timer_getoverrun:
		request->sender = find(process, SENDER_TIMER, regs->rdi);
		break;
	case SYS_timer_delete:
		request->sets = request->deletes = true;
		request->sender = find(process, SENDER_TIMER, regs->rdi);
		break;
	default:
		break;
	}
	return request->sender != NULL;
}

static int64_t left(const struct process *process, const struct sender *sender)
{
	const int64_t ns = sender->end - time_now(process);
	return !sender->armed ? 0 : ns > 0 ? ns : 1;
}

static bool show(struct process *process, const struct request *request, int64_t ns, int64_t interval)
{
	const int64_t unit = request->micros ? NS_PER_MICRO : 1;
	const int64_t value[4] = {interval / NS_PER_SECOND, interval % NS_PER_SECOND / unit,
				  ns / NS_PER_SECOND, (ns % NS_PER_SECOND + unit - 1) / unit};
	return !request->old || target_write(process->target, request->old, value, sizeof value) == STATUS_OK;
}

/* Of a second's part alarm(2) rounds, but never to nothing. */
static int64_t seconds_left(int64_t ns)
{
	const int64_t seconds = ns / NS_PER_SECOND, rest = ns % NS_PER_SECOND;
	return seconds + ((!seconds && rest) || rest >= ALARM_ROUNDS);
}

/* What the call returns. */
static int64_t apply(struct process *process, const struct request *request)
{
	struct sender *sender = request->sender;
	const int64_t ns = left(process, sender);
	if (!show(process, request, ns, sender->armed ? sender->interval : 0))
		return -EFAULT;
	if (!request->sets)
		return 0;
	if (sender->kind == SENDER_DESCRIPTOR) {
		const int copy = kernel_duplicate(process, sender->descriptor);
		(void)tell_kernel(copy, 0); /* it could be told before */
		if (copy >= 0)
			close(copy);
	}
	sender->armed = request->first > 0;
	sender->end = moments_later(time_now(process), request->first);
	sender->interval = request->interval;
	sender->thread = NO_THREAD;
	if (request->deletes)
		sender->timer = 0;
	return request->alarm ? seconds_left(ns) : 0;
}

static uint32_t thread_by_number(const struct process *process, pid_t tid)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (process->threads[t].tracee && process->threads[t].tid == tid)
			return t;
	return NO_THREAD;
}

/* A timer of the program's clocks that sends a signal, or nothing. False: the kernel's. */
static bool create(struct run *run)
{
	struct process *process = run->process;
	struct tracee *tracee = run_self(run)->tracee;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	const int32_t number = FIRST_TIMER + (int32_t)process->senders.length;
	if (!regs || !is_time((int64_t)regs->rdi))
		return false;
	event.sigev_value.sival_int = number;
	if (regs->rsi && target_read(process->target, regs->rsi, &event, sizeof event) != STATUS_OK)
		return false;
	const bool to_thread = event.sigev_notify == SIGEV_THREAD_ID;
	const uint32_t receiver = to_thread ? thread_by_number(process, event._sigev_un._tid) : NO_THREAD;
	if ((event.sigev_notify != SIGEV_SIGNAL && !to_thread) || (to_thread && receiver == NO_THREAD) ||
	    event.sigev_signo < 1 || event.sigev_signo > 64 ||
	    target_write(process->target, regs->rdx, &number, sizeof number) != STATUS_OK)
		return false;
	struct sender *sender = add(process, SENDER_TIMER, event.sigev_signo);
	if (!sender)
		return false;
	sender->timer = (uint32_t)number;
	sender->clock = (int32_t)regs->rdi;
	sender->receiver = receiver;
	sender->value = (uint64_t)(uintptr_t)event.sigev_value.sival_ptr;
	/* Nobody else sends that one. */
	if (event.sigev_signo == LIBC_TIMERS)
		process->sent |= UINT64_C(1) << (LIBC_TIMERS - 1);
	tracee_skip_syscall(tracee, 0);
	return true;
}

/* Where its signal can be taken already operations are visible from now on; else once it has a handler (meets_signal()). */
static bool become_visible(struct run *run, const struct sender *sender)
{
	const struct tracee *tracee = run_self(run)->tracee;
	if (sender->kind == SENDER_DESCRIPTOR) {
		if (sender->armed && run_become_visible(run))
			return true;
		/* A read may wait for it. */
		run->process->has_channels = true;
		if (sender->armed)
			channels_watch(run->process, run->thread, &(const struct op){.kind = OP_NONE});
		return false;
	}
	const struct signal_sets signals = tracee_signals(tracee);
	const uint64_t taken = signals.caught | signals.blocked;
	return sender->armed && taken >> (sender->signal - 1) & 1 && run_become_visible(run);
}

static bool reads_timer(struct run *run)
{
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	return regs && senders_at(run->process, (int)regs->rdi) < SENDERS_MOST;
}

enum timer_call timers_meet(struct run *run, long number, struct call *call)
{
	struct process *process = run->process;
	struct request request;
	/* Among several processes, and in copies of a running one, timers are left to the kernel. */
	if (run->own_calls || process->options.follow || process->options.program.image)
		return TIMER_KERNEL;
	if (number == SYS_timer_create)
		return create(run) ? TIMER_ANSWERED : TIMER_KERNEL;
	if (number == SYS_read && process->threaded && reads_timer(run)) {
		call->op.kind = OP_SYSCALL;
		call->op.arg = number;
		return TIMER_OPERATION;
	}
	if (!decode(run, number, &request))
		return TIMER_KERNEL;
	/* It may expire before it is set anew. */
	if (request.sets && process->threaded && senders_bear(run))
		return TIMER_FAILED;
	if (request.sets && request.sender->thread != NO_THREAD) {
		call->op.kind = OP_TIMER_SET;
		call->op.object = request.sender->thread;
		return TIMER_OPERATION;
	}
	tracee_skip_syscall(run_self(run)->tracee, apply(process, &request));
	return become_visible(run, request.sender) ? TIMER_FAILED : TIMER_ANSWERED;
}

void timers_perform(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	const struct user_regs_struct *regs = tracee_regs(process->threads[thread].tracee);
	struct request request;
	if (!regs || !decode(&run, (long)regs->orig_rax, &request))
		return run_failed(outcome, END_ERROR, STATUS_GONE, "can't follow a timer");
	process_note(process, MANNER_RETURN, apply(process, &request));
	tracee_skip_syscall(process->threads[thread].tracee, process->performed.result);
}
