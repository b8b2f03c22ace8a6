#ifndef FMC_SUPERVISOR_CLI_EXPLORE_EXPLORE_H
#define FMC_SUPERVISOR_CLI_EXPLORE_EXPLORE_H

#include "supervisor/cli/explore/certify.h"
#include "supervisor/cli/explore/portfolio.h"
#include "supervisor/cli/explore/progress.h"
#include "supervisor/cli/kept/resume.h"
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/verdict/share.h"
#include "supervisor/cli/verdict/verdict.h"
#include "supervisor/cli/watch/looks.h"
#include "supervisor/cli/workers/failures.h"
#include "supervisor/cli/workers/jobs.h"

#include <fmc/supervisor/coverage.h>

/* A search that is tried in the midst of another one, */
struct aside {
	uint64_t most; /* until there are so many executions of all together, 0: it isn't tried but made, */
	uint64_t end;  /* or until then on clock_now(); 0: however long it takes */
};

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
	bool leaves_time; /* to that with atomic instructions: the deadline is earlier for that */
	uint32_t
	    learned; /* loops and shared descriptors that were known when the search of this phase began */
	bool anew;   /* more are known now: it is to begin again */
	bool repeatable;
	bool threaded; /* the first execution starts threads, */
	bool timeouts; /* has time-outs that could be over too soon, */
	bool unending; /* and comes to no end: those that auto begins with are cut early, */
	uint64_t lead; /* not counting so many transitions, after which its client begins */
	bool begins;   /* the present phase is one of portfolio_begins() */
	bool ordered;  /* and its time-outs fire in order */
	bool over;     /* nothing more is to be run */
	bool enough;   /* over, and what runs still isn't wanted any more */
	bool looked;   /* at what executions do to memory */
	bool
	    hands_on; /* threads share memory that is no operation: a search in which it is follows at once */
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
	uint64_t going_round; /* of those outside: threads go round */
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
	/* True: a search that could follow this one, with what it has to add, has come to a verdict by then, and told it. NULL: none is tried. */
	bool (*try_more)(void *context, const struct exploration *x, const struct aside *aside);
	void *more_context;
	bool tried_more;
	bool decided;	    /* that one has */
	struct aside aside; /* this is such a search */
	struct coverage coverage;
	struct certifying certifying;
	struct resume *resume;	/* of several runs: where it stands is kept */
	double earlier_seconds; /* what earlier runs took */
	bool tried;		/* the first schedule has come to its end, twice alike */
	bool first_ran;		/* or once, like this, in so many seconds: */
	struct trace first;
	double first_took;
	bool first_counts; /* that is all that there was time for */
	double loading;	   /* seconds of the budget that were used when the program was loaded */
	char stage[64];	   /* what was being done when they were used up before an execution: "while ..." */
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

/*
 * Run the first schedule twice: is the program repeatable, does it start threads? False when the search has
 * to be given up (over, fatal).
 */
bool explore_preflight(struct exploration *x, const struct launch *launch);
/* After each transition: the first execution may have gone on for longer than most have to. */
void explore_probe(struct exploration *x, const struct trace *trace);

/* When all that belongs to the search has to be over, by clock_now(): a tenth after its budget; 0: it has none. */
uint64_t explore_last_moment(const struct exploration *x);

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

/* last.c: an execution that is over (x->last): count it, look at its end, tell the search. */
void explore_last(struct exploration *x, const struct phase *phase, struct search *search);

/*
 * No search has come to an execution: that of the first schedule, which was run to see how the program goes, is the one that counts, if it came to
 * its end.
 */
void explore_count_first(struct exploration *x);

/* The same for a part of the search: what came of its executions is counted, and what is left of it is open again. */
void explore_part(struct exploration *x, const struct phase *phase, struct search *search);

/* parts.c: is this phase given to workers in parts now? So many are wanted at a time. */
bool explore_gives_parts(const struct exploration *x, const struct phase *phase);
size_t explore_parts_wanted(const struct exploration *x);

/* Parts for all workers that have nothing to do. */
enum search_answer explore_give_parts(struct exploration *x, const struct phase *phase, struct search *search,
				      uint64_t *planned);

/* budget.c: */

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
 * races.c: where races go that looks show; NULL: nobody wants them, or they can't be told from what is in order. With --races
 * report one execution at least is looked at for them, whatever came of the search.
 */
struct race_list *explore_race_list(struct exploration *x);
void explore_races(struct exploration *x);

/*
 * outcomes.c: what the last execution came to, if outcomes are looked at. expect: if this one has ended well, all others have to end
 * like it (--same-output); false without memory.
 */
void explore_outcome(struct exploration *x);
bool explore_expect_outcome(struct exploration *x, const struct trace *trace, const struct ending *ending);

#endif
