/*
 * One thread on its way through a part: freely up to where somebody wants it stopped, or instruction by instruction. What
 * concerns the process (an operation, a birth, a signal) it gets to see as if nobody had looked.
 */
#include "replay/timeline/timeline.h"

#include <fmc/breakpoints/rounds.h>

#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define NAP_US	  200
#define TRAP_BYTE 0xcc

/* A thread that is let go, for as long as one call of pilot_run() takes. */
struct resume_ctx {
	struct timeline *timeline;
	uint32_t thread;
	struct tracee *tracee;
	int signal;
	int timeout_ms;
	size_t watch; /* the watchpoint that was hit on the way, WATCHES: none */
	uint64_t
	    since; /* its CPU time when it was first found running after the last stop; 0: it hasn't been */
	struct stop *stop;
};

/* Is it on its way, in the middle of a part? Else it stands before an operation. */
static bool is_running(const struct timeline *timeline, uint32_t thread)
{
	const struct event *event = &timeline->event;
	bool between = event->kind == EVENT_PART || event->kind == EVENT_END || timeline->fresh;
	if (!between && event->thread == thread)
		return true;
	return model_pending(execution_model(timeline->execution), thread)->kind == OP_NONE;
}

uint64_t pilot_visible_pc(struct timeline *timeline, uint32_t thread)
{
	struct tracee *tracee = process_tracee(timeline->process, thread);
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	const struct entries *entries = process_entries(timeline->process);
	if (!regs)
		return 0;
	if (is_running(timeline, thread))
		return entries_visible_pc(entries, regs->rip);
	if (process_in_syscall(timeline->process, thread))
		return regs->rip - 2;
	return entries_is_trap(entries, regs->rip - 1) ? regs->rip - 1
						       : entries_visible_pc(entries, regs->rip);
}

static uint64_t pc_of(struct resume_ctx *ctx)
{
	const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
	return regs ? entries_visible_pc(process_entries(ctx->timeline->process), regs->rip) : 0;
}

/* True: go on. */
static bool yield(struct resume_ctx *ctx, struct event event)
{
	struct timeline *timeline = ctx->timeline;
	event.thread = ctx->thread;
	timeline->fresh = timeline->starting = false;
	timeline->shown_pc = pc_of(ctx);
	/* A signal that is about to come would be lost. */
	timeline->midway = !ctx->signal && event.kind != EVENT_START;
	const bool left = run_yield(timeline, &event);
	timeline->midway = false;
	return !left;
}

/* Which watchpoint has been hit is told once, of the last step. */
static void note_hit(struct resume_ctx *ctx)
{
	const size_t hit = traps_hit(ctx->timeline, ctx->tracee);
	if (ctx->watch == WATCHES)
		ctx->watch = hit;
}

static size_t take_hit(struct resume_ctx *ctx)
{
	note_hit(ctx);
	const size_t hit = ctx->watch;
	ctx->watch = WATCHES;
	return hit;
}

/* The thread has just made an instruction, or was moved by fmc as if it had. */
static bool yield_step(struct resume_ctx *ctx)
{
	const struct event event = {.kind = EVENT_STEP, .watch = take_hit(ctx)};
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
	uint64_t pc = pc_of(ctx);
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
	const size_t watch = moved ? take_hit(ctx) : WATCHES;
	if (watch < WATCHES)
		return yield(ctx, (struct event){.kind = EVENT_WATCHPOINT,
						 .watch = watch,
						 .address = timeline->active->watches[watch].address});
	const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
	bool at_copy = regs && entries_at_copy(process_entries(timeline->process), regs->rip);
	bool arrived = moved || (at_copy && !was_fresh && timeline->shown_pc != pc);
	if (arrived && traps_has_break(timeline->active, pc))
		return yield(ctx, (struct event){.kind = EVENT_BREAKPOINT, .address = pc});
	return true;
}

static int64_t now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* It may share this processor: it runs while nobody else does. */
static void nap(int64_t us)
{
	const struct timespec time = {.tv_nsec = (us < NAP_US ? us : NAP_US) * 1000};
	nanosleep(&time, NULL);
}

