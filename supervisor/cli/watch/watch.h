#ifndef FMC_SUPERVISOR_CLI_WATCH_WATCH_H
#define FMC_SUPERVISOR_CLI_WATCH_WATCH_H

#include "supervisor/cli/session/session.h"

#include <fmc/supervisor/present_order.h>
#include <fmc/supervisor/sharing.h>

#define WATCH_GRANULE 8

/* Executions whose accesses to memory are collected while they run (process_look). What they do is the same as ever. */
struct watch {
	struct session *session; /* borrowed */
	bool
	    stacks; /* accesses relative to the stack pointer as well: a thread has touched another one's stack */
	struct memory_access *accesses; /* of the last execution, as sift.h tells them */
	size_t length, room;
	size_t transition;		   /* the present one */
	struct present_order *order;	   /* NULL without memory */
	const struct execution *execution; /* the present one, and its trace; NULL: none has begun */
	const struct trace *trace;
	bool full; /* there were more of them than are kept */
	bool other_stack;
	bool
	    news; /* memory that is given out is seen, too: a thread has touched what another one had given back */
	uint64_t *guards; /* of C++ static variables, released so far; in ascending order */
	size_t guards_length;
	bool ordered; /* pairs that operations order are looked for, too (--granularity memory) */
	/*
	 * Instructions before which threads are to stand when what they touch is told; borrowed. If there are any, all accesses to the eight
	 * bytes with these numbers are collected, in the order in which they happened, and no others; else those that watch_find() needs.
	 */
	const uint64_t *places, *granules; /* the latter in ascending order */
	size_t places_length, granules_length;
	/* Told each access by its index in accesses, while its thread stands before it if its instruction is one of those; may be NULL. */
	void (*on_access)(void *context, size_t index);
	/* As process_look.allocated, where threads are to stand; may be NULL. */
	void (*on_allocated)(void *context, uint32_t thread, uint64_t address, uint64_t size);
	void *context;
};

void watch_init(struct watch *watch, struct session *session, bool ordered);
void watch_release(struct watch *watch);

/* Run a plan as session_run() does, and collect. False: it couldn't be watched, or there was no memory. */
bool watch_run(struct watch *watch, const struct plan *plan, struct trace *trace);

/* The pairs of accesses of the run that did this; not of all its accesses if the session's time is up first. False without memory. */
bool watch_find(const struct watch *watch, const struct trace *trace, struct sharings *found);
/* Those of them alone that no operation orders. */
bool watch_find_races(const struct watch *watch, const struct trace *trace, struct sharings *found);

/* What an execution shows that was watched from its beginning to its end. */
struct watched {
	bool all;		       /* no access was missed */
	char missed[PROCESS_LOOK_WHY]; /* else why; one line */
	uint64_t races;	  /* a digest of the places of accesses that no operation orders; 0: there are none */
	uint64_t ordered; /* of those that operations order, if such are looked for */
};

/*
 * Do these pairs show that more is to be looked at than has been, to tell them for certain? From the next run on it is, which should be the same
 * again.
 */
bool watch_look_closer(struct watch *watch, const struct sharings *found);

/*
 * Run a plan as session_run() does, and twice where a thread touches another one's stack for the first time, or what another one has
 * given back. The trace is that of the last run.
 */
void watch_execution(struct watch *watch, const struct plan *plan, struct trace *trace,
		     struct watched *watched);

#endif
