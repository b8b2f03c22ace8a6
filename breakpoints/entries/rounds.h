#ifndef FMC_BREAKPOINTS_ENTRIES_ROUNDS_H
#define FMC_BREAKPOINTS_ENTRIES_ROUNDS_H

#include "breakpoints/traps/state.h"

/*
 * Put head i at an instruction, as entries_count() does; by trap, if that is what is wanted. Which head has a trap there, HEADS_END:
 * none.
 */
enum status head_plant(struct entries *entries, struct tracee *tracee, uint32_t i, uint64_t address,
		       enum countable wanted);
uint32_t head_at(const struct entries *entries, uint64_t trap);

#endif