/* Wait for so long at most, then stop it. */
static enum status await_slice(struct resume_ctx *ctx)
{
	struct target *target = ctx->tracee->target;
	const int64_t end = now_us() + ctx->timeline->slice_us;
	int64_t left;
	enum status status;
	while ((status = target_wait(target, ctx->tracee, 0, ctx->stop)) == STATUS_TIMEOUT &&
	       (left = end - now_us()) > 0)
		nap(left);
	if (status != STATUS_TIMEOUT)
		return status;
	status = tracee_interrupt(ctx->tracee);
	return status == STATUS_OK ? target_wait(target, ctx->tracee, -1, ctx->stop) : status;
}

/* Wait, but not for an interrupt of somebody else's. */
static enum status await(struct resume_ctx *ctx)
{
	if (ctx->timeline->mode == MODE_SLICE)
		return await_slice(ctx);
	return target_wait(ctx->tracee->target, ctx->tracee, ctx->timeout_ms, ctx->stop);
}

/*
 * The end of a single step. On a busy machine it hasn't even begun when the time is up: only a thread asleep in a system call
 * is past its instruction.
 */
static enum status await_step(struct resume_ctx *ctx)
{
	struct tracee *tracee = ctx->tracee;
	enum status status;
	do
		status = target_wait(tracee->target, tracee, ctx->timeout_ms, ctx->stop);
	while (status == STATUS_TIMEOUT && tracee_blocked_in(tracee, NULL) < 0);
	return status;
}

/* One instruction with the byte at `address` as the program has it. */
static enum status step_without_trap(struct resume_ctx *ctx, uint64_t address, uint8_t original)
{
	static const uint8_t trap_instruction = TRAP_BYTE;
	struct target *target = ctx->tracee->target;
	(void)target_write(target, address, &original, 1); /* a death is told by the step */
	enum status status = target_step(ctx->tracee, ctx->signal);
	if (status == STATUS_OK)
		status = await_step(ctx);
	(void)target_write(target, address, &trap_instruction, 1); /* and a dead one misses no trap */
	return status;
}

/* The displaced first instruction of a function is made at its own place. */
static enum status step_at_copy(struct resume_ctx *ctx, uint64_t entry)
{
	bool performed;
	enum status status =
	    entries_step(process_entries(ctx->timeline->process), ctx->tracee, entry, &performed);
	if (status != STATUS_OK)
		return status;
	*ctx->stop = (struct stop){.kind = STOP_STEP, .tracee = ctx->tracee};
	/* What else has come was given back. */
	return performed ? STATUS_OK : target_wait(ctx->tracee->target, ctx->tracee, 0, ctx->stop);
}

bool pilot_meets_trap(const struct timeline *timeline, struct tracee *tracee)
{
	const struct entries *entries = process_entries(timeline->process);
	const struct user_regs_struct *regs = tracee_regs(tracee);
	uint8_t byte;
	return regs && (entries_is_trap(entries, regs->rip) || entries_is_head_trap(entries, regs->rip)) &&
	       target_read(tracee->target, regs->rip, &byte, 1) == STATUS_OK && byte == TRAP_BYTE;
}

/* Does it stand before an instruction that fmc answers? */
static bool at_answered(const struct resume_ctx *ctx, uint64_t pc)
{
	return entries_answered_here(process_entries(ctx->timeline->process), ctx->tracee->target, pc);
}

/* That is made here, as any other, unless the processor answers from now on. */
static enum status step_answered(struct resume_ctx *ctx, uint64_t pc)
{
	enum status status = entries_pass(process_entries(ctx->timeline->process), ctx->tracee, pc);
	*ctx->stop = (struct stop){.kind = STOP_STEP, .tracee = ctx->tracee};
	if (status != STATUS_OK || !entries_given_up(ctx->tracee->target))
		return status;
	status = target_step(ctx->tracee, 0);
	return status == STATUS_OK ? await_step(ctx) : status;
}

