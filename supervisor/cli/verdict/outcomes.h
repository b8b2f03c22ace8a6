#ifndef FMC_SUPERVISOR_CLI_VERDICT_OUTCOMES_H
#define FMC_SUPERVISOR_CLI_VERDICT_OUTCOMES_H

#include "supervisor/cli/session/ending.h"

#include <jansson.h>
#include <stdio.h>

/* The distinct outcomes of all executions, in the order in which they were met first. */

struct outcome_met {
	struct ending ending;
	enum end_reason end;
	int end_value;
	uint64_t count;	    /* executions that ended so */
	uint64_t execution; /* the first of them */
	char *schedule;	    /* a file; NULL: none was written, */
	const char *why;    /* for this reason */
};

/* One of two transitions whose order makes a difference. */
struct outcome_side {
	uint32_t thread;
	char label[THREAD_LABEL_ROOM]; /* the thread's */
	enum op_kind kind;
	char *object; /* its name; NULL: none */
	char *place;  /* "file.c:12"; NULL: not known */
};

/*
 * Where two outcomes part: a race by section 6 of [ONEPAGE], two executions that have come to the same progress of each thread by other
 * orders, and to different states.
 */
struct outcome_race {
	bool known;
	size_t transition;	      /* the two executions are the same before it, from 0 */
	struct outcome_side sides[2]; /* what each of them does there */
	uint64_t digests[2];	      /* what they come to */
	size_t
	    meets; /* after this transition both have made the same progress, and the states differ; SIZE_MAX: not known */
	char *progress; /* "T1 3, T2 2": transitions of each thread by then */
};

struct outcome_list {
	struct outcome_met *at;
	size_t length;
	uint64_t executions; /* that have come to an outcome */
	uint64_t beyond;     /* of these, to one for which there was no room */
	struct outcome_race race;
	bool listed; /* the user asked for the list, not only for its having one line */
};

#define OUTCOMES_MOST 4096

void outcomes_release(struct outcome_list *list);

/* Count the outcome of an execution, and keep it if it is new: its place, or SIZE_MAX if there was no room for it. *fresh: it is new. */
size_t outcomes_meet(struct outcome_list *list, const struct trace *trace, const struct ending *ending,
		     uint64_t execution, bool *fresh);

/* The place of this digest; `length` if it is none of them. */
size_t outcomes_find(const struct outcome_list *list, uint64_t digest);

/* For people; `columns` of a line, 0: it isn't for a terminal. */
void outcomes_print(const struct outcome_list *list, unsigned columns, FILE *stream);

/* Where two of them part, if that is known. */
void outcome_race_print(const struct outcome_list *list, FILE *stream);

/* Members of the verdict's JSON: the list, and the race (null where there is none). */
json_t *outcomes_json(const struct outcome_list *list);
json_t *outcome_race_json(const struct outcome_list *list);

#endif
