#ifndef FMC_SUPERVISOR_FAIR_H
#define FMC_SUPERVISOR_FAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The fair scheduler: Algorithm 1 of Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008.
 *
 * It knows threads by number and sets of threads as in bitset.h, nothing else. Pure, like the model: one
 * block of memory from the caller, no libc, no pointers inside.
 */
struct fair;

/* Bytes for so many threads, at most 4,096. */
size_t fair_bytes(uint32_t threads);

/* No threads yet. k: only every k-th yield of a thread counts, k >= 1. k == 0: fairness off, everything is
 * schedulable. */
struct fair *fair_init(void *memory, uint32_t threads, uint32_t k);

/* A copy with room for so many threads; serves to grow. */
struct fair *fair_copy(void *memory, uint32_t threads, const struct fair *from);

/* Threads are added in the order of their numbers. A thread born later enters with E empty and D, S full. */
void fair_add_thread(struct fair *f);

uint32_t fair_threads(const struct fair *f);

/* Words of the sets that this f takes and gives: bitset_words() of its room. */
uint32_t fair_words(const struct fair *f);

/* Line 7: schedulable := enabled \ pre(P, enabled). The two may be the same memory. */
void fair_schedulable(const struct fair *f, const uint64_t *enabled, uint64_t *schedulable);

/*
 * Lines 13 to 29: t has performed a transition, a yield or not, which led from the enabled set `before` to
 * `after`. Returns true iff the yield counted (began a new window).
 */
bool fair_step(struct fair *f, uint32_t t, bool yield, const uint64_t *before, const uint64_t *after);

/*
 * The same of a transition that has found that t has to wait, which wasn't known before: it is as if t hadn't been enabled, since a transition of `by`
 * (NO_THREAD: nobody known, or t itself). t keeps its priorities, and counts as disabled by that thread.
 */
void fair_late(struct fair *f, uint32_t t, uint32_t by, const uint64_t *after);

/* Would t's next transition count, if it is a yield or not: begin a new window. */
bool fair_counts(const struct fair *f, uint32_t t, bool yield);

/* (t, u) in P: t runs only while u is not enabled. */
bool fair_yields_to(const struct fair *f, uint32_t t, uint32_t u);
/* The same of any u. */
bool fair_yields(const struct fair *f, uint32_t t);

/* P is acyclic (the invariant after Theorem 3); for assertions and tests. */
bool fair_acyclic(const struct fair *f);

#endif
