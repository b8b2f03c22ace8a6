/*
 * Executions that start from a saved image: threads that stand anywhere, of which nothing is known, are brought to where an
 * execution has them, each stopped before an operation.
 *
 *     1. A thread in the middle of one of libc's functions gets out of it, or to where it falls asleep in it.
 *     2. One that sleeps in a function is taken back to its entry (stance.h). None has run since, so all marks of waiters fit.
 *     3. Every thread runs to its next operation, in the order of their numbers. On the way they do nothing that another
 *        one could notice.
 *
 * Objects are met as they are then. This is done once; other executions start from a copy of what came of it.
 */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/calls/calls.h"
#include "supervisor/lives/lives.h"
#include "supervisor/run/run.h"
#include "supervisor/starts/starts.h"

#include <fmc/breakpoints/stance.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* A thread that gets out of a function may wake another one, which then is in the middle of one. */
#define ROUNDS 64

/* A spinning thread has got its lock within so many instructions, or it hasn't. */
#define SPINS 64

#define TIME_BYTES 16

/* Of deeper stacks nobody looks for the beginning. */
#define STACK_ROOM 256

/* How a thread stood when it had been brought_up. */
struct brought_thread {
	struct stance stance;
	bool rewound;
	enum rewound how;
};

struct bring_up {
	struct process *process;
	struct outcome *first;
	struct brought_thread *threads;
	uint32_t length;
	uint64_t times; /* memory of the target's for time-outs, TIME_BYTES for each thread; 0: none yet */
};

/* It ends with this; false, for callers to return. */
static bool fail(struct bring_up *bring_up, enum status status, const char *text)
{
	run_failed(bring_up->first, END_ERROR, status, text);
	return false;
}

static bool refuse(struct bring_up *bring_up, uint32_t thread, const char *text)
{
	run_failed(bring_up->first, END_UNSUPPORTED, STATUS_UNSUPPORTED, "");
	snprintf(bring_up->first->message, sizeof bring_up->first->message,
		 "T%u can't be gone on with: %.200s", thread + 1, text);
	return false;
}

static struct tracee *tracee_of(const struct bring_up *bring_up, uint32_t thread)
{
	return bring_up->process->threads[thread].tracee;
}

static const char *absent_text(const char *what, char *text, size_t room)
{
	snprintf(text, room, "it is about to do what a copy of the process can't: %s", what);
	return text;
}

/* What came of a thread that has been let run; false: the execution is over, or failed. */
static bool take_in(struct bring_up *bring_up, uint32_t thread, const struct outcome *came)
{
	char text[sizeof came->message + 64];
	if (came->births && !bring_up->first->births)
		bring_up->first->created = came->created;
	bring_up->first->births += came->births;
	if (came->kind == OUTCOME_EXITED) {
		model_thread_exit(bring_up->process->model->model, thread);
		return true;
	}
	if (came->kind == OUTCOME_PENDING)
		return true;
	/* In the midst of a function. */
	if (came->kind == OUTCOME_FAILED && came->end == END_ABSENT)
		return refuse(bring_up, thread, absent_text(came->message, text, sizeof text));
	*bring_up->first = *came;
	return false;
}

static bool add_threads(struct bring_up *bring_up)
{
	struct process *process = bring_up->process;
	uint32_t length = target_tracees(process->target);
	for (uint32_t i = 0; i < length; i++) {
		struct tracee *tracee = target_tracee(process->target, i);
		struct process_thread *thread = threads_add(process, tracee);
		if (!thread || model_block_add_thread(process->model) == NO_THREAD)
			return fail(bring_up, STATUS_NO_MEMORY, "too many threads");
		thread->tid_word = tracee->clear_tid;
	}
	bring_up->length = length;
	bring_up->threads = calloc(length, sizeof *bring_up->threads);
	return bring_up->threads || fail(bring_up, STATUS_NO_MEMORY, "out of memory");
}

