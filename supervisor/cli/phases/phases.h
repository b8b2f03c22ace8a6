#ifndef FMC_SUPERVISOR_CLI_PHASES_PHASES_H
#define FMC_SUPERVISOR_CLI_PHASES_PHASES_H

#include "supervisor/cli/explore/explore.h"

/* The search of a whole command, from its beginning to its end. */

/* `workers`: how many executions may run at a time, 1 for this process alone. `resume` has been opened. The budget began
 * at `began`: that's before the program was loaded. */
void explore_init(struct exploration *x, const struct options *options, struct session *session,
		  unsigned workers, struct resume *resume, uint64_t began, struct verdict *verdict);
void explore_release(struct exploration *x);

/* When the budget that began then is used up; 0: there is none. */
uint64_t explore_deadline(const struct options *options, uint64_t began);

/*
 * After the preflight: go on where the file says. False if that isn't possible, or the user presses Ctrl-C (over,
 * fatal): STATUS_MALFORMED if it is of something else.
 */
bool explore_resume(struct exploration *x, const struct launch *launch);

/*
 * After the search: shall one follow that switches threads at the accesses which this one has found to be ordered by no operation,
 * and hasn't switched them at? Where the user has chosen no strategy, or asked for it.
 */
bool explore_wants_races(const struct exploration *x);

/* Is one with the same accesses to follow, in which stores wait in buffers, once nothing else is? */
bool explore_wants_tso(const struct exploration *x);

/*
 * After the preflight: shall a search with --atomics follow if this one finds nothing? It does where the user has chosen no strategy
 * and atomic instructions run that may be locks. explore_leave_time(): it will have most of the budget.
 */
bool explore_wants_atomics(const struct exploration *x);
void explore_leave_time(struct exploration *x);

/* This search follows that one, which has found nothing, and has the rest of its budget, or is tried. */
void explore_follow(struct exploration *x, const struct exploration *before, const struct aside *aside);

/*
 * The search that followed this one has come to nothing: what this one has shown stands, and the time of both counts. `races`: it was
 * the one for accesses to memory.
 */
void explore_alone(struct exploration *x, bool races);

/* Write down where the search stands, or that it is over. Ends with a line on standard error if it can't. */
void explore_keep(struct exploration *x);

/* The program couldn't be started in time: there is no search. The reason goes into the verdict; `stage` begins with "while". */
void explore_never_began(struct exploration *x, const char *stage);

/* Search, then put every reason for which it isn't complete into the verdict. */
void explore_search(struct exploration *x, const struct launch *launch, const struct processors *processors);

/* What the files of this room share. */

/* phase.c: plan and run until this phase is over or has had its share. `position`: its place among all phases of the search. */
void explore_phase(struct exploration *x, const struct phase *phase, size_t position);

/* phase.c: the search stands there; false if that can't be kept. `planned`: executions of it, those that are out as well. */
bool explore_note_place(struct exploration *x, size_t position, uint64_t planned,
			const struct search *search);
/* If an earlier run broke off at this place: its search. False when that can't be. */
bool explore_load_place(struct exploration *x, size_t position, struct search *search, uint64_t *planned);

/*
 * memory.c: a search that would call itself complete looks, once, whether threads share memory without operations.
 * again.c: may one follow that switches threads there?
 */
void explore_memory(struct exploration *x);
/*
 * The same in the midst of a search. True: a search that switches threads at accesses which have been found could follow, and no execution made
 * more than `most` to what they are to. Else, and after forget, all is as if nobody had looked.
 */
bool explore_look_early(struct exploration *x, size_t most);
void explore_forget_look(struct exploration *x);
bool explore_may_add_races(const struct exploration *x);
/* It would, or one whose stores wait, but this run has no time or no executions left for it: the next one goes on with that (--resume). */
bool explore_leaves_more(const struct exploration *x);

/*
 * watch.c: run what a complete search has run once more, and see every access to memory. What no operation orders is then in
 * x->races and the verdict's memory; if there is nothing like that the verdict holds for all interleavings of accesses.
 */
#define EXPLORE_WATCHING (SIZE_MAX - 2) /* its place after all phases, where a saved search stands in it */
void explore_watch(struct exploration *x);
/* What is left of it, all of it if it hasn't begun, is for the next run. */
void explore_leave_watching(struct exploration *x);

/* keep.c: run the first schedule once more: where findings are collected the program's modules become known. STATUS_INTERRUPTED. */
enum status explore_learn_modules(struct exploration *x);

/* What workers that are launched have to find; for list_free(), NULL without memory. */
char **explore_modules(struct exploration *x);

/* Write the file of --resume as it has to be now. */
void explore_write_state(struct exploration *x);

/* states.c: find the variables by which states are told apart (--state); false: the search is over. */
bool explore_select_states(struct exploration *x);
/* How many executions were cut at states that had been explored while clocks showed something else, if the program reads any. */
uint64_t explore_cut_at_other_clocks(const struct exploration *x);

/*
 * share.c: of a search that is divided: what a phase has divided, once it is over; and what fmc merge has to know, once
 * the verdict stands.
 */
void explore_note_share(struct exploration *x);
void explore_conclude_share(struct exploration *x);

/*
 * aside.c: before this phase: try a search that could follow, once, if it promises more. True: nothing more of this one is to be run, since that
 * one has come to a verdict, or is to follow at once.
 */
bool explore_try_more(struct exploration *x, const struct phase *phase);

/* reasons.c: everything that was left out, in the verdict. */
void explore_give_reasons(struct exploration *x);

#endif
