/*
 * One thread on its way through a part: freely up to where somebody wants it stopped, or instruction by instruction. What
 * concerns the process (an operation, a birth, a signal) it gets to see as if nobody had looked.
 */
#include "replay/timeline/resume.h"

#include <sys/prctl.h>

/* True: go on. */
static bool yield(struct resume_ctx *ctx, struct event event)
{
	struct timeline *timeline = ctx->timeline;
	event.thread = ctx->thread;
	timeline->fresh = timeline->starting = false;
	timeline->shown_pc = resume_pc(ctx);
	/* A signal that is about to come would be lost, and so would what the process does after each step. */
	timeline->midway = !ctx->signal && !ctx->single && event.kind != EVENT_START;
	const bool left = run_yield(timeline, &event);
	timeline->midway = false;
	return !left;
}

/* The thread has just made an instruction, or was moved by fmc as if it had. */
static bool yield_step(struct resume_ctx *ctx)
{
	const struct event event = {.kind = EVENT_STEP, .watch = resume_take_hit(ctx)};
	return yield(ctx, event);
}

static bool is_stepping(const struct timeline *timeline)
{
	return timeline->mode == MODE_STEP;
}

/*
 * The thread is about to be let go by the process: has it come to where somebody wants to stop, without having run? An
 * operation that fmc completes counts as an instruction; a call that is no operation ends at the function's copy.
 */
static bool arrive(struct resume_ctx *ctx)
{
	struct timeline *timeline = ctx->timeline;
	uint64_t pc = resume_pc(ctx);
	if (timeline->starting)
		return yield(ctx, (struct event){.kind = EVENT_START});
	if (ctx->signal && !timeline->passes[ctx->signal])
		return yield(ctx, (struct event){.kind = EVENT_SIGNAL, .signal = ctx->signal});
	bool moved = timeline->fresh && pc != timeline->fresh_pc;
	bool was_fresh = timeline->fresh;
	timeline->fresh = false;
	if (moved && is_stepping(timeline))
		return yield_step(ctx);
	/* The operation may be an instruction of the program's, which touches what is watched. */
	const size_t watch = moved ? resume_take_hit(ctx) : WATCHES;
	if (watch < WATCHES)
		return yield(ctx, (struct event){.kind = EVENT_WATCHPOINT,
						 .watch = watch,
						 .address = timeline->active->watches[watch].address});
	const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
	bool at_copy = regs && entries_at_copy(process_entries(timeline->process), regs->rip);
	bool arrived = moved || (at_copy && !was_fresh && timeline->shown_pc != pc);
	const uint64_t place = place_of(timeline, ctx->thread, pc);
	if (arrived && traps_has_break(timeline->active, place))
		return yield(ctx, (struct event){.kind = EVENT_BREAKPOINT, .address = place});
	return true;
}

/* It takes its time: does the user want it stopped? */
static enum status look_up(struct resume_ctx *ctx)
{
	if (!run_is_interrupted(ctx->timeline))
		return STATUS_TIMEOUT;
	enum status status = tracee_interrupt(ctx->tracee);
	ctx->timeout_ms = -1;
	return status == STATUS_OK ? resume_await(ctx) : status;
}

/*
 * It takes its time, and that is nothing to be examined yet: on a busy machine it may hardly have run, and what it is stopped at
 * takes more than all it computes.
 */
static bool is_young(struct resume_ctx *ctx)
{
	struct process *process = ctx->timeline->process;
	if (tracee_blocked_in(ctx->tracee, NULL) >= 0)
		return false;
	const uint64_t used = tracee_cpu_time(ctx->tracee);
	if (!ctx->since)
		ctx->since = used ? used : 1;
	return used - ctx->since < (uint64_t)process_spin_ms(process) * 1000000;
}

enum stop_action {
	ACTION_ON,    /* nobody's business: go on */
	ACTION_GIVE,  /* the process's business */
	ACTION_LEAVE, /* the run is given up */
};

static enum stop_action action_of(bool on)
{
	return on ? ACTION_ON : ACTION_LEAVE;
}

/* A trap of the user's, or one of fmc's in its place that nobody but fmc's answer would tell of. */
static bool has_break(const struct resume_ctx *ctx, uint64_t pc)
{
	uint8_t original;
	return traps_original(ctx->timeline, pc, &original) ||
	       (resume_at_answered(ctx, pc) &&
		traps_has_break(ctx->timeline->active, place_of(ctx->timeline, ctx->thread, pc)));
}

