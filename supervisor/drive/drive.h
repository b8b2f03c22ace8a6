#ifndef FMC_SUPERVISOR_DRIVE_DRIVE_H
#define FMC_SUPERVISOR_DRIVE_DRIVE_H

#include "supervisor/process/process.h"

/*
 * A client beside the program (driving.h): when it is started, when the program is ended, and what is said of the execution. Nobody supervises it, but
 * before each decision it is waited for until it waits itself: then what the program finds depends on the schedule alone, if what
 * the client does depends on nothing but the program.
 *
 *     DRIVE_AWAITED --the program listens, or has printed it: drive_look--> DRIVE_RUNS --the client has ended: drive_look--> DRIVE_ENDED
 *     DRIVE_ENDED --nobody in the program goes on: drive_idle--> DRIVE_STOPPED
 *
 * All of this may be called where there is no client, and does nothing then.
 */

/* With the process; false: `why` is a line. */
bool drive_open(struct process *process, char why[256]);
void drive_close(struct process *process);

/* Before an execution's target is started: nothing is left of the last one, and --before has been run. False: `why` is a line. */
bool drive_begin(struct process *process, char why[256]);
/* The execution is over: the client, too. */
void drive_end(struct process *process);

/* A thread of the program is about to listen at a socket. */
void drive_listens(struct process *process);

/* All threads of the program stand still, or sleep. The client is started if it is time, and waited for until it waits. */
void drive_look(struct process *process);

/*
 * Nobody in the program goes on by itself, or only as time passes (`timed`). What may be hoped for; FAILED: nothing, and
 * drive_failure() says why.
 */
enum drive_hope {
	DRIVE_NOTHING, /* no client has to do with it */
	DRIVE_AGAIN,   /* something has happened: look again */
	DRIVE_MORE,    /* it may go on as time passes */
	DRIVE_NEVER, /* nothing comes from there: it has ended, or waits for the program. Time may be skipped */
	DRIVE_FAILED,
};
enum drive_hope drive_idle(struct process *process, bool timed);

/* After a transition: has it gone on in vain for too long? Then as drive_judge(). */
bool drive_gives_up(struct process *process, struct outcome *outcome);

/* How far the client is, to be put behind a sentence; empty: there is none. */
const char *drive_where(const struct process *process);

/* What makes no sense of this execution or any other, a line; NULL: nothing. */
const char *drive_failure(const struct process *process);

/*
 * The program has come to an end that is good so far: what do the client and --after say of it? True: another end, which is in *outcome.
 */
bool drive_judge(struct process *process, const struct trace *trace, struct outcome *outcome);

#endif
