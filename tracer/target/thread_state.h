#ifndef FMC_TRACER_TARGET_THREAD_STATE_H
#define FMC_TRACER_TARGET_THREAD_STATE_H

#include "tracer/target/standing.h"

/* All that a thread is besides the memory of its process, so that another one can be made the same. */
struct thread_state {
	bool dead; /* the rest is empty then */
	struct user_regs_struct regs;
	uint64_t mask; /* of signals */
	uint64_t clear_tid, robust_list;
	stack_t signal_stack;
	int64_t used_ns; /* as in struct tracee: */
	struct affinity affinity;
	struct standing standing;
	size_t extended_size;
	void *extended; /* owned */
};

/* STATUS_UNSUPPORTED: it stands where no other thread can be brought to. */
enum status thread_state_take(struct tracee *tracee, struct thread_state *state);
void thread_state_release(struct thread_state *state);

/* A thread of a copy that has run nothing yet, all signals blocked, becomes so. */
enum status thread_state_give(const struct thread_state *state, struct tracee *tracee);

/*
 * The main thread of a forked process has most of it already. It can run calls for fmc after the first of these; the second
 * brings it to where the original stands in the kernel, and lets signals come.
 */
void thread_state_give_forked(const struct thread_state *state, struct tracee *tracee);
enum status thread_state_settle(const struct thread_state *state, struct tracee *tracee);

#endif