/* From now on operations are visible. */
static bool plant(struct bring_up *bring_up)
{
	struct run run = {.process = bring_up->process, .outcome = bring_up->first};
	/* Else places are of what was known before. */
	(void)places_update(bring_up->process->places, bring_up->process->target);
	return marks_plant(bring_up->process, tracee_of(bring_up, 0), bring_up->first) &&
	       !run_become_threaded(&run);
}

/* The function that a thread began in is the outermost one that isn't libc's. */
static void find_start_routine(struct bring_up *bring_up, uint32_t thread)
{
	struct process *process = bring_up->process;
	uint64_t frames[STACK_ROOM];
	size_t length = places_stack(process->places, tracee_of(bring_up, thread), frames, STACK_ROOM);
	if (thread == 0 || length == STACK_ROOM)
		return;
	while (length > 0 && entries_is_libc(process->entries, frames[length - 1]))
		length--;
	/* A return address may be the first one after the function. */
	if (length > 0)
		process->threads[thread].start_routine = frames[length - 1] - (length > 1);
}

static bool find_stance(struct bring_up *bring_up, uint32_t thread)
{
	struct tracee *tracee = tracee_of(bring_up, thread);
	struct stance *stance = &bring_up->threads[thread].stance;
	stance->kind = STANCE_FREE;
	if (!tracee)
		return true;
	enum status status =
	    stance_find(bring_up->process->entries, bring_up->process->places, tracee, stance);
	if (status != STATUS_OK)
		return fail(bring_up, status, "lost the target");
	return stance->kind != STANCE_UNKNOWN ||
	       refuse(bring_up, thread, "it waits, and in which of libc's functions can't be told");
}

/* Let it come back to the caller of the function, or to where it sleeps in it. */
static bool get_out(struct bring_up *bring_up, uint32_t thread)
{
	struct process *process = bring_up->process;
	const struct stance *stance = &bring_up->threads[thread].stance;
	const uint64_t back = target_gadget_trap(process->target), caller = stance->caller.rip;
	struct outcome came = {.created = NO_THREAD};
	bool asleep = false;
	if (target_write(process->target, stance->return_slot, &back, sizeof back) != STATUS_OK ||
	    process_go(process, thread, 0) != STATUS_OK)
		return fail(bring_up, STATUS_GONE, "lost the target");
	if (run_out(process, thread, &came, &asleep) != STATUS_OK)
		return take_in(bring_up, thread, &came);
	came.kind = OUTCOME_PENDING;
	if (asleep) /* a death is told by the next wait */
		(void)target_write(process->target, stance->return_slot, &caller, sizeof caller);
	struct user_regs_struct *regs = asleep ? NULL : tracee_change_regs(tracee_of(bring_up, thread));
	if (regs)
		regs->rip = caller;
	return take_in(bring_up, thread, &came);
}

/* A spinning thread gets the lock, or is taken back to the entry: it has left no trace but in the lock's word. */
static bool stop_spinning(struct bring_up *bring_up, uint32_t thread)
{
	struct tracee *tracee = tracee_of(bring_up, thread);
	const struct stance *stance = &bring_up->threads[thread].stance;
	struct stop stop = {.kind = STOP_STEP};
	for (int i = 0; i < SPINS && stop.kind == STOP_STEP; i++) {
		const struct user_regs_struct *regs = tracee_regs(tracee);
		if (regs && regs->rip == stance->caller.rip)
			return true;
		if (!regs || target_step(tracee, 0) != STATUS_OK ||
		    target_wait(bring_up->process->target, tracee, -1, &stop) != STATUS_OK)
			return fail(bring_up, STATUS_GONE, "lost the target");
	}
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return fail(bring_up, STATUS_GONE, "lost the target");
	regs->rip = stance->entry;
	regs->rsp = stance->return_slot;
	return true;
}

