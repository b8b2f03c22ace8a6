#ifndef FMC_SUPERVISOR_MODEL_H
#define FMC_SUPERVISOR_MODEL_H

#include <fmc/breakpoints/op.h>
#include <stddef.h>

/*
 * The model: what state the threads and synchronisation objects of one execution are in, which pending
 * operations could complete now, in which ways, and what performing one does.
 *
 * Pure: no libc, no allocation, no pointers inside (a model may be moved or copied with memcpy), no globals but the
 * tables of kinds and classes, which are complete before the first model. What operations of a plug-in's do is asked of
 * it (plugin.h). A model lives in one block of memory that the caller
 * gives; when it is full, the caller moves it into a larger one.
 *
 * Life of a thread: added (pending OP_THREAD_START) -> [set_pending -> perform]* -> exited. Between perform
 * and the next set_pending it runs invisible code, unless perform left it asleep (effect.asleep): then the
 * model has set its next pending operation itself.
 */
struct model;

/* Bytes for a model with room for so many threads and objects. */
size_t model_bytes(uint32_t threads, uint32_t objects);

/* Make an empty model in `memory`, 16-byte aligned, of at least model_bytes(threads, objects) bytes. */
struct model *model_init(void *memory, uint32_t threads, uint32_t objects);

/*
 * Make a copy of `from` in `memory`, with room for so many threads and objects (at least as many as are in
 * use). Serves to grow a model and to look ahead.
 */
struct model *model_copy(void *memory, uint32_t threads, uint32_t objects, const struct model *from);

uint32_t model_thread_room(const struct model *m);
uint32_t model_object_room(const struct model *m);
uint32_t model_threads(const struct model *m); /* in use, the exited included */
uint32_t model_objects(const struct model *m); /* in use, those of CLASS_THREAD not counted */

/* The number of the new thread, NO_THREAD when there is no room. Its pending operation is OP_THREAD_START. */
uint32_t model_add_thread(struct model *m);

/*
 * The number of the new object, NO_OBJECT when there is no room. Its class is that of the first operation on
 * it; memory that comes to hold an object of another class is another object.
 */
uint32_t model_add_object(struct model *m, const struct object_state *state);

/*
 * A mutex or semaphore turns out to be another one than the model knew: its memory was given away and taken
 * for a new object without a call that says so (C++ mutexes are made and destroyed without any). Nobody may
 * be blocked in it.
 */
void model_replace_object(struct model *m, uint32_t object, const struct object_state *state);

/* This call on an object of the kernel has been performed, and that is what the kernel says of it now. */
struct observation;
void model_kernel_says(struct model *m, const struct op *op, const struct observation *said);

enum object_class model_object_class(const struct model *m, uint32_t object);

/* One part of its state each, for those who ask at every transition. */
uint32_t model_object_owner(const struct model *m, uint32_t object);
uint32_t model_object_type(const struct model *m, uint32_t object);
bool model_object_destroyed(const struct model *m, uint32_t object);

/* The present state of an object, for reports and tests. */
void model_object_state(const struct model *m, uint32_t object, struct object_state *state);

/*
 * Thread t has come to its next operation. Also replaces the pending operation of a thread that is stopped
 * and not asleep, as OP_READY comes and goes.
 *
 * op->object and op->object2 are threads or objects of the model, of the classes that op_class() and
 * op_class2() say; or NO_OBJECT for one that the machine can't tell (op_knows_objects()): then the operation is always enabled,
 * runs natively and changes nothing. The kinds that the model sets are not allowed.
 */
void model_set_pending(struct model *m, uint32_t t, const struct op *op);

/*
 * The same in a state that an execution begins with, in the middle of a run: the operation may be OP_COND_ASLEEP,
 * OP_COND_RELOCK or OP_BARRIER_ASLEEP, too. Threads are in a queue in the order of these calls.
 */
void model_set_found(struct model *m, uint32_t t, const struct op *op);

/*
 * The pending operation; kind OP_NONE for a thread that has exited or is running. What it points to is valid
 * until the next change of the thread, or of the block.
 */
const struct op *model_pending(const struct model *m, uint32_t t);

/* The same, but of a thread that is to take signals first (OP_SIGNAL_TAKE) what it had pending before. */
const struct op *model_under(const struct model *m, uint32_t t);

/* Thread t stands for a timer that has been set anew since (OP_TIMER_SET): it has nothing to send. */
bool model_disarmed(const struct model *m, uint32_t t);

/* Thread t has exited, in whatever state: joiners are enabled, its robust mutexes have a dead owner. */
void model_thread_exit(struct model *m, uint32_t t);

