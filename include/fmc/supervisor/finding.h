#ifndef FMC_SUPERVISOR_FINDING_H
#define FMC_SUPERVISOR_FINDING_H

#include <fmc/breakpoints/frame.h>
#include <fmc/supervisor/knowledge.h>
#include <fmc/supervisor/trace.h>

/*
 * A failure, with all that a person needs to understand it. Made by the supervisor from the execution that
 * confirmed it (a replay); owns everything in it.
 */
enum finding_kind {
	FINDING_NONE,
	FINDING_DEADLOCK,
	FINDING_LIVELOCK,
	FINDING_GOOD_SAMARITAN,
	FINDING_CRASH,
	FINDING_ABORT,
	FINDING_EXIT,
	FINDING_MISUSE,
	FINDING_OUTCOME, /* it ended well, and not as it is to end: trace.other_outcome */
	FINDING_INVARIANT,
	FINDING_LTL,
	FINDING_REJECTED, /* what drives the program, or looks at what it has left behind, says that it is wrong */
	FINDING_KINDS
};

/* "deadlock", "good-samaritan" ...: as in JSON and schedule files. */
const char *finding_kind_name(enum finding_kind kind);
enum finding_kind finding_kind_by_name(const char *name); /* FINDING_KINDS if there is none */

/* What kind of failure a trace ended in; FINDING_NONE if it ended well, was cut, or fmc itself failed. */
enum finding_kind finding_classify(const struct trace *trace);

#define THREAD_LABEL_ROOM 24
struct thread_report {
	char label[THREAD_LABEL_ROOM]; /* as report_label(); empty: "T" and its number */
	char *name;		       /* of the start routine: "eat"; "main" for T1 */
	struct frame *frames;
	size_t frames_length;
	char *state;	 /* "waits for forks[1] held by T3, in mutex_lock"; "has exited" */
	uint32_t *holds; /* objects */
	size_t holds_length;
};

void thread_report_release(struct thread_report *report); /* and makes it empty */

/* Source position of one transition. */
struct transition_place {
	char *function; /* NULL if unknown, like file */
	char *file;
	int line;
	char *source; /* all of the file's path */
};

struct finding {
	enum finding_kind kind;
	char *message;	 /* one line: "deadlock: T2 waits for forks[1] held by T3, ..." */
	char *signature; /* equal for the same failure reached in another way */
	char *output; /* what the target wrote to its standard output and error in that execution, at most 64
			 KiB */
	size_t output_length;
	char *client_output; /* the same of its client (driving.h); NULL: nothing */
	size_t client_output_length;
	struct trace trace;
	struct knowledge knowledge;    /* in this execution */
	struct thread_report *threads; /* by number */
	size_t threads_length;
	char **objects; /* names by number: "forks[2]" */
	char **
	    names; /* longer ones for people, where there are any, else NULL: "account.lock at heap +0x2a0" */
	char **details; /* a few words on the state of each object of a plug-in's class; else NULL */
	size_t objects_length;
	struct transition_place *places; /* one for each transition */
	size_t places_length;
};

void finding_init(struct finding *finding);
void finding_release(struct finding *finding);

#endif
