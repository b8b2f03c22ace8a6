/* Temporal formulas on words of a stem and a loop: against the definition of their meaning, formulas and words made at random. */
#include "supervisor/temporal/formula.h"
#include "tests/table/linearization.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define PAIRS	     20000
#define PROPOSITIONS 3
#define LONGEST	     8

/* A formula as it is written, before anything is made of it. */
struct tree {
	char kind; /* a letter or sign of the text; 'p': proposition `a` */
	int a, b;
};

struct forest {
	struct tree at[64];
	int length;
};

static int plant(struct forest *forest, uint64_t *dice, int depth)
{
	static const char unary[] = "!XFG", binary[] = "URW&|>=";
	const int i = forest->length++;
	struct tree tree = {.kind = 'p'};
	const uint32_t choice = depth == 0 ? 0 : roll(dice, 8);
	if (choice == 0) {
		const uint32_t p = roll(dice, PROPOSITIONS + 1);
		tree.kind = p == PROPOSITIONS ? (roll(dice, 2) ? 't' : 'f') : 'p';
		tree.a = (int)p;
	} else if (choice < 4) {
		tree.kind = unary[roll(dice, 4)];
		tree.a = plant(forest, dice, depth - 1);
	} else {
		tree.kind = binary[roll(dice, 7)];
		tree.a = plant(forest, dice, depth - 1);
		tree.b = plant(forest, dice, depth - 1);
	}
	forest->at[i] = tree;
	return i;
}

static void print(const struct forest *forest, int i, FILE *stream)
{
	const struct tree *tree = &forest->at[i];
	const char *sign = tree->kind == '&'   ? "&&"
			   : tree->kind == '|' ? "||"
			   : tree->kind == '>' ? "->"
					       : "<->";
	switch (tree->kind) {
	case 'p':
		fprintf(stream, "p%d", tree->a);
		break;
	case 't':
	case 'f':
		fputs(tree->kind == 't' ? "true" : "false", stream);
		break;
	case '!':
	case 'X':
	case 'F':
	case 'G':
		fprintf(stream, "%c (", tree->kind);
		print(forest, tree->a, stream);
		fputs(")", stream);
		break;
	default:
		fputs("(", stream);
		print(forest, tree->a, stream);
		if (strchr("URW", tree->kind))
			fprintf(stream, " %c ", tree->kind);
		else
			fprintf(stream, " %s ", sign);
		print(forest, tree->b, stream);
		fputs(")", stream);
	}
}

struct word {
	uint64_t states[2 * LONGEST];
	size_t length, loop;
};

static size_t position(const struct word *word, size_t i)
{
	return i < word->length ? i : word->loop + (i - word->loop) % (word->length - word->loop);
}

/* By the definition: from position i on every position comes within a length of the word, and what comes after comes again. */
static bool means(const struct forest *forest, int t, const struct word *word, size_t i)
{
	const struct tree *tree = &forest->at[t];
	const size_t end = i + word->length;
	size_t k;
	i = position(word, i);
	switch (tree->kind) {
	case 'p':
		return word->states[i] >> tree->a & 1;
	case 't':
	case 'f':
		return tree->kind == 't';
	case '!':
		return !means(forest, tree->a, word, i);
	case 'X':
		return means(forest, tree->a, word, i + 1);
	case 'F':
		for (k = i; k <= end && !means(forest, tree->a, word, k); k++)
			;
		return k <= end;
	case 'G':
		for (k = i; k <= end && means(forest, tree->a, word, k); k++)
			;
		return k > end;
	case '&':
		return means(forest, tree->a, word, i) && means(forest, tree->b, word, i);
	case '|':
		return means(forest, tree->a, word, i) || means(forest, tree->b, word, i);
	case '>':
		return !means(forest, tree->a, word, i) || means(forest, tree->b, word, i);
	case '=':
		return means(forest, tree->a, word, i) == means(forest, tree->b, word, i);
	case 'U':
	case 'W':
		for (k = i; k <= end && !means(forest, tree->b, word, k); k++)
			if (!means(forest, tree->a, word, k))
				return false;
		return k <= end || tree->kind == 'W';
	default: /* R */
		for (k = i; k <= end && means(forest, tree->b, word, k); k++)
			if (means(forest, tree->a, word, k))
				return true;
		return k > end;
	}
}

static int find(void *context, const char *text, size_t length, bool quoted, size_t at,
		struct expression_problem *problem)
{
	(void)context;
	if (!quoted && length == 2 && text[0] == 'p')
		return text[1] - '0';
	if (quoted && length > 0)
		return 9;
	problem->column = at + 1;
	snprintf(problem->text, sizeof problem->text, "no such proposition");
	return -1;
}

static const struct proposition_finder finder = {NULL, find};

static void make_word(struct word *word, uint64_t *dice)
{
	word->length = 1 + roll(dice, LONGEST);
	word->loop = roll(dice, (uint32_t)word->length);
	for (size_t i = 0; i < word->length; i++)
		word->states[i] = roll(dice, 1u << PROPOSITIONS);
}

