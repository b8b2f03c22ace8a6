#ifndef FMC_SUPERVISOR_MACHINE_H
#define FMC_SUPERVISOR_MACHINE_H

#include <fmc/supervisor/model.h>
#include <fmc/supervisor/trace.h>

/*
 * A machine runs the threads of one program one transition at a time. There are two: a real process, and a
 * table for unit tests. The execution (execution.h) decides; the machine obeys and tells what came of it.
 *
 * The machine adds threads and objects to the model as they appear, because only it sees addresses;
 * everything else about the model is the execution's.
 */
struct machine;

/*
 * A model that grows: the model itself never allocates, the machine and the execution add to it through this.
 */
struct model_block {
	struct model *model; /* moves when the block grows: never keep a copy of this pointer */
};

/* An empty model; false without memory. */
bool model_block_init(struct model_block *block);

/* Empty again, for the next execution; keeps the memory. */
void model_block_clear(struct model_block *block);

/* May be called twice. */
void model_block_release(struct model_block *block);

/* Both make room as needed; NO_THREAD, NO_OBJECT without memory or beyond 4,096 threads. */
uint32_t model_block_add_thread(struct model_block *block);
uint32_t model_block_add_object(struct model_block *block, const struct object_state *state);

/* As this model; false without memory, and the block is as it was. */
bool model_block_assign(struct model_block *block, const struct model *from);

/* What a thread came to when it had been let run. */
enum outcome_kind {
	OUTCOME_PENDING,     /* stopped before its next operation, `next` */
	OUTCOME_EXITED,	     /* the thread has exited, the process goes on */
	OUTCOME_PROCESS_END, /* the process is gone or about to be: end, end_value */
	OUTCOME_FAILED, /* end is END_UNSUPPORTED, END_SPIN, END_INTERRUPTED, END_STUCK, END_ABSENT or END_ERROR; message
			 */
	/* The machine has learned what changes executions from their start: this one doesn't count, and is to be run anew. */
	OUTCOME_AGAIN,
};

struct outcome {
	enum outcome_kind kind;
	struct op next;
	int64_t result; /* what the operation returned to the program */
	bool result_valid;
	uint32_t
	    created; /* first thread born meanwhile (already added to the model, pending OP_THREAD_START) */
	uint32_t births;	 /* how many */
	struct observation said; /* of a call on an object of the kernel: what that says of the object now; */
	bool said_valid;	 /* false: nothing, the process is gone */
	bool unchanged;		 /* OP_MEMORY_WRITE: memory is as it was before */
	/* The machine has changed nothing of the model but for births, and the object before which the thread stands now. */
	bool still;
	bool result_checked;	 /* result was the real function's own, not one that fmc put there */
	enum end_reason end;
	int end_value;
	enum status status;
	char message[256];
};

/* Nothing has come of it so far. What the rest of a message holds doesn't count. */
static inline void outcome_clear(struct outcome *outcome)
{
	__builtin_memset(outcome, 0, __builtin_offsetof(struct outcome, message));
	outcome->message[0] = '\0';
	outcome->created = NO_THREAD;
}

/* What may be expected of the world outside of the model. */
enum hope {
	HOPE_NONE, /* nothing outside could wake a thread: a blocked thread is so for ever */
	HOPE_MORE, /* some time has passed; look again */
	HOPE_DUE,  /* the moment up to which to wait has come; a thread that wakes by itself then may go on */
	HOPE_LOST, /* something outside could, but has not for as long as the machine waits */
};

