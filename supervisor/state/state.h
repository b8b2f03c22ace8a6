#ifndef FMC_SUPERVISOR_STATE_STATE_H
#define FMC_SUPERVISOR_STATE_STATE_H

#include <fmc/supervisor/model.h>
#include <fmc/tracer/assert.h>

/*
 * The inside of a model, shared by the rooms of its families and model only.
 *
 * A block is: struct model, then the threads, then the objects, then, if a plug-in describes classes, a state of
 * OBJECT_USER_BYTES for each object. Everything points by index, so that a block may be moved, copied, and mapped
 * elsewhere.
 *
 *     thread:  model_add_thread -> STOPPED -(model_perform)-> RUNNING -(model_set_pending)-> STOPPED
 *              STOPPED -(model_perform, effect.asleep)-> STOPPED with a pending operation of the model's own
 *              any -(model_thread_exit)-> EXITED
 */

/* The error numbers of Linux x86-64 that a target may get to see, whatever this is compiled on. */
enum model_errno {
	MODEL_EPERM = 1,
	MODEL_EAGAIN = 11,
	MODEL_EBUSY = 16,
	MODEL_EINVAL = 22,
	MODEL_EDEADLK = 35,
	MODEL_ENOSYS = 38,
	MODEL_ETIMEDOUT = 110,
	MODEL_ECANCELED = 125,
	MODEL_EOWNERDEAD = 130,
	MODEL_ENOTRECOVERABLE = 131,
};

enum thread_run { THREAD_STOPPED, THREAD_RUNNING, THREAD_EXITED };

enum thread_flag {
	THREAD_JOINED = 1,
	THREAD_DETACHED = 2,
	THREAD_CANCELLED = 4,	/* pthread_cancel: acts at its next cancellation point */
	THREAD_NO_CANCEL = 8,	/* PTHREAD_CANCEL_DISABLE */
	THREAD_ASYNC = 16,	/* PTHREAD_CANCEL_ASYNCHRONOUS: acts anywhere */
	THREAD_UNWINDS = 32,	/* has acted, runs its clean-up handlers */
	PROCESS_COLLECTED = 64, /* its process, of which it is the first thread, has been waited for */
	THREAD_DISARMED = 128,	/* it stands for a timer that has been set anew, and sends nothing any more */
	THREAD_CUT = 256,	/* another thread has ended its process */
};

struct model_store {
	uint64_t address, bytes;
	uint32_t object;
};

/* An access of a thread's to memory. */
struct model_access {
	uint64_t address;
	uint32_t bytes;
	bool changed; /* by another thread, since */
};

struct model_thread {
	struct op op;	      /* believed while STOPPED */
	struct op under;      /* OP_SIGNAL_TAKE: what it is in place of */
	uint32_t next, prev;  /* neighbours in the queue in which it sleeps, else NO_THREAD */
	uint32_t robust_held; /* how many robust mutexes it holds */
	uint8_t run;	      /* enum thread_run */
	uint16_t flags;	      /* enum thread_flag */
	uint8_t waiting;      /* how many stores wait in its buffer, */
	uint32_t process;     /* the first thread of its process; NO_THREAD: it isn't born yet */
	uint32_t parent;      /* the process that has made that; NO_THREAD: none of the program's */
	struct model_store stores[MODEL_STORES]; /* the oldest first */
	uint32_t entered;			 /* so many have, since the thread began */
	uint32_t accesses_length;		 /* so far; number i is at i modulo their room */
	struct model_access accesses[OP_ROUND_MOST];
};

enum object_flag {
	MUTEX_DEAD = 1,		 /* the owner has exited, nobody has taken it since */
	MUTEX_INCONSISTENT = 2,	 /* taken after that, not yet made consistent; dead too if its owner exits */
	MUTEX_UNRECOVERABLE = 4, /* unlocked while inconsistent */
	OBJECT_DESTROYED = 8,	 /* what the real functions answer now is up to libc */
};

/* The last store that has reached a word of memory, if it begins where the object does and was flushed; bytes 0: it is none. */
#define STORED_WORDS 3
struct model_stored {
	uint32_t writer, number; /* whose, and which of those that it has entered */
	uint32_t bytes;		 /* of all of the store */
};

struct model_object {
	uint8_t class; /* enum object_class */
	uint8_t type;  /* as in struct object_state, like owner, count, wakeup, spurious, standing, unspent */
	uint8_t flags; /* enum object_flag */
	uint8_t wakeup;
	uint32_t owner; /* mutex, spinlock: NO_THREAD iff free */
	uint32_t count;
	uint32_t spurious;
	uint32_t standing;
	uint32_t unspent;     /* decides nothing of what happens, and is no part of digests */
	uint32_t first, last; /* sleepers, or the threads in the queue, in the order of coming */
	uint32_t sleepers;    /* length of that queue */
	uint64_t
	    address; /* CLASS_MEMORY, where flushes are apart: its own, and whose stores its words hold */
	struct model_stored stored[STORED_WORDS];
};