/* True: go on. */
static bool yield_break(struct resume_ctx *ctx, uint64_t pc)
{
	const struct event event = {.kind = EVENT_BREAKPOINT,
				    .address = place_of(ctx->timeline, ctx->thread, pc)};
	return yield(ctx, event);
}

/* Is the stop one that somebody looking wants to see? */
static enum stop_action judge_stop(struct resume_ctx *ctx)
{
	struct timeline *timeline = ctx->timeline;
	const struct stop *stop = ctx->stop;
	uint8_t original;
	resume_clean_flags(timeline, ctx->tracee);
	switch (stop->kind) {
	case STOP_CLONE:
		resume_clean_flags(timeline, stop->child);
		return ACTION_GIVE;
	case STOP_STEP:
		if (is_stepping(timeline))
			return action_of(yield_step(ctx));
		/* It has set off from a breakpoint, perhaps to the next. */
		size_t watch = resume_take_hit(ctx);
		uint64_t pc = resume_pc(ctx);
		if (watch < WATCHES)
			return action_of(
			    yield(ctx, (struct event){.kind = EVENT_WATCHPOINT,
						      .watch = watch,
						      .address = timeline->active->watches[watch].address}));
		if (has_break(ctx, pc))
			return action_of(yield_break(ctx, pc));
		return ACTION_ON;
	case STOP_TRAP:
		if (!resume_at_answered(ctx, stop->address) &&
		    !traps_original(timeline, stop->address, &original))
			return ACTION_GIVE;
		tracee_change_regs(ctx->tracee)->rip = stop->address;
		if (!has_break(ctx, stop->address))
			return ACTION_ON;
		return action_of(yield_break(ctx, stop->address));
	case STOP_WATCH: {
		size_t hit = resume_take_hit(ctx);
		uint64_t before = resume_pc(ctx);
		if (hit == WATCHES && traps_has_before(timeline->active, before))
			return action_of(yield_break(ctx, before));
		if (hit == WATCHES)
			return ACTION_ON;
		resume_leave_copy(ctx);
		return action_of(
		    yield(ctx, (struct event){.kind = EVENT_WATCHPOINT,
					      .watch = hit,
					      .address = timeline->active->watches[hit].address}));
	}
	case STOP_INTERRUPT:
		if (timeline->mode == MODE_SLICE)
			return action_of(yield(ctx, (struct event){.kind = EVENT_SLICE}));
		if (!run_is_interrupted(timeline))
			return ACTION_ON;
		return action_of(yield(ctx, (struct event){.kind = EVENT_INTERRUPTED}));
	default:
		return ACTION_GIVE;
	}
}

/*
 * A function that fmc has called: the user's traps are passed, and so is the end of a slice. Given to the process it would count among
 * the stops that say where an image belongs, and come in one run and not in the next.
 */
static enum status run_own(struct resume_ctx *ctx, bool resume)
{
	struct timeline *timeline = ctx->timeline;
	uint8_t original;
	traps_renew(timeline);
	enum status status = resume ? target_resume(ctx->tracee, ctx->signal) : STATUS_OK;
	while (status == STATUS_OK && (status = resume_await(ctx)) == STATUS_OK) {
		const struct stop *stop = ctx->stop;
		ctx->signal = 0;
		if (stop->kind == STOP_TRAP && traps_original(timeline, stop->address, &original)) {
			tracee_change_regs(ctx->tracee)->rip = stop->address;
			status = resume_without_trap(ctx, stop->address, original);
			if (status != STATUS_OK || (stop->kind != STOP_STEP && stop->kind != STOP_INTERRUPT))
				return status;
		} else if (stop->kind != STOP_WATCH && stop->kind != STOP_INTERRUPT) {
			return status;
		}
		tracee_watches_hit(ctx->tracee);
		status = target_resume(ctx->tracee, 0);
	}
	return status;
}

/* Images that were made in slices have the processors of then. */
static void arrange_processors(const struct resume_ctx *ctx)
{
	struct timeline *timeline = ctx->timeline;
	const bool apart = timeline->mode == MODE_SLICE;
	timeline->apart = timeline->apart || apart;
	if (timeline->apart)
		tracee_run_apart(ctx->tracee, apart);
}

/* In force are those of now: they may have been changed while it was stopped. */
static void prepare(struct resume_ctx *ctx)
{
	traps_renew(ctx->timeline);
	traps_arm(ctx->timeline, ctx->thread, ctx->tracee);
	arrange_processors(ctx);
}

