#ifndef FMC_SUPERVISOR_TEMPORAL_AUTOMATON_H
#define FMC_SUPERVISOR_TEMPORAL_AUTOMATON_H

#include "supervisor/temporal/formula.h"

#include <fmc/supervisor/bitset.h>

/*
 * The Büchi automaton of a formula: it accepts the words that fulfil it. A state is entered by a letter, the propositions that hold in one
 * state of the word, of which `holds` have to and `fails` may not. A run begins in state 0, before the first letter, and is accepting if
 * it enters accepting states again and again. From each state but the first some word is accepted.
 */
struct automaton_state {
	uint64_t holds, fails;
	uint32_t first, successors; /* into edges */
	bool accepting;
};

struct automaton {
	struct automaton_state *at;
	uint32_t length;
	uint32_t *edges;
	uint32_t edges_length, edges_room;
};

enum automaton_result {
	AUTOMATON_MADE,
	AUTOMATON_LARGE, /* it would have more than AUTOMATON_MOST states, or as many parts on the way */
	AUTOMATON_FAILED /* no memory */
};

#define AUTOMATON_MOST 4096u

/* To be released in any case. */
enum automaton_result automaton_make(struct automaton *automaton, const struct formulas *formulas,
				     uint32_t formula);
void automaton_release(struct automaton *automaton);

/* May this state be entered by this letter? */
static inline bool automaton_admits(const struct automaton *automaton, uint32_t state, uint64_t letter)
{
	const struct automaton_state *s = &automaton->at[state];
	return (letter & s->holds) == s->holds && !(letter & s->fails);
}

/* The states that all its runs can be in, as a set: before the first letter, and after one more. Empty: no word that begins so is accepted. */
static inline uint32_t automaton_words(const struct automaton *automaton)
{
	return bitset_words(automaton->length);
}
void automaton_begin(const struct automaton *automaton, uint64_t states[]);
void automaton_step(const struct automaton *automaton, const uint64_t from[], uint64_t letter, uint64_t to[]);

/*
 * Is the word accepted that goes from one of these states on with these letters again and again? Then some product of a state and a position comes
 * again after an accepting one. *failed: no memory.
 */
bool automaton_accepts_loop(const struct automaton *automaton, const uint64_t from[],
			    const uint64_t letters[], size_t length, bool *failed);

#endif
