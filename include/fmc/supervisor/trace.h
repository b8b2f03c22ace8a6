#ifndef FMC_SUPERVISOR_TRACE_H
#define FMC_SUPERVISOR_TRACE_H

#include <fmc/breakpoints/op.h>
#include <fmc/supervisor/dependence.h>
#include <fmc/tracer/status.h>
#include <stddef.h>

/*
 * Plan in, trace out: all that passes between the search and an engine.
 */

struct step {
	uint32_t thread;
	int32_t choice;
};

static inline bool step_equal(struct step a, struct step b)
{
	return a.thread == b.thread && a.choice == b.choice;
}

/*
 * A lane is what is in the order of the program: a thread; where flushes are apart (struct policy) the buffer of one is another lane than
 * itself. Steps of one thread and of two lanes depend on each other as their footprints say, and where flushes aren't apart those say that
 * they do.
 */
static inline bool step_same_lane(struct step a, struct step b)
{
	return a.thread == b.thread && (a.choice == CHOICE_FLUSH) == (b.choice == CHOICE_FLUSH);
}

static inline uint32_t lane_of(struct step step, bool apart)
{
	return apart ? 2 * step.thread + (step.choice == CHOICE_FLUSH) : step.thread;
}

static inline uint32_t lanes(uint32_t threads, bool apart)
{
	return apart ? 2 * threads : threads;
}

enum policy_kind {
	POLICY_DEFAULT, /* go on with the running thread; when it can't, the next ready one by number */
	POLICY_RANDOM,	/* every schedulable thread with the same probability, then every choice of it */
	POLICY_PCT,	/* the thread of highest priority, which drops at `changes` random points */
	POLICY_POS,	/* the operation of highest priority, drawn again when it meets a conflicting one */
	POLICY_SURW,	/* uniform over the orders of the operations of one group */
	POLICY_RECUR,	/* a choice for each state, which is taken whenever it comes again */
	POLICY_DEVIATIONS, /* POLICY_DEFAULT but for a list of decisions, see deviation.h */
};

/* What one execution did, thread by thread: what POLICY_SURW draws by. */
struct profile_thread {
	size_t first; /* into profile.groups */
	size_t length;
	uint32_t parent; /* the thread that created it, NO_THREAD for the first ones */
};

struct profile {
	const struct profile_thread *threads;
	uint32_t thread_count;
	const uint32_t *groups; /* of each transition, thread after thread */
};

#define EVERY_GROUP UINT32_MAX

struct deviation;

/* How transitions after the prefix are chosen, and where an execution is cut. */
struct policy {
	enum policy_kind kind;
	uint64_t seed;	 /* of the random kinds */
	uint32_t fair_k; /* fair_init(); 0 switches fairness off */
	/* Transitions before an execution is examined for a loop and cut, without fairness cut at once; 0: no bound. */
	uint64_t max_depth;
	bool unwatched; /* cut at once at max_depth, whether it makes a loop or not */
	bool early;	/* fair: the first transitions are looked at for a loop, too, as if max_depth was policy_early() */
	bool endless;	/* no cycle ends it: for plans that go round one */
	bool written;	/* a cycle is told where the prefix ends, which is that of an execution in which it was */
	uint64_t longer;	   /* one without a loop goes on from there up to so many; 0: it ends */
	uint64_t max_thread_depth; /* transitions of one thread before it is held for good; 0 is no bound */
	/*
	 * A time-out or a sleep is over only when no other thread could go on without one and none ends sooner, in the machine's
	 * own time. A thread that yields again and again isn't waited for for ever.
	 */
	bool ordered;
	bool ends_count;  /* footprints say which thread was the last to end: trace_outlives_main() */
	bool once_round;  /* a thread before an OP_VAIN doesn't go on, unless nobody ends its wait */
	bool apart;	  /* flushes depend as if a thread of its own made them: model_flush_apart() */
	uint32_t changes; /* POLICY_PCT: priority changes, d - 1, at most POLICY_CHANGES */
	uint64_t length;  /* POLICY_PCT: transitions that executions have; at least 1 */
	const struct profile *profile; /* POLICY_SURW: outlives the execution; may be NULL */
	uint32_t group;		       /* POLICY_SURW: the one whose orders are sampled, or EVERY_GROUP */
	const struct deviation *deviations; /* POLICY_DEVIATIONS: in their order; outlives the execution */
	size_t deviations_length;
};

/*
 * policy.early: the transition from which on. Where one looks for what comes again that is the first; else most executions that end are to be over
 * before, as a digest of several processes takes as long as some transitions.
 */
static inline uint64_t policy_early(const struct policy *policy)
{
	return policy->kind == POLICY_RECUR ? 1 : 16;
}

