#ifndef FMC_TRACER_FOREIGN_PLANTING_CODE_H
#define FMC_TRACER_FOREIGN_PLANTING_CODE_H

#include "tracer/target/tracee.h"

#include <fmc/tracer/planting.h>

/*
 * Visit all that a thread may go on at: its program counter, and each aligned word from its stack pointer on, among which are
 * those where signal handlers return to. Of all threads, or of the only one of a stopped process. False: it can't be told
 * now of some thread.
 */
bool planting_each_word(struct foreign *foreign, void (*visit)(void *context, uint64_t word), void *context);
bool planting_each_word_of(pid_t pid, int memory, void (*visit)(void *context, uint64_t word), void *context);

/* Stopped threads that are in a stub are put to where they would be without it. False: of one it can't be told where it is. */
bool planting_move_out(const struct planting *planting, struct foreign *foreign);

#endif
