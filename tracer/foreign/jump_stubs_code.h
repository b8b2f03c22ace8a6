#ifndef FMC_TRACER_FOREIGN_JUMP_STUBS_CODE_H
#define FMC_TRACER_FOREIGN_JUMP_STUBS_CODE_H

#include "tracer/tracee/tracee.h"

#include <fmc/tracer/jump_stubs.h>

/*
 * Visit all that a thread may go on at: its program counter, and each aligned word from its stack pointer on, among which are
 * those where signal handlers return to. Of all threads, or of the only one of a stopped process. False: it can't be told
 * now of some thread.
 */
bool jump_stubs_each_word(struct foreign *foreign, void (*visit)(void *context, uint64_t word),
			  void *context);
bool jump_stubs_each_word_of(pid_t pid, int memory, void (*visit)(void *context, uint64_t word),
			     void *context);

/* Stopped threads that are in a stub are put to where they would be without it. False: of one it can't be told where it is. */
bool jump_stubs_move_out(const struct jump_stubs *jumps, struct foreign *foreign);

#endif
