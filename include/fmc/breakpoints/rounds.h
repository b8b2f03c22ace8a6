#ifndef FMC_BREAKPOINTS_ROUNDS_H
#define FMC_BREAKPOINTS_ROUNDS_H

#include <fmc/breakpoints/call.h>
#include <fmc/breakpoints/loops.h>
#include <fmc/tracer/must_check.h>

/*
 * Counting the rounds of a loop at one of its instructions, the head. Where the instruction makes room for a jump, and
 * nobody asks for the flags that it overwrites, the thread counts by itself, at the price of three instructions a
 * round, and traps when so many rounds are over. Elsewhere every arrival is a trap.
 */
enum FMC_MUST_CHECK countable { COUNTABLE_NOT, COUNTABLE_BY_TRAP, COUNTABLE_BY_JUMP };

/*
 * How can the arrivals at this instruction be counted? It must be one: an address where a thread has been. Not in code that is no
 * file's, or was loaded later: it may be elsewhere in another execution. Not where other traps are, or other heads are counted.
 */
enum countable entries_countable(const struct entries *entries, const struct target *target,
				 uint64_t address);

/*
 * Count at this head in the target from now on, as number i below LOOPS_MOST; `tracee` is stopped. Where it is and what is there
 * is kept for other targets. STATUS_UNSUPPORTED: that can't be done there, or other code is there.
 */
enum status entries_count(struct entries *entries, struct tracee *tracee, uint32_t i, uint64_t address);

/* Trap after so many rounds, at least 1; all are counted anew. */
enum status entries_set_rounds(struct entries *entries, struct target *target, uint32_t i, uint32_t rounds);

/* Is this trap one of a head? Its number, else LOOPS_MOST. */
uint32_t entries_loop_at(const struct entries *entries, uint64_t trap);

/*
 * The tracee has met it: it is set before the head's instruction, to go on as if nothing were there. take: and counted; false: so many
 * rounds aren't over.
 */
void entries_pass_round(const struct entries *entries, struct tracee *tracee, uint32_t i);
bool entries_take_round(struct entries *entries, struct tracee *tracee, uint32_t i);

/*
 * Is this trap one of those inside of a head that is replaced by a jump, for a thread that comes there by another way? The tracee is set to go
 * on as if nothing were there.
 */
bool entries_pass_inside(const struct entries *entries, struct tracee *tracee, uint64_t trap);

/*
 * Is this trap one of a head's, or of those inside of one, or a mark's (marks.h)? Then the tracee is set to go on as if nothing were there, and
 * nothing is counted.
 */
bool entries_pass_head(const struct entries *entries, struct tracee *tracee, uint64_t trap);

/* Is there a trap of a head's or a mark's at this address, as long as rounds are counted there? */
bool entries_is_head_trap(const struct entries *entries, uint64_t address);

/* Those of these loops (a bit each) that are counted in the target: their heads are as the program has them, or count again. */
enum status entries_show_loops(const struct entries *entries, struct target *target,
			       const uint64_t loops[LOOPS_MOST / 64], bool counting);

/* The head's address, as the program knows it. */
uint64_t entries_loop_head(const struct entries *entries, uint32_t i);

#endif
