#ifndef FMC_SUPERVISOR_EXECUTION_STATE_H
#define FMC_SUPERVISOR_EXECUTION_STATE_H

#include <fmc/supervisor/execution.h>

#include "supervisor/policy/lasso.h"
#include "supervisor/policy/policy.h"
#include "supervisor/policy/recurrences.h"

/*
 * The inside of an execution, shared by the files of this room only.
 *
 *     begin -> [ enabled -> choose -> perform -> settle ]* -> conclude
 *
 *     begin     execution.c         a fresh model and fair scheduler, the machine's start
 *     enabled   enabled.c           which threads are enabled (model), which of them schedulable (fair), all ways on
 *               timeouts.c            which time-outs and sleeps may be over
 *     choose    step.c              the plan's next step, or after its prefix what the policy picks
 *     perform   step.c              the model does it, then the machine
 *     settle    step.c              what came of it: births, the next pending operation, an exit, the end
 *     conclude  execution.c         how every thread stands; the watcher's look; the machine's finish
 *
 * The functions that return bool return false when the execution is over; trace->end then says why. Assertions hold the order
 * and that (execution_goes_on).
 */
enum execution_stage {
	EXECUTION_IDLE,	   /* not begun, or finished */
	EXECUTION_BEGINS,  /* the machine has been started */
	EXECUTION_BETWEEN, /* settled */
	EXECUTION_SURVEYED,
	EXECUTION_PERFORMS, /* chosen, and on its way */
	EXECUTION_OVER,
};

/* What a thread has done since another one went on, as timeouts.c counts it. */
struct stretch {
	uint32_t thread, transitions, yields;
};

struct execution {
	enum execution_stage stage; /* finish leads from each to EXECUTION_IDLE */
	struct machine *machine;
	struct model_block block;
	struct fair *fair;
	uint32_t fair_room;
	/* Sets of threads, as wide as fair's. */
	uint64_t *enabled, *schedulable, *before;
	/*
	 * Those that can only go on in one way, which is in `choices`, as far as that has been asked; and whether the model alone decides about all
	 * threads, without time (plain), or at least nobody waits for memory (steady). Then what a transition on an object changes is known: local, and
	 * which object; and it may be that nothing else was asked anew (kept), and that all can do what they could before (same).
	 */
	uint64_t *sole;
	int32_t *choices;
	bool plain, steady, local, kept, same;
	bool
	    sleepers; /* some thread sleeps at a condition variable, as far as it has been asked since `plain` was */
	uint32_t touched;
	uint64_t *held;	 /* those whose time-outs or sleeps would be over before it is their turn */
	uint8_t *yields; /* of each thread in a row, as timeouts.c counts them */
	bool yielded;	 /* and there has been one */
	struct stretch alone;
	struct execution_watcher watcher;
	struct execution_monitor monitor; /* look NULL: nobody judges */
	bool verify;
	bool ends_at_circles;
	struct good_ends good_ends;
	/* Of the execution being run. */
	const struct plan *plan;
	struct trace *trace;
	struct policy_state *policy; /* with as much room as fair */
	struct lasso lasso;
	struct recurrences recurrences; /* all states, while all can be told and somebody judges cycles */
	size_t round; /* at this state threads were first found to go round; 0: they haven't been */
	bool judges_cycles;
	uint32_t previous;	    /* the thread that ran last, NO_THREAD at first */
	bool windows;		    /* a yield has counted: there may be priorities */
	bool *asleep;		    /* which members of the plan's sleep set still are */
	struct footprint footprint; /* of the last transition */
	bool forced;		    /* it is ready, but the priorities forbid it to go on */
	bool hopeless;		    /* nothing is enabled, and nothing outside could change that */
	uint64_t ended;		    /* child processes that have, as bits by number */
	bool again;		    /* it is over because it is to be run anew */
	bool timed;		    /* a thread has a time-out or a sleep before it, */
	bool hurried;		    /* and waits for as long as somebody goes on without */
};

/* room.c: room for so many threads in the fair scheduler and in the sets, what they hold kept; false without memory.
 */
#define FIRST_ROOM 64u /* threads at first */
bool execution_reserve_threads(struct execution *x, uint32_t threads);

/* going.c: the trace ends so. */
void execution_set_end(struct trace *trace, enum end_reason end, enum status status, const char *message);

/* going.c: the thread that has performed its next operation already, and comes next; NO_THREAD: none has. */
uint32_t execution_ahead(const struct execution *x);

/* What begin and next return: the execution is between transitions, or over with a reason. */
bool execution_goes_on(struct execution *x, bool on);

/* End the trace as END_ERROR for want of memory; returns false. */
bool execution_out_of_memory(struct trace *trace);

/*
 * The fair scheduler's part of the last transition, then the sets and alternatives of the present state. The
 * enabled set after a transition, which Algorithm 1 needs, is the one before the next: so it is done here.
 */
bool execution_compute_enabled(struct execution *x);

/* Has t had all the transitions that a thread may have? */
bool execution_used_up(const struct execution *x, uint32_t t);

/*
 * timeouts.c: whose time-out, or sleep, would be over although another thread could go on without one, or another's is
 * over sooner. Under policy.ordered they aren't enabled. To be asked once at each state, after what is enabled.
 */
void execution_hold_timeouts(struct execution *x);

/* Whatever the transition was that t has just made, does it still come before time-outs if it can go on? */
bool execution_comes_before(const struct execution *x, uint32_t t);

/* The same where nobody waits for time to pass, and nobody has at the state before. */
void execution_count_turns(struct execution *x);

/* What a transition that takes this step there says of it: of enum transition_flag. */
uint8_t execution_timeout_flags(const struct execution *x, const struct step *step);

/* Before the next transition child processes may end; a plan says which ones have to. */
void execution_let_children_end(const struct execution *x);

/* Thread `thread` has come as far as `outcome` says. */
bool execution_settle(struct execution *x, uint32_t thread, bool asleep, const struct outcome *outcome);

/*
 * footprint.c: the footprint of the transition just pushed, with what its outcome says, before the
 * model knows of it. Then lines 13 to 29 of Algorithm 1, which may add to it.
 */
bool execution_footprint(struct execution *x, const struct outcome *outcome);
bool execution_advance_fairness(struct execution *x, const struct transition *last);
bool execution_record_objects(struct execution *x);

/*
 * The plan's sleep set. again: of a plan that goes on after the transitions of the trace, the last of which has woken nobody yet: that
 * is done when what is enabled after it is known.
 */
bool execution_sleep_start(struct execution *x);
bool execution_sleep_again(struct execution *x);
void execution_wake_sleepers(struct execution *x);
bool execution_is_asleep(const struct execution *x, const struct step *step);

/*
 * judge.c: look at the state that the execution has come to. `on`: it goes on; what is returned says whether it still does. The footprint of
 * the last transition says then what it changed of what is seen.
 */
bool execution_judge(struct execution *x, bool on);

/* The present state has been there before: do those who look allow what lies between to go on for ever? True: the execution ends here. */
bool execution_judge_cycles(struct execution *x);

/* What a plug-in says is believed until it is proven wrong: false, and the execution's end, if it has been. */
bool execution_believes_plugin(struct trace *trace);

#endif
