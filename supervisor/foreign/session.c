/* One session: from stopping the threads of a foreign process to letting them go. */
#include "supervisor/foreign/foreign_run.h"

#include <fmc/tracer/call_traits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS	   2		       /* how long without an event before a look at the clock */
#define SLICE_NS   UINT64_C(10000000)  /* of a thread that computes, when others wait for their turn */
#define IN_CALL_NS UINT64_C(2000000)   /* a call that takes so long waits for something */
#define LOOK_NS	   UINT64_C(100000000) /* how often it is looked whether all is stuck */
#define STOP_MS	   1000
#define REMOVALS   200

/* The thread gives its turn back; if `turn` is TURN_WAITS, until it gets it again. */
static void yield_turn(struct foreign_run *run, uint32_t t, enum turn turn)
{
	run->threads[t].turn = turn;
	if (run->running == t)
		run->running = NO_THREAD;
}

static void note_pthread(struct run_thread *thread)
{
	const struct user_regs_struct *regs = thread->pthread ? NULL : tracee_regs(thread->tracee);
	if (regs)
		thread->pthread = regs->fs_base;
}

/* A function that passes a call on to another one by a jump: the second entry is no operation of its own. */
static bool passed_on(struct run_thread *thread, const struct call *call, uint64_t stack)
{
	const bool nested = thread->entry && thread->entry != call->entry && thread->stack == stack &&
			    thread->caller == call->return_address && thread->last.kind == call->op.kind;
	thread->entry = nested ? 0 : call->entry;
	thread->stack = stack;
	thread->caller = call->return_address;
	return nested;
}

static void at_marker(struct foreign_run *run, uint32_t t, const struct foreign_event *event)
{
	struct run_thread *thread = &run->threads[t];
	struct call call;
	note_pthread(thread);
	if (markers_decode(run->markers, run->jumps, thread->tracee, event, &call) != STATUS_OK ||
	    call.op.kind == OP_NONE || call.libc_own || passed_on(thread, &call, event->rsp)) {
		foreign_resume(run->foreign, thread->tracee);
		return;
	}
	thread->op = foreign_run_op(run, &call);
	yield_turn(run, t, TURN_WAITS);
}

static void at_call(struct foreign_run *run, uint32_t t, const struct foreign_event *event)
{
	struct run_thread *thread = &run->threads[t];
	struct call call;
	if (markers_decode(run->markers, run->jumps, thread->tracee, event, &call) == STATUS_OK &&
	    call.op.kind != OP_NONE && !call.libc_own) {
		struct op op = foreign_run_op(run, &call);
		op.place = foreign_run_place(run, thread->tracee, op.place);
		if (!foreign_run_record(run, t, &op))
			run->end = FOREIGN_RUN_STOPPED;
		if (op.kind == OP_YIELD)
			run->avoided = t;
	}
	if (call_may_wait(event->number, event->arguments))
		yield_turn(run, t, TURN_CALLS);
	foreign_resume(run->foreign, thread->tracee);
}

/* Signals that end a process of which there is then something to tell. */
static void at_signal(struct foreign_run *run, uint32_t t, long signal)
{
	struct run_thread *thread = &run->threads[t];
	switch (signal) {
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGABRT:
	case SIGSYS:
		run->fatal_thread = t;
		run->frames_length = places_stack(run->places, thread->tracee, run->frames, RUN_FRAMES);
		break;
	default:
		break;
	}
	foreign_resume(run->foreign, thread->tracee);
}

static void born(struct foreign_run *run, struct tracee *tracee)
{
	const uint32_t t = foreign_run_add(run, tracee);
	if (t == NO_THREAD) {
		run->end = FOREIGN_RUN_FAILED;
		snprintf(run->why, 256, "process %d: too many threads", run->pid);
		return;
	}
	run->threads[t].op = (struct op){.kind = OP_THREAD_START, .object = NO_OBJECT, .object2 = NO_OBJECT};
	struct trace *trace = &run->trace;
	for (size_t i = trace->length; i-- > 0 && i + 64 > trace->length;) {
		struct transition *transition = &trace->at[i];
		if (transition->op.kind != OP_THREAD_CREATE || transition->created != NO_THREAD)
			continue;
		transition->created = t;
		transition->births = 1;
		transition->op.object = t;
		break;
	}
}

