#ifndef FMC_TEST_RANDOM_FORMULA_H
#define FMC_TEST_RANDOM_FORMULA_H

#include "supervisor/temporal/formula.h"

/* A random formula on so many propositions, nested so deeply at most; X stands in it only if `counts`. *dice as for roll(). */
uint32_t random_formula(struct formulas *formulas, uint64_t *dice, int depth, uint32_t propositions,
			bool counts);

#endif
