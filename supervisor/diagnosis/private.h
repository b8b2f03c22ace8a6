#ifndef FMC_SUPERVISOR_DIAGNOSIS_PRIVATE_H
#define FMC_SUPERVISOR_DIAGNOSIS_PRIVATE_H

#include <fmc/supervisor/diagnosis.h>

/*
 * The parts of a diagnosis.
 *
 *     graph.c              who can go on some day, and who is stuck
 *     cycle.c              causes that rest on holders: cycles, owners that are dead
 *     left.c               causes that rest on nobody being left
 *     across.c             what is the matter with other processes
 *     likely.c             what else may be the matter
 *     draft.c              a cause while it is being written
 *     diagnosis.c          puts them together
 */

/* What is taken for granted when it is asked who can go on. */
enum trust {
	TRUST_NOTHING,	/* whatever isn't certain may end a wait, handlers of signals too */
	TRUST_HANDLERS, /* but handlers of signals don't */
	TRUST_LOCKS,	/* and locks, of whose holder nothing is known, are held by a thread of the process */
	TRUST_SEEN,	/* but neither handlers nor processes that haven't been seen do */
};

/* What has to happen for a wait to end. */
enum ending {
	ENDS_BY_ITSELF, /* the thread runs, or its wait is timed, or somebody outside may end it */
	ENDS_BY_ALL,	/* all of its holders have to go on */
	ENDS_BY_ANY,	/* any one of its holders; without any: of the other threads */
	ENDS_NEVER,	/* the thread has exited, or the holder is dead */
};

struct graph {
	const struct situation *situation;
	const struct wait **waits; /* of each thread */
	enum ending *endings;
	bool *stuck;	 /* will never go on */
	bool *explained; /* by a cause that has been told, or by waiting for such a thread */
	bool *concerned; /* of the process that is looked at, or one that such a thread can't go on without */
	uint32_t length;
	uint32_t own; /* those below are of the process that is looked at */
};

bool graph_make(struct graph *graph, const struct situation *situation,
		enum trust trust); /* false without memory */
void graph_release(struct graph *graph);

/* Is the thread there no more? (A main thread that has exited before the others still has its number.) */
bool graph_gone(const struct graph *graph, uint32_t thread);

/*
 * Has each process that could end the wait been seen, so that any of its threads may do so, whether it knows of the wait or not? Of what
 * stands in shared memory that isn't so.
 */
bool graph_follows(const struct wait *wait);

/* All who wait for what one of `threads` holds, or for such a one, get explained; those themselves, too. */
void graph_explain(struct graph *graph, const uint32_t *threads, size_t length);

/* Threads as they are collected. False without memory. */
struct thread_list {
	uint32_t *at;
	size_t length, room;
};
bool thread_list_add(struct thread_list *list, uint32_t thread);

/*
 * A cause on its way: its texts are written to streams.
 *
 *     cause_begin() -> write to message and evidence, add threads -> cause_end()
 */
struct cause_draft {
	enum cause_kind kind;
	bool certain;
	FILE *message, *evidence;
	char *message_text, *evidence_text;
	size_t message_size, evidence_size;
	struct thread_list threads;
};
bool cause_begin(struct cause_draft *draft, enum cause_kind kind, bool certain); /* writes "deadlock: " */
bool cause_end(struct cause_draft *draft, struct diagnosis *diagnosis);		 /* false without memory */

/* Each adds what it finds; false without memory. */
bool find_crash(struct graph *graph, struct diagnosis *diagnosis);
bool find_cycles(struct graph *graph, struct diagnosis *diagnosis);
/* The same, of a graph in which more is taken for granted: they are likely only. */
bool find_trusted_cycles(struct graph *graph, struct diagnosis *diagnosis);
bool find_stopped_others(struct graph *graph, struct diagnosis *diagnosis);
bool find_dead_owners(struct graph *graph, struct diagnosis *diagnosis);
bool find_nobody_left(struct graph *graph, enum trust trust, struct diagnosis *diagnosis);
bool find_likely_cycles(struct graph *graph, struct diagnosis *diagnosis);
bool find_stopped(struct graph *graph, struct diagnosis *diagnosis);
bool find_hot(struct graph *graph, struct diagnosis *diagnosis);
bool find_chains(struct graph *graph, struct diagnosis *diagnosis);
bool find_ordinary(struct graph *graph, struct diagnosis *diagnosis); /* idle or busy */

/*
 * "T2 to T5 wait for a signal of ready, T1 waits for T2 to exit": of these threads, those who do the same together, a few
 * groups only. flags: WAIT_PRINT_CALL or 0. False without memory.
 */
bool print_groups(const struct situation *situation, const struct thread_list *threads, unsigned flags,
		  FILE *stream);

#endif