/* One instruction of the code that is there. At a trap of fmc's that means to meet it. */
static enum status step_there(struct resume_ctx *ctx)
{
	struct timeline *timeline = ctx->timeline;
	const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
	uint8_t original;
	if (!regs)
		return STATUS_GONE;
	uint64_t pc = regs->rip, entry = entries_at_copy(process_entries(timeline->process), pc);
	if (entry)
		return step_at_copy(ctx, entry);
	bool answered = at_answered(ctx, pc);
	if (answered && !ctx->signal)
		return step_answered(ctx, pc);
	if (traps_original(timeline, pc, &original))
		return step_without_trap(ctx, pc, original);
	bool meets = !answered && pilot_meets_trap(timeline, ctx->tracee);
	enum status status =
	    meets ? target_resume(ctx->tracee, ctx->signal) : target_step(ctx->tracee, ctx->signal);
	return status == STATUS_OK ? await(ctx) : status;
}

/* It has made a step: on to where it is at an instruction of the program's, from the counting of a loop's rounds. */
static enum status settle(struct resume_ctx *ctx, enum status status)
{
	const struct entries *entries = process_entries(ctx->timeline->process);
	while (status == STATUS_OK && ctx->stop->kind == STOP_STEP) {
		const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
		if (!regs || !entries_is_between(entries, regs->rip))
			break;
		note_hit(ctx);
		ctx->signal = 0;
		status = step_there(ctx);
	}
	return status;
}

/* One instruction of the program's. */
static enum status step(struct resume_ctx *ctx)
{
	return settle(ctx, step_there(ctx));
}

/* The instruction before which the user's trap stands has to be made first. */
static enum status set_off(struct resume_ctx *ctx)
{
	uint8_t original;
	const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
	if (!regs)
		return STATUS_GONE;
	if (!ctx->signal && at_answered(ctx, regs->rip))
		return step_answered(ctx, regs->rip);
	/* With a signal that may be the first one of its handler; one without a handler comes between, and nobody has moved. */
	if (traps_original(ctx->timeline, regs->rip, &original))
		return settle(ctx, step_without_trap(ctx, regs->rip, original));
	enum status status = target_resume(ctx->tracee, ctx->signal);
	return status == STATUS_OK ? await(ctx) : status;
}

