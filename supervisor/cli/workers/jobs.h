#ifndef FMC_SUPERVISOR_CLI_WORKERS_JOBS_H
#define FMC_SUPERVISOR_CLI_WORKERS_JOBS_H

#include "supervisor/cli/session/processors.h"
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/watch/watch.h"

/*
 * Runs plans: in this process, one after the other, or several at a time in processes of their own (worker.h).
 */
struct jobs;

/* A part of a search (search_give()), which is searched for so many nanoseconds, or less. */
struct job_part {
	const void *bytes; /* borrowed */
	size_t length;
	uint64_t lease;
	bool ordered; /* time-outs fire in order, though the user doesn't say so */
};

/* An execution that is over. */
struct job {
	struct plan plan;	/* that it is of; what it points to is still whose it was */
	struct trace trace;	/* to be initialised before the first use, and released after the last */
	uint64_t took;		/* nanoseconds */
	struct ending ending;	/* what it came to, if the session looks at that */
	char *uncontrolled;	/* process_uncontrolled() of it; NULL if there is nothing */
	struct watched watched; /* what it did to memory, if it was put after jobs_watch() */
	/* Of a part: what came of it, for part_report_load(), and nothing of what is above but the plan's ticket. NULL: it was a plan. */
	unsigned char *report;
	size_t report_length;
};

void job_init(struct job *job);
void job_release(struct job *job);

/*
 * So many at a time: 1 uses the session, more start workers as they are needed, whose targets have to be there by `deadline`
 * (clock_now(), 0: none). With --launch all are workers, and have to find these modules (worker.h). Everything is borrowed. NULL without memory.
 */
struct jobs *jobs_new(unsigned count, struct session *session, const struct launch *launch,
		      const struct options *options, const struct processors *processors,
		      char *const *modules, uint64_t deadline);

/* Ends the workers; what is still out is lost. */
void jobs_free(struct jobs *jobs);

/* Watch what those that are put from now on do to memory, or no longer. */
void jobs_watch(struct jobs *jobs, bool on);

/* With a single job: those that are put from now on go through these states, and with `prunes` end where others have been; NULL: no longer. */
void jobs_count_states(struct jobs *jobs, struct states *states, bool prunes);

bool jobs_room(const struct jobs *jobs);  /* for one more? */
size_t jobs_out(const struct jobs *jobs); /* put and not taken */

/*
 * Have a plan run in its time. What the plan points to has to stay until its
 * execution has been taken. Only while there is room.
 */
void jobs_put(struct jobs *jobs, const struct plan *plan, const struct session_time *time);

/* The same for a part, by workers: it is copied, and its ticket is that of search_give(). False: without memory. */
bool jobs_have_workers(const struct jobs *jobs);
bool jobs_put_part(struct jobs *jobs, uint64_t ticket, const struct job_part *part,
		   const struct session_time *time);

/*
 * Take the next execution that is over, while any is out; `in_order`: of those that are out the one with the lowest
 * ticket. STATUS_TIMEOUT when none is after a moment, to look at the clock and for Ctrl-C; else what has gone wrong
 * for good, told in `why`.
 */
enum status jobs_take(struct jobs *jobs, bool in_order, struct job *job, char why[256]);

#endif
