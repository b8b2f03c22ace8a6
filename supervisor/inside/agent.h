#ifndef FMC_SUPERVISOR_INSIDE_AGENT_H
#define FMC_SUPERVISOR_INSIDE_AGENT_H

#include <fmc/supervisor/agent.h>
#include <fmc/supervisor/manner.h>

#include "supervisor/policy/state.h"

/*
 * The inside of the agent: a machine whose threads are green, on the one thread that the kernel knows.
 *
 *     loop.c       turns: a plan comes, a trace goes
 *     machine.c    the machine: threads perform operations
 *     stand.c      a thread stands before an operation: which one, on which objects
 *     calls.c      system calls of the program's that are answered
 *     go.c         from the agent to a thread and back
 *     restore.c    memory as it was at first
 *     arena.c, memory.c, words.c, no_plugin.c    in place of a libc
 */
#define REGION ((struct agent_region *)AGENT_REGION)

struct agent_thread {
	struct agent_context context;
	struct call call; /* before which it stands */
	uint64_t pthread;
	uint64_t tid_word;
	uint64_t signal_mask;
	int32_t tid;
	bool exited;
};

struct agent {
	struct machine machine; /* first */
	struct model_block *block;
	struct agent_thread threads[AGENT_THREADS];
	uint32_t threads_length, alive;
	uint32_t running;
	struct outcome *outcome; /* of the thread that runs */
	struct {
		uint64_t address;
		enum object_class class;
	} objects[AGENT_OBJECTS]; /* by number */
	uint32_t objects_length;
	uint64_t pool; /* the next free address in it */
	struct policy_random random;
};

extern struct agent agent;

/* The attempt is over: this is for fmc. Ends the way of the thread that runs; returns true. */
bool agent_refuse(enum agent_refusal why, uint64_t detail);

/* go.c: how a thread came back. */
enum arrival {
	ARRIVED_AT_DOOR, /* before the entry `number` */
	ARRIVED_AT_CALL, /* before the system call `number`, which it would go on after at rip */
	ARRIVED_BACK,	 /* from a function that it was made to call: rax is the result */
};

/* Let a thread go on from this context, until it arrives; the context is then where it stands. */
enum arrival go(struct agent_context *context, uint64_t *number);

/* Make it call a function of the program's from a context at a function's entry, which stays as it is. False: it came elsewhere. */
bool go_call(const struct agent_context *context, uint64_t function, uint64_t argument, int64_t *result);

/* A system call of the agent's own. */
int64_t own_call(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);

/* stand.c: true if the thread stands before an operation of the program's (outcome->next), or the attempt is over; false: it goes on. */
bool stand_at_door(struct agent_thread *thread, uint64_t entry);
bool stand_before(struct agent_thread *thread, const struct call *call);

/* calls.c: true if the way ends here; else the call is answered, and the thread goes on. */
bool answer_call(struct agent_thread *thread, long number);
void calls_restore(void);

/* restore.c */
bool base_take(void); /* false: there is too much of it */
bool base_restore(void);

#endif