/* It takes its time: does the user want it stopped? */
static enum status look_up(struct resume_ctx *ctx)
{
	if (!run_is_interrupted(ctx->timeline))
		return STATUS_TIMEOUT;
	enum status status = tracee_interrupt(ctx->tracee);
	ctx->timeout_ms = -1;
	return status == STATUS_OK ? await(ctx) : status;
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

/* Out of the displaced copy of an instruction, in which a watchpoint may stop it. */
static void leave_copy(struct resume_ctx *ctx)
{
	const struct entries *entries = process_entries(ctx->timeline->process);
	const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
	struct stop stop;
	while (regs && entries_is_between(entries, regs->rip)) {
		if (target_step(ctx->tracee, 0) != STATUS_OK)
			return;
		enum status status = target_wait(ctx->tracee->target, ctx->tracee, -1, &stop);
		if (status == STATUS_OK && stop.kind != STOP_STEP)
			target_push_back(&stop);
		if (status != STATUS_OK || stop.kind != STOP_STEP)
			return;
		regs = tracee_regs(ctx->tracee);
	}
}

/*
 * The processor checkpoints the flags in r11 when it enters the kernel, with the one by which it is stepped. The program would
 * see that.
 */
static void clean_flags(struct timeline *timeline, struct tracee *tracee)
{
	static const uint8_t syscall_instruction[] = {0x0f, 0x05};
	uint8_t code[sizeof syscall_instruction];
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	const uint64_t before = regs ? regs->rip - sizeof code : 0;
	if (!regs || !(regs->r11 & TRAP_FLAG) ||
	    target_read(tracee->target, before, code, sizeof code) != STATUS_OK)
		return;
	traps_hide(timeline, before, code, sizeof code);
	if (memcmp(code, syscall_instruction, sizeof code) != 0)
		return;
	tracee_change_regs(tracee)->r11 &= ~(unsigned long long)TRAP_FLAG;
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
	       (at_answered(ctx, pc) && traps_has_break(ctx->timeline->active, pc));
}

/* Is the stop one that somebody looking wants to see? */
static enum stop_action judge_stop(struct resume_ctx *ctx)
{
	struct timeline *timeline = ctx->timeline;
	const struct stop *stop = ctx->stop;
	uint8_t original;
	clean_flags(timeline, ctx->tracee);
	switch (stop->kind) {
	case STOP_CLONE:
		clean_flags(timeline, stop->child);
		return ACTION_GIVE;
	case STOP_STEP:
		if (is_stepping(timeline))
			return action_of(yield_step(ctx));
		/* It has set off from a breakpoint, perhaps to the next. */
		size_t watch = take_hit(ctx);
		uint64_t pc = pc_of(ctx);
		if (watch < WATCHES)
			return action_of(
			    yield(ctx, (struct event){.kind = EVENT_WATCHPOINT,
						      .watch = watch,
						      .address = timeline->active->watches[watch].address}));
		if (has_break(ctx, pc))
			return action_of(yield(ctx, (struct event){.kind = EVENT_BREAKPOINT, .address = pc}));
		return ACTION_ON;
	case STOP_TRAP:
		if (!at_answered(ctx, stop->address) && !traps_original(timeline, stop->address, &original))
			return ACTION_GIVE;
		tracee_change_regs(ctx->tracee)->rip = stop->address;
		if (!has_break(ctx, stop->address))
			return ACTION_ON;
		return action_of(
		    yield(ctx, (struct event){.kind = EVENT_BREAKPOINT, .address = stop->address}));
	case STOP_WATCH: {
		size_t hit = take_hit(ctx);
		uint64_t before = pc_of(ctx);
		if (hit == WATCHES && traps_has_before(timeline->active, before))
			return action_of(
			    yield(ctx, (struct event){.kind = EVENT_BREAKPOINT, .address = before}));
		if (hit == WATCHES)
			return ACTION_ON;
		leave_copy(ctx);
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
	while (status == STATUS_OK && (status = await(ctx)) == STATUS_OK) {
		const struct stop *stop = ctx->stop;
		ctx->signal = 0;
		if (stop->kind == STOP_TRAP && traps_original(timeline, stop->address, &original)) {
			tracee_change_regs(ctx->tracee)->rip = stop->address;
			status = step_without_trap(ctx, stop->address, original);
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
	traps_arm(ctx->timeline, ctx->tracee);
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
			status = settle(ctx, await(ctx));
		} else {
			prepare(ctx);
			timeline->shown_pc = 0;
			ctx->since = 0;
			status = is_stepping(timeline) ? step(ctx) : set_off(ctx);
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
		switch (judge_stop(ctx)) {
		case ACTION_GIVE:
			return STATUS_OK;
		case ACTION_LEAVE:
			return STATUS_INTERRUPTED;
		case ACTION_ON:
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

static enum status pilot_run(void *context, uint32_t thread, bool resume, int signal, bool own,
			     int timeout_ms, struct stop *stop)
{
	struct timeline *timeline = context;
	struct resume_ctx ctx = {.timeline = timeline,
				 .thread = thread,
				 .tracee = process_tracee(timeline->process, thread),
				 .signal = signal,
				 .timeout_ms = timeout_ms,
				 .watch = WATCHES,
				 .stop = stop};
	if (!timeline->run) {
		/* Somebody else's execution: nobody looks. */
		enum status status = resume ? target_resume(ctx.tracee, signal) : STATUS_OK;
		return status == STATUS_OK || status == STATUS_GONE ? await(&ctx) : status;
	}
	if (timeline->mode == MODE_LEAVE)
		return STATUS_INTERRUPTED;
	enum status status = own ? run_own(&ctx, resume) : run_seen(&ctx, resume);
	timeline->given += status == STATUS_OK;
	return status;
}

static void plant(void *context, struct target *target, bool planted)
{
	struct timeline *timeline = context;
	if (timeline->planted_in)
		traps_plant(timeline, target, planted);
}

void pilot_install(struct timeline *timeline)
{
	/* Slices are shorter than the kernel lets a sleep be late by default. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	timeline->pilot = (struct process_pilot){.context = timeline, .run = pilot_run, .plant = plant};
}