#define POLICY_CHANGES 32

/* POLICY_RECUR goes by the state for so many transitions. */
#define POLICY_RECURS 1024

/*
 * A way to go on that needn't be explored again where the plan's prefix ends, nor after, until a transition
 * that depends on it (sleep sets, Godefroid 1996).
 */
struct sleeper {
	struct step step;
	struct accesses footprint; /* of the transition when it was performed */
};

struct plan {
	const struct step *prefix; /* owned by whoever made the plan, like the sleep set */
	size_t prefix_length;
	/* Of each step of the prefix: the child processes that end before it, as in machine_ops.children. NULL: as they come. */
	const uint64_t *ended;
	const struct sleeper *sleep_set; /* before step `sleep_set_from` of the prefix */
	size_t sleep_set_length, sleep_set_from;
	bool sleep_set_fair; /* fairness counts in what depends on them */
	struct policy policy;
	uint64_t ticket; /* by which the search knows it; counts from 1 */
	bool
	    elsewhere; /* of a search that is divided: another shard counts it, here it shows what there is */
};

enum end_reason {
	END_NONE,
	END_EXIT,	  /* the process exited by itself; end_value is its exit status */
	END_SIGNAL,	  /* killed by a signal of its own doing; end_value is the signal */
	END_DEADLOCK,	  /* threads are left and none is enabled; or some wait for each other in a circle */
	END_DEPTH,	  /* max_depth reached, and no loop was proven */
	END_THREAD_DEPTH, /* the threads that could go on have used up max_thread_depth */
	END_LIVELOCK, /* a fair cycle: the state after the trace equals the one at transition loop_start */
	END_NO_YIELD, /* a cycle in which end_thread runs without a yield while others starve (good samaritan)
		       */
	END_MISUSE,   /* end_thread was about to misuse the thread library; end_value is its enum misuse */
	END_VIOLATED, /* what is to hold of every state doesn't hold of the last one: end_value is its number, end_thread made the last
			 transition (NO_THREAD: there was none), message is what was seen */
	END_UNFULFILLED, /* the same of what is to come about in its course: it can't any more, or hasn't until the program's exit */
	END_UNFULFILLED_LOOP, /* or doesn't if the transitions from loop_start on repeat for ever, which would be fair */
	END_REJECTED, /* the process ended well, but those who talked with it say that it isn't: end_value is an exit status, message says whose */
	END_ALLOWED,  /* those repeat for ever, fairly, and so they may */
	END_SPIN,     /* end_thread loops for ever without an operation, proven by an equal state */
	END_REDUNDANT,	 /* all that could go on are asleep: what follows has been explored */
	END_DIVERGED,	 /* the plan's prefix can't be followed: its step number `length` is not possible */
	END_UNSUPPORTED, /* the target did what fmc can't supervise; message says what */
	END_STUCK,	 /* all threads wait for something outside of the model, for longer than fmc does, or go round from loop_start on */
	END_ABSENT, /* in a copy of a running process, end_thread was about to use what the copy lacks: message */
	END_GOES_ON, /* in a copy of a running process: a cycle as of END_LIVELOCK or END_NO_YIELD, which all who run in it were in
			when the copy was made; end_thread is one of them, message says where it is */
	END_INTERRUPTED, /* the user's Ctrl-C or a time budget, while end_thread was at work; message may say where,
			    and end_value which of enum whereabouts that is */
	END_ERROR,	 /* fmc failed; status and message say how */
};

enum transition_flag {
	TRANSITION_YIELD = 1,	  /* a yield of [FAIR] */
	TRANSITION_TIMED_OUT = 2, /* the choice was a time-out */
	TRANSITION_PREEMPTION =
	    4, /* a switch away from a thread that was ready and not forbidden by the priorities */
	TRANSITION_FORCED = 8,	 /* the previous thread was ready but the priorities forbade it */
	TRANSITION_EXITS = 16,	 /* the thread's last one */
	TRANSITION_ORDERED = 32, /* policy.ordered, and a thread had a time-out or a sleep before it */
	TRANSITION_HOLDS = 64,	 /* policy.ordered holds one of those back there, or would */
	TRANSITION_EARLY = 128,	 /* a time-out or a sleep's end that policy.ordered would have held back */
};

/* One way to go on that was open at a transition. */
struct alternative {
	struct step step;
	uint8_t preemption; /* would cost one preemption */
	uint8_t timeout;    /* the choice is a time-out */
};

/* The place of a step among these; `count` if it is none of them. */
size_t alternative_find(const struct alternative *alternatives, size_t count, struct step step);

