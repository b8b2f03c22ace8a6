#ifndef FMC_REPLAY_TIMELINE_RESUME_H
#define FMC_REPLAY_TIMELINE_RESUME_H

#include "replay/timeline/timeline.h"

/* A thread that is let go, for as long as one call of pilot_run() takes. */
struct resume_ctx {
	struct timeline *timeline;
	uint32_t thread;
	struct tracee *tracee;
	int signal;
	int timeout_ms;
	bool single;  /* the process wants every instruction of it */
	size_t watch; /* the watchpoint that was hit on the way, WATCHES: none */
	uint64_t
	    since; /* its CPU time when it was first found running after the last stop; 0: it hasn't been */
	struct stop *stop;
};

/* Where it stands, as the program would see it; 0 if it is gone. */
uint64_t resume_pc(struct resume_ctx *ctx);

/* Which watchpoint has been hit since this was asked, WATCHES: none. */
size_t resume_take_hit(struct resume_ctx *ctx);

/* Wait, but not for an interrupt of somebody else's. */
enum status resume_await(struct resume_ctx *ctx);

/* Does it stand before an instruction that fmc answers? */
bool resume_at_answered(const struct resume_ctx *ctx, uint64_t pc);

/* Is it stopped at a trap of fmc's that is there? A step would run over it. */
bool resume_meets_trap(const struct timeline *timeline, struct tracee *tracee);

/* One instruction of the program's. */
enum status resume_step(struct resume_ctx *ctx);

/* One instruction with the byte at `address` as the program has it. */
enum status resume_without_trap(struct resume_ctx *ctx, uint64_t address, uint8_t original);

/* Freely; the instruction before which the user's trap stands is made first. */
enum status resume_set_off(struct resume_ctx *ctx);

/* It may have made a step: on to where it is at an instruction of the program's, from the counting of a loop's rounds. */
enum status resume_settle(struct resume_ctx *ctx, enum status status);

/* Out of the displaced copy of an instruction, in which a watchpoint may stop it. */
void resume_leave_copy(struct resume_ctx *ctx);

/* What is left in a register of its having been stepped is taken out. */
void resume_clean_flags(struct timeline *timeline, struct tracee *tracee);

#endif
