#ifndef FMC_SUPERVISOR_TEMPORAL_STATE_GRAPH_H
#define FMC_SUPERVISOR_TEMPORAL_STATE_GRAPH_H

#include "supervisor/temporal/fair_paths.h"

#include <fmc/supervisor/trace.h>

/*
 * The states that executions have come to and the steps between them, whatever made the executions. Where each step that is open in some state has been
 * taken there, these are all the states of the program: then every infinite execution is one of the graph's paths, also those that go round several
 * of its cycles in turn, or once more than any execution has.
 *
 * A state is known by a digest, as in recurrences.h. Where the same step leads from one to several others the digest hasn't told all.
 */
struct state_graph;

struct state_graph *state_graph_new(void); /* NULL without memory */
void state_graph_free(struct state_graph *graph);
void state_graph_clear(struct state_graph *graph);   /* executions begin anew: those so far were others */
void state_graph_give_up(struct state_graph *graph); /* its states can't be told: it is never whole */

/*
 * After the last transition of the trace, or before the first one, an execution is in this state, in which these propositions hold; NULL: the process has
 * ended, and nothing more happens. All of its states have to come, one after the other; the first of all executions is one.
 */
void state_graph_add(struct state_graph *graph, const struct trace *trace, const uint64_t from[3],
		     const uint64_t to[3], uint64_t letter);

/* How many states there are; 0: it can't be told whether they are all, which isn't so. */
size_t state_graph_whole(const struct state_graph *graph);

/* Of one that is whole: does the automaton accept one of its fair executions? */
enum fair_paths state_graph_accepted(const struct state_graph *graph, const struct automaton *automaton);

#endif
