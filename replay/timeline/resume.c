/* A thread that is let go: by an instruction of the program's, or freely, past what fmc and the user have put into its code. */
#include "replay/timeline/resume.h"

#include <fmc/breakpoints/rounds.h>

#include <string.h>
#include <time.h>

#define NAP_US	  200
#define TRAP_BYTE 0xcc

uint64_t resume_pc(struct resume_ctx *ctx)
{
	const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
	return regs ? entries_visible_pc(process_entries(ctx->timeline->process), regs->rip) : 0;
}

/* Which watchpoint has been hit is told once, of the last step. */
static void note_hit(struct resume_ctx *ctx)
{
	const size_t hit = traps_hit(ctx->timeline, ctx->tracee);
	if (ctx->watch == WATCHES)
		ctx->watch = hit;
}

size_t resume_take_hit(struct resume_ctx *ctx)
{
	note_hit(ctx);
	const size_t hit = ctx->watch;
	ctx->watch = WATCHES;
	return hit;
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
enum status resume_await(struct resume_ctx *ctx)
{
	if (ctx->timeline->mode == MODE_SLICE && !ctx->single)
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
enum status resume_without_trap(struct resume_ctx *ctx, uint64_t address, uint8_t original)
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

bool resume_meets_trap(const struct timeline *timeline, struct tracee *tracee)
{
	const struct entries *entries = process_entries(timeline->process);
	const struct user_regs_struct *regs = tracee_regs(tracee);
	uint8_t byte;
	return regs && (entries_is_trap(entries, regs->rip) || entries_is_head_trap(entries, regs->rip)) &&
	       target_read(tracee->target, regs->rip, &byte, 1) == STATUS_OK && byte == TRAP_BYTE;
}

/* Does it stand before an instruction that fmc answers? */
bool resume_at_answered(const struct resume_ctx *ctx, uint64_t pc)
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
	bool answered = resume_at_answered(ctx, pc);
	if (answered && !ctx->signal)
		return step_answered(ctx, pc);
	if (traps_original(timeline, pc, &original))
		return resume_without_trap(ctx, pc, original);
	bool meets = !answered && resume_meets_trap(timeline, ctx->tracee);
	enum status status =
	    meets ? target_resume(ctx->tracee, ctx->signal) : target_step(ctx->tracee, ctx->signal);
	return status == STATUS_OK ? resume_await(ctx) : status;
}

/* It has made a step: on to where it is at an instruction of the program's, from the counting of a loop's rounds. */
enum status resume_settle(struct resume_ctx *ctx, enum status status)
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
enum status resume_step(struct resume_ctx *ctx)
{
	return resume_settle(ctx, step_there(ctx));
}

/* The instruction before which the user's trap stands has to be made first. */
enum status resume_set_off(struct resume_ctx *ctx)
{
	uint8_t original;
	const struct user_regs_struct *regs = tracee_regs(ctx->tracee);
	if (!regs)
		return STATUS_GONE;
	if (!ctx->signal && resume_at_answered(ctx, regs->rip))
		return step_answered(ctx, regs->rip);
	/* With a signal that may be the first one of its handler; one without a handler comes between, and nobody has moved. */
	if (traps_original(ctx->timeline, regs->rip, &original))
		return resume_settle(ctx, resume_without_trap(ctx, regs->rip, original));
	enum status status = target_resume(ctx->tracee, ctx->signal);
	return status == STATUS_OK ? resume_await(ctx) : status;
}

/* Out of the displaced copy of an instruction, in which a watchpoint may stop it. */
void resume_leave_copy(struct resume_ctx *ctx)
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
void resume_clean_flags(struct timeline *timeline, struct tracee *tracee)
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
