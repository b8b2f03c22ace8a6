#ifndef FMC_SUPERVISOR_CLI_SESSION_SESSION_H
#define FMC_SUPERVISOR_CLI_SESSION_SESSION_H

#include "supervisor/cli/session/ending.h"
#include "supervisor/cli/session/launch.h"

#include <fmc/supervisor/engine.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/finding.h>
#include <fmc/supervisor/process.h>
#include <fmc/supervisor/states.h>
#include <fmc/tracer/clock.h>

#include <time.h>

/* A stack that is wanted. */
struct session_stack {
	size_t transition;	     /* about to be performed by the thread */
	struct thread_report report; /* name and stack; empty if it didn't come to that */
};

/*
 * How long an execution may take, by clock_now(). Past `end` nobody waits for it any more, but once begun it gets `patience`
 * nanoseconds: what is only slow is seen to its end. Not past `last`, though. 0: there is no such limit.
 */
struct session_time {
	uint64_t end, patience, last;
};

/* The deadline of an execution that begins now; 0: none. */
uint64_t session_time_deadline(const struct session_time *time);

/*
 * A program under fmc: its process, the execution over it, and the watcher that keeps time and collects
 * findings. Runs plans one after the other.
 */
struct session {
	struct process *process;
	struct execution *execution;
	struct engine *engine;		  /* for executions of a search; NULL: they are run by stops alone */
	char *left_otherwise; /* while an execution is compared with the engine's: how its end differs, ENGINE_WHY */
	uint64_t verify_engine, searched; /* compare every so many of its executions; how many there were */
	struct properties *properties;	  /* that are checked in executions; NULL: none */
	uint64_t deadline;		  /* on clock_now(); 0: none */
	uint64_t took;			  /* by the last execution, in nanoseconds */
	bool out_of_time;		  /* the last execution was ended by the deadline */
	char where[PROCESS_WHERE];	  /* where it was when it was broken off: */
	enum whereabouts whereabouts;
	timer_t timer;		 /* ends executions that pass the deadline without a transition */
	bool timed;		 /* there is a timer */
	uint64_t ticks;		 /* transitions watched, to look at the clock only now and then */
	struct finding *finding; /* filled at the end of an execution, if not NULL */
	bool (*wanted)(const struct trace *trace); /* NULL: of every execution */
	struct session_stack *stacks;		   /* filled on the way */
	size_t stacks_length;
	enum status collected;
	struct ending_rule endings; /* if its executions' ends are looked at, */
	struct ending ending;	    /* the last one's */
	struct trace *trace;	    /* of the execution that runs, */
	const struct plan *plan;    /* and its plan */
	struct states *states;	    /* in which its states are counted; NULL: nobody asks */
	bool prunes;		    /* it ends where another one of those has been */
	bool reads_clock;	    /* some of these have read a clock after the beginning, */
	uint64_t first_readings;    /* up to which they had read so many */
	const struct execution_watcher
	    *also; /* looks before each transition and at the end, too; may be NULL */
	void (*on_transition)(void *context, const struct trace *trace); /* may be NULL */
	void *context;
};

/*
 * How a process of this program is made as the options say; it borrows from both. `capture`: keep the target's output for
 * reports.
 */
struct process_options session_process(const struct launch *launch, const struct options *options,
				       bool capture);

/* The same, started. On failure `why` holds one line, and nothing to close. */
enum status session_open(struct session *session, const struct launch *launch, const struct options *options,
			 bool capture, char why[256]);
/*
 * The same with a process as `wanted` says, by `deadline` on clock_now(), 0: however long it takes. STATUS_TIMEOUT: it wasn't
 * started by then, and `why` begins with "while" and says what was being done.
 */
enum status session_open_process(struct session *session, const struct process_options *wanted,
				 const struct options *options, uint64_t deadline, char why[256]);
/* The same for a search: also what could make a difference and isn't controlled is looked for. */
enum status session_open_search(struct session *session, const struct launch *launch,
				const struct options *options, uint64_t deadline, char why[256]);
void session_close(struct session *session);

/* Has the deadline passed, or does the user want an end? Asked by what takes long beside executions. */
bool session_is_over(const struct session *session);

/*
 * Run a plan. The trace's end is END_INTERRUPTED when the deadline has passed or the user pressed Ctrl-C; its message says where
 * that was.
 *
 * `finding` (may be NULL) has been initialised and is filled at the end of the execution; STATUS_NO_MEMORY
 * when that wasn't possible.
 */
enum status session_run(struct session *session, const struct plan *plan, struct trace *trace,
			struct finding *finding);

/*
 * The same of a plan of a search, of which nothing but the trace is wanted: by the agent, where that is asked for and possible. Of those
 * the trace isn't watched on its way, and what the process tells of executions is of the last one by stops. One that isn't as
 * by stops ends as END_ERROR.
 */
enum status session_search(struct session *session, const struct plan *plan, struct trace *trace);

/* What runs between these two is interrupted soon after the session's deadline: out_of_time. */
void session_begin_time(struct session *session);
void session_end_time(struct session *session);

/* A line about what the agent has run, if it was asked for. */
void session_tell_engine(const struct session *session);

/* The same with the program's own places in finding and trace, which takes longer. */
enum status session_collect(struct session *session, const struct plan *plan, struct trace *trace,
			    struct finding *finding);

/*
 * And with the stack of each thread that performs one of these transitions. The reports are empty and the caller's to
 * release.
 */
enum status session_collect_stacks(struct session *session, const struct plan *plan, struct trace *trace,
				   struct finding *finding, struct session_stack *stacks, size_t length);

/*
 * Play a schedule as player_run() does, and make a finding of it. `collected` says whether that was possible.
 */
enum status session_play(struct session *session, const struct schedule *schedule, bool loose,
			 struct trace *trace, struct finding *finding, size_t *diverged_at, char why[256]);

/* A line about each option that has had no effect in the executions so far. */
void session_warn(const struct session *session);

#endif