static void exited(struct foreign_run *run, uint32_t t)
{
	yield_turn(run, t, TURN_GONE);
	model_thread_exit(run->block.model, t);
}

static void ended(struct foreign_run *run, const struct foreign_event *event)
{
	run->end = event->kind == FOREIGN_EXEC ? FOREIGN_RUN_EXEC : FOREIGN_RUN_ENDED;
	if (event->kind == FOREIGN_EXEC)
		return;
	const bool killed = event->value & 0x7f;
	run->trace.end = killed ? END_SIGNAL : END_EXIT;
	run->trace.end_value = killed ? event->value & 0x7f : event->value >> 8 & 0xff;
	run->trace.end_thread = killed ? run->fatal_thread : NO_THREAD;
}

static void happened(struct foreign_run *run, const struct foreign_event *event)
{
	if (event->kind == FOREIGN_EXEC || event->kind == FOREIGN_ENDED) {
		ended(run, event);
		return;
	}
	if (event->kind == FOREIGN_BORN) {
		born(run, event->tracee);
		return;
	}
	struct run_thread *thread = foreign_run_thread(run, event->tracee);
	if (!thread)
		return;
	const uint32_t t = foreign_run_number(run, thread);
	switch (event->kind) {
	case FOREIGN_CALL:
		if (jump_stubs_at(run->jumps, event->rip))
			at_marker(run, t, event);
		else
			at_call(run, t, event);
		break;
	case FOREIGN_RETURN:
		if (thread->turn == TURN_CALLS)
			thread->turn = TURN_WAITS;
		else
			foreign_resume(run->foreign, thread->tracee);
		break;
	case FOREIGN_PAUSED:
		if (run->running == t && run->sliced) {
			run->avoided = t;
			yield_turn(run, t, TURN_WAITS);
		} else {
			foreign_resume(run->foreign, thread->tracee);
		}
		break;
	case FOREIGN_SUSPENDED:
		yield_turn(run, t, TURN_CALLS);
		foreign_resume(run->foreign, thread->tracee);
		break;
	case FOREIGN_SIGNAL:
		at_signal(run, t, event->number);
		break;
	case FOREIGN_EXITED:
		exited(run, t);
		break;
	default:
		break;
	}
}

static bool others_wait(const struct foreign_run *run)
{
	for (uint32_t i = 0; i < run->threads_length; i++)
		if (run->threads[i].turn == TURN_WAITS)
			return true;
	return false;
}

/* The running thread is to let others get on. */
static void share_time(struct foreign_run *run)
{
	if (run->running == NO_THREAD)
		return;
	struct tracee *tracee = run->threads[run->running].tracee;
	const uint64_t taken = clock_now() - run->since;
	if (foreign_in_call(run->foreign, tracee) && taken > IN_CALL_NS) {
		yield_turn(run, run->running, TURN_CALLS);
	} else if (taken > SLICE_NS && !run->sliced && others_wait(run)) {
		run->sliced = true;
		(void)foreign_interrupt(run->foreign, tracee); /* a death is told by the next wait */
	}
}

/* Twice the same, as what is about to be woken still looks asleep; after each time in vain after a longer while. */
static bool suspicious(struct foreign_run *run)
{
	const uint64_t now = clock_now();
	if (now < run->next_look)
		return false;
	run->next_look = now + LOOK_NS;
	run->stuck_looks = foreign_run_stuck(run) ? run->stuck_looks + 1 : 0;
	if (run->stuck_looks < run->patience)
		return false;
	run->stuck_looks = 0;
	run->patience *= 2;
	return true;
}

