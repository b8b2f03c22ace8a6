/*
 * A thread that runs and runs: it is stepped for a while to find the loop that it is in, and from then on it is preempted at that
 * loop's head (accesses/rounds.c).
 *
 * With --spin report a loop that only another thread can end is reported: it comes back to the same instruction with all memory and
 * all registers of all threads unchanged; since everybody else is stopped, it would do the same for ever. Nothing less counts: a
 * long computation is no finding.
 */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/calls/calls.h"
#include "supervisor/run/run.h"

#include <fmc/breakpoints/marks.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 4096

/* So often a head has to have been met in the second half of the steps. */
#define ARRIVALS 3

/* How many instructions one is worth at which the thread is stopped, or which is a system call. */
#define STOP_STEPS 16384

/* The first yield comes after so many instructions. */
#define FIRST_STEPS 4096

/* How long a system call may take that is met on the way. */
#define CALL_MS 100

/* One of fmc's traps, as long as it is planted. */
#define TRAP_CODE 0xcc

/* Where the thread has been. */
struct spot {
	uint64_t address;
	uint64_t stack; /* the highest stack pointer there: the outermost function has it */
	uint32_t count;
	bool libc;
};

struct walk {
	struct run *run;
	struct process *process;
	struct tracee *tracee;
	bool paused;	/* met a `pause` instruction */
	bool came;	/* to what the run has to see: that stop has been given back */
	uint32_t calls; /* system calls, in the second half */
	uint64_t lowest;
	uint32_t length; /* of the second half: */
	struct spot spots[STEPS_MAX / 2];
};

/* Wait for the end of a step; a system call that is no operation is let happen. */
static bool await_step(struct walk *walk)
{
	struct stop stop;
	for (;;) {
		enum status status = target_wait(walk->process->target, walk->tracee, CALL_MS, &stop);
		if (status == STATUS_INTERRUPTED)
			continue;
		/* On a busy machine it may not have had its turn yet. */
		if (status == STATUS_TIMEOUT && tracee_blocked_in(walk->tracee, NULL) < 0)
			continue;
		if (status != STATUS_OK)
			return false; /* it waits in the kernel, and goes on from there */
		if (stop.kind == STOP_STEP)
			return true;
		struct call call;
		bool passes = stop.kind == STOP_SYSCALL &&
			      entries_decode(walk->process->entries, &stop, &call) == STATUS_OK &&
			      call.op.kind == OP_NONE;
		if (!passes) {
			target_push_back(&stop);
			walk->came = true;
			return false;
		}
		transfers_change(walk->process, walk->run->thread, stop.number);
		sets_change(walk->process, stop.number);
		syscalls_note(walk->process, walk->run->thread, stop.number);
		if (target_step(walk->tracee, 0) != STATUS_OK)
			return false;
	}
}

/* The instruction itself where there is a mark: that is seen when the thread runs. */
static bool step_off(struct walk *walk, uint32_t mark)
{
	const struct entries *entries = walk->process->entries;
	if (mark < MARKS_MOST && entries_lift_mark(entries, walk->process->target, mark) != STATUS_OK)
		return false;
	const bool done = target_step(walk->tracee, 0) == STATUS_OK && await_step(walk);
	if (mark < MARKS_MOST)
		(void)entries_restore_mark(entries, walk->process->target, mark);
	return done;
}

/* One instruction, unless it is one of our traps: those are the run's business, but for instructions that are only answered. False: the way ends here. */
static bool walk_step(struct walk *walk)
{
	const struct entries *entries = walk->process->entries;
	uint8_t code[2];
	struct user_regs_struct *regs = tracee_regs(walk->tracee);
	if (!regs || target_read(walk->process->target, regs->rip, code, sizeof code) != STATUS_OK)
		return false;
	if (entries_answered_here(entries, walk->process->target, regs->rip)) {
		walk->calls++;
		return entries_pass(entries, walk->tracee, regs->rip) == STATUS_OK;
	}
	if ((entries_is_trap(entries, regs->rip) && code[0] == TRAP_CODE) ||
	    entries_loop_at(entries, regs->rip) < LOOPS_MOST)
		return false;
	walk->calls += code[0] == 0x0f && code[1] == 0x05;
	entries_hide(entries, regs->rip, code, sizeof code);
	walk->paused |= code[0] == 0xf3 && code[1] == 0x90;
	if (!step_off(walk, entries_mark_at(entries, regs->rip)))
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

static void note_spot(struct walk *walk)
{
	const struct user_regs_struct *regs = tracee_regs(walk->tracee);
	walk->spots[walk->length++] = (struct spot){.address = regs->rip, .stack = regs->rsp, .count = 1};
}

/* The first half may still be on its way into the loop. */
static bool walk_far(struct walk *walk)
{
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		if (i == STEPS_MAX / 2) {
			walk->lowest = UINT64_MAX;
			walk->paused = false;
			walk->calls = 0;
		}
		if (i >= STEPS_MAX / 2)
			note_spot(walk);
		if (!walk_step(walk))
			return false;
	}
	return true;
}

