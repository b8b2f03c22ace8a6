#ifndef FMC_SUPERVISOR_CLI_CHECK_EXPLORE_PRIVATE_H
#define FMC_SUPERVISOR_CLI_CHECK_EXPLORE_PRIVATE_H

#include "supervisor/cli/check/explore.h"
#include "supervisor/cli/check/portfolio.h"

/* What the explore*.c files share. */

/* The search can't go on, for a reason of one line. */
void explore_give_up(struct exploration *x, enum status status, const char *why);

/* From now on this exit status, and no other that was assumed before, is a good end; 0: none is but those that the user has named. */
void explore_assume(struct exploration *x, int status);

/* The policy of the first schedule. */
struct policy explore_first_policy(const struct exploration *x);

/* May the search continue after this end of an execution? One that was broken off is counted. */
bool explore_usable(struct exploration *x);

/* What the search has taken so far, in earlier runs as well. */
double explore_seconds(const struct exploration *x);

/*
 * Has the head of a loop been learned since this phase's search began? Threads are preempted there from now on: executions go
 * other ways than those that the search knows. Random ones know nothing of each other.
 */
bool explore_learned(const struct exploration *x, const struct phase *phase);

/* The line on the terminal as it is now. */
void explore_show_progress(struct exploration *x);

/* explore_last.c: an execution that is over (x->last): count it, look at its end, tell the search. */
void explore_last(struct exploration *x, const struct phase *phase, struct search *search);

/* The same for a part of the search: what came of its executions is counted, and what is left of it is open again. */
void explore_part(struct exploration *x, const struct phase *phase, struct search *search);

/* explore_parts.c: is this phase given to workers in parts now? So many are wanted at a time. */
bool explore_gives_parts(const struct exploration *x, const struct phase *phase);
size_t explore_parts_wanted(const struct exploration *x);

/* Parts for all workers that have nothing to do. */
enum search_answer explore_give_parts(struct exploration *x, const struct phase *phase, struct search *search,
				      uint64_t *planned);

/* explore_phase.c: plan and run until this phase is over or has had its share. `position`: its place among all phases of the search. */
void explore_phase(struct exploration *x, const struct phase *phase, size_t position);

/* explore_budget.c: */

/* When this phase has to end: its share of the budget; 0: there is none. */
uint64_t explore_phase_end(const struct exploration *x, const struct phase *phase);

/* Has the phase, if it gives up, shown by now whether it is hopeless? */
bool explore_tried(const struct exploration *x, const struct phase *phase);

/* Has this phase had what it may have, when those are over that are out? `planned`: by it so far. */
bool explore_spent(struct exploration *x, const struct phase *phase, uint64_t planned);

/* How long, in nanoseconds, an execution may take that isn't to be broken off as endless. */
uint64_t explore_patience(const struct exploration *x);

/*
 * When the replays that confirm a failure, executions as long as one that took so many nanoseconds, have to be over; 0: there is no
 * limit. A failure is worth a tenth more than the budget, and some time in any case.
 */
uint64_t explore_confirming_end(const struct exploration *x, uint64_t took);

/* How long an execution of this phase, or of none (NULL), may take. */
struct session_time explore_time(const struct exploration *x, const struct phase *phase);

/*
 * explore_memory.c: a search that would call itself complete looks, once, whether threads share memory without operations.
 * explore_again.c: may one follow that switches threads there?
 */
void explore_memory(struct exploration *x);
bool explore_may_add_races(const struct exploration *x);
/* It would, or one whose stores wait, but this run has no time or no executions left for it: the next one goes on with that (--resume). */
bool explore_leaves_more(const struct exploration *x);

/*
 * explore_watch.c: run what a complete search has run once more, and see every access to memory. What no operation orders is then in
 * x->races and the verdict's memory; if there is nothing like that the verdict holds for all interleavings of accesses.
 */
#define EXPLORE_WATCHING (SIZE_MAX - 2) /* its place after all phases, where a saved search stands in it */
void explore_watch(struct exploration *x);
/* What is left of it, all of it if it hasn't begun, is for the next run. */
void explore_leave_watching(struct exploration *x);

/*
 * explore_races.c: where races go that looks show; NULL: nobody wants them, or they can't be told from what is in order. With --races
 * report one execution at least is looked at for them, whatever came of the search.
 */
struct race_list *explore_race_list(struct exploration *x);
void explore_races(struct exploration *x);

/* explore_keep.c: run the first schedule once more: where findings are collected the program's modules become known. STATUS_INTERRUPTED. */
enum status explore_learn_modules(struct exploration *x);

/* What workers that are launched have to find; for list_free(), NULL without memory. */
char **explore_modules(struct exploration *x);

/* explore_states.c: find the variables by which states are told apart (--state); false: the search is over. */
bool explore_select_states(struct exploration *x);
/* How many executions were cut at states that had been explored while clocks showed something else, if the program reads any. */
uint64_t explore_cut_at_other_clocks(const struct exploration *x);

/*
 * explore_outcomes.c: what the last execution came to, if outcomes are looked at. expect: if this one has ended well, all others have to end
 * like it (--same-output); false without memory.
 */
void explore_outcome(struct exploration *x);
bool explore_expect_outcome(struct exploration *x, const struct trace *trace, const struct ending *ending);

/*
 * explore_share.c: of a search that is divided: what a phase has divided, once it is over; and what fmc merge has to know, once
 * the verdict stands.
 */
void explore_note_share(struct exploration *x);
void explore_conclude_share(struct exploration *x);

/* explore_reasons.c: everything that was left out, in the verdict. */
void explore_give_reasons(struct exploration *x);

/* explore_phase.c: the search stands there; false if that can't be kept. `planned`: executions of it, those that are out as well. */
bool explore_note_place(struct exploration *x, size_t position, uint64_t planned,
			const struct search *search);
/* If an earlier run broke off at this place: its search. False when that can't be. */
bool explore_load_place(struct exploration *x, size_t position, struct search *search, uint64_t *planned);

/* Write the file of --resume as it has to be now. */
void explore_write_state(struct exploration *x);

#endif