/* Thread t was created detached. */
void model_thread_detached(struct model *m, uint32_t t);

/*
 * Processes: threads belong to one each, whose number is that of the first of them; NO_THREAD: it isn't born yet. To begin with all are of process 0. parent:
 * the process that has made it, NO_THREAD where that is none of the program's. over: all its threads have exited. ready: could t go on with this
 * OP_PROCESS_WAIT?
 */
void model_thread_of(struct model *m, uint32_t t, uint32_t process, uint32_t parent);
uint32_t model_process(const struct model *m, uint32_t t);
uint32_t model_parent(const struct model *m, uint32_t t);
bool model_process_over(const struct model *m, uint32_t process);
bool model_process_ready(const struct model *m, uint32_t t, const struct op *op);

/* Has a thread of another process yet to exit? */
bool model_has_others(const struct model *m, uint32_t process);

/* The kernel itself wakes one sleeper at this futex word: it cleared it as a thread exited
 * (CLONE_CHILD_CLEARTID). */
void model_futex_kernel_wake(struct model *m, uint32_t object);

/*
 * If thread t sleeps at a futex word, or stands in a queue, it is before the beginning of that operation again. Not in the middle of a
 * wait at a condition variable or barrier.
 */
void model_interrupt(struct model *m, uint32_t t);

bool model_exited(const struct model *m, uint32_t t);
/* What the thread had pending when another one ended its process; NULL: that isn't how it has exited. */
const struct op *model_cut(const struct model *m, uint32_t t);

/*
 * True iff the pending operation of t could complete now, in any way, a time-out included (`enabled`), but
 * not by a spurious wakeup, which nobody can count on. False for a thread that has exited.
 */
bool model_enabled(const struct model *m, uint32_t t);

/* The same without time-outs: t could make progress. */
bool model_ready(const struct model *m, uint32_t t);

/* The pending operation of t has a time-out, or is a sleep: time could be what lets it go on. */
bool model_timed(const struct model *m, uint32_t t);

/* And nothing else lets it go on now: t is enabled, by a time-out alone or by its sleep's end. */
bool model_waits_for_time(const struct model *m, uint32_t t);

/* CHOICE_SPURIOUS is open to t: it sleeps at a condition variable whose budget isn't used up. */
bool model_spurious(const struct model *m, uint32_t t);

/* The pending operation of t acts on a cancellation, instead of doing what it does otherwise. */
bool model_cancels(const struct model *m, uint32_t t);

/* t holds robust mutexes, which will have a dead owner if it exits. */
bool model_holds_robust(const struct model *m, uint32_t t);

/* Somebody has joined t, so that all that it has done comes before what follows there. */
bool model_joined(const struct model *m, uint32_t t);

/* Nobody has joined or detached t. */
bool model_joinable(const struct model *m, uint32_t t);

/*
 * How many choices the pending operation of t has now; 0 iff it is not enabled. model_choice(.., 0) is the
 * one that the default policy takes: never a time-out if t is ready. The order is the same in every
 * execution. A time-out is a choice only when t is not ready (POSIX: none if it can be had at once).
 *
 * CHOICE_SPURIOUS is none of these, see model_spurious().
 *
 * OP_COND_SIGNAL: choice i wakes the i-th of the waiters (WAKE_FIFO, WAKE_LIFO: the only choice is the first,
 * the last). OP_FUTEX_WAKE of n among k: choice i is the set of
 * rank i in the combinatorial number system, of at most 4,096 that are told apart.
 */
uint32_t model_choices(const struct model *m, uint32_t t);
int32_t model_choice(const struct model *m, uint32_t t, uint32_t i);

/* Both at once: how many, and if there are any the first of them. */
uint32_t model_ways(const struct model *m, uint32_t t, int32_t *first);

/* True iff `choice` is one of those that t has now, CHOICE_SPURIOUS included. */
bool model_has_choice(const struct model *m, uint32_t t, int32_t choice);

/*
 * Total store order ([TSO]): an OP_MEMORY_WRITE with OP_BUFFERED puts its
 * store into the thread's own buffer, first in, first out, of so many. CHOICE_FLUSH, which is open to the thread whatever it has pending,
 * takes the oldest one out; before another such write for which there is room it needn't be tried, and only model_has_choice() tells of it,
 * unless flushes are apart. Before an OP_MEMORY_READ, and another such write for which there is room, the thread may as well go on. Before
 * all else it flushes until none waits: the machine has OP_MEMORY_FLUSH pending meanwhile, which knows no other way.
 */
