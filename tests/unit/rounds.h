#ifndef FMC_TESTS_ROUNDS_H
#define FMC_TESTS_ROUNDS_H

#include <stdint.h>
#include <stdlib.h>

/*
 * Of so many rounds (random programs, looks at a process), as `make check-long` makes them, those that are enough: a sixteenth; a tenth with
 * sanitizers, under which each takes ten times as long.
 */
static inline uint32_t enough_rounds(uint32_t rounds)
{
#ifdef __SANITIZE_ADDRESS__
	return rounds / 10;
#else
	return getenv("FMC_TEST_LONG") ? rounds : rounds / 16;
#endif
}

/* How large a program of a family gets whose number of executions grows with its size: so large in `make check-long`, else less. */
static inline uint32_t largest(uint32_t size, uint32_t less)
{
	return getenv("FMC_TEST_LONG") ? size : less;
}

#endif