START_TEST(words_are_judged_as_defined)
{
	uint64_t dice = 1, fulfilled = 0;
	for (int i = 0; i < PAIRS; i++) {
		struct forest forest = {.length = 0};
		struct formulas formulas;
		struct expression_problem problem;
		struct word word;
		char *text = NULL;
		size_t size;
		bool failed;
		plant(&forest, &dice, 1 + (int)roll(&dice, 4));
		FILE *stream = open_memstream(&text, &size);
		print(&forest, 0, stream);
		fclose(stream);
		ck_assert(formulas_init(&formulas));
		const uint32_t formula = formula_parse(&formulas, text, &finder, &problem);
		ck_assert_msg(formula != NO_FORMULA, "%s: %zu: %s", text, problem.column, problem.text);
		const uint32_t opposite = formula_negate(&formulas, formula);
		make_word(&word, &dice);
		const bool meant = means(&forest, 0, &word, 0);
		fulfilled += meant;
		ck_assert_msg(formula_fulfilled(&formulas, formula, word.states, word.length, word.loop,
						&failed) == meant,
			      "%s", text);
		ck_assert_msg(formula_fulfilled(&formulas, opposite, word.states, word.length, word.loop,
						&failed) != meant,
			      "! (%s)", text);
		/* What is left of it after some of the states is as true of the rest. */
		uint32_t rest = formula;
		for (size_t k = 0; k < word.length; k++) {
			struct word from;
			rest = formula_progress(&formulas, rest, word.states[k]);
			if (k + 1 < word.loop)
				continue;
			/* In the loop already: the rest goes round from wherever it is. */
			from.length = word.length - word.loop;
			for (size_t j = 0; j < from.length; j++)
				from.states[j] = word.states[position(&word, k + 1 + j)];
			ck_assert_msg(
			    formula_fulfilled(&formulas, rest, from.states, from.length, 0, &failed) == meant,
			    "%s after %zu states", text, k + 1);
		}
		formulas_release(&formulas);
		free(text);
	}
	ck_assert_uint_gt(fulfilled, PAIRS / 5);
	ck_assert_uint_lt(fulfilled, PAIRS - PAIRS / 5);
}
END_TEST

static uint32_t parse(struct formulas *formulas, const char *text)
{
	struct expression_problem problem;
	const uint32_t formula = formula_parse(formulas, text, &finder, &problem);
	ck_assert_msg(formula != NO_FORMULA, "%s: %zu: %s", text, problem.column, problem.text);
	return formula;
}

START_TEST(equal_ones_are_the_same)
{
	static const char *const pairs[][2] = {
	    {"G p0", "false R p0"},
	    {"F p0", "true U p0"},
	    {"[] <> p0", "G F p0"},
	    {"p0 && p1 && p0", "p1 && p0"},
	    {"p0 -> p1 -> p2", "!p0 || (!p1 || p2)"},
	    {"p0 U p1 U p2", "p0 U (p1 U p2)"},
	    {"!p0 U p1 && p2", "((!p0) U p1) && p2"},
	    {"p0 || p1 && p2", "p0 || (p1 && p2)"},
	    {"p0 && !p0", "false"},
	    {"!G p0", "F !p0"},
	    {"p0 W p1", "p1 R (p0 || p1)"},
	    {"{a[1] == 2}", "'x'"},
	};
	struct formulas formulas;
	ck_assert(formulas_init(&formulas));
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		ck_assert_msg(parse(&formulas, pairs[i][0]) == parse(&formulas, pairs[i][1]), "%s",
			      pairs[i][0]);
	ck_assert(formula_counts(&formulas, parse(&formulas, "G (p0 -> X p1)")));
	ck_assert(!formula_counts(&formulas, parse(&formulas, "G (p0 -> F p1)")));
	formulas_release(&formulas);
}
END_TEST

/* Progression comes back to what it was: a long execution needs no more memory than a short one. */
START_TEST(progression_comes_to_an_end)
{
	struct formulas formulas;
	uint64_t dice = 5;
	ck_assert(formulas_init(&formulas));
	uint32_t formula = parse(&formulas, "G (p0 -> F p1) && G F p2 && (p0 W p1 || G !p2)");
	for (int i = 0; i < 1000; i++)
		formula = formula_progress(&formulas, formula, roll(&dice, 8) | 1);
	const uint32_t then = formulas.length;
	for (int i = 0; i < 10000; i++)
		formula = formula_progress(&formulas, formula, roll(&dice, 8) | 1);
	ck_assert_uint_eq(formulas.length, then);
	ck_assert_uint_eq(formula_progress(&formulas, parse(&formulas, "G p0"), 0), FORMULA_NEVER);
	ck_assert_uint_eq(formula_progress(&formulas, parse(&formulas, "F p0"), 1), FORMULA_ALWAYS);
	formulas_release(&formulas);
}
END_TEST

static const struct {
	const char *text;
	size_t column;
} bad[] = {
    {"", 1},	{"G", 2},	{"p0 p1", 4}, {"(p0", 4}, {"p0 U", 5}, {"U p0", 1}, {"G (p0 -> q)", 10},
    {"{p0", 1}, {"p0 & p1", 4}, {"p0)", 3},   {"!", 2},	  {"{}", 2},   {"p0 ->", 6}};

START_TEST(bad_ones_are_told_with_their_column)
{
	struct formulas formulas;
	struct expression_problem problem;
	ck_assert(formulas_init(&formulas));
	ck_assert_uint_eq(formula_parse(&formulas, bad[_i].text, &finder, &problem), NO_FORMULA);
	ck_assert_msg(problem.column == bad[_i].column, "%s: %zu: %s", bad[_i].text, problem.column,
		      problem.text);
	ck_assert(*problem.text);
	formulas_release(&formulas);
}
END_TEST

SUITE("formula", 30, NULL, NULL, TEST(words_are_judged_as_defined), TEST(equal_ones_are_the_same),
      TEST(progression_comes_to_an_end),
      TEST_LOOP(bad_ones_are_told_with_their_column, sizeof bad / sizeof *bad))
