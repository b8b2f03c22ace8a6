#ifndef FMC_SUPERVISOR_DRIVE_STATE_H
#define FMC_SUPERVISOR_DRIVE_STATE_H

#include "supervisor/drive/drive.h"

#include <fmc/tracer/beside.h>

#include <regex.h>

enum drive_stage { DRIVE_AWAITED, DRIVE_RUNS, DRIVE_ENDED, DRIVE_STOPPED };

/* The commands of the keeper's. */
enum { COMMAND_CLIENT, COMMAND_BEFORE, COMMAND_AFTER, DRIVE_COMMANDS };

struct drive {
	const struct driving *setting;
	struct beside *beside;
	int output; /* what they write; -1: fmc's own output */
	regex_t ready;
	bool has_ready;
	size_t searched;  /* so much of the program's output has been looked through for that */
	size_t passed_on; /* and so much has been given to fmc's own output, where that is wanted */
	enum drive_stage stage;
	bool listens;
	bool begun;	       /* in some execution it has been started */
	bool busy;	       /* it doesn't come to rest: nobody waits for it */
	uint64_t began;	       /* in this one, after so many transitions */
	int status;	       /* how it has ended, as waitpid() says */
	uint64_t since;	       /* when something last happened, on clock_now(); 0: just now */
	enum beside_rest rest; /* what it did when it was looked at last */
	uint64_t turns;	       /* beside_rest()'s then */
	uint64_t computed;     /* nanoseconds for which it was waited for like that, in all executions */
	unsigned quiet;	       /* so often nobody has gone on since it has ended */
	uint32_t
	    ticks; /* and so often since then the program went on by a sleep's or a time-out's end alone */
	uint32_t told_thread;
	bool told,
	    was_disturbed; /* the signal that ends the program is under way; process->disturbed without that */
	bool hopeless;	   /* the client waits, and the program does nothing but that */
	char failure[256]; /* empty: none */
	/* together.c: the client is followed, a process of the schedule as the program is. */
	bool together;
	char *client, *script, **arguments; /* of the shell that starts both */
	int line[2];		   /* what it reads, and what is written for it */
};

/* ready.c: has the program printed what it is to be waited for? And its output is passed on, where nobody else does. */
bool drive_is_ready(struct process *process);
void drive_pass_on(struct process *process);

/* rest.c: the client is waited for until it waits. */
void drive_settle(struct process *process);
enum beside_rest drive_rest(struct process *process);

/* Once somebody in the program has got the signal that ends it nobody has to look for it before each transition any more. */
void drive_hear_stop(struct process *process);
/* Has the thread that it was sent to, or the process, not taken it yet? */
bool drive_stop_pending(const struct process *process);

/*
 * together.c. open: with the process; the program that is started is another one from now on. begin: an execution. start: the client. over: has the
 * program ended? status: that of the client, as waitpid() says; false: it hasn't ended.
 */
bool together_open(struct process *process);
void together_close(struct drive *drive);
void together_begin(struct drive *drive);
void together_start(struct drive *drive);
bool together_program_is_over(const struct process *process);
bool together_client_status(const struct process *process, int *status);

/* The client has ended, drive->status says how. What it has left behind goes on to talk with nobody, and is killed. */
void drive_note_end(struct process *process);
/* The same of its status alone. */
void drive_note_status(struct drive *drive);

/* A line that says how a command has ended: "exit status 3". */
#define DRIVE_STATUS 48
void drive_status(int status, char text[DRIVE_STATUS]);

#endif
