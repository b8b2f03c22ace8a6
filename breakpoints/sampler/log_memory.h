#ifndef FMC_BREAKPOINTS_SAMPLER_LOG_MEMORY_H
#define FMC_BREAKPOINTS_SAMPLER_LOG_MEMORY_H

#include "breakpoints/stubs/stub.h"

#include <fmc/breakpoints/sampling.h>

/* What targets write their log into, as fmc sees it, from LOG_PAGE to LINES_HIGH. */
struct log_memory {
	struct log_state state;
	uint8_t rest[LOG_LOW - LOG_PAGE - sizeof(struct log_state)];
	struct log_entry entries[LOG_ENTRIES + LOG_SLACK];
	uint64_t filter[UINT64_C(1) << FILTER_BITS];
	uint64_t lines[LINE_WORDS];
};

struct sampler_memory {
	int file;  /* -1: there is none yet */
	int owner; /* the process that made it; others have their own */
	struct log_memory *at;
};

/* NULL: the target doesn't share it. */
struct log_memory *log_memory_of(const struct sampler_memory *memory, const struct target *target);

/* Map it at LOG_PAGE into a target whose first thread is stopped. False: it can't be shared. */
bool log_memory_share(struct sampler_memory *memory, struct target *target);

#endif