struct transition {
	uint32_t thread;
	int32_t choice;
	struct op op;
	int64_t result;	   /* what the program saw; valid if result_valid */
	bool result_valid; /* false for operations without a result, or when the thread never came back from
			      it */
	uint8_t flags;	   /* enum transition_flag */
	uint32_t created;  /* THREAD_CREATE: number of the first new thread, else NO_THREAD */
	uint32_t births;   /* how many */
	uint32_t word,
	    word2; /* what a futex operation saw, or whether a write left memory as it was: struct observation */
	uint32_t first_access; /* into trace.accesses: its footprint, as in dependence.h */
	uint32_t accesses;
	uint32_t first_alternative; /* into trace.alternatives; the one taken is among them */
	uint32_t alternatives;
	/* How many had been seen before it: in all executions that begin alike up to here they have the same
	 * numbers. */
	uint32_t objects;
	uint32_t
	    under; /* OP_SIGNAL_TAKE: into trace.under: what the thread had pending until the signal was sent */
	uint64_t ended; /* child processes that had ended before it, as bits by number */
};

static inline struct step transition_step(const struct transition *transition)
{
	return (struct step){transition->thread, transition->choice};
}

/* Of the same operation: did the program see the same? What memory held doesn't count (op_shows_memory()). */
bool transition_same_result(const struct transition *a, const struct transition *b);

/* A final state of a thread. */
struct thread_end {
	/* OP_NONE: exited. Of a thread that never came back from its last operation or ended the process in
	 * the code after it: that operation, not enabled. */
	struct op pending;
	struct op cut; /* what it had pending when another thread ended its process, which wasn't the last; OP_NONE: that isn't how it has exited */
	bool enabled;
	bool holds_back; /* waits for `blocker` */
	uint32_t blocker;
	enum object_class blocked_class;
	uint32_t blocked_object; /* what it waits for, NO_OBJECT if nothing */
	uint32_t process, parent; /* model_process(), model_parent() */
};

/* What it has come to, be it that it never does it. */
static inline const struct op *thread_end_op(const struct thread_end *end)
{
	return end->cut.kind != OP_NONE ? &end->cut : &end->pending;
}

/* A state that an execution has come to, before this transition, by a digest of all that decides how it goes on. */
struct state_visit {
	size_t before;
	uint64_t digest[2];
};

struct trace {
	struct transition *at;
	size_t length, room;
	struct alternative *alternatives;
	size_t alternatives_length, alternatives_room;
	/* Two sets for each transition, enabled then schedulable, `set_words` words each; see
	 * trace_enabled(). */
	uint64_t *sets;
	size_t sets_room;
	uint32_t set_words;
	struct access *accesses;
	size_t accesses_length, accesses_room;
	struct op *under; /* see transition.under */
	uint32_t under_length, under_room;
	struct object_state *objects; /* as they were when they were first seen */
	uint32_t objects_length, objects_room;
	/* Of an execution that began in the middle of a run: what the threads had pending then. Else none. */
	struct op *found;
	uint32_t found_length, found_room;
	struct thread_end *threads; /* final states */
	uint32_t threads_length, threads_room;
	size_t
	    loop_start; /* END_LIVELOCK, END_NO_YIELD: the transitions from here to the end repeat for ever */
	uint32_t initial_threads; /* those that existed before the first transition */
	uint32_t preemptions;
	bool held_back; /* some thread could have gone on but for max_thread_depth */
	bool apart;	/* policy.apart */
	bool observed;	/* its states were looked at: footprints say who changed what is seen (TOUCH_SEEN) */
	bool counted;	/* and how often one is repeated matters: no two transitions commute then */
	bool
	    midway; /* END_VIOLATED: in the middle of the last transition, where end_thread has come to a place */
	uint32_t
	    reached; /* places that threads have come to of those that somebody asked for, as bits (execution_monitor) */
	uint64_t unmodelled; /* operations seen that the model doesn't know; `message` names the first */
	enum end_reason end;
	int end_value;
	/* A digest of its end and of what counts of its output; 0: nobody asked, or it has come to no end. */
	uint64_t outcome;
	bool other_outcome; /* and another one is expected */
	bool good_end;	    /* END_EXIT, END_SIGNAL: one of those that count as good (execution_expect()) */
	uint32_t
	    end_thread; /* the thread that crashed or ended the process, NO_THREAD if none in particular */
	enum status status; /* END_ERROR, END_UNSUPPORTED: why */
	char message[256];
};

void trace_init(struct trace *trace);
void trace_clear(struct trace *trace); /* for re-use, keeps the memory */
void trace_release(struct trace *trace);

/* One more transition, to be filled in, valid until the next one; NULL without memory. */
struct transition *trace_add(struct trace *trace);

/* Append a transition or an alternative; false without memory. */
bool trace_push(struct trace *trace, const struct transition *transition);
bool trace_push_alternative(struct trace *trace, const struct alternative *alternative);