struct machine_ops {
	/*
	 * Begin an execution. Thread 0 is added to the model by the machine and brought to its first
	 * operation (first-> kind PENDING); or the program ends without one (PROCESS_END).
	 *
	 * In the middle of a run all threads that there are are added, and the machine sets what they have pending;
	 * first->next is OP_NONE then.
	 */
	void (*start)(struct machine *machine, struct model_block *model, struct outcome *first);
	/* Read the words that a futex operation looks at. */
	void (*observe)(struct machine *machine, uint32_t thread, const struct op *op,
			struct observation *seen);
	/*
	 * Let `thread` perform `op`, its pending operation, as `effect` says, and run on to its next
	 * operation. Not called when effect->asleep: then sleep() is.
	 */
	void (*perform)(struct machine *machine, uint32_t thread, const struct op *op, int32_t choice,
			const struct effect *effect, struct outcome *outcome);
	/*
	 * The thread that performs next may go on past operations of its own that nobody else takes part in, so many at most, as it is the one that
	 * would be chosen each time, and nobody looks at the states in between. To be called before each perform(). ahead: which thread has done so,
	 * and is to be chosen now: perform() then tells what came of an operation that it has performed already. NO_THREAD: none. Both NULL: none ever does.
	 */
	void (*let_ahead)(struct machine *machine, size_t most);
	uint32_t (*ahead)(const struct machine *machine);
	/*
	 * The thread falls asleep in `op`: do what has to be done now (a condition wait unlocks its mutex).
	 * outcome->kind is OUTCOME_PENDING (next unused) when all is well.
	 */
	void (*sleep)(struct machine *machine, uint32_t thread, const struct op *op, struct outcome *outcome);
	/* op_waits_outside(), or with OP_AWAITS: would it complete now, for a reason that the model doesn't know? Asked for each decision while such a thread is stopped. */
	bool (*ready)(struct machine *machine, uint32_t thread, const struct op *op);
	/*
	 * Before each decision: who may get the signal (OP_SIGNAL_SEND: arg2, arg3; OP_PROCESS_EXIT: arg3), is it OP_INTERRUPTS (OP_SIGNAL_TAKE)?
	 * NULL: that stays.
	 */
	void (*aim)(struct machine *machine, uint32_t thread, struct op *op);
	/*
	 * Nothing can go on. Wait a little for the outside (a child process, a pipe, a signal); with `until`, no longer than to
	 * this moment, at which the first sleep or time-out ends (op.end), and not at all if nobody awaits anything from
	 * there: HOPE_NONE. Without: until is 0, nothing at all is enabled. NULL: there is no outside.
	 */
	enum hope (*await)(struct machine *machine, int64_t until);
	/*
	 * Threads go round, and from here on for one more round at least: what they ask for in it counts for await(). To be called once in an
	 * execution. NULL: there is no outside.
	 */
	void (*go_round)(struct machine *machine);
	/* The present moment, on the scale of op.end. NULL: time has no meaning beyond the order of those. */
	int64_t (*now)(const struct machine *machine);
	/* That moment comes by itself, as somebody outside sees it: no time-out is to be before its own. NULL: never. */
	bool (*follows)(const struct machine *machine);
	/*
	 * Child processes of the program end between two transitions, and at no other time. The first 64 of them are bits. children:
	 * from here on they may, also before start(). Those of `before` have to have ended, which is waited for, and no others do;
	 * NULL: whichever come to it. children_held: from here on they don't; returns those that have ended. NULL: there are no
	 * children.
	 */
	void (*children)(struct machine *machine, const uint64_t *before);
	uint64_t (*children_held)(struct machine *machine);
	/*
	 * A digest of all that the program's future depends on besides the model: memory and registers of all
	 * threads. Taken while every thread is stopped. False if this machine can't tell.
	 */
	bool (*digest)(struct machine *machine, uint64_t digest[2]);
	/*
	 * The same of what states are told apart by (states.h): without what the program has left behind and can't come to any more, as far as
	 * that is known, and without what libc keeps to itself. NULL: that is what digest() gives.
	 */
	bool (*state)(struct machine *machine, uint64_t digest[2]);
	/* What an object is, the same in all executions whatever its number. NULL: its number is. */
	uint64_t (*identity)(const struct machine *machine, uint32_t object);
	/*
	 * The process has ended as the trace says, which is good so far or not (good_end). Do those outside it take it for well? Else *outcome is
	 * OUTCOME_PROCESS_END or OUTCOME_FAILED with another end, and true. NULL: nobody is asked.
	 */
	bool (*judge)(struct machine *machine, const struct trace *trace, struct outcome *outcome);
	/* The execution is over: kill what is left. Safe to call when there is nothing. */
	void (*finish)(struct machine *machine);
};

struct machine {
	const struct machine_ops *ops;
};

#endif
