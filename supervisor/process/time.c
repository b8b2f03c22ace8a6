#include "supervisor/process/process.h"

#include <fmc/supervisor/moments.h>
#include <fmc/tracer/answers.h>
#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/children.h>
#include <fmc/tracer/clock.h>

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
#define NS_PER_MS 1000000

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

uint64_t process_clock_readings(const struct process *process)
{
	return process->target ? target_clock_readings(process->target) : 0;
}

/* The program's memory, for moments.c. */
struct memory {
	struct reader reader; /* first */
	const struct target *target;
};

static enum status read_memory(const struct reader *reader, uint64_t address, void *to, size_t size)
{
	return target_read(((const struct memory *)(const void *)reader)->target, address, to, size);
}

/* Waits for signals, for semaphores of System V and for message queues: not for descriptors, nor those that are only found asleep. */
static int64_t end_of_call(const struct process *process, const struct reader *reader,
			   const struct user_regs_struct *regs)
{
	const struct call_traits *call = call_traits((long)regs->orig_rax);
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	const bool known = call->stops == STOPS_ALWAYS &&
			   (call->awaits == AWAITS_SIGNAL || call->awaits == AWAITS_ANYTHING) &&
			   (call->form == TIME_TIMESPEC || call->form == TIME_MOMENT);
	int64_t ns;
	if (!known || !moments_read(reader, arguments[call->time], &ns))
		return 0;
	if (call->form == TIME_MOMENT)
		ns -= target_clock(process->target, CLOCK_REALTIME);
	return moments_later(time_now(process), ns);
}

int64_t time_end(const struct process *process, struct tracee *tracee, const struct call *call)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const struct memory memory = {{read_memory}, process->target};
	if (!regs)
		return 0;
	if (call->op.kind == OP_SYSCALL)
		return end_of_call(process, &memory.reader, regs);
	const struct moments now = {.monotonic = time_now(process),
				    .realtime = target_clock(process->target, CLOCK_REALTIME),
				    .reader = &memory.reader};
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, call->entry ? regs->rcx : regs->r10};
	return moments_end(&now, call, arguments);
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
	return moments_later(pace->moment, (int64_t)(clock_now() - pace->real));
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

/* Of a process that has ended nobody goes round. */
static uint64_t passing_answers(const struct process *process)
{
	uint64_t answers = process->spaces_length ? 0 : target_passing_answers(process->target);
	for (size_t i = 0; i < process->spaces_length; i++)
		if (!process->spaces[i].over)
			answers += target_passing_answers(process->spaces[i].target);
	return answers;
}

bool passing_asked(const struct process *process)
{
	return process->watches_asks && passing_answers(process) != process->passing_answers;
}

void passing_restore(struct process *process, bool asked)
{
	process->passing_answers = passing_answers(process) - asked;
}
