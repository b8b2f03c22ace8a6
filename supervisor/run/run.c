#include "supervisor/run/run.h"
#include "supervisor/before/before.h"
#include "supervisor/calls/calls.h"
#include "supervisor/drive/drive.h"
#include "supervisor/lives/lives.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/uses.h"

#include <stdio.h>
#include <sys/syscall.h>

/*
 * From one operation of a thread to the next. Exactly this thread runs; whatever it meets on the way is
 * either passed at once, or it is the end of the way. Each handler returns true when the way has ended
 * (outcome is filled).
 */
#define WATCH_MS   10	 /* how long a thread may run before somebody looks what it does */
#define LOOK_EVERY 256	 /* stops after which the same is done */
#define STOP_NS	   10000 /* what a stop costs, of which the thread's own time shows little */
#define LOOKED_AT  6 /* so many times a thread's time doubles at most while a look is at what it touches */

/* The next that the running thread meets, as target_wait() with a time-out. */
static enum status run_wait(struct run *run, struct stop *stop)
{
	struct process *process = run->process;
	const struct process_pilot *pilot = process->options.pilot;
	bool going = process->going;
	if (process->ahead && ahead_stop(process, run->thread, stop))
		return STATUS_OK;
	if (!pilot)
		return target_wait(process->target, run_self(run)->tracee, WATCH_MS, stop);
	process->going = false;
	if (going && stores_follow(run_self(run)))
		return stores_wait(process, run->thread, process->going_signal, stop);
	return pilot->run(pilot->context, run->thread, going ? PILOT_RUNS : PILOT_WAITS,
			  process->going_signal, run->own_calls, WATCH_MS, stop);
}

static bool run_handle(struct run *run, const struct stop *stop);

/* The client of a program of which nobody goes on; true: the way has ended. */
static bool await_client(struct run *run)
{
	struct process *process = run->process;
	switch (drive_idle(process, false)) {
	case DRIVE_FAILED:
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED, drive_failure(process));
	case DRIVE_NEVER:
		return run_fail(run, END_STUCK, STATUS_OK, "the program and its client wait for each other");
	case DRIVE_AGAIN:
	case DRIVE_MORE:
		run->blocked = 0;
		return false;
	case DRIVE_NOTHING:
		break;
	}
	return false;
}

/* The client of the program was still on its way to what has ended the wait now. */
static bool client_has_come(const struct run *run)
{
	uint64_t first;
	if (!run->process->drive)
		return false;
	drive_look(run->process);
	return tracee_blocked_in(run_self(run)->tracee, &first) < 0;
}

/* Asleep in the kernel, with everybody else stopped: it waits for something outside of fmc's knowledge. first: the call's argument. */
static bool on_blocked(struct run *run, long number, uint64_t first)
{
	struct process *process = run->process;
	struct stop stop;
	if (!process->threaded || run->own_calls || process->hope_lost) {
		/* Nothing else could be done meanwhile. */
		children_let_end_asleep(process);
		if (await_client(run))
			return true;
		int64_t waited = (int64_t)run->blocked * WATCH_MS;
		if (process->threaded && process->options.outside_ms && waited > process->options.outside_ms)
			return run_fail(run, END_STUCK, STATUS_TIMEOUT,
					"every thread waits for something outside of the program");
		if (process->options.outside_ms && waited > process->options.outside_ms &&
		    target_descendants_wait(process->target))
			return run_fail(run, END_STUCK, STATUS_TIMEOUT,
					"the program waits, and so do its child processes");
		outside_meet_asleep(process, number, first);
		target_clock_waited(process->target, WATCH_MS * INT64_C(1000000));
		return false;
	}
	if (client_has_come(run))
		return false;
	(void)tracee_interrupt(run_self(run)->tracee); /* the wait says what came of it */
	enum status status = target_wait(process->target, run_self(run)->tracee, -1, &stop);
	if (status == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, status, "interrupted");
	if (status != STATUS_OK)
		return run_fail(run, END_ERROR, status, "can't stop a waiting thread");
	if (stop.kind != STOP_INTERRUPT)
		return run_handle(run, &stop);
	const enum sleeps sleeps = kernel_sleeps(run, number);
	if (sleeps != SLEEPS_OUTSIDE)
		return sleeps == SLEEPS_AGAIN || run_resume(run, 0);
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	struct call call = {.op = {.kind = OP_SYSCALL, .arg = number, .place = regs ? regs->rip : 0}};
	return run_stop_before(run, &call);
}

/*
 * So many looks in a row find a thread asleep that waits: once may be on its way through. A child that begins and ends soon does
 * so sooner or later as the machine is busy, and whether its parent has waited for it is to be the same each time.
 */
static int looks_before(long number)
{
	return number == SYS_wait4 || number == SYS_waitid ? 10 : 2;
}

/* It has passed operations before this stop, NULL: or while it runs. */
static bool passed_some(const struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	return process->ahead && !run->own_calls && ahead_take(process, run->thread, stop, run->outcome);
}

static bool on_timeout(struct run *run)
{
	struct process *process = run->process;
	struct process_thread *thread = run_self(run);
	uint64_t first;
	if (passed_some(run, NULL))
		return true;
	long number = tracee_blocked_in(thread->tracee, &first);
	/* Put into an image on its way it is another thread to the kernel, which begins at 0. */
	if (!run->looks++ || tracee_cpu_time(thread->tracee) < run->since) {
		run->since = tracee_cpu_time(thread->tracee);
		run->calls = target_calls(process->target);
	}
	if (number >= 0) {
		return ++run->blocked >= looks_before(number) && on_blocked(run, number, first);
	}
	run->blocked = 0;
	uint64_t used = tracee_cpu_time(thread->tracee) - run->since;
	used += (target_calls(process->target) - run->calls + run->stops) * STOP_NS;
	const unsigned slower = process->looking.look ? LOOKED_AT : 0;
	uint64_t most = (uint64_t)process->options.spin_ms * 1000000 << ((run->patience & 15) + slower);
	if (!process->threaded || run->own_calls || !most || used < most)
		return false;
	run->looks = 0;
	run->stops = 0;
	return run_examine(run);
}