/* No thread is in the middle of a function any more; those that sleep in one still do. */
static bool all_get_out(struct bring_up *bring_up)
{
	bool again = true;
	for (int round = 0; again && round < ROUNDS; round++) {
		again = false;
		for (uint32_t t = 0; t < bring_up->length; t++) {
			if (!find_stance(bring_up, t))
				return false;
			const struct stance *stance = &bring_up->threads[t].stance;
			if (stance->kind != STANCE_INSIDE)
				continue;
			bool spins = stance->function == OP_SPIN_LOCK;
			again = true;
			if (!(spins ? stop_spinning(bring_up, t) : get_out(bring_up, t)))
				return false;
		}
	}
	return !again || fail(bring_up, STATUS_TIMEOUT, "threads don't get out of libc's functions");
}

static bool make_times(struct bring_up *bring_up)
{
	const uint64_t arguments[6] = {0, (uint64_t)bring_up->length * TIME_BYTES, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX};
	struct tracee *tracee = NULL;
	int64_t result;
	for (uint32_t t = 0; t < bring_up->length && !tracee; t++)
		tracee = tracee_of(bring_up, t);
	if (!tracee || tracee_syscall(tracee, SYS_mmap, arguments, &result) != STATUS_OK || result < 0)
		return fail(bring_up, STATUS_NO_MEMORY, "no memory in the target");
	bring_up->times = (uint64_t)result;
	return true;
}

static bool rewind_thread(struct bring_up *bring_up, uint32_t t)
{
	struct brought_thread *thread = &bring_up->threads[t];
	char why[160];
	if (thread->stance.kind != STANCE_WAITS)
		return true;
	if (!bring_up->times && !make_times(bring_up))
		return false;
	enum status status =
	    stance_rewind(bring_up->process->entries, tracee_of(bring_up, t), &thread->stance,
			  bring_up->times + (uint64_t)t * TIME_BYTES, &thread->how, why);
	thread->rewound = status == STATUS_OK;
	if (status == STATUS_UNSUPPORTED)
		return refuse(bring_up, t, why);
	return status == STATUS_OK || fail(bring_up, status, "lost the target");
}

/* The system call that it stands before once more: the stop there has been taken already. */
static void repeat_call(struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee->at_syscall ? tracee_change_regs(tracee) : NULL;
	if (!regs || (long)regs->orig_rax < 0)
		return;
	regs->rip -= 2;
	regs->rax = regs->orig_rax;
	regs->orig_rax = (unsigned long long)-1;
}

static uint32_t thread_ending_at(const struct process *process, uint64_t word)
{
	for (uint32_t t = 0; word && t < process->threads_length; t++)
		if (process->threads[t].tid_word == word)
			return t;
	return NO_THREAD;
}

/* Joining is waiting for the word that the kernel clears at the other's end; libc looks at it again when it is woken. */
static void see_joining(struct process *process, uint32_t t, const struct stance *stance, struct op *op)
{
	uint32_t joined = thread_ending_at(process, stance->word);
	if (stance->function != OP_THREAD_JOIN || op->kind != OP_FUTEX_WAIT || joined == NO_THREAD)
		return;
	*op = (struct op){
	    .kind = OP_THREAD_JOIN, .object = joined, .object2 = NO_OBJECT, .place = stance->caller.rip};
	process->threads[t].call.op = *op;
}

static bool all_have_come(const struct process *process, uint32_t barrier)
{
	struct object_state state;
	model_object_state(process->model->model, barrier, &state);
	return state.sleepers + 1 >= state.count;
}

