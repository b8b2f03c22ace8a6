#ifndef FMC_SUPERVISOR_CLI_VERDICT_VERDICT_H
#define FMC_SUPERVISOR_CLI_VERDICT_VERDICT_H

#include <fmc/supervisor/finding.h>
#include <fmc/supervisor/process.h>
#include <fmc/supervisor/states.h>

#include "supervisor/cli/verdict/memory.h"

#include <stdio.h>

#define VERDICT_REASONS 24

struct simplified;
struct race_list;
struct outcome_list;
struct share;

/* A failure, or an execution that is to be kept. */
struct reported {
	struct finding finding;
	char *schedule;	    /* file written; NULL if none */
	uint64_t count;	    /* executions that ended like this */
	uint64_t execution; /* number of the first of them */
	double seconds;	    /* when it was found */
	char phase[32];	    /* by which strategy */
	struct policy policy;
	/* No fair execution with fewer preemptions than this fails like this: the search has shown it */
	uint32_t least_preemptions;
	struct simplified *simplified; /* what minimising came to; NULL if it wasn't tried */
};

enum warning_kind { WARNING_LOCK_ORDER, WARNING_LEAK, WARNING_OPS, WARNINGS };

/* What an execution that went well shows of others that might not. */
struct warning {
	char *message;	   /* one line; NULL: there is no such warning */
	size_t transition; /* that takes the second lock, or creates the thread, or SIZE_MAX */
	struct warned_thread {
		uint32_t thread;
		struct thread_report report; /* what it does there */
	} threads[2];
	size_t threads_length;
	uint32_t replays; /* made for it so far */
};

/* What a complete search says of executions in which threads that yield aren't fair to others. */
enum unfair {
	UNFAIR_NONE,	/* fairness never kept a thread from running: there are none, or it is switched off */
	UNFAIR_RUN,	/* they were run, too */
	UNFAIR_ENDLESS, /* they weren't: without fairness threads wait for each other for ever */
	UNFAIR_REFUSED, /* they weren't: the user has said which fairness is meant */
};

/* What came of a command, to be said honestly: to people, as JSON, as an exit status. */
struct verdict {
	char strategy[64];
	uint64_t executions, transitions;
	uint64_t earlier; /* of the executions: those of earlier runs (--resume) */
	uint64_t
	    before; /* those of the search without atomic instructions that came first; 0: there was none */
	uint64_t unmodelled; /* operations, in all executions */
	bool
	    all_shared; /* if at accesses to memory, also at those that operations order (--granularity memory) */
	bool atomics;	    /* threads were switched at atomic instructions of the program, too */
	bool follow;	    /* its processes were followed, */
	bool shares_memory; /* and may have memory in common */
	bool driven;	    /* it had a client */
	bool tso;	    /* their stores waited in buffers */
	bool parted;	    /* some accesses were several operations, for their parts */
	bool compiled;	    /* threads were switched at accesses that the program tells of, */
	char uncompiled[PROCESS_UNCOMPILED]; /* which these libraries don't; empty: none */
	bool reduced;			     /* complete but for executions that are equivalent to others */
	uint64_t classes;    /* executions that differ in more than the order of independent operations */
	double saturation;   /* the share of the last executions that were of classes seen before */
	double estimate;     /* how many executions there are; 0: none can be given */
	double estimate_low; /* an interval, if below estimate_high */
	double estimate_high;
	char estimate_of[80]; /* which executions: " with at most 1 preemption"; empty: all */
	const char
	    *image; /* the executions began in this saved state, borrowed; NULL: at the program's start */
	uint32_t fair_k;
	enum unfair unfair;
	char conditions
	    [512]; /* of a search, besides fairness: "sequential consistency, ..."; empty: none was made */
	int assumed_exit;    /* taken for a good end as the first execution had it; 0: no status was */
	uint64_t broken_off; /* executions that came to no end in their time */
	char broken_at[256]; /* where the first of them was: "T2 computes in compute at comp.c:3" */
	enum whereabouts broken_doing;
	double seconds;
	bool complete; /* nothing was left out; only without reasons */
	bool alone;    /* the program never started a second thread */
	bool
	    conditional; /* it would be complete, but for what `memory` has and for `in_order`; there is no other reason */
	bool ordered;  /* time-outs fired in order, and some were held back for it: */
	bool in_order; /* but for that, and for `conditional`, it would be complete */
	struct memory_seen memory;
	uint64_t watched; /* executions that were run once more for that, with every access watched, */
	bool watched_all; /* and these are all: no other accesses than `switched` are ordered by nothing */
	char unwatched[PROCESS_LOOK_WHY]; /* what was missed in them; empty: nothing */
	struct memory_seen switched;	  /* accesses at which threads were switched, too */
	char *because[VERDICT_REASONS];	  /* why the search isn't complete */
	size_t reasons;
	char *uncontrolled; /* verdict_uncontrolled() so far, as that takes it; NULL: nothing */
	bool
	    numbers_given; /* descriptors have the numbers that they were given: in another order they may have others */
	struct warning warnings[WARNINGS]; /* by kind */
	struct race_list
	    *races; /* of this search and those before it (races.h), borrowed; NULL: there is none */
	struct outcome_list *outcomes; /* the same (outcomes.h); NULL: nobody has asked for them */
	bool states_wanted;
	struct states_count states; /* of the last search, if they are wanted */
	const struct share *share;  /* of a search that is divided (share.h), borrowed; NULL: it isn't */
	bool pruned;		    /* what follows states that had been explored was left out */
	const struct property_specs *properties; /* what is to hold, borrowed; NULL: nobody has said */
	uint32_t reached;    /* to the places of which of them threads have come, as bits */
	size_t races_failed; /* of these, the ones that count as failures */
	struct reported *reported;
	size_t reported_length;
};

