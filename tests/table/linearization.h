#ifndef FMC_TEST_LINEARIZATION_H
#define FMC_TEST_LINEARIZATION_H

#include <fmc/supervisor/happens_before.h>

/* The next number below n of a sequence of which *dice is the state. */
uint32_t roll(uint64_t *dice, uint32_t n);

/*
 * A random order of the trace's transitions that keeps those that depend on each other in theirs, into steps
 * (trace->length of them). All of the trace has been pushed into `order`. Returns how many transitions are at
 * another place than in the trace.
 */
size_t random_linearization(const struct happens_before *order, const struct trace *trace, uint64_t *dice,
			    struct step *steps);

#endif
