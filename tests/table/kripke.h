#ifndef FMC_TESTS_KRIPKE_H
#define FMC_TESTS_KRIPKE_H

#include "table.h"

#include "supervisor/temporal/automaton.h"

/*
 * All states of a program and what leads from each to which: what executions that are found one by one must agree with.
 */
#define KRIPKE_MOST 4096

struct kripke_edge {
	uint32_t to, thread;
};

struct kripke_node {
	uint64_t letter;  /* propositions that hold */
	uint64_t enabled; /* threads */
	uint32_t first, edges;
	int64_t variables[4]; /* the program's first ones */
};

struct kripke {
	struct kripke_node nodes[KRIPKE_MOST];
	uint32_t length;
	struct kripke_edge *edges;
	uint32_t edges_length, edges_room;
};

/*
 * Of a toy program, without letters: from node 0 on, and where nobody can go on, or the process has ended, a step of NO_THREAD that stays there. False:
 * there are more than KRIPKE_MOST. To be released in any case.
 */
bool kripke_of_program(struct kripke *kripke, const struct table_program *program);
void kripke_release(struct kripke *kripke);
void kripke_add_edge(struct kripke *kripke, uint32_t to, uint32_t thread); /* of the last node */

/*
 * Is there a word among its paths, from node 0 on, that the automaton accepts, and on which every thread that is enabled again and again makes
 * steps again and again (strong fairness)? By components of the product (E. Emerson, C.-L. Lei, Modalities for Model Checking, 1987).
 */
bool kripke_accepted(const struct kripke *kripke, const struct automaton *automaton);

#endif
