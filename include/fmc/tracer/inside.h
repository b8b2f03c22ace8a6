#ifndef FMC_TRACER_INSIDE_H
#define FMC_TRACER_INSIDE_H

#include <fmc/tracer/target.h>

/*
 * A target in which something of fmc's is to run by itself: memory for it, and a rule for system calls. Its tracee is stopped in all of
 * these; failure is STATUS_UNSUPPORTED (there is no room, or the kernel doesn't have it) or STATUS_GONE, and the target is of no use then.
 */

/* New memory of the target's own there, which has to be free; to be read and executed, to be read and written, or not to be touched yet. */
enum inside_memory { INSIDE_CODE, INSIDE_DATA, INSIDE_RESERVED };
enum status inside_map(struct tracee *tracee, uint64_t at, uint64_t bytes, enum inside_memory memory);

/* Memory that the target shares with fmc there: this file, of which fmc has the descriptor. */
enum status inside_share(struct tracee *tracee, uint64_t at, uint64_t bytes, int file);
/* The same for a room as target_reserve() makes them. False: it can't be had so. Copies share it, too. */
bool inside_reserve(struct target *target, const struct reserved *room, int file);

/* Its own /proc/self/pagemap, open in the target by a descriptor that no program is given. */
enum status inside_open_pagemap(struct tracee *tracee, int *descriptor);

/*
 * From now on each system call of the target stops it, as STOP_SYSCALL, whatever it is, and none is answered by the tracer; but those from
 * inside_call(), `syscall` and a return, aren't noticed. For good.
 */
enum status inside_stop_calls(struct tracee *tracee);
uint64_t inside_call(const struct target *target);

/* The processors that the program is told of by sched_getaffinity(2). */
void inside_processors(void *set, size_t size);

#endif