#define MODEL_STORES 2

/* Flushes are to depend as if a thread of its own made them (memory/buffer.c), which else depend on all that their thread does. */
void model_flush_apart(struct model *m, bool apart);

/* May t flush now? May it do what it has pending, although stores of its wait? */
bool model_flushes(const struct model *m, uint32_t t);
bool model_goes_past(const struct model *m, uint32_t t);

/* How many wait in the buffer of t. */
uint32_t model_stores(const struct model *m, uint32_t t);

/*
 * Loops that wait for memory: a thread before an operation with OP_AWAITS isn't enabled until an operation of another has changed what it
 * has found there; or nobody else can go on; or the machine says OP_READY, as memory has been changed in another way. awaits: no
 * operation has. changed: the OP_MEMORY_WRITE that t has just performed didn't leave memory as it was; nothing of another kind. A
 * flush counts as a change in any case.
 *
 * held_back: a thread before an operation with OP_VAIN isn't enabled, though what it waits for has changed: not in this execution.
 */
bool model_awaits(const struct model *m, uint32_t t);
bool model_held_back(const struct model *m, uint32_t t);
void model_changed(struct model *m, uint32_t t);

/*
 * Words of the target's memory at the moment when the operation is performed; only futex operations look at them. Of calls on objects
 * of the kernel what that says after them: how much there is to read, and how the object stands, as in struct object_state; with two
 * objects how each of them stands, of those of which the kernel is asked (op_is_told()), and how much there is to read isn't known any more.
 */
struct observation {
	uint32_t
	    word; /* at the futex word `object`; OP_MEMORY_WRITE, afterwards: 1 if it has changed nothing */
	uint32_t word2; /* at `object2` */
};

/* What performing an operation does. */
struct effect {
	int64_t result;	   /* what the program gets to see, negative errno for the system-call kinds; see
			      result_known */
	bool result_known; /* the model predicts the result (false: it comes from the machine alone) */
	bool blocked;	   /* the machine completes it: native execution would block or decide by itself */
	bool timed_out;	   /* the choice was a time-out */
	bool cancelled; /* the thread acts on its cancellation: the machine lets the function run into it */
	bool yield;	/* a yield of [FAIR]: says that it makes no progress */
	bool asleep;	/* t runs no code of the program now; the model has set its next pending operation */
	bool writes2;	/* FUTEX_WAKE_OP: the machine stores value2 at object2 */
	uint32_t value2;
};

/*
 * Perform the pending operation of t the given way. t must be enabled and `choice` one of its choices.
 * `seen` may be NULL for operations other than futex ones.
 *
 * Threads that this wakes get their new pending operation (OP_COND_RELOCK, OP_BARRIER_RESUME,
 * OP_FUTEX_RESUME) here.
 */
void model_perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		   struct effect *effect);

/* The same where it has been asked for already that t is enabled and has this choice, which isn't looked at again. */
void model_perform_again(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
			 struct effect *effect);

/* Has this operation, one that op_tries(), of which that was seen, had to wait? Then its thread has fallen asleep before it. */
bool model_came_late(const struct op *op, uint32_t word);

/* Which thread has last changed what it waits for; NO_THREAD: none, or one of several. */
uint32_t model_changed_last(const struct model *m, const struct op *op);

/*
 * Which thread has to move before t can: the holder of the mutex that t wants, the thread that it joins.
 * NO_THREAD: t is not blocked, or nobody in particular could wake it. *object gets what t waits for
 * (NO_OBJECT if nothing; a thread number if *class is CLASS_THREAD).
 */
uint32_t model_waits_for(const struct model *m, uint32_t t, enum object_class *class, uint32_t *object);

/*
 * t waits without a time-out for a lock or a thread's end, whose holder waits for another one, and so on back to t: none of them
 * goes on any more, whatever other threads do.
 */
bool model_in_circle(const struct model *m, uint32_t t);

/* The thread that holds this mutex or spinlock, writes under this rwlock, runs this once; NO_THREAD if none.
 */
uint32_t model_holder(const struct model *m, uint32_t object);

/*
 * A digest of all state: objects, sleepers in their order, pending operations. Equal states have equal
 * digests. Places and time-out lengths do not count.
 */
uint64_t model_digest(const struct model *m);

/* What it takes of thread t, but for the numbers of objects. */
#define MODEL_THREAD_WORDS 5
void model_thread_words(const struct model *m, uint32_t t, uint64_t words[MODEL_THREAD_WORDS]);

#endif