struct model {
	uint32_t thread_room, object_room;
	uint32_t threads, objects;
	uint32_t user_bytes; /* of each object: 0 without a plug-in */
	uint32_t apart;	     /* flushes depend as if a thread of its own made them */
};

static inline struct model_thread *model_thread(struct model *m, uint32_t t)
{
	FMC_ASSERT(t < m->threads);
	return (struct model_thread *)(m + 1) + t;
}

static inline const struct model_thread *model_thread_const(const struct model *m, uint32_t t)
{
	FMC_ASSERT(t < m->threads);
	return (const struct model_thread *)(m + 1) + t;
}

static inline struct model_object *model_object(struct model *m, uint32_t o)
{
	FMC_ASSERT(o < m->objects);
	return (struct model_object *)((struct model_thread *)(m + 1) + m->thread_room) + o;
}

static inline const struct model_object *model_object_const(const struct model *m, uint32_t o)
{
	FMC_ASSERT(o < m->objects);
	return (const struct model_object *)((const struct model_thread *)(m + 1) + m->thread_room) + o;
}

/* Where the states of plug-ins are: after all else, in whole words. */
static inline size_t model_user_offset(uint32_t threads, uint32_t objects)
{
	size_t bytes = sizeof(struct model) + (size_t)threads * sizeof(struct model_thread) +
		       (size_t)objects * sizeof(struct model_object);
	return (bytes + 7) & ~(size_t)7;
}

/* What a plug-in knows of an object of one of its classes. */
static inline void *model_user(struct model *m, uint32_t o)
{
	FMC_ASSERT(o < m->objects && m->user_bytes > 0);
	size_t offset = model_user_offset(m->thread_room, m->object_room) + (size_t)o * m->user_bytes;
	return (unsigned char *)m + offset;
}

static inline const void *model_user_const(const struct model *m, uint32_t o)
{
	FMC_ASSERT(o < m->objects && m->user_bytes > 0);
	size_t offset = model_user_offset(m->thread_room, m->object_room) + (size_t)o * m->user_bytes;
	return (const unsigned char *)m + offset;
}

/* The call returns this to the program. */
static inline void effect_result(struct effect *effect, int64_t result)
{
	effect->result = result;
	effect->result_known = true;
}

/* The call returns without having got what it wanted, and could only try again: a yield. */
static inline void effect_failed(struct effect *effect, int64_t result)
{
	effect_result(effect, result);
	effect->yield = true;
}

/* The call's time is over; the machine returns from it. */
static inline void effect_timed_out(struct effect *effect, int64_t result)
{
	effect_failed(effect, result);
	effect->timed_out = true;
	effect->blocked = true;
}

/* Does this thread sleep at an object, or stand in its queue? */
static inline bool model_sleeps(const struct model_thread *thread)
{
	return thread->run == THREAD_STOPPED &&
	       (thread->op.flags & OP_QUEUED || op_is_asleep(thread->op.kind));
}

/* Before an operation with OP_AWAITS: the accesses that it goes by, the i-th of the last arg3. */
static inline const struct model_access *model_awaited_access(const struct model_thread *thread, uint32_t i)
{
	const uint32_t first = thread->accesses_length - (uint32_t)thread->op.arg3;
	return &thread->accesses[(first + i) % OP_ROUND_MOST];
}

/* The object that an operation waits for: of those with two, the mutex once it has been woken. */
static inline uint32_t model_awaited(const struct op *op)
{
	return op->kind == OP_COND_RELOCK ? op->object2 : op->object;
}

/* Initialise or destroy operations of classes without rules of their own: keep OBJECT_DESTROYED. */
void model_object_life(struct model *m, uint32_t t);

/* signal.c: t has OP_SIGNAL_SEND pending, which has so many ways. take: t takes this signal before it does anything else, if it can. */
#define MODEL_SIGCHLD 17
void model_signal_take(struct model *m, uint32_t t, int64_t signal);
void model_signal_send(struct model *m, uint32_t t, int32_t choice);
uint32_t model_signal_ways(const struct model *m, uint32_t t);

/* Queues of sleepers; queue.c. All O(1). */
void model_queue_append(struct model *m, uint32_t object, uint32_t t);
/* By its number, where it makes no difference who came first. */
void model_queue_sort_in(struct model *m, uint32_t object, uint32_t t);
void model_queue_remove(struct model *m, uint32_t object, uint32_t t);
void model_cond_wake(struct model *m, uint32_t t, int64_t result); /* t is OP_COND_ASLEEP */

/*
 * Under the policy of the object that t waits for (enum wakeup): is it t's turn, should the object be free?
 * Does a thread before this operation that can't have it stand in the queue first?
 */
bool model_turn(const struct model *m, uint32_t t);
bool model_queues(const struct model *m, const struct op *op);

/* At most so many ways of choosing whom a FUTEX_WAKE wakes are told apart: the first ones. */
#define MODEL_WAKE_WAYS 4096
/* And so many values of an OP_CHOOSE. */
#define MODEL_VALUES 4096

/* The first sentence about an object that isn't true of it, in constant time: without its queue; NULL: all are. NO_OBJECT has no flaw. */
const char *model_check_object(const struct model *m, uint32_t object);

#endif
