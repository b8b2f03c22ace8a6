#ifndef FMC_REPLAY_MINIMIZE_H
#define FMC_REPLAY_MINIMIZE_H

#include <fmc/supervisor/trace.h>
#include <fmc/tracer/must_check.h>

/*
 * Make a failure easy to read: fewer preemptions, switches and transitions that still fail in the same way,
 * the transition from which on the failure can't be avoided, and how near to it an execution ends well.
 *
 * Works on anything that runs plans. Every schedule that it takes over has been run and has failed in the
 * same way; reasoning alone never replaces a run there.
 */

/* What came of an execution. */
enum FMC_MUST_CHECK minimize_end {
	MINIMIZE_SAME,	  /* it fails in the way that is looked for */
	MINIMIZE_OTHER,	  /* it fails in another way */
	MINIMIZE_GOOD,	  /* it ends well */
	MINIMIZE_UNKNOWN, /* neither is known: cut, diverged, stuck */
	MINIMIZE_STOP,	  /* nothing more is to be run: no time, interrupted, fmc's own failure */
};

struct minimize_runner {
	void *context;
	/* Run the plan; the trace is cleared first. */
	enum minimize_end (*run)(void *context, const struct plan *plan, struct trace *trace);
	/* How much of the time has been used up, 1: all. NULL: only executions count. */
	double (*used)(void *context);
};

struct minimize_options {
	struct policy
	    policy; /* of the execution that failed; of it only fair_k, the depths and `ordered` count */
	uint64_t executions; /* at most; 0: no bound */
	uint64_t seed;
	/* Every fair execution with fewer preemptions than this is known to not fail in this way. */
	uint32_t proven;
	/* Then look for the fewest transitions, whatever preemptions that takes. */
	bool depth;
	/* The execution stays as it is: only the critical transition is looked for. */
	bool keep;
	/* As in search.h: whatever memory the threads share they access under operations that are seen. */
	bool sees_memory;
};

struct minimize_size {
	size_t transitions;
	size_t switches; /* transitions of another thread than the one before */
	uint32_t preemptions;
};

struct minimized {
	struct trace trace;   /* of the execution to be reported */
	struct policy policy; /* to run it with; its max_depth may be less than it was */
	struct minimize_size before, after;

	size_t deviations; /* from the default policy, see deviation.h */
	/*
	 * Each of them is needed: without it, the others as they are, the execution doesn't fail in this way,
	 * or only with more preemptions, or as many and more switches. Each was run.
	 */
	bool minimal;

	/* No fair execution with fewer preemptions than this fails in this way. */
	uint32_t least_preemptions;

	/*
	 * minimize_options.depth: no fair execution with fewer transitions than this fails in this way; 0: that wasn't looked for, or has no
	 * meaning as it is a loop. What had the fewest preemptions was of this size.
	 */
	size_t least_transitions;
	struct minimize_size fewest_preemptions;

	/*
	 * Before transition `critical` (from 0) an execution can still end well: `passing` does, which is the same
	 * up to there. After it nothing that was run ended well; critical_proven: nothing that could be run does.
	 */
	bool critical_known;
	bool critical_proven;
	size_t critical;
	uint64_t critical_executions; /* that went on after it */
	struct trace passing;	      /* only if critical_known */

	bool
	    never_good; /* no execution that was run ended well, and the search for one from the start wasn't cut */

	uint64_t executions;
	uint64_t known; /* executions that needn't be run, because an equivalent one had been */
	bool cut;	/* the budget was used up before all was done */
};

void minimized_init(struct minimized *minimized);
void minimized_release(struct minimized *minimized);

/*
 * Minimise `failed`, an execution that has just been run and is MINIMIZE_SAME. Fills *minimized (initialised
 * by the caller) in any case: with `failed` itself when nothing better was found.
 *
 * STATUS_OK or STATUS_NO_MEMORY.
 */
enum status minimize(const struct minimize_runner *runner, const struct minimize_options *options,
		     const struct trace *failed, struct minimized *minimized);

/* Transitions, switches and preemptions of a trace. */
struct minimize_size minimize_measure(const struct trace *trace);

#endif