/* It has come to its first operation: that is what it has pending, or sleeps in. */
static bool settle(struct bring_up *bring_up, uint32_t t, struct op *op)
{
	struct process *process = bring_up->process;
	const struct brought_thread *thread = &bring_up->threads[t];
	bool asleep = thread->rewound && thread->how != REWOUND_BEFORE;
	see_joining(process, t, &thread->stance, op);
	if (!asleep) {
		model_set_found(process->model->model, t, op);
		return true;
	}
	if (op->object == NO_OBJECT || !op_knows_objects(op))
		return refuse(bring_up, t, "what it waits for isn't known");
	struct op sleeps = *op;
	sleeps.flags = op->kind == OP_COND_TIMEDWAIT ? OP_TIMED : 0;
	sleeps.arg = sleeps.arg2 = sleeps.arg3 = 0;
	sleeps.kind = op->kind == OP_BARRIER_WAIT     ? OP_BARRIER_ASLEEP
		      : thread->how == REWOUND_ASLEEP ? OP_COND_ASLEEP
						      : OP_COND_RELOCK;
	if (sleeps.kind == OP_BARRIER_ASLEEP && all_have_come(process, sleeps.object))
		return refuse(bring_up, t, "it waits at a barrier where all have met");
	model_set_found(process->model->model, t, &sleeps);
	return true;
}

static bool reach_operation(struct bring_up *bring_up, uint32_t t)
{
	struct tracee *tracee = tracee_of(bring_up, t);
	struct outcome came = {.created = NO_THREAD};
	if (!tracee)
		return true;
	if (!bring_up->threads[t].rewound)
		repeat_call(tracee);
	enum status status = process_go(bring_up->process, t, 0);
	if (status != STATUS_OK && status != STATUS_GONE)
		return fail(bring_up, status, "can't resume a thread");
	run_to_operation(bring_up->process, t, &came);
	return take_in(bring_up, t, &came) &&
	       (came.kind != OUTCOME_PENDING || settle(bring_up, t, &came.next));
}

static bool reach(struct bring_up *bring_up, uint32_t t)
{
	bring_up->process->bringing_up = true;
	const bool reached = reach_operation(bring_up, t);
	bring_up->process->bringing_up = false;
	return reached;
}

/* If only threads go on that need what the copy lacks, every execution would end before its first transition. */
static bool somebody_goes_on(struct bring_up *bring_up)
{
	const struct model *model = bring_up->process->model->model;
	char text[256];
	uint32_t absent = NO_THREAD;
	for (uint32_t t = 0; t < bring_up->length; t++) {
		const struct op *op = model_pending(model, t);
		const bool waits = op_waits_outside(op->kind);
		if (op->flags & OP_ABSENT)
			absent = absent == NO_THREAD ? t : absent;
		else if (waits ? outside_ready(bring_up->process, t, op) : model_enabled(model, t))
			return true;
	}
	return absent == NO_THREAD ||
	       refuse(bring_up, absent,
		      absent_text(bring_up->process->threads[absent].absent, text, sizeof text));
}

static bool bring_all_up(struct bring_up *bring_up)
{
	if (!add_threads(bring_up) || !plant(bring_up))
		return false;
	for (uint32_t t = 0; t < bring_up->length; t++)
		find_start_routine(bring_up, t);
	if (!all_get_out(bring_up))
		return false;
	for (uint32_t t = 0; t < bring_up->length; t++)
		if (!rewind_thread(bring_up, t))
			return false;
	for (uint32_t t = 0; t < bring_up->length; t++)
		if (!reach(bring_up, t))
			return false;
	return somebody_goes_on(bring_up);
}

/*
 * The threads are let run by fmc itself: nobody is to see what comes before the first operations. Who is in a loop without
 * operations then was in it already, and is no failure of what is run here: it yields in it.
 */
bool bring_up_make(struct process *process, struct outcome *first)
{
	struct bring_up bring_up = {.process = process, .first = first};
	const struct process_pilot *pilot = process->options.pilot;
	const bool spin_report = process->options.spin_report;
	process->options.pilot = NULL;
	process->options.spin_report = false;
	bool made = bring_all_up(&bring_up);
	process->options.pilot = pilot;
	process->options.spin_report = spin_report;
	free(bring_up.threads);
	return made;
}
