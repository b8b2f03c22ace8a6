#ifndef FMC_BREAKPOINTS_SAMPLER_RELEASES_H
#define FMC_BREAKPOINTS_SAMPLER_RELEASES_H

#include "breakpoints/code/displace.h"
#include <fmc/breakpoints/sampling.h>

/*
 * Functions that are seen each time. Those that give memory back, which may be other memory from then on: free, realloc, munmap,
 * operator delete. And those by which threads end: what libc's count of them orders isn't ordered by any operation.
 */
enum release_kind {
	RELEASE_MEMORY,
	RELEASE_THREAD,	 /* pthread_exit */
	RELEASE_PROCESS, /* exit */
};

struct release {
	uint64_t address;
	uint64_t copy; /* of its first instruction, that the trap is passed by */
	enum release_kind kind;
	uint8_t first;	/* byte that the trap takes the place of */
	bool knows_end; /* the second argument is the size */
	bool glibc;	/* the size is in front of the block */
};

struct releases {
	struct release *at; /* in ascending order */
	size_t length;
};

/* Those of the process's modules. False without memory. */
bool releases_find(struct releases *releases, const struct entries *entries);
void releases_free(struct releases *releases);

/* Write copies and traps. Those that can't be passed are dropped. STATUS_OK; STATUS_GONE, STATUS_NO_MEMORY. */
enum status releases_plant(struct releases *releases, const struct entries *entries, struct target *target);

/* All traps in or out. */
void releases_write(const struct releases *releases, struct target *target, bool planted);

const struct release *releases_find_at(const struct releases *releases, uint64_t address);

/* Which memory the function is about to give back, from the registers at its beginning. False: none; the kind is RELEASE_MEMORY. */
bool release_touched(const struct release *release, const struct target *target,
		     const struct user_regs_struct *regs, struct touched *touched);

#endif
