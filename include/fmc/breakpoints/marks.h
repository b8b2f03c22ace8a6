#ifndef FMC_BREAKPOINTS_MARKS_H
#define FMC_BREAKPOINTS_MARKS_H

#include <fmc/breakpoints/call.h>
#include <fmc/tracer/must_check.h>

/*
 * Marks: instructions of the program at which every thread is seen that comes there, before it executes them. A thread is stopped by a
 * trap, and goes on with a copy of the instruction. Other traps of fmc's may be at the same instruction.
 */
#define MARKS_MOST 256

/*
 * Put mark i below MARKS_MOST at this instruction of a target, whose tracee is stopped. It must be the first byte of an instruction.
 * STATUS_UNSUPPORTED: a copy of it can't be executed elsewhere, or other code is there. lift: take it away for a while. restore: put it back,
 * also where code that has been written around it may have taken it away.
 */
enum status entries_mark(struct entries *entries, struct tracee *tracee, uint32_t i, uint64_t address);
enum status entries_lift_mark(const struct entries *entries, struct target *target, uint32_t i);
enum status entries_restore_mark(const struct entries *entries, struct target *target, uint32_t i);

/* Is this trap one of a mark? Its number, else MARKS_MOST. */
uint32_t entries_mark_at(const struct entries *entries, uint64_t trap);

/* The tracee has met it: it is set to go on as if nothing were there. */
void entries_pass_mark(const struct entries *entries, struct tracee *tracee, uint32_t i);

#endif
