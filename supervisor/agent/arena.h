#ifndef FMC_SUPERVISOR_AGENT_ARENA_H
#define FMC_SUPERVISOR_AGENT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What malloc() and its kin give out in the agent: blocks whose sizes are powers of two, out of one piece of memory; a block that is
 * freed is kept for its size. The kernel is never asked.
 */

/* Before the first block: they are made from `size` bytes at `memory`, aligned to 16. What was given out before is forgotten. */
void arena_begin(void *memory, size_t size);

/* A block was asked for that there was no room for, and NULL was given: what has come of it isn't to be believed. */
bool arena_full(void);

#endif