static enum status enter(struct resume_ctx *ctx)
{
	struct timeline *timeline = ctx->timeline;
	enum status status = process_enter(timeline->process, timeline->enter->process);
	if (status != STATUS_OK)
		return status;
	timeline->enter = NULL;
	timeline->effort.copies++;
	traps_forget(timeline);
	ctx->signal = 0;
	ctx->tracee = process_tracee(timeline->process, ctx->thread);
	if (!ctx->tracee)
		return STATUS_GONE;
	return yield(ctx, (struct event){.kind = EVENT_ENTERED}) ? STATUS_OK : STATUS_INTERRUPTED;
}

/* Does an image belong here that is to be put in the process's place? No stop that concerned the process is missing. */
static bool is_to_enter(const struct timeline *timeline)
{
	return timeline->enter && timeline->enter->given == timeline->given;
}

static enum status run_to_stop(struct resume_ctx *ctx, bool resume)
{
	struct timeline *timeline = ctx->timeline;
	const int timeout_ms = ctx->timeout_ms;
	for (;;) {
		enum status status = STATUS_OK;
		while (resume && is_to_enter(timeline) && status == STATUS_OK)
			status = enter(ctx);
		if (status != STATUS_OK)
			return status;
		if (!resume) {
			/* It may be a step that took its time, within the counting of a loop's rounds. */
			status = resume_settle(ctx, resume_await(ctx));
		} else {
			prepare(ctx);
			timeline->shown_pc = 0;
			ctx->since = 0;
			status =
			    ctx->single || is_stepping(timeline) ? resume_step(ctx) : resume_set_off(ctx);
			ctx->signal = 0;
		}
		if (status == STATUS_TIMEOUT)
			status = look_up(ctx);
		if (status == STATUS_TIMEOUT && is_young(ctx)) {
			resume = false;
			continue;
		}
		if (status != STATUS_OK)
			return status;
		ctx->timeout_ms = timeout_ms;
		const bool stepped = ctx->stop->kind == STOP_STEP;
		switch (judge_stop(ctx)) {
		case ACTION_GIVE:
			return STATUS_OK;
		case ACTION_LEAVE:
			return STATUS_INTERRUPTED;
		case ACTION_ON:
			if (ctx->single && stepped)
				return STATUS_OK;
			resume = true;
		}
	}
}

static enum status run_seen(struct resume_ctx *ctx, bool resume)
{
	if (resume && !arrive(ctx))
		return STATUS_INTERRUPTED;
	return run_to_stop(ctx, resume);
}

static enum status pilot_run(void *context, uint32_t thread, enum pilot_way way, int signal, bool own,
			     int timeout_ms, struct stop *stop)
{
	struct timeline *timeline = context;
	const bool resume = way != PILOT_WAITS;
	struct resume_ctx ctx = {.timeline = timeline,
				 .thread = thread,
				 .tracee = process_tracee(timeline->process, thread),
				 .signal = signal,
				 .timeout_ms = timeout_ms,
				 .single = way == PILOT_STEPS,
				 .watch = WATCHES,
				 .stop = stop};
	if (!timeline->run) {
		/* Somebody else's execution: nobody looks. */
		enum status status = ctx.single ? target_step(ctx.tracee, signal)
				     : resume	? target_resume(ctx.tracee, signal)
						: STATUS_OK;
		return status == STATUS_OK || status == STATUS_GONE ? resume_await(&ctx) : status;
	}
	if (timeline->mode == MODE_LEAVE)
		return STATUS_INTERRUPTED;
	enum status status = own ? run_own(&ctx, resume) : run_seen(&ctx, resume);
	timeline->given += status == STATUS_OK;
	return status;
}

static void hide(void *context, uint64_t address, uint8_t *bytes, size_t size)
{
	traps_hide(context, address, bytes, size);
}

static void plant(void *context, struct target *target, bool planted)
{
	struct timeline *timeline = context;
	/* What is copied is that of the running thread, where they are planted if they are anywhere. */
	if (timeline->planted_in && (!planted || timeline->planted_in == target))
		traps_plant(timeline, target, planted);
}

void pilot_install(struct timeline *timeline)
{
	/* Slices are shorter than the kernel lets a sleep be late by default. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	timeline->pilot =
	    (struct process_pilot){.context = timeline, .run = pilot_run, .hide = hide, .plant = plant};
}
