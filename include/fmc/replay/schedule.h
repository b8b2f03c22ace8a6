#ifndef FMC_REPLAY_SCHEDULE_H
#define FMC_REPLAY_SCHEDULE_H

#include <fmc/breakpoints/loops.h>
#include <fmc/breakpoints/promoted.h>
#include <fmc/breakpoints/shared.h>
#include <fmc/supervisor/finding.h>
#include <stdio.h>

/*
 * A schedule file: a versioned text document that reproduces one execution. man/fmc-sched.5 is its
 * definition.
 */
struct schedule_header {
	char *program;	  /* path as run */
	char **arguments; /* argv, NULL at its end; like all lists NULL itself if empty */
	char *directory;
	char **modules; /* "build-id path", program first; NULL at its end */
	char *
	    *environment; /* all of them, in their order, some hidden (hidden_variable()); NULL at its end */
	char *input;	  /* path of the standard input, or "none" */
	uint32_t fair_k;
	uint64_t max_depth;
	bool ordered;	/* time-outs fired in order: struct policy */
	uint64_t clock; /* what the real-time clock showed first, in seconds since 1970; 0: not said */
	bool atomics;	/* atomic instructions of the program were operations */
	char *arrivals; /* signals that came from outside (arrivals.h); NULL: none */
	bool follow;	/* processes that the program makes are part of it */
	bool tso;	/* stores waited in buffers (x86-TSO) */
	char *waking;	/* rules of who is woken (waking.h); NULL: none */
	/*
	 * What the program printed was operations: a digest of how it ended, of the part that this regular expression picks of its output
	 * (NULL: all), and digest and text of what is expected instead (NULL: nothing). All NULL: it wasn't.
	 */
	char *outcome, *outcome_part, *outcome_first;
	char *expected;		   /* ends that count as good (good_ends.h); NULL: exit status 0 alone */
	struct loops loops;	   /* heads of loops, where threads were preempted */
	struct shared shared;	   /* descriptors that threads share: calls on those are operations */
	struct promoted *promoted; /* plain accesses that were operations; NULL: none */
	char *drive, *ready, *before, *after,
	    *stop;    /* a client beside it (driving.h); the signal by its name. drive NULL: none */
	char *ops;    /* "build-id path" of a plug-in (plugin.h); NULL: none */
	char **kinds; /* "operation class": kinds that it describes, added to op.h's when they are read */
	char **properties; /* "always count <= 4": what is to hold of states (property.h); NULL at its end */
	char *
	    image; /* "digest path": executions start from this file (image_file.h); NULL: the program's start */
	char *origin;	/* "exec", "copy" or SCHEDULE_ATTACHED */
	char *strategy; /* how it was found; for people */
	char **unknown; /* lines with keys that this version doesn't know; kept; NULL at the end */
};

/* Recorded from a process that ran already: its beginning can't be had again. */
#define SCHEDULE_ATTACHED "attached"

/* One line of the body. */
struct schedule_line {
	struct step step;
	enum op_kind kind;
	char *object;		/* name; NULL if none, and for threads */
	uint32_t object_number; /* as in struct op, a thread's where the class is CLASS_THREAD; NO_OBJECT if
				   none */
	char *object2;		/* name of the second object; NULL if none */
	uint32_t object2_number;
	int64_t result;
	bool result_valid;
	char *file; /* NULL if unknown, like function */
	int source_line;
	char *function;
	unsigned line;	/* of the schedule file, from 1; 0 if it wasn't read from one */
	uint64_t ended; /* child processes that have before it, as struct transition has them */
};

struct schedule {
	struct schedule_header header;
	enum finding_kind verdict; /* FINDING_NONE: a run that ended well */
	char *message;
	char *signature;
	enum end_reason end;
	int end_value;
	uint32_t end_thread; /* NO_THREAD if nobody in particular */
	size_t loop_start;   /* END_LIVELOCK, END_NO_YIELD; else 0 */
	char **thread_names;
	uint32_t *thread_processes; /* of each thread, from 1; NULL: there is one process */
	size_t threads;
	struct schedule_line *lines;
	size_t length;
};

/* Empty, with fair_k 1. Releasing leaves it so. */
void schedule_init(struct schedule *schedule);
void schedule_release(struct schedule *schedule);

/*
 * Fill the body and the verdict from a finding (names, places, results). The header is the caller's to fill.
 * Copies.
 */
enum status schedule_from_finding(struct schedule *schedule, const struct finding *finding);

/* Write the text. STATUS_SYSTEM if the stream is in error. */
enum status schedule_write(const struct schedule *schedule, FILE *stream);

/*
 * Write to `path` under a temporary name in the same folder, then rename. With `number`, an existing file is
 * not replaced: NAME.sched becomes NAME.2.sched, NAME.3.sched ...; *written (to be freed) is the name used.
 * Of several processes that save at once each gets its own number. A device or pipe is written to as it is.
 * On failure nothing is left behind, `path` is as before, *written isn't set, and errno says why.
 */
enum status schedule_save(const struct schedule *schedule, const char *path, bool number, char **written);

/*
 * Read a schedule. On STATUS_MALFORMED, STATUS_NOT_FOUND, STATUS_DENIED `why` holds "FILE:LINE: reason" and
 * the schedule is empty; also on STATUS_SYSTEM and STATUS_NO_MEMORY. `schedule` need not be initialised.
 */
enum status schedule_load(struct schedule *schedule, const char *path, char why[256]);
/* The same from memory; `name` is used in messages. */
enum status schedule_parse(struct schedule *schedule, const char *text, size_t size, const char *name,
			   char why[256]);

/* "build-id path" of every module that is known, the program first, for a header; NULL without memory. */
struct places;
char **schedule_modules(struct places *places);

/* Lists as in headers, NULL at their end or altogether: a copy (NULL without memory), and its end. */
char **list_copy(char *const *list);
void list_free(char **list);

/*
 * A variable of the environment in place of one with so many bytes (its zero not counted) that is nobody's business: it
 * means nothing, and what lies on the program's first stack has the same addresses. To be freed; NULL without memory.
 */
char *hidden_variable(size_t bytes);
bool hidden_is(const char *variable);

/* Hide all variables of the environment; false without memory, then some are left. */
bool schedule_hide_environment(struct schedule *schedule);

/* The steps as a plan's prefix; an array of schedule->length to be freed. NULL without memory. */
struct step *schedule_steps(const struct schedule *schedule);

/* plan.ended for them, to be freed; NULL where the schedule tells of no child process's end. False without memory. */
bool schedule_ended(const struct schedule *schedule, uint64_t **ended);

/*
 * Check an executed transition against its line: thread, choice, operation, object and result. On a
 * difference returns false and writes to `why` what was expected and what came: "line 17: expected T3
 * mutex_lock forks[2], T2 did sem_wait items". A transition after the last line is a difference, and so is a
 * line after the last transition.
 */
bool schedule_check(const struct schedule *schedule, size_t i, const struct trace *trace, char why[256]);

/*
 * Print as columns, one for each thread that acts; as a list where they don't fit. A result of 0 is left out
 * of the columns.
 */
struct show_options {
	unsigned width; /* columns of the terminal; 0: unlimited */
	bool colours;
	size_t first, count; /* which transitions, from 0; count 0: all from `first` on */
};
void schedule_show_text(const struct schedule *schedule, const struct show_options *options, FILE *stream);

/*
 * Print two schedules beside each other, a row for each transition and one for the end. They are the same
 * before transition `part`, whose row is marked.
 */
void schedule_show_pair(const struct schedule *a, const struct schedule *b, size_t part,
			const struct show_options *options, FILE *stream);

#endif
