/* Automata of random formulas: they accept the words that fulfil them, by themselves and in products with graphs. */
#include "supervisor/temporal/automaton.h"
#include "tests/table/kripke.h"
#include "tests/table/linearization.h"
#include "tests/table/random_formula.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <string.h>

#define FORMULAS     4000
#define WORDS	     25
#define LONGEST	     7
#define PROPOSITIONS 3

struct word {
	uint64_t letters[2 * LONGEST];
	size_t length, loop;
};

static void make_word(struct word *word, uint64_t *dice)
{
	word->length = 1 + roll(dice, 2 * LONGEST);
	word->loop = roll(dice, (uint32_t)word->length);
	for (size_t i = 0; i < word->length; i++)
		word->letters[i] = roll(dice, 1u << PROPOSITIONS);
}

static uint64_t *make_set(const struct automaton *automaton)
{
	uint64_t *set = calloc(automaton_words(automaton), sizeof *set);
	ck_assert_ptr_nonnull(set);
	return set;
}

/* *begins: some word that has these first letters is accepted. */
static bool is_accepted(const struct automaton *automaton, const struct word *word, bool *begins)
{
	uint64_t *now = make_set(automaton), *next = make_set(automaton);
	bool failed;
	automaton_begin(automaton, now);
	for (size_t i = 0; i < word->loop; i++) {
		automaton_step(automaton, now, word->letters[i], next);
		uint64_t *last = now;
		now = next;
		next = last;
	}
	*begins = automaton->at[0].successors > 0 && !bitset_empty(now, automaton_words(automaton));
	const bool accepted = automaton_accepts_loop(automaton, now, word->letters + word->loop,
						     word->length - word->loop, &failed);
	ck_assert(!failed);
	free(now);
	free(next);
	return accepted;
}

static void check_word(const struct formulas *formulas, uint32_t formula, const struct automaton *automaton,
		       const struct word *word, uint64_t counts[2])
{
	bool failed, begins;
	const bool fulfilled =
	    formula_fulfilled(formulas, formula, word->letters, word->length, word->loop, &failed);
	ck_assert(!failed);
	const bool accepted = is_accepted(automaton, word, &begins);
	ck_assert_int_eq(accepted, fulfilled);
	ck_assert(!accepted || begins);
	counts[accepted]++;
}

START_TEST(words_are_accepted_that_fulfil_the_formula)
{
	uint64_t dice = 1, counts[2] = {0, 0};
	for (int i = 0; i < FORMULAS; i++) {
		struct formulas formulas;
		struct automaton both[2];
		ck_assert(formulas_init(&formulas));
		const uint32_t formula = random_formula(&formulas, &dice, 4, PROPOSITIONS, i % 2);
		const uint32_t opposite = formula_negate(&formulas, formula);
		ck_assert_int_eq(automaton_make(&both[0], &formulas, formula), AUTOMATON_MADE);
		ck_assert_int_eq(automaton_make(&both[1], &formulas, opposite), AUTOMATON_MADE);
		for (int w = 0; w < WORDS; w++) {
			struct word word;
			make_word(&word, &dice);
			check_word(&formulas, formula, &both[0], &word, counts);
			check_word(&formulas, opposite, &both[1], &word, counts);
		}
		automaton_release(&both[0]);
		automaton_release(&both[1]);
		formulas_release(&formulas);
	}
	ck_assert_uint_eq(counts[0], counts[1]);
}
END_TEST

/* A graph of some nodes with random letters and edges, which are nobody's. */
static void make_graph(struct kripke *kripke, uint64_t *dice)
{
	const uint32_t nodes = 1 + roll(dice, 4);
	*kripke = (struct kripke){.length = 0};
	for (uint32_t n = 0; n < nodes; n++) {
		kripke->nodes[kripke->length++] = (struct labelled_node){
		    .letter = roll(dice, 1u << PROPOSITIONS), .first = kripke->edges_length};
		const uint32_t edges = 1 + roll(dice, 2);
		for (uint32_t e = 0; e < edges; e++)
			kripke_add_edge(kripke, roll(dice, nodes), NO_THREAD);
	}
}

