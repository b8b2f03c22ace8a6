#ifndef FMC_SUPERVISOR_CLI_CHECK_EXPLORE_H
#define FMC_SUPERVISOR_CLI_CHECK_EXPLORE_H

#include "supervisor/cli/check/certify.h"
#include "supervisor/cli/check/failures.h"
#include "supervisor/cli/check/jobs.h"
#include "supervisor/cli/check/portfolio.h"
#include "supervisor/cli/check/progress.h"
#include "supervisor/cli/check/resume.h"
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/verdict/share.h"
#include "supervisor/cli/verdict/verdict.h"
#include "supervisor/cli/watch/looks.h"

#include <fmc/supervisor/coverage.h>

/*
 * The search of a whole command: phase after phase, until a failure is confirmed, everything has been run, or
 * a budget is used up. Fills the verdict.
 */
struct exploration {
	struct options own;	       /* as the user gave them, and as the first execution made them: */
	const struct options *options; /* this is what everybody reads */
	struct session *session;
	struct verdict *verdict;
	struct progress progress;
	struct search_progress search; /* of the present phase */
	char phase[32];		       /* "cb:1" */
	uint64_t phase_begin;	       /* clock_now() */
	uint64_t phase_from;	       /* its executions in earlier runs */
	uint64_t look_due;	       /* executions after which to look what threads wait for */
	bool starved;		       /* a worker has nothing to do: parts are to come back soon */
	unsigned workers;	       /* how many executions run at a time */
	struct jobs *jobs;	       /* while there is a search */
	struct job last;	       /* the last execution */
	uint64_t begin, deadline;      /* clock_now(); deadline 0: none */
	uint64_t whole_deadline;       /* that of the searches that follow, too */
	uint32_t
	    learned; /* loops and shared descriptors that were known when the search of this phase began */
	bool anew;   /* more are known now: it is to begin again */
	bool repeatable;
	bool threaded; /* the first execution starts threads, */
	bool timeouts; /* has time-outs that could be over too soon, */
	bool unending; /* and comes to no end: those that auto begins with are cut early */
	bool begins;   /* the present phase is one of portfolio_begins() */
	bool ordered;  /* and its time-outs fire in order */
	bool over;     /* nothing more is to be run */
	bool enough;   /* over, and what runs still isn't wanted any more */
	bool looked;   /* at what executions do to memory */
	bool
	    hands_on; /* threads wait for memory that is no operation: a search in which it is follows at once */
	bool complete;		/* a strategy has run every execution */
	bool sampled;		/* part of the search was random */
	bool bounded;		/* some bound has been worked through: */
	bool delays;		/* on delays, not on preemptions */
	uint32_t bound;		/* the highest */
	bool forbade;		/* fairness kept a thread from running that could */
	bool unfair;		/* the present phase runs what fairness left out: */
	bool unfair_complete;	/* all of it */
	bool endless;		/* it came upon threads that wait for each other for ever */
	uint64_t longest;	/* what an execution that came to its end took at most, in nanoseconds */
	uint64_t longest_trace; /* and its transitions */
	uint64_t
	    broken_off; /* executions that came to no end, not counting those that the end of the budget cut */
	uint64_t
	    holding; /* executions in which time-outs were held back, not counting those of auto's beginning */
	uint64_t beyond;    /* executions that ended after more transitions than the depth */
	uint64_t cut_early; /* auto's, at less than the depth */
	uint64_t allowed;   /* executions that ended in a cycle as formulas allow it */
	uint64_t cut, held_back, diverged, unconfirmed, outside, absent, going_on;
	struct failures failures;
	struct looks looks;	/* executions that are looked at again if the search comes to its end */
	struct races races;	/* that those looks have shown */
	struct phase completed; /* which has run every execution, if `complete`, */
	size_t completed_at;	/* the number of this phase among the portfolio's */
	size_t phase_at;	/* that of the present one */
	struct looks suspects;	/* watched executions in which accesses should be operations */
	uint64_t suspicions[LOOKS_MOST]; /* digests of each */
	bool unordered;			 /* there are such, not only ordered ones */
	bool watching_cut;		 /* the budget has ended it, and the next run goes on with it */
	uint64_t watched_before;	 /* by earlier runs */
	bool follows;			 /* another search came before this one, which has found nothing */
	bool passed_over; /* so it did in the run that is taken up: this search was over then, */
	bool passed_sc;	  /* and so were all in which no stores wait */
	struct coverage coverage;
	struct certifying certifying;
	struct resume *resume;	/* of several runs: where it stands is kept */
	double earlier_seconds; /* what earlier runs took */
	bool tried;		/* the first schedule has come to its end, twice alike */
	double loading;		/* seconds of the budget that were used when the program was loaded */
	char stage[64]; /* what was being done when they were used up before an execution: "while ..." */
	uint64_t
	    probing; /* from so many transitions on the first execution is only run to see if it has an end; 0: never */
	size_t found_reasons;  /* of the verdict's: what executions showed, not what the budget left out */
	struct share share;    /* of a search that is divided */
	size_t elsewhere;      /* executions that are out and that another shard counts */
	struct states *states; /* those of this search; NULL: nobody asks */
	const struct launch *launch;
	/* Of the first outcome of this search, if they are looked at: */
	struct step *outcome_steps;
	size_t outcome_length;
	uint64_t outcome_digest;
	unsigned outcome_tries;	 /* to find where another one parts from it */
	unsigned outcome_number; /* of the last schedule written for one */
	char **told;		 /* the environment that those name; NULL: not yet */
	uint64_t undecided;	 /* executions counted whose failure there was no time to confirm */
	enum status fatal;	 /* why the search had to be given up; `why` holds one line */
	char why[300];
};

/* `workers`: how many executions may run at a time, 1 for this process alone. `resume` has been opened. The budget began
 * at `began`: that's before the program was loaded. */
void explore_init(struct exploration *x, const struct options *options, struct session *session,
		  unsigned workers, struct resume *resume, uint64_t began, struct verdict *verdict);
void explore_release(struct exploration *x);

/* When the budget that began then is used up; 0: there is none. */
uint64_t explore_deadline(const struct options *options, uint64_t began);

/*
 * Run the first schedule twice: is the program repeatable, does it start threads? False when the search has
 * to be given up (over, fatal).
 */
bool explore_preflight(struct exploration *x, const struct launch *launch);
/* After each transition: the first execution may have gone on for longer than most have to. */
void explore_probe(struct exploration *x, const struct trace *trace);

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

/* This search follows that one, which has found nothing, and has the rest of its budget. */
void explore_follow(struct exploration *x, const struct exploration *before);

/*
 * The search that followed this one has come to nothing: what this one has shown stands, and the time of both counts. `races`: it was
 * the one for accesses to memory.
 */
void explore_alone(struct exploration *x, bool races);

/* When all that belongs to the search has to be over, by clock_now(): a tenth after its budget; 0: it has none. */
uint64_t explore_last_moment(const struct exploration *x);

/* Write down where the search stands, or that it is over. Ends with a line on standard error if it can't. */
void explore_keep(struct exploration *x);

/* The program couldn't be started in time: there is no search. The reason goes into the verdict; `stage` begins with "while". */
void explore_never_began(struct exploration *x, const char *stage);

/* Search, then put every reason for which it isn't complete into the verdict. */
void explore_search(struct exploration *x, const struct launch *launch, const struct processors *processors);

#endif
