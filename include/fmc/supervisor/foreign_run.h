#ifndef FMC_SUPERVISOR_FOREIGN_RUN_H
#define FMC_SUPERVISOR_FOREIGN_RUN_H

#include <fmc/breakpoints/place.h>
#include <fmc/supervisor/finding.h>
#include <fmc/tracer/must_check.h>
#include <sys/types.h>

/*
 * A foreign process run under fmc's scheduling: one of its threads at a time, which one the policy says, with the real
 * functions of its thread library. It can be let go at any moment.
 *
 * A thread runs to its next operation, or into a system call that may wait; there it is let go, the next thread is chosen, and
 * back from the call it waits for its turn. One that computes shares its time.
 */
struct foreign_run;

enum FMC_MUST_CHECK foreign_run_end {
	FOREIGN_RUN_GOES_ON,   /* not ended yet */
	FOREIGN_RUN_STOPPED,   /* Ctrl-C, the time is used up, or the record is full */
	FOREIGN_RUN_SUSPICION, /* nothing moves: perhaps a deadlock, which has to be looked into */
	FOREIGN_RUN_ENDED,     /* the process has ended */
	FOREIGN_RUN_EXEC,      /* it has replaced itself by another program */
	FOREIGN_RUN_FAILED,    /* see why */
};

/* So many operations are recorded at most. */
#define FOREIGN_RUN_MOST 1000000

/*
 * Prepare for this process; nothing is done to it yet. STATUS_OK; else *run is NULL and `why` holds a line: as foreign_new();
 * STATUS_UNSUPPORTED: its code isn't as in its files.
 * Blocks SIGCHLD in the calling thread.
 */
enum status foreign_run_new(pid_t pid, const struct policy *policy, struct foreign_run **run, char why[256]);

/*
 * Run it until something ends that; then all its threads have been let go and everything is as before. May be called again
 * after FOREIGN_RUN_SUSPICION: goes on with the same record. until: on CLOCK_MONOTONIC in nanoseconds, 0: without end.
 */
enum foreign_run_end foreign_run_go(struct foreign_run *run, uint64_t until, char why[256]);

/* Tell that it was a deadlock after all. */
void foreign_run_deadlock(struct foreign_run *run, const char *message);

/* What was done, as a finding (FINDING_NONE where it went well): for a schedule. STATUS_OK, STATUS_NO_MEMORY. */
enum status foreign_run_finding(struct foreign_run *run, struct finding *finding);

struct places *foreign_run_places(struct foreign_run *run);
size_t foreign_run_left_alone(const struct foreign_run *run); /* entry points without a stub */
size_t foreign_run_planted(const struct foreign_run *run);    /* and those with */
size_t foreign_run_operations(const struct foreign_run *run);

void foreign_run_free(struct foreign_run *run); /* NULL is allowed */

#endif