#define LONGEST_PATH 7

/* Does a path of so many nodes at most that comes back to one of its own fulfil the formula? */
static bool path_fulfils(const struct kripke *kripke, const struct formulas *formulas, uint32_t formula,
			 uint32_t path[LONGEST_PATH], struct word *word)
{
	const struct labelled_node *last = &kripke->nodes[path[word->length - 1]];
	bool failed;
	for (uint32_t e = 0; e < last->length; e++) {
		const uint32_t next = kripke->edges[last->first + e].to;
		for (size_t loop = 0; loop < word->length; loop++)
			if (path[loop] == next &&
			    formula_fulfilled(formulas, formula, word->letters, word->length, loop, &failed))
				return true;
		if (word->length == LONGEST_PATH)
			continue;
		path[word->length] = next;
		word->letters[word->length++] = kripke->nodes[next].letter;
		const bool found = path_fulfils(kripke, formulas, formula, path, word);
		word->length--;
		if (found)
			return true;
	}
	return false;
}

START_TEST(graphs_have_words_that_are_accepted)
{
	uint64_t dice = 2, counts[2] = {0, 0};
	struct kripke *kripke = malloc(sizeof *kripke);
	for (int i = 0; i < FORMULAS; i++) {
		struct formulas formulas;
		struct automaton automaton;
		uint32_t path[LONGEST_PATH] = {0};
		ck_assert(formulas_init(&formulas));
		make_graph(kripke, &dice);
		const uint32_t formula = random_formula(&formulas, &dice, 3, PROPOSITIONS, i % 2);
		struct word word = {.letters = {kripke->nodes[0].letter}, .length = 1};
		ck_assert_int_eq(automaton_make(&automaton, &formulas, formula), AUTOMATON_MADE);
		const bool accepted = kripke_accepted(kripke, &automaton);
		ck_assert_int_eq(accepted, path_fulfils(kripke, &formulas, formula, path, &word));
		counts[accepted]++;
		automaton_release(&automaton);
		formulas_release(&formulas);
		kripke_release(kripke);
	}
	free(kripke);
	ck_assert_uint_gt(counts[0], FORMULAS / 5);
	ck_assert_uint_gt(counts[1], FORMULAS / 5);
}
END_TEST

/* What needs too many states is told, and what no word fulfils has a first state alone. */
START_TEST(sizes_are_bounded)
{
	struct formulas formulas;
	struct automaton automaton;
	uint32_t all = FORMULA_ALWAYS;
	ck_assert(formulas_init(&formulas));
	for (uint32_t p = 0; p < 16; p++) {
		const uint32_t holds = formula_make(&formulas, FORMULA_HOLDS, p, 0);
		all = formula_make(&formulas, FORMULA_AND, all,
				   formula_make(&formulas, FORMULA_UNTIL, FORMULA_ALWAYS, holds));
	}
	ck_assert_int_eq(automaton_make(&automaton, &formulas, all), AUTOMATON_LARGE);
	automaton_release(&automaton);
	const uint32_t never = formula_make(&formulas, FORMULA_FAILS, 0, 0);
	const uint32_t always = formula_make(&formulas, FORMULA_RELEASE, FORMULA_NEVER,
					     formula_make(&formulas, FORMULA_HOLDS, 0, 0));
	const uint32_t sometimes = formula_make(&formulas, FORMULA_UNTIL, FORMULA_ALWAYS, never);
	ck_assert_int_eq(
	    automaton_make(&automaton, &formulas, formula_make(&formulas, FORMULA_AND, always, sometimes)),
	    AUTOMATON_MADE);
	ck_assert_uint_eq(automaton.length, 1);
	automaton_release(&automaton);
	formulas_release(&formulas);
}
END_TEST

SUITE("automaton", 60, NULL, NULL, TEST(words_are_accepted_that_fulfil_the_formula),
      TEST(graphs_have_words_that_are_accepted), TEST(sizes_are_bounded))
