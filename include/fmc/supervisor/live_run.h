#ifndef FMC_SUPERVISOR_LIVE_RUN_H
#define FMC_SUPERVISOR_LIVE_RUN_H

#include <fmc/breakpoints/place.h>
#include <fmc/supervisor/finding.h>
#include <sys/types.h>

/*
 * A live process run under fmc's scheduling: one of its threads at a time, which one the policy says, with the real
 * functions of its thread library. It can be let go at any moment.
 *
 * A thread runs to its next operation, or into a system call that may wait; there it is let go, the next thread is chosen, and
 * back from the call it waits for its turn. One that computes shares its time.
 */
struct live_run;

enum live_run_end {
	LIVE_RUN_GOES_ON,   /* not ended yet */
	LIVE_RUN_STOPPED,   /* Ctrl-C, the time is used up, or the record is full */
	LIVE_RUN_SUSPICION, /* nothing moves: perhaps a deadlock, which has to be looked into */
	LIVE_RUN_ENDED,	    /* the process has ended */
	LIVE_RUN_EXEC,	    /* it has replaced itself by another program */
	LIVE_RUN_FAILED,    /* see why */
};

/* So many operations are recorded at most. */
#define LIVE_RUN_MOST 1000000

/*
 * Prepare for this process; nothing is done to it yet. STATUS_OK; else *run is NULL and `why` holds a line: as live_new();
 * STATUS_UNSUPPORTED: its code isn't as in its files.
 * Blocks SIGCHLD in the calling thread.
 */
enum status live_run_new(pid_t pid, const struct policy *policy, struct live_run **run, char why[256]);

/*
 * Run it until something ends that; then all its threads have been let go and everything is as before. May be called again
 * after LIVE_RUN_SUSPICION: goes on with the same record. until: on CLOCK_MONOTONIC in nanoseconds, 0: without end.
 */
enum live_run_end live_run_go(struct live_run *run, uint64_t until, char why[256]);

/* Tell that it was a deadlock after all. */
void live_run_deadlock(struct live_run *run, const char *message);

/* What was done, as a finding (FINDING_NONE where it went well): for a schedule. STATUS_OK, STATUS_NO_MEMORY. */
enum status live_run_finding(struct live_run *run, struct finding *finding);

struct places *live_run_places(struct live_run *run);
size_t live_run_left_alone(const struct live_run *run); /* entry points without a stub */
size_t live_run_planted(const struct live_run *run);	/* and those with */
size_t live_run_operations(const struct live_run *run);

void live_run_free(struct live_run *run); /* NULL is allowed */

#endif
