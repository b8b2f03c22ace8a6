#include "random_formula.h"

#include "linearization.h"

uint32_t random_formula(struct formulas *formulas, uint64_t *dice, int depth, uint32_t propositions,
			bool counts)
{
	static const enum formula_kind kinds[] = {FORMULA_AND, FORMULA_OR, FORMULA_UNTIL, FORMULA_RELEASE};
	if (depth == 0 || roll(dice, 6) == 0)
		return formula_make(formulas, roll(dice, 2) ? FORMULA_HOLDS : FORMULA_FAILS,
				    roll(dice, propositions), 0);
	if (counts && roll(dice, 6) == 0)
		return formula_make(formulas, FORMULA_NEXT,
				    random_formula(formulas, dice, depth - 1, propositions, counts), 0);
	if (roll(dice, 3) == 0) {
		const bool always = roll(dice, 2);
		return formula_make(formulas, always ? FORMULA_RELEASE : FORMULA_UNTIL,
				    always ? FORMULA_NEVER : FORMULA_ALWAYS,
				    random_formula(formulas, dice, depth - 1, propositions, counts));
	}
	const uint32_t a = random_formula(formulas, dice, depth - 1, propositions, counts);
	return formula_make(formulas, kinds[roll(dice, 4)], a,
			    random_formula(formulas, dice, depth - 1, propositions, counts));
}