/*
 * What the copy lacks is about to be used. A thread whose first step that is stays before it: as far as can be known it waits for
 * the outside, and what the others do without it could be so.
 */
static bool on_outside(struct run *run, const struct stop *stop)
{
	const char *text = target_outside(run->process->target);
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	if (!run->process->bringing_up)
		return run_fail(run, END_ABSENT, STATUS_OK, text);
	const struct call call = {
	    .op = {
		.kind = OP_SYSCALL, .flags = OP_ABSENT, .arg = stop->number, .place = regs ? regs->rip : 0}};
	snprintf(run_self(run)->absent, sizeof run_self(run)->absent, "%.110s", text);
	return run_stop_before(run, &call);
}

static bool run_handle(struct run *run, const struct stop *stop)
{
	if (stop->kind == STOP_SIGNAL || stop->kind == STOP_INTERRUPT || stop->kind == STOP_EXITING)
		look_leave(run->process, stop->tracee, run->own_calls);
	switch (stop->kind) {
	case STOP_TRAP:
		return run_on_trap(run, stop);
	case STOP_SYSCALL:
		return syscalls_on_stop(run, stop);
	case STOP_CLONE:
		return lives_on_clone(run, stop);
	case STOP_FORK:
		return lives_on_fork(run, stop);
	case STOP_EXEC:
		return replaced_on_exec(run, stop);
	case STOP_EXITING:
		return lives_on_exiting(run, stop);
	case STOP_EXITED:
		return lives_on_exited(run, stop);
	case STOP_SIGNAL:
		return run_on_signal(run, stop);
	case STOP_OUTSIDE:
		return on_outside(run, stop);
	case STOP_STEP:
	case STOP_WATCH:
	case STOP_INTERRUPT:
		return run_resume(run, 0);
	}
	return run_fail(run, END_ERROR, STATUS_BUG, "a stop of no known kind");
}

/* The thread has waited in this call for something outside, and makes it anew. */
static bool waits_anew(const struct run *run, const struct stop *stop)
{
	const struct op *op = &run_self(run)->call.op;
	return run->stops == 0 && stop->kind == STOP_SYSCALL && op->kind == OP_SYSCALL &&
	       op->arg == stop->number;
}

static void follow(struct run *run)
{
	struct process *process = run->process;
	bool ended = false;
	while (!ended) {
		struct stop stop;
		if (run_self(run)->stores.at_fence) {
			run_stop_at_fence(run);
			break;
		}
		signals_pass(process, run_self(run)->tracee);
		enum status status = run_wait(run, &stop);
		if (run_self(run)->stores.at_fence)
			continue;
		if (status == STATUS_OK && passed_some(run, &stop))
			break;
		if (status == STATUS_OK) {
			run->blocked = 0;
			process->hope_lost = process->hope_lost && waits_anew(run, &stop);
			target_clock_waits(process->target, 0);
			ended = run_handle(run, &stop) || (++run->stops % LOOK_EVERY == 0 && on_timeout(run));
		} else if (status == STATUS_TIMEOUT) {
			ended = on_timeout(run);
		} else if (status == STATUS_INTERRUPTED) {
			ended = run_fail(run, END_INTERRUPTED, status, "interrupted");
		} else {
			ended = run_fail(run, END_ERROR, status, "lost the target");
		}
	}
	look_take(process, run->thread, run->own_calls);
}

void run_to_operation(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	outcome->kind = OUTCOME_FAILED;
	follow(&run);
}

void run_go_on(struct process *process, uint32_t thread, struct outcome *outcome)
{
	enum status status = process_go(process, thread, 0);
	if (status != STATUS_OK && status != STATUS_GONE) {
		run_failed(outcome, END_ERROR, status, "can't resume a thread");
		return;
	}
	run_to_operation(process, thread, outcome);
}

enum status run_handlers(struct process *process, uint32_t thread, uint64_t where, uint64_t stack,
			 struct outcome *outcome)
{
	struct run run = {
	    .process = process, .thread = thread, .outcome = outcome, .gadget = where, .gadget_stack = stack};
	outcome->kind = OUTCOME_FAILED;
	if (!run_resume(&run, 0))
		follow(&run);
	return run.at_gadget ? STATUS_OK : STATUS_GONE;
}

/* A function that fmc has called, up to its return to fmc. */
static enum status follow_own(struct run *run)
{
	run->gadget = target_gadget_trap(run->process->target);
	run->own_calls = true;
	follow(run);
	return run->at_gadget || run->falls_asleep ? STATUS_OK : STATUS_GONE;
}

enum status run_out(struct process *process, uint32_t thread, struct outcome *outcome, bool *asleep)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome, .until_asleep = true};
	enum status status = follow_own(&run);
	*asleep = run.falls_asleep;
	return status;
}

enum status run_interrupted(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome, .interrupt_wait = true};
	return follow_own(&run);
}

enum status run_to_return(struct process *process, uint32_t thread, uint64_t stack, struct outcome *outcome)
{
	struct run run = {.process = process,
			  .thread = thread,
			  .outcome = outcome,
			  .gadget_stack = stack,
			  .until_wait = true};
	return follow_own(&run);
}

enum status run_to_gadget(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	return follow_own(&run);
}