/* How many instructions the proven loop has; 0 if there is none. */
static unsigned prove_loop(struct walk *walk)
{
	uint64_t before[2], after[2];
	if (walk->calls || !walk_to(walk, walk->lowest) || !memory_digest(walk->process, before))
		return 0;
	unsigned steps = walk_to(walk, walk->lowest);
	if (!steps || !memory_digest(walk->process, after))
		return 0;
	return memcmp(before, after, sizeof before) == 0 ? steps : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* Outer loops before inner ones, the program's before libc's. */
static int by_merit(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	if (x->libc != y->libc)
		return x->libc - y->libc;
	if (x->stack != y->stack)
		return x->stack > y->stack ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return by_address(a, b);
}

/* Each address once, those that were met often enough, the best first. */
static void sort_spots(struct walk *walk)
{
	struct spot *spots = walk->spots;
	uint32_t length = 0, kept = 0;
	qsort(spots, walk->length, sizeof *spots, by_address);
	for (uint32_t i = 0; i < walk->length; i++) {
		if (!length || spots[length - 1].address != spots[i].address) {
			spots[length++] = spots[i];
			continue;
		}
		spots[length - 1].count++;
		if (spots[length - 1].stack < spots[i].stack)
			spots[length - 1].stack = spots[i].stack;
	}
	for (uint32_t i = 0; i < length; i++) {
		if (spots[i].count < ARRIVALS)
			continue;
		spots[i].libc = entries_is_libc(walk->process->entries, spots[i].address);
		spots[kept++] = spots[i];
	}
	walk->length = kept;
	qsort(spots, kept, sizeof *spots, by_merit);
}

/* The best that can be counted, by the thread itself if possible; NULL: none can. */
static const struct spot *choose_head(struct walk *walk, enum countable *how)
{
	const struct process *process = walk->process;
	const struct spot *second = NULL;
	for (uint32_t i = 0; i < walk->length; i++) {
		*how = entries_countable(process->entries, process->target, walk->spots[i].address);
		if (*how == COUNTABLE_BY_JUMP)
			return &walk->spots[i];
		if (*how == COUNTABLE_BY_TRAP && !second)
			second = &walk->spots[i];
	}
	*how = COUNTABLE_BY_TRAP;
	return second;
}

/* A power of two, so that it is the same wherever in the loop the steps began. */
static uint32_t first_rounds(const struct walk *walk, const struct spot *head, enum countable how)
{
	uint32_t steps = (STEPS_MAX / 2 + walk->calls * STOP_STEPS) / head->count;
	uint32_t rounds = 1;
	if (how == COUNTABLE_BY_TRAP)
		steps += STOP_STEPS;
	while (2 * rounds * steps <= FIRST_STEPS)
		rounds *= 2;
	return rounds;
}

/* Is it a loop in which rounds are counted already, in this process? */
static bool is_counted(const struct walk *walk)
{
	if (walk->process->counting.length == 0)
		return false;
	for (uint32_t i = 0; i < walk->length; i++)
		if (entries_visible_pc(walk->process->entries, walk->spots[i].address) !=
		    walk->spots[i].address)
			return true;
	return false;
}

/* Know the loop from now on; false if that isn't possible. */
static bool learn_loop(struct walk *walk)
{
	struct process *process = walk->process;
	enum countable how;
	const struct spot *head = choose_head(walk, &how);
	if (!head)
		return false;
	struct loop loop = {.rounds = first_rounds(walk, head, how)};
	(void)entries_place(process->entries, head->address, &loop.head);
	if (!process->options.capture)
		loop.from = process->transitions;
	/* Or another process has learned it since this execution began. */
	return loops_add(process->loops, &loop) || loops_length(process->loops) > process->known;
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
	const bool stopped = status == STATUS_OK && stop.kind == STOP_INTERRUPT;
	if (stopped) {
		ahead_step_back(process, tracee);
		look_leave(process, tracee, false);
	}
	return stopped;
}

static bool report(struct run *run, unsigned length)
{
	char text[160];
	snprintf(text, sizeof text,
		 "the same %u instructions repeat with all memory and registers unchanged, without a yield",
		 length);
	return run_fail(run, END_SPIN, STATUS_OK, text);
}

/* Where no head can be counted the thread yields where it stands: that is another place each time. */
static bool yield_here(struct run *run)
{
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	const struct call call = {.op = {.kind = OP_YIELD, .place = regs ? regs->rip : 0}};
	process_remark(run->process, "loops without operations in which rounds can't be counted");
	run_self(run)->spinning = true;
	return run_stop_before(run, &call);
}

/* Its loop is known now: the execution is run anew, or goes on with it. */
static bool use_loop(struct run *run)
{
	struct process *process = run->process;
	if (process_begins_anew(process)) {
		run->outcome->kind = OUTCOME_AGAIN;
		return true;
	}
	process->known = loops_length(process->loops);
	rounds_plant(process, run_self(run)->tracee);
	return run_resume(run, 0);
}

static bool examine(struct run *run, struct walk *walk)
{
	const struct process *process = run->process;
	bool whole = walk_far(walk);
	unsigned length = whole && process->options.spin_report && !walk->paused ? prove_loop(walk) : 0;
	if (length)
		return report(run, length);
	/* It may wait in the kernel, too. */
	if (walk->came || walk->tracee->life != TRACEE_STOPPED)
		return false;
	if (!whole)
		return run_resume(run, 0);
	sort_spots(walk);
	if (is_counted(walk)) {
		run->patience++;
		return run_resume(run, 0);
	}
	return learn_loop(walk) ? use_loop(run) : yield_here(run);
}

bool run_examine(struct run *run)
{
	struct process *process = run->process;
	const struct process_pilot *pilot = process->options.pilot;
	struct tracee *tracee = run_self(run)->tracee;
	struct walk *walk = calloc(1, sizeof *walk);
	if (!walk || !process_stop_running(process, tracee)) {
		free(walk);
		return false;
	}
	*walk = (struct walk){.run = run, .process = process, .tracee = tracee, .lowest = UINT64_MAX};
	if (pilot)
		pilot->plant(pilot->context, process->target, false);
	look_hide(process, process->target);
	bool ended = examine(run, walk);
	look_show(process, process->target);
	if (pilot)
		pilot->plant(pilot->context, process->target, true);
	free(walk);
	return ended;
}
