#include "supervisor/process_private.h"

#include <stdio.h>
#include <string.h>

/*
 * A thread that runs and runs: is it a loop that only another thread can end? It is stepped until it comes
 * back to the same instruction with all memory and all registers of all threads unchanged; since everybody
 * else is stopped, it would do the same for ever. Nothing less counts: a long computation is no finding.
 *
 * The loop's head is its lowest address, so that the thread stops at the same place in every execution,
 * whenever it was looked at.
 */
#define STEPS_MAX 4096

struct walk {
	struct process *process;
	struct tracee *tracee;
	bool paused; /* met a `pause` instruction */
	uint64_t lowest;
};

/* One instruction, unless it is a system call or one of our traps: those are the run's business. */
static bool walk_step(struct walk *walk)
{
	uint8_t code[2];
	struct stop stop;
	struct user_regs_struct *regs = tracee_regs(walk->tracee);
	if (!regs || entries_is_trap(walk->process->entries, regs->rip) ||
	    target_read(walk->process->target, regs->rip, code, sizeof code) != STATUS_OK)
		return false;
	if (code[0] == 0x0f && code[1] == 0x05)
		return false;
	if (code[0] == 0xf3 && code[1] == 0x90)
		walk->paused = true;
	if (target_step(walk->tracee, 0) != STATUS_OK)
		return false;
	enum status status;
	do
		status = target_wait(walk->process->target, walk->tracee, -1, &stop);
	while (status == STATUS_INTERRUPTED);
	if (status == STATUS_OK && stop.kind == STOP_SIGNAL)
		walk->tracee->deferred_signal = (int)stop.number;
	if (status != STATUS_OK || stop.kind != STOP_STEP)
		return false;
	regs = tracee_regs(walk->tracee);
	if (regs && regs->rip < walk->lowest)
		walk->lowest = regs->rip;
	return regs != NULL;
}

/* Step until the thread is at `address`; the number of steps, 0 if it doesn't get there. */
static unsigned walk_to(struct walk *walk, uint64_t address)
{
	for (unsigned steps = 1; steps <= STEPS_MAX; steps++) {
		if (!walk_step(walk))
			return 0;
		if (tracee_regs(walk->tracee)->rip == address)
			return steps;
	}
	return 0;
}

/* How many instructions the proven loop has; 0 if there is none. */
static unsigned prove_loop(struct walk *walk)
{
	uint64_t before[2], after[2];
	/* The first half may still be on its way into the loop. */
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		if (i == STEPS_MAX / 2) {
			walk->lowest = UINT64_MAX;
			walk->paused = false;
		}
		if (!walk_step(walk))
			return 0;
	}
	if (!walk_to(walk, walk->lowest) || target_digest(walk->process->target, before) != STATUS_OK)
		return 0;
	unsigned steps = walk_to(walk, walk->lowest);
	if (!steps || target_digest(walk->process->target, after) != STATUS_OK)
		return 0;
	return memcmp(before, after, sizeof before) == 0 ? steps : 0;
}

bool process_stop_running(struct process *process, struct tracee *tracee)
{
	struct stop stop;
	enum status status;
	if (tracee_interrupt(tracee) != STATUS_OK)
		return false;
	do
		status = target_wait(process->target, tracee, -1, &stop);
	while (status == STATUS_INTERRUPTED);
	/* It came to something just now: that stop must not be lost. */
	if (status == STATUS_OK && stop.kind != STOP_INTERRUPT)
		target_push_back(&stop);
	return status == STATUS_OK && stop.kind == STOP_INTERRUPT;
}

bool spin_examine(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct walk walk = {.process = process, .tracee = self->tracee, .lowest = UINT64_MAX};
	if (!process_stop_running(process, self->tracee))
		return false;
	const struct process_pilot *pilot = process->options.pilot;
	if (pilot)
		pilot->plant(pilot->context, process->target, false);
	unsigned length = prove_loop(&walk);
	if (pilot)
		pilot->plant(pilot->context, process->target, true);
	if (!length) {
		if (self->tracee->life == TRACEE_STOPPED)
			process_go(process, thread, 0);
		return false;
	}
	if (process->options.spin_report && !walk.paused) {
		char text[160];
		snprintf(text, sizeof text,
			 "the same %u instructions repeat with all memory and registers unchanged, without a "
			 "yield",
			 length);
		run_failed(outcome, END_SPIN, STATUS_OK, text);
		return true;
	}
	self->spinning = true;
	self->call = (struct call){
	    .op = {.kind = OP_YIELD, .object = NO_OBJECT, .object2 = NO_OBJECT, .place = walk.lowest}};
	outcome->kind = OUTCOME_PENDING;
	outcome->next = self->call.op;
	return true;
}
