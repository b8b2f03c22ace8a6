/* The copy that the user changes runs, one thread of it, by itself: that is how a debugger calls a function. */
#include "replay/timeline/change.h"
#include "replay/timeline/resume.h"

#include <fmc/breakpoints/rounds.h>
#include <fmc/supervisor/bitset.h>

#include <sys/wait.h>

#define WAIT_MS 10

bool timeline_diverted(struct timeline *timeline, uint32_t thread)
{
	struct user_regs_struct registers;
	struct tracee *original = process_tracee(timeline->process, thread);
	const struct user_regs_struct *regs = original ? tracee_regs(original) : NULL;
	if (!regs || !change_has_registers(timeline, thread) ||
	    timeline_registers(timeline, thread, &registers) != STATUS_OK)
		return false;
	return registers.rip != visible_pc(timeline, thread) || registers.rsp != regs->rsp;
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
		if (entries_pass_head(entries, tracee, stop->address))
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
	step = step && !resume_meets_trap(timeline, tracee);
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
