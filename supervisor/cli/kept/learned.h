#ifndef FMC_SUPERVISOR_CLI_KEPT_LEARNED_H
#define FMC_SUPERVISOR_CLI_KEPT_LEARNED_H

#include <fmc/breakpoints/loops.h>
#include <fmc/breakpoints/promoted.h>
#include <fmc/breakpoints/shared.h>
#include <fmc/supervisor/saved.h>

/* What executions have shown to be operations, as bytes, for later runs and for workers that share no memory. */

/* Heads of loops, and descriptors that threads share, from these numbers on. Either may be NULL: there are none. */
void learned_save(const struct loops *loops, uint32_t loops_from, const struct shared *shared,
		  uint32_t shared_from, struct saver *saver);

/* Into tables in which some of them may be. False: the bytes can't be that. */
bool learned_load(struct loops *loops, struct shared *shared, struct loader *loader);

/* Accesses to memory that are operations; NULL: there are none. */
void promoted_save(const struct promoted *promoted, struct saver *saver);
bool promoted_load(struct promoted *promoted, struct loader *loader);

#endif
