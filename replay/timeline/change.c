/*
 * What the user changes, he changes in a copy: the schedule's execution stays what it is. The copy may also run, one thread of
 * it, by itself: that is how a debugger calls a function.
 */
#include "replay/timeline/timeline.h"

#include <fmc/breakpoints/rounds.h>
#include <fmc/supervisor/bitset.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define THREADS_MOST 4096
#define WAIT_MS	     10

struct change {
	struct image *image;
	bool gone;
	uint64_t written[THREADS_MOST / BITSET_WORD_BITS]; /* threads whose registers have been */
};

struct target *changed_target(const struct timeline *timeline)
{
	return timeline->change ? image_target(timeline->change->image) : NULL;
}

bool change_has_registers(const struct timeline *timeline, uint32_t thread)
{
	return timeline->change && thread < THREADS_MOST && bitset_has(timeline->change->written, thread);
}

bool timeline_changed(const struct timeline *timeline)
{
	return timeline->change != NULL;
}

void timeline_drop_changes(struct timeline *timeline)
{
	if (!timeline->change)
		return;
	image_free(timeline->change->image);
	free(timeline->change);
	timeline->change = NULL;
}

static enum status begin(struct timeline *timeline)
{
	if (timeline->change)
		return STATUS_OK;
	if (!timeline->run)
		return STATUS_GONE;
	struct change *change = calloc(1, sizeof *change);
	if (!change)
		return STATUS_NO_MEMORY;
	enum status status = process_image(timeline->process, &change->image);
	if (status != STATUS_OK) {
		free(change);
		return status;
	}
	timeline->change = change;
	return STATUS_OK;
}

static struct tracee *changed_tracee(const struct timeline *timeline, uint32_t thread)
{
	const struct tracee *original = process_tracee(timeline->process, thread);
	return original ? target_tracee(changed_target(timeline), original->index) : NULL;
}

enum status timeline_write(struct timeline *timeline, uint64_t address, const void *from, size_t size)
{
	enum status status = begin(timeline);
	return status == STATUS_OK ? target_write(changed_target(timeline), address, from, size) : status;
}

enum status timeline_set_registers(struct timeline *timeline, uint32_t thread,
				   const struct user_regs_struct *registers)
{
	enum status status = begin(timeline);
	if (status != STATUS_OK)
		return status;
	struct tracee *tracee = changed_tracee(timeline, thread);
	struct user_regs_struct *regs = tracee ? tracee_change_regs(tracee) : NULL;
	if (!regs || thread >= THREADS_MOST)
		return STATUS_GONE;
	/* It may stand before a system call, which then isn't to be made. */
	*regs = *registers;
	regs->orig_rax = (unsigned long long)-1;
	bitset_add(timeline->change->written, thread);
	return STATUS_OK;
}

enum status timeline_set_extended(struct timeline *timeline, uint32_t thread, const void *area, size_t size)
{
	enum status status = begin(timeline);
	if (status != STATUS_OK)
		return status;
	struct tracee *tracee = changed_tracee(timeline, thread);
	return tracee ? tracee_set_extended(tracee, area, size) : STATUS_GONE;
}

bool timeline_diverted(struct timeline *timeline, uint32_t thread)
{
	struct user_regs_struct registers;
	struct tracee *original = process_tracee(timeline->process, thread);
	const struct user_regs_struct *regs = original ? tracee_regs(original) : NULL;
	if (!regs || !change_has_registers(timeline, thread) ||
	    timeline_registers(timeline, thread, &registers) != STATUS_OK)
		return false;
	return registers.rip != pilot_visible_pc(timeline, thread) || registers.rsp != regs->rsp;
}

static bool is_between(const struct timeline *timeline, struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	return regs && entries_is_between(process_entries(timeline->process), regs->rip);
}

/* The copy's thread has come to this; true: that is where it stops. */
static bool copy_ends(struct timeline *timeline, struct tracee *tracee, const struct stop *stop,
		      struct move *move)
{
	const struct entries *entries = process_entries(timeline->process);
	switch (stop->kind) {
	case STOP_STEP:
		move->end = MOVE_DONE;
		return !is_between(timeline, tracee);
	case STOP_TRAP:
		if (traps_has_break(&timeline->user, stop->address)) {
			tracee_change_regs(tracee)->rip = stop->address;
			move->end = MOVE_BREAKPOINT;
			move->address = stop->address;
			return true;
		}
		if (entries_loop_at(entries, stop->address) < LOOPS_MOST) {
			entries_pass_round(entries, tracee, entries_loop_at(entries, stop->address));
			return false;
		}
		if (entries_pass_inside(entries, tracee, stop->address))
			return false;
		if (entries_is_trap(entries, stop->address) &&
		    entries_pass(entries, tracee, stop->address) == STATUS_OK)
			return false;
		move->end = MOVE_SIGNAL;
		move->signal = SIGTRAP;
		return true;
	case STOP_SIGNAL:
		move->end = MOVE_SIGNAL;
		move->signal = (int)stop->number;
		return true;
	case STOP_EXITING:
	case STOP_EXITED:
		timeline->change->gone = true;
		move->end = MOVE_END;
		if (WIFSIGNALED(stop->value))
			move->signal = WTERMSIG(stop->value);
		return true;
	default:
		return false;
	}
}

/* One stop of the copy's thread; true: *move is filled. */
static bool run_on(struct timeline *timeline, struct tracee *tracee, bool step, struct move *move)
{
	struct target *target = tracee->target;
	struct stop stop;
	step = step && !pilot_meets_trap(timeline, tracee);
	enum status status = step ? target_step(tracee, 0) : target_resume(tracee, 0);
	bool asked = false;
	while (status == STATUS_OK) {
		status = target_wait(target, tracee, WAIT_MS, &stop);
		if (status != STATUS_TIMEOUT)
			break;
		status = STATUS_OK;
		if (!asked && run_is_interrupted(timeline)) {
			asked = true;
			status = tracee_interrupt(tracee);
		}
	}
	if (status != STATUS_OK) {
		move->end = status == STATUS_INTERRUPTED ? MOVE_INTERRUPTED : MOVE_END;
		timeline->change->gone = status != STATUS_INTERRUPTED;
		return true;
	}
	if (stop.kind == STOP_INTERRUPT && asked) {
		move->end = MOVE_INTERRUPTED;
		return true;
	}
	return copy_ends(timeline, tracee, &stop, move);
}

/* The user's traps, in the copy's memory. */
static void plant(struct timeline *timeline, struct target *target, bool planted)
{
	struct traps *active = timeline->active;
	timeline->active = &timeline->user;
	traps_plant(timeline, target, planted);
	timeline->active = active;
}

void timeline_run_copy(struct timeline *timeline, uint32_t thread, bool step, struct move *move)
{
	*move = (struct move){.thread = thread, .status = STATUS_OK};
	timeline->interrupted = false;
	struct tracee *tracee = timeline->change ? changed_tracee(timeline, thread) : NULL;
	if (!tracee || timeline->change->gone) {
		move->end = MOVE_END;
		return;
	}
	traps_use(timeline, NULL);
	bitset_add(timeline->change->written, thread);
	plant(timeline, tracee->target, true);
	while (!run_on(timeline, tracee, step, move))
		;
	if (!timeline->change->gone)
		plant(timeline, tracee->target, false);
}
