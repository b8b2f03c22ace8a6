#include "supervisor/process/process.h"

#include <fmc/tracer/answers.h>
#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/children.h>
#include <fmc/tracer/clock.h>

#include <linux/futex.h>
#include <stdlib.h>
#include <time.h>

/*
 * Virtual time of a real process. A wait or a sleep ends at a moment that is known when it begins; whoever lets it end brings the
 * clocks there. While something outside is awaited, nobody else may be hurried: then they follow real time, up to the
 * moment at which the first wait of the program itself ends, and what the program takes to compute is left out: whoever measures them
 * from outside never sees them ahead. Once a program that is run has met others at a socket they just follow
 * it (target_follow_time()).
 *
 * Moments are what CLOCK_MONOTONIC shows, in nanoseconds.
 */
#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_MS     1000000

/* So long real time passes before it is looked again whether something has come. */
#define LOOK_MS 5

/* After the time that an execution may wait for the outside: so many time-outs come at once, and then it is stuck. */
#define MOST_HURRIED 16

int64_t time_now(const struct process *process)
{
	return target_clock(process->target, CLOCK_MONOTONIC);
}

int64_t process_clock(const struct process *process)
{
	return time_now(process);
}

static int64_t later(int64_t moment, int64_t ns)
{
	return ns <= 0 ? moment : ns >= INT64_MAX - moment ? INT64_MAX : moment + ns;
}

static uint64_t argument(const struct user_regs_struct *regs, int index)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx};
	return index >= 0 && index < 4 ? arguments[index] : 0;
}

static bool read_ns(const struct process *process, uint64_t address, int64_t *ns)
{
	struct timespec time;
	if (!address || target_read(process->target, address, &time, sizeof time) != STATUS_OK)
		return false;
	*ns =
	    time.tv_sec >= INT64_MAX / NS_PER_SECOND ? INT64_MAX : time.tv_sec * NS_PER_SECOND + time.tv_nsec;
	return true;
}

/* From a moment on a clock that is told from the other by what is nearer. */
static int64_t from_some_clock(const struct process *process, int64_t moment)
{
	int64_t real = moment - target_clock(process->target, CLOCK_REALTIME);
	int64_t monotonic = moment - time_now(process);
	return later(time_now(process), llabs(real) < llabs(monotonic) ? real : monotonic);
}

static int64_t end_of_futex_wait(const struct process *process, const struct user_regs_struct *regs)
{
	int64_t ns;
	if (!read_ns(process, regs->r10, &ns))
		return 0;
	return (regs->rsi & FUTEX_CMD_MASK) == FUTEX_WAIT ? later(time_now(process), ns)
							  : from_some_clock(process, ns);
}

/* Waits for signals, for semaphores of System V and for message queues: not for descriptors, nor those that are only found asleep. */
static int64_t end_of_call(const struct process *process, const struct user_regs_struct *regs)
{
	const struct call_traits *call = call_traits((long)regs->orig_rax);
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	const bool known = call->stops == STOPS_ALWAYS &&
			   (call->awaits == AWAITS_SIGNAL || call->awaits == AWAITS_ANYTHING) &&
			   (call->form == TIME_TIMESPEC || call->form == TIME_MOMENT);
	int64_t ns;
	if (!known || !read_ns(process, arguments[call->time], &ns))
		return 0;
	if (call->form == TIME_MOMENT)
		ns -= target_clock(process->target, CLOCK_REALTIME);
	return later(time_now(process), ns);
}

static int64_t end_of_sleep(const struct process *process, const struct op *op)
{
	if (!op->arg2)
		return later(time_now(process), op->arg);
	return later(time_now(process), op->arg - target_clock(process->target, (clockid_t)op->arg3));
}

int64_t time_end(const struct process *process, struct tracee *tracee, const struct call *call)
{
	const struct op *op = &call->op;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	int64_t ns;
	if (!regs)
		return 0;
	switch ((enum op_kind)op->kind) {
	case OP_SLEEP:
		return end_of_sleep(process, op);
	case OP_POLL:
		return op->flags & OP_TIMED ? later(time_now(process), op->arg) : 0;
	case OP_FUTEX_WAIT:
		return end_of_futex_wait(process, regs);
	case OP_SYSCALL:
		return end_of_call(process, regs);
	default:
		break;
	}
	const bool timed = call->entry && call->timeout_argument >= 0;
	return timed && read_ns(process, argument(regs, call->timeout_argument), &ns)
		   ? from_some_clock(process, ns)
		   : 0;
}

void time_reach(struct process *process, int64_t moment)
{
	if (moment > time_now(process))
		target_advance_clock(process->target, moment - time_now(process));
}

void time_begin(struct process *process)
{
	process->pace = (struct pace){.in_vain = process->pace.in_vain};
}

/* What the clocks show if they have followed real time since nobody in the program has gone on. */
static int64_t followed(struct process *process)
{
	struct pace *pace = &process->pace;
	if (target_follows_time(process->target))
		return time_now(process);
	if (!pace->real || pace->transitions != process->transitions) {
		pace->real = clock_now();
		pace->moment = time_now(process);
		pace->transitions = process->transitions;
	}
	return later(pace->moment, (int64_t)(clock_now() - pace->real));
}

/* Where nobody came in earlier executions, nobody is waited for in later ones. */
static bool used_up(const struct process *process)
{
	const uint64_t most = (uint64_t)process->options.outside_ms * NS_PER_MS;
	const bool children = target_descendants(process->target) > 0;
	return most && (process->pace.waited >= most || (!children && process->pace.in_vain >= most));
}

static void count_waiting(struct process *process, uint64_t ns)
{
	process->pace.waited += ns;
	if (!target_descendants(process->target))
		process->pace.in_vain += ns;
}

enum hope time_pass(struct process *process, int64_t until)
{
	const int64_t left = until - followed(process);
	struct stop stop;
	if (left <= 0 || until <= time_now(process))
		return HOPE_DUE;
	if (used_up(process) && until == INT64_MAX)
		return HOPE_LOST;
	if (used_up(process))
		return ++process->pace.hurried > MOST_HURRIED ? HOPE_LOST : HOPE_DUE;
	/* No thread of the target runs: this serves its children. */
	const int ms = left < LOOK_MS * NS_PER_MS ? (int)(left / NS_PER_MS) + 1 : LOOK_MS;
	const uint64_t before = clock_now();
	const enum status status = target_wait(process->target, NULL, ms, &stop);
	count_waiting(process, clock_now() - before);
	const int64_t moment = followed(process);
	time_reach(process, moment < until ? moment : until);
	return status == STATUS_INTERRUPTED ? HOPE_DUE : HOPE_MORE;
}

void time_heard(struct process *process)
{
	process->pace.waited = process->pace.in_vain = 0;
	process->pace.hurried = 0;
}

void time_sleep(struct process *process, int64_t end, bool (*over)(void *context), void *context)
{
	struct target *target = process->target;
	process->pace.real = 0;
	while (!over(context)) {
		/* Child processes take real time for what they do meanwhile. */
		const bool passes = target_descendants(target) > 0 || target_follows_time(target);
		if (!passes || time_pass(process, end) != HOPE_MORE) {
			time_reach(process, end);
			return;
		}
	}
}
