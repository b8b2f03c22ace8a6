#ifndef FMC_TESTS_KRIPKE_H
#define FMC_TESTS_KRIPKE_H

#include "table.h"

#include "supervisor/temporal/fair_paths.h"

/*
 * All states of a program and what leads from each to which: what executions that are found one by one must agree with.
 */
#define KRIPKE_MOST 4096

struct kripke {
	struct labelled_node nodes[KRIPKE_MOST];
	int64_t variables[KRIPKE_MOST][4]; /* of each node, the program's first ones */
	uint32_t length;
	struct labelled_edge *edges;
	uint32_t edges_length, edges_room;
};

/*
 * Of a toy program, without letters: from node 0 on, and where nobody can go on, or the process has ended, a step of NO_THREAD that stays there. False:
 * there are more than KRIPKE_MOST. To be released in any case.
 */
bool kripke_of_program(struct kripke *kripke, const struct table_program *program);
void kripke_release(struct kripke *kripke);
void kripke_add_edge(struct kripke *kripke, uint32_t to, uint32_t thread); /* of the last node */

/* By fair_paths_accepted(). */
bool kripke_accepted(const struct kripke *kripke, const struct automaton *automaton);

#endif
