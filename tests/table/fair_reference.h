#ifndef FMC_TESTS_FAIR_REFERENCE_H
#define FMC_TESTS_FAIR_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Algorithm 1 of [FAIR] once more, written as plainly as in the paper, to compare policy/fair.c with. All threads of
 * Tid exist from the beginning; one that is born later is merely never enabled before.
 */
enum reference_set { REFERENCE_P, REFERENCE_E, REFERENCE_D, REFERENCE_S, REFERENCE_SETS };

#define REFERENCE_THREADS 160

struct fair_reference {
	uint32_t threads, k;
	uint32_t yields[REFERENCE_THREADS];
	bool in[]; /* [set][u][v]: v is in the set of u */
};

size_t fair_reference_bytes(uint32_t threads);
void fair_reference_init(struct fair_reference *f, uint32_t threads, uint32_t k);
bool *fair_reference_at(struct fair_reference *f, enum reference_set set, uint32_t u, uint32_t v);
bool fair_reference_may_run(const struct fair_reference *f, const bool *enabled, uint32_t t);
void fair_reference_step(struct fair_reference *f, uint32_t t, bool yield, const bool *before,
			 const bool *after);

#endif
