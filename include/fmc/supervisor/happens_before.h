#ifndef FMC_SUPERVISOR_HAPPENS_BEFORE_H
#define FMC_SUPERVISOR_HAPPENS_BEFORE_H

#include <fmc/supervisor/trace.h>

/*
 * The happens-before relation of a trace: the transitive closure of dependence (dependence.h) in the order of
 * the trace. Traces that differ only in the order of independent transitions have the same: they are one
 * Mazurkiewicz trace.
 *
 * Works from footprints, one transition after the other, in time proportional to threads times accesses. Kept
 * between traces, for its memory.
 */
struct happens_before;

struct happens_before *happens_before_new(void); /* NULL without memory */
void happens_before_free(struct happens_before *hb);

/* Begin with this trace; `fair`: the priorities of fairness count. False without memory. */
bool happens_before_start(struct happens_before *hb, const struct trace *trace, bool fair);

/* The same without them, where happens_before_hash() is all that is asked for. */
bool happens_before_start_hash(struct happens_before *hb, const struct trace *trace);

/* The same, and with all that a thread does in its order, also where flushes are apart. */
bool happens_before_start_threads(struct happens_before *hb, const struct trace *trace);

/* Take in the trace's next transition, or all that are left. False without memory. */
bool happens_before_push(struct happens_before *hb);
bool happens_before_push_all(struct happens_before *hb);

/* Is i j, or before j in the relation? */
bool happens_before(const struct happens_before *hb, size_t i, size_t j);

/* For each thread, or lane (trace.h), how many of its transitions are i or before it: a vector clock. */
const uint32_t *happens_before_clock(const struct happens_before *hb, size_t i);
uint32_t happens_before_threads(const struct happens_before *hb); /* length of clocks */

/*
 * A digest of the Mazurkiewicz trace of the first n transitions, n <= the length. Equal for prefixes that
 * differ only in the order of independent transitions, whatever numbers their objects have; made of threads,
 * kinds, choices and the relation alone (as CHESS's HBExecution, versions in place of clocks).
 */
struct trace_hash {
	uint64_t low, high;
};

struct trace_hash happens_before_hash(const struct happens_before *hb, size_t n);

/*
 * The digest that there would be after the transitions taken in so far if `thread` performed an operation of
 * this kind with this choice and footprint next.
 */
struct trace_hash happens_before_ahead(const struct happens_before *hb, uint32_t thread, enum op_kind kind,
				       int32_t choice, struct accesses footprint);

/*
 * Transitions of other threads that an operation with this footprint depends on directly, from the latest to
 * the earliest: those on which transition j does, or, with j == length, one that would come next.
 * *candidate gets SIZE_MAX after the last.
 *
 * Candidates that come before one that was named by happens_before_pass(), or before the earlier transitions
 * of the thread, are left out. It is named by its lane.
 */
bool happens_before_candidates(struct happens_before *hb, size_t j, uint32_t lane, struct accesses footprint);
size_t happens_before_candidate(struct happens_before *hb);
void happens_before_pass(struct happens_before *hb, size_t i);

#endif
