#ifndef FMC_SUPERVISOR_TRIED_H
#define FMC_SUPERVISOR_TRIED_H

#include <stdint.h>

/*
 * Rounds of loops that have been tried out (supervisor/accesses/awaits.c), and don't wait: the answer is the same wherever a thread has come round by
 * the same accesses, stands there with the same registers, and finds the same in what else the round reads. So who can't try can be told.
 */
#define TRIED_MOST  1024
#define TRIED_READS 8
#define TRIED_BYTES 16

struct tried_round {
	uint32_t length;
	struct tried_read {
		uint64_t address, size;
		uint8_t bytes[TRIED_BYTES];
	} reads[TRIED_READS];
};

struct tried_rounds {
	uint32_t length;
	uint64_t keys[TRIED_MOST]; /* retries_key() */
	struct tried_round at[TRIED_MOST];
};

#endif
