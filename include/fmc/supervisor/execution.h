#ifndef FMC_SUPERVISOR_EXECUTION_H
#define FMC_SUPERVISOR_EXECUTION_H

#include <fmc/supervisor/fair.h>
#include <fmc/supervisor/good_ends.h>
#include <fmc/supervisor/machine.h>

/*
 * One execution: plan in, trace out. The loop over any machine:
 *
 *     enabled (model) -> schedulable (fair) -> step (the plan's prefix, then its policy) -> perform (machine,
 * model)
 *
 * The workspace is kept between executions, so that a search runs in constant memory.
 */
struct execution;

struct execution *
execution_new(struct machine *machine); /* NULL without memory; the machine stays the caller's */
void execution_free(struct execution *execution);

/* For those who look while it runs; any member may be NULL. The execution may be asked for its model
 * meanwhile. */
struct execution_watcher {
	void *context;
	/*
	 * Who may go on after the transitions of the trace is known, and nobody has been chosen; also before the first one. False: what
	 * follows has been explored, which ends it as END_REDUNDANT.
	 */
	bool (*decide)(void *context, struct execution *execution, const struct trace *trace);
	/* This thread is about to perform the next transition, number trace->length; it stands before its operation. */
	void (*before)(void *context, struct execution *execution, const struct trace *trace,
		       uint32_t thread);
	/* trace->at[trace->length - 1] has just been performed. Returning false ends it with END_INTERRUPTED.
	 */
	bool (*transition)(void *context, struct execution *execution, const struct trace *trace);
	/* The end, every thread that is left still stopped and alive: the moment to look at stacks. */
	void (*end)(void *context, struct execution *execution, const struct trace *trace);
};

void execution_watch(struct execution *execution, const struct execution_watcher *watcher);

/*
 * Somebody who looks at every state that an execution comes to: the first one, that after each transition, and the last one of a
 * process that has exited by itself. Under reduction that is every state that can be come to, as far as it can be seen: transitions
 * that change what is seen depend on each other (TOUCH_SEEN), so that only those that nobody sees commute (Valmari, A Stubborn Attack on
 * State Explosion, CAV 1990; Peled, Combining Partial Order Reductions with On-the-fly Model-Checking, CAV 1994).
 */
struct sighting {
	bool
	    changed; /* something that may be seen isn't as it was before the last transition; or that can't be told */
	/*
	 * What is looked at in the middle of transitions (TOUCH_ASSERTED): the last one has changed some of it; has looked at it; and has looked at
	 * memory that may be anywhere, or, if some look does, one more may have changed that.
	 */
	bool asserted_changed, asserted, roamed, roams;
	bool violated; /* what is to hold doesn't: the execution ends here, as END_VIOLATED */
	bool
	    failed; /* the look was in vain: it ends as END_ERROR, for the reason that `status` and `message` are */
	bool
	    unfulfilled; /* besides violated: it is about what was to come about, and the end is END_UNFULFILLED */
	/* Of a cycle: to whoever looks the state isn't the one that it was then, and after another round it may be another one again. */
	bool other;
	int number; /* of what doesn't hold */
	enum status status;
	char message[256];
};

struct execution_monitor {
	void *context;
	/* The state after trace->length transitions. `again`: the execution has been put back to it, and it was judged before. */
	void (*look)(void *context, struct execution *execution, const struct trace *trace, bool again,
		     struct sighting *sighting);
	/*
	 * NULL: nobody minds how an execution goes on for ever. It may, fairly, from trace->loop_start on: its state is the one that it was then. It
	 * ends as END_UNFULFILLED_LOOP if that is a violation; as END_ALLOWED if not, and it makes no difference to whoever looks which of the two
	 * states it is in; else it goes on. Asked of each pair of equal states, the latest one first. Cycles that aren't fair end no execution.
	 */
	void (*cycle)(void *context, const struct trace *trace, struct sighting *sighting);
	/*
	 * NULL: nobody. After look(), where cycles are asked about: the state has the digest `now`, NULL: the process has exited, and the state before the
	 * last transition had `before`, NULL: there was none. Digests are equal where executions can go on in the same ways, as in recurrences.h. Without
	 * a trace: the execution is begun anew, with other operations than before, and no state so far is one of them.
	 */
	void (*come)(void *context, const struct trace *trace, const uint64_t before[3],
		     const uint64_t now[3]);
	bool counts; /* how often a state is repeated matters to whoever looks: trace.counted */
	/* NULL: none. Which of the places that it wants to see threads come to some has come to in this execution, as bits. Asked once, at its end. */
	uint32_t (*reached)(void *context);
};

/* From now on, in place of who looked before. Copied. */
void execution_observe(struct execution *execution, const struct execution_monitor *monitor);

/* Run the plan; trace is cleared first. The end, also a failure of fmc's own, is in the trace. */
void execution_run(struct execution *execution, const struct plan *plan, struct trace *trace);

/*
 * The same in pieces, for looking around in between:
 *
 *     for (on = execution_begin(..); on; on = execution_next(..)) ..; execution_conclude(..); execution_finish(..);
 *
 * begin: to the first operation; next: one transition; both false when it is over. conclude: the threads' last states into
 * the trace, and the watcher's end(). finish: the machine's process is gone; also without conclude, at any time.
 * The plan and the trace stay the caller's, and in use until then.
 */
bool execution_begin(struct execution *execution, const struct plan *plan, struct trace *trace);
bool execution_next(struct execution *execution);
void execution_conclude(struct execution *execution);
void execution_finish(struct execution *execution);

/*
 * What the transition that is being performed touches, as far as that is known before its outcome: it may come to more. Valid until the next one;
 * nothing between transitions.
 */
struct accesses execution_touched(const struct execution *execution);

/*
 * A copy of all that an execution has come to between two transitions, but for its machine. To restore it, the machine
 * has to be back at that state, and the trace has to be one that begins with the same transitions (it is cut after
 * them); the plan may be another one. NULL, false: no memory.
 */
struct execution_copy;
struct execution_copy *execution_save(const struct execution *execution);
bool execution_restore(struct execution *execution, const struct execution_copy *copy,
		       const struct plan *plan, struct trace *trace);
void execution_copy_free(struct execution_copy *copy); /* NULL is allowed */

/* How a thread stands that is, or isn't, enabled: for which thread it waits. */
struct thread_end execution_thread(const struct model *model, uint32_t thread, bool enabled);

/* The present model, valid until the next transition. */
const struct model *execution_model(const struct execution *execution);
struct machine *execution_machine(const struct execution *execution);

/* From now on these ends of the process are good ones. Copied; before that only exit status 0 is. */
void execution_expect(struct execution *execution, const struct good_ends *ends);

/*
 * From now on an execution ends, as END_DEADLOCK, as soon as threads wait for each other in a circle (model_in_circle()), though
 * others could go on, unless its plan says how. What those would do after it isn't seen, and no search that leaves out
 * executions as equal to others may rely on it.
 */
void execution_end_at_circles(struct execution *execution);

/* Check the model's predictions of results against the machine's; a difference ends the execution as
 * END_ERROR. */
void execution_verify_model(struct execution *execution, bool on);

#endif
