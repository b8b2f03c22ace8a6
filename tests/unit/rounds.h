#ifndef FMC_TESTS_ROUNDS_H
#define FMC_TESTS_ROUNDS_H

#include <stdint.h>

/* So many random programs are enough: a tenth of them with sanitizers, under which each takes ten times as long. */
static inline uint32_t enough_rounds(uint32_t rounds)
{
#ifdef __SANITIZE_ADDRESS__
	return rounds / 10;
#else
	return rounds;
#endif
}

#endif
