#ifndef FMC_SUPERVISOR_STATES_H
#define FMC_SUPERVISOR_STATES_H

#include <fmc/supervisor/execution.h>

/*
 * The distinct states of a program, over all executions of a search.
 *
 * A state is, for each thread, its pending operation and the place of that, what operations know of objects, and what the machine tells of
 * memory (machine_ops.state). Objects count by what they are, whatever their numbers, and those that stand as they were found don't: so
 * who used them first makes no difference. The priorities of fairness are no part of it, nor how often a thread has run.
 */
struct states;

/* Can its states be told? What the kernel keeps of named connections and of messages in queues is no part of any digest. */
bool states_told(const struct model *model);

struct states *states_new(void); /* NULL without memory */
void states_free(struct states *states);

/* An execution begins; it is over. */
void states_begin(struct states *states);
void states_end(struct states *states);

/*
 * The execution has come to a state from which it goes on, or to its last one: after the transitions of the trace, by execution_watcher.decide
 * and end. What another execution has gone through by the same steps costs next to nothing. False: without memory, or the machine can't
 * tell its state; then nothing more is counted.
 */
bool states_see(struct states *states, const struct execution *execution, const struct trace *trace);

/*
 * The same for leaving out what has been explored: has an execution come to this state before, with all that decides how it goes on? That is the
 * strict digest of the machine, what else there is of it (`beside`) and the priorities of fairness. A state that is new is known from now on.
 *
 * For searches that go depth first, one execution after the other: what isn't on the way to the present state has been explored. With fairness an
 * execution that comes back to a state of its own isn't told so: it could go on for ever, and goes round until that is seen. Every cycle of states
 * is met in this way when the last of its steps leads back to the first of its states that was come to.
 */
struct state_beside {
	uint64_t digest; /* what tells states apart, too: what was printed, clocks with fairness */
	int64_t clock;	 /* what doesn't: states_count.other_clock says how often it was another one */
};
bool states_visited(struct states *states, const struct execution *execution, const struct trace *trace,
		    const struct state_beside *beside);

/* What states_visited() has been asked of the present execution, or of the last one: as long as no other one begins. */
const struct state_visit *states_visits(const struct states *states, size_t *length);

/* Another search begins: nothing has been explored by it. */
void states_forget(struct states *states);

struct states_count {
	uint64_t states;
	uint64_t executions;  /* that are over */
	uint64_t quiet;	      /* of these the last ones, that came to no new state */
	uint64_t visited;     /* states_visited(): how many it knows */
	uint64_t pruned;      /* and how often it has said yes */
	uint64_t other_clock; /* of these, where the clock was another one than when the state was new */
	bool failed;	      /* some state couldn't be told: there may be more */
};
struct states_count states_count(const struct states *states);

#endif
