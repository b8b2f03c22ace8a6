#ifndef FMC_SUPERVISOR_FOREIGN_FOREIGN_RUN_H
#define FMC_SUPERVISOR_FOREIGN_FOREIGN_RUN_H

#include "supervisor/policy/policy.h"

#include <fmc/breakpoints/markers.h>
#include <fmc/supervisor/foreign_run.h>
#include <fmc/supervisor/machine.h>
#include <fmc/tracer/clock.h>
#include <pthread.h>

/* What a thread is doing, from the scheduling's point of view. */
enum turn {
	TURN_GONE,
	TURN_WAITS, /* stopped, to be chosen */
	TURN_RUNS,  /* at most one */
	TURN_CALLS, /* in a system call that may wait */
};

/* One thread of the process, by its number. */
struct run_thread {
	pid_t tid;
	uint64_t pthread; /* as the program names it, 0: not known yet */
	enum turn turn;
	struct tracee *tracee;	       /* of this session; NULL between two */
	struct op op;		       /* before which it waits; OP_NONE: it just goes on */
	struct op last;		       /* that it has done last: a lock that it waits for, perhaps */
	uint64_t stack, caller, entry; /* of the function called last */
	char *name;
};

struct run_object {
	uint64_t address;
	enum object_class class;
	char *name; /* NULL: not known yet */
};

#define RUN_FRAMES 64

/* Where a call was made from, by what the stack begins with. */
struct run_caller {
	uint64_t digest, place; /* digest 0: free */
};
#define RUN_CALLERS 1024

struct foreign_run {
	pid_t pid;
	struct jump_stubs *jumps;
	struct guardian guardian;
	bool guarded;
	struct markers *markers;
	struct places *places;
	struct foreign *foreign; /* during a session */
	size_t stubs, left_alone;
	/* The choice of the next thread. */
	struct policy policy;
	struct policy_state *policy_state;
	uint32_t policy_room;
	struct model_block block;
	struct alternative *alternatives;
	uint32_t previous, avoided;
	uint64_t steps, rounds; /* turns of this round of POLICY_PCT; rounds before */
	uint32_t
	    held; /* isn't chosen for so many turns, or until nobody else wants one for long; NO_THREAD: none */
	uint64_t held_turns, held_until;
	bool drop_seen; /* of the next turn */
	/* Threads and objects. */
	struct run_thread *threads;
	uint32_t threads_length, threads_room;
	uint32_t running; /* NO_THREAD: none */
	uint64_t since;	  /* when it was resumed */
	bool sliced;	  /* it has been interrupted, so that others get on */
	/* What was done. */
	struct run_object *objects; /* by the model's numbers */
	uint32_t objects_length, objects_room;
	struct trace trace;
	struct run_caller callers[RUN_CALLERS];
	uint64_t next_look; /* whether it is stuck */
	unsigned stuck_looks, patience;
	uint32_t fatal_thread;
	uint64_t frames[RUN_FRAMES];
	size_t frames_length;
	char *message;
	/* One session. */
	pid_t tracing; /* the thread that does it */
	uint64_t until;
	enum foreign_run_end end;
	char *why;
};

/* threads.c: the threads by their numbers. NULL, NO_THREAD without memory or where there are too many. */
struct run_thread *foreign_run_thread(struct foreign_run *run, const struct tracee *tracee);
uint32_t foreign_run_number(const struct foreign_run *run, const struct run_thread *thread);
uint32_t foreign_run_add(struct foreign_run *run, struct tracee *tracee);
uint32_t foreign_run_by_pthread(const struct foreign_run *run, uint64_t pthread);
uint32_t foreign_run_object(struct foreign_run *run, enum object_class class, uint64_t address);

/* choose.c: let one of those that wait run. False: nobody waits. */
bool foreign_run_choose(struct foreign_run *run);

/* place.c: the place in the program's own code of an operation that a library makes at `place`. */
uint64_t foreign_run_place(struct foreign_run *run, struct tracee *tracee, uint64_t place);

/* record.c: what thread t does now. False: the record is full, or there is no memory. */
bool foreign_run_record(struct foreign_run *run, uint32_t t, const struct op *op);
/* The operation that a call is, its objects by their numbers. */
struct op foreign_run_op(struct foreign_run *run, const struct call *call);

/* stuck.c: can nothing that is seen from here go on any more? */
bool foreign_run_stuck(const struct foreign_run *run);

/* session.c: the life of the thread that traces. */
void *foreign_run_session(void *run);

#endif