/* Has no thread come to the place of number i of `properties` in any execution of this run? False for those that have none. */
bool verdict_unreached(const struct verdict *verdict, size_t i);

void verdict_init(struct verdict *verdict);
void verdict_release(struct verdict *verdict);

/*
 * One more to report, its finding initialised; valid until the next call. NULL without memory. Where its
 * finding keeps the kind FINDING_NONE it is no failure.
 */
struct reported *verdict_report(struct verdict *verdict);

/* Threads are switched at these accesses, too, and at those of the search before this one. Without memory it names fewer. */
void verdict_switched(struct verdict *verdict, const struct verdict *before, const struct memory_seen *races);

/* At what threads were switched, as --granularity says it. */
const char *verdict_granularity(const struct verdict *verdict);

/* The memory model, for people. */
const char *verdict_memory_model(bool tso);

/* Without data races. */
size_t verdict_failures(const struct verdict *verdict);

/* Add a reason why nothing can be said about all executions. The same text is kept once. */
void verdict_because(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same of what isn't controlled, a list as process_uncontrolled() gives it of each execution: one reason, which names everything
 * once. Numbers of descriptors are a condition instead.
 */
void verdict_uncontrolled(struct verdict *verdict, const char *list);

/* Count an execution that was broken off; `where` as process_where() tells it. */
void verdict_break_off(struct verdict *verdict, const char *where, enum whereabouts doing);

/*
 * Under which conditions a complete search holds, in a line: where threads were switched, what was taken for equivalent, fairness and
 * the rest. To be freed; NULL for a verdict that is of no search, or without memory.
 */
char *verdict_conditions(const struct verdict *verdict);

/* What a search has shown, and what it hasn't. */
void verdict_print(const struct verdict *verdict, FILE *stream);

/*
 * Is it as complete as --require-complete asks for? A search whose accesses to memory weren't all watched is only where the user has
 * said that operations and atomic instructions are to be all (--granularity sync or atomic), or stores wait.
 */
struct options;
bool verdict_satisfies(const struct verdict *verdict, const struct options *options);

#endif
