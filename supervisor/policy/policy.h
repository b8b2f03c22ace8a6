#ifndef FMC_SUPERVISOR_POLICY_POLICY_H
#define FMC_SUPERVISOR_POLICY_POLICY_H

#include <fmc/supervisor/model.h>
#include <fmc/supervisor/trace.h>

/*
 * How an execution goes on where its plan says nothing: pick one of the alternatives. Pure: no libc, no
 * allocation, no globals, one block of memory from the caller without pointers into itself.
 *
 * Alternatives come in ascending order of threads, the choices of one thread in the model's order. A thread
 * is ready iff one of its choices is neither a time-out nor a spurious wake-up, that is, not negative.
 *
 *     while (..) { i = policy_choose(state, &view), or as the plan says; policy_took(state, &view, i);
 * perform }
 */
struct policy_state;

/* Bytes for so many threads. */
size_t policy_bytes(uint32_t threads);

/* Ready for an execution. The policy is copied, but not the profile that it points to. */
struct policy_state *policy_init(void *memory, uint32_t threads, const struct policy *policy);

/* A copy with room for so many threads; serves to grow. */
struct policy_state *policy_copy(void *memory, uint32_t threads, const struct policy_state *from);

/* The present state of the execution. */
struct policy_view {
	const struct model *model; /* at most as many threads as the policy has room for */
	uint32_t previous;	   /* the thread that ran last, NO_THREAD at the start */
	const struct alternative *alternatives;
	size_t count; /* at least 1 */
};

/*
 * The index of the alternative to take.
 *
 * POLICY_DEFAULT: the previous thread if it is ready, else the next ready one in the cyclic order of the
 * numbers, else the same among those that can only time out; of a thread its first choice. The random kinds:
 * a ready thread by their own rules, then one of its choices that make progress, each with the same
 * probability; in one of eight decisions, and where nothing else is left, from everything.
 * POLICY_DEVIATIONS: as deviation.h says.
 */
size_t policy_choose(struct policy_state *state, const struct policy_view *view);

/* What POLICY_DEFAULT takes. */
size_t policy_default(uint32_t previous, const struct alternative *alternatives, size_t count);

/* That one is about to be taken, whatever chose it. */
void policy_took(struct policy_state *state, const struct policy_view *view, size_t taken);

/* POLICY_PCT: the thread that has lost its priority before what was chosen last; NO_THREAD: none has. */
uint32_t policy_dropped(const struct policy_state *state);

/* How many transitions thread t has taken. */
uint64_t policy_steps(const struct policy_state *state, uint32_t t);

/* The probability with which POLICY_RANDOM takes alternative `taken`. */
double policy_probability(const struct alternative *alternatives, size_t count, size_t taken);

/*
 * The rank of each alternative in the order in which POLICY_DEFAULT prefers the threads: 0 for those of the
 * thread that it would take, 1 for those of the next in turn ... (the delays of Emmi, Qadeer and Rakamaric,
 * Delay-Bounded Scheduling, POPL 2011).
 */
uint32_t policy_delays(uint32_t previous, const struct alternative *alternatives, size_t count, size_t i);

#endif
