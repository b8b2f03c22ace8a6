#ifndef FMC_SUPERVISOR_UNWATCHED_H
#define FMC_SUPERVISOR_UNWATCHED_H

#include <stdbool.h>
#include <stdint.h>

/* Objects of atomic instructions that are no operations, with the thread that accessed them: see uses/unwatched.c. */
#define UNWATCHED_ROOM 64
struct unwatched {
	struct {
		uint64_t address;
		uint32_t thread;
	} at[UNWATCHED_ROOM];
	uint32_t length;
};

/* The thread accesses it: may another one have done so in this execution? */
bool unwatched_may_be_shared(struct unwatched *unwatched, uint32_t thread, uint64_t address);

#endif