static void run_threads(struct foreign_run *run)
{
	run->next_look = clock_now() + LOOK_NS;
	while (run->end == FOREIGN_RUN_GOES_ON) {
		struct foreign_event event;
		if (tracer_interrupted() || (run->until && clock_now() >= run->until)) {
			run->end = FOREIGN_RUN_STOPPED;
			return;
		}
		if (run->running == NO_THREAD)
			foreign_run_choose(run);
		if (foreign_wait(run->foreign, WAIT_MS, &event) == STATUS_OK)
			happened(run, &event);
		share_time(run);
		if (run->end == FOREIGN_RUN_GOES_ON && suspicious(run))
			run->end = FOREIGN_RUN_SUSPICION;
	}
}

/* All run for a moment, so that a signal handler comes to its end. */
static void run_on(struct foreign_run *run)
{
	struct foreign_event event;
	for (uint32_t i = 0; i < target_tracees(foreign_target(run->foreign)); i++)
		foreign_resume(run->foreign, target_tracee(foreign_target(run->foreign), i));
	const uint64_t begin = clock_now();
	while (clock_now() - begin < UINT64_C(10000000) &&
	       foreign_wait(run->foreign, 1, &event) == STATUS_OK && event.kind != FOREIGN_ENDED &&
	       event.kind != FOREIGN_EXEC)
		if (event.kind != FOREIGN_EXITED)
			foreign_resume(run->foreign, event.tracee);
}

static void let_go(struct foreign_run *run)
{
	for (int i = 0; i < REMOVALS; i++) {
		const enum status status = foreign_stop(run->foreign, false, STOP_MS);
		if (status == STATUS_GONE) {
			jump_stubs_void(run->jumps);
			return;
		}
		if (status == STATUS_OK && jump_stubs_remove(run->jumps, run->foreign) == STATUS_OK)
			return;
		run_on(run);
	}
	/* The guardian goes on trying. */
}

/* All that are there now, and none of an earlier session that has gone since. */
static void gather_threads(struct foreign_run *run)
{
	const struct target *target = foreign_target(run->foreign);
	for (uint32_t t = 0; t < run->threads_length; t++)
		run->threads[t].tracee = NULL;
	for (uint32_t i = 0; i < target_tracees(target); i++) {
		struct tracee *tracee = target_tracee(target, i);
		const uint32_t t = tracee->life == TRACEE_DEAD ? NO_THREAD : foreign_run_add(run, tracee);
		if (t == NO_THREAD)
			continue;
		run->threads[t].turn = TURN_WAITS;
		run->threads[t].op.kind = OP_NONE;
		note_pthread(&run->threads[t]);
	}
	for (uint32_t t = 0; t < run->threads_length; t++)
		if (!run->threads[t].tracee && run->threads[t].turn != TURN_GONE)
			exited(run, t);
}

static bool take_hold(struct foreign_run *run)
{
	enum status status = foreign_open(run->foreign, run->why);
	if (status != STATUS_OK)
		return false;
	gather_threads(run);
	status = jump_stubs_insert(run->jumps, run->foreign);
	if (status == STATUS_OK)
		return true;
	snprintf(run->why, 256, "process %d: its code can't be changed: %s", run->pid, status_text(status));
	let_go(run);
	return false;
}

static void show_child(void *context, pid_t child)
{
	const struct foreign_run *run = context;
	jump_stubs_remove_child(run->jumps, child);
}

void *foreign_run_session(void *context)
{
	struct foreign_run *run = context;
	run->tracing = gettid();
	run->running = run->avoided = run->held = NO_THREAD;
	foreign_on_child(run->foreign, show_child, run);
	if (take_hold(run)) {
		run_threads(run);
		let_go(run);
	} else {
		run->end = FOREIGN_RUN_FAILED;
	}
	foreign_release(run->foreign);
	return NULL;
}