/* Room after the alternatives for so many more, valid until the next one; alternatives_length is the caller's to raise. NULL without memory. */
struct alternative *trace_reserve_alternatives(struct trace *trace, size_t most);

/* Append the footprint of the transition just pushed; of all transitions of a trace or of none. */
bool trace_push_footprint(struct trace *trace, const struct footprint *footprint);

/* What the thread of the transition just pushed, an OP_SIGNAL_TAKE, had pending until the signal was sent; false without memory. */
bool trace_push_under(struct trace *trace, const struct op *op);

/* Append the first state of the next object; false without memory. */
bool trace_push_object(struct trace *trace, const struct object_state *state);

/*
 * Record the sets of the transition just pushed, `words` words each; of all transitions of a trace or of
 * none. `words` may grow from one to the next, then the earlier sets are widened. False without memory.
 */
bool trace_push_sets(struct trace *trace, const uint64_t *enabled, const uint64_t *schedulable,
		     uint32_t words);

/* Append what the next of the threads had pending when the execution began; false without memory. */
bool trace_push_found(struct trace *trace, const struct op *op);

/* Append the final state of the next thread; false without memory. */
bool trace_push_thread(struct trace *trace, const struct thread_end *end);

/* What the thread of transition i had pending before others had a share in it. */
static inline const struct op *trace_pending(const struct trace *trace, size_t i)
{
	const struct transition *transition = &trace->at[i];
	return transition->op.kind == OP_SIGNAL_TAKE ? &trace->under[transition->under] : &transition->op;
}

static inline struct accesses trace_accesses(const struct trace *trace, size_t i)
{
	const struct transition *transition = &trace->at[i];
	return (struct accesses){transition->accesses ? trace->accesses + transition->first_access : NULL,
				 transition->accesses};
}

/* Which of the alternatives that were open at transition i it took: its place among them. */
uint32_t trace_taken(const struct trace *trace, size_t i);

/* Sets of transition i as in bitset.h; NULL if sets were not recorded. */
const uint64_t *trace_enabled(const struct trace *trace, size_t i);
const uint64_t *trace_schedulable(const struct trace *trace, size_t i);

/* Was there a transition at which fairness kept a thread from running that was enabled? */
bool trace_forbids(const struct trace *trace);

/* Is there a transition before which policy.ordered holds a time-out or a sleep back, or would? */
bool trace_holds(const struct trace *trace);

/* The first time-out or sleep's end that policy.ordered would have held back; `length` if there is none. */
size_t trace_early(const struct trace *trace);

/*
 * The first transition at which two traces differ in thread, choice, operation, object, result or place;
 * the shorter length if one is a prefix of the other; SIZE_MAX if they are equal, their ends included. For
 * how long a thread meant to sleep does not count.
 */
size_t trace_difference(const struct trace *a, const struct trace *b);

/*
 * Why no two operations of this program can be taken for independent; NULL if they can. Threads that call futex(2)
 * themselves, or wait for the outside, share memory or pipes between the operations that are seen, and those that
 * the main thread leaves behind notice at their ends who else has ended: then orders of operations that look
 * equivalent needn't be. sees_memory: as in search_options.
 */
const char *trace_hides(const struct trace *trace, bool sees_memory);

/* Does the main thread exit while others go on? Else, and where policy.ends_count is set, trace_shares() is all that trace_hides()
 * asks. */
bool trace_outlives_main(const struct trace *trace);
const char *trace_shares(const struct trace *trace, bool sees_memory);

/*
 * The number of the process that thread t is of, from 1 on in the order in which they were made; 0: there is only one, or the trace doesn't tell how
 * its threads ended.
 */
uint32_t trace_process_of(const struct trace *trace, uint32_t t);

/* A thread can still go on at the end. */
bool trace_goes_on(const struct trace *trace);

/*
 * Is t one of those that END_DEADLOCK is about? Everybody who is left, or where others can go on, who waits for each other in a
 * circle.
 */
bool trace_stuck(const struct trace *trace, uint32_t t);

/* Does following "waits for" from t at the end lead back to it? */
bool trace_in_circle(const struct trace *trace, uint32_t t);

/* Copies all of it; false without memory. */
bool trace_copy(struct trace *to, const struct trace *from);

const char *end_reason_name(enum end_reason reason);

/* Ends in a cycle of transitions, from loop_start on. */
static inline bool end_reason_loops(enum end_reason reason)
{
	return reason == END_LIVELOCK || reason == END_NO_YIELD || reason == END_GOES_ON ||
	       reason == END_UNFULFILLED_LOOP || reason == END_ALLOWED;
}

#endif
