#ifndef FMC_PROCESS_H
#define FMC_PROCESS_H

#include <fmc/machine.h>
#include <fmc/origin.h>
#include <fmc/waking.h>

/*
 * The machine that is a real process: the one place of the supervisor that speaks to tracer and breakpoints.
 */
struct process;
struct places;

struct process_options {
	struct program program; /* output and error are ignored if capture is set */
	enum origin_kind origin;
	bool capture; /* keep what the target writes to 1 and 2 in memory: process_output() */
	/*
	 * After so much CPU time without an operation, a thread is stepped to see whether it loops for ever;
	 * in milliseconds, 0 never.
	 */
	uint32_t spin_ms;
	bool spin_report;   /* such a loop ends the execution (END_SPIN); else it is taken for a yield, as a
			     `pause` is */
	bool verify;	    /* stop at every return of a native function, to check the model's predictions */
	bool atomics;	    /* atomic instructions of the program's own code are operations */
	const char *waking; /* rules of who is woken (waking.h); NULL: every way is a choice */
	/* How long to wait for something outside (a pipe from another process ...) when nothing else can run.
	 */
	uint32_t outside_ms;
	bool places; /* find the program's own frame for operations that libraries make (slower; for replays)
		      */
};

/* On failure NULL, *status, and `why` holds one line for the user. Options are copied, what they point to is
 * borrowed. */
struct process *process_new(const struct process_options *options, enum status *status, char why[256]);
void process_free(struct process *process);

struct machine *process_machine(struct process *process);

/* Find the program's own frames from now on, or no longer (as options.places). */
void process_find_places(struct process *process, bool on);

/* The kind of origin in use. */
enum origin_kind process_origin(const struct process *process);

/* The functions that a plug-in describes and the last program to have had threads doesn't have; an empty list: none. */
void process_missing(const struct process *process, char text[160]);

/* Did the program start a second thread in the last execution? */
bool process_threaded(const struct process *process);

/* While an execution is at its end or between transitions: */
struct target *process_target(struct process *process);			 /* NULL if it is gone */
struct tracee *process_tracee(struct process *process, uint32_t thread); /* NULL if it is gone */

/* Of the last execution, also when it is over: */
uint64_t process_object(const struct process *process, uint32_t object);	/* address */
uint64_t process_start_routine(const struct process *process, uint32_t thread); /* 0 for thread 0 */

struct places *process_places(struct process *process);

/* What the target has written in the last execution; owned by the process, valid until the next.
 * Zero-terminated. */
const char *process_output(struct process *process, size_t *length);

/* A rule of options.waking is for an object of this name, and no execution so far had one. */
bool process_waking_idle(const struct process *process, char name[WAKING_NAME]);

/* System calls and operations of the last execution that could have made a difference and aren't controlled,
 * by name. */
const char *process_uncontrolled(const struct process *process);

#endif
