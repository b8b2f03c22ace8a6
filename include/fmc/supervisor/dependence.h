#ifndef FMC_SUPERVISOR_DEPENDENCE_H
#define FMC_SUPERVISOR_DEPENDENCE_H

#include <fmc/supervisor/model.h>

/*
 * Which transitions depend on each other: the one place that decides it for all strategies.
 *
 * A transition is reduced to its footprint, the list of what it touches and how. Two transitions of
 * different threads are dependent iff they touch one thing in conflicting modes; two of one thread always
 * are. So the relation is symmetric, each transition is looked at once, and happens_before.h needs no
 * comparison of pairs at all.
 *
 * Footprints are of executed transitions: how an operation touches its object follows from the state in which
 * it was performed (a try-lock that fails changes nothing). That is sound, because neighbours whose modes don't
 * conflict have the same modes in the other order: whatever changes the mode of a transition after it touches
 * the same thing in a conflicting mode. So a trace is a set of executions with the same footprints, and
 * happens-before has the properties that Abdulla et al. (POPL 2014, section 3) ask of it.
 *
 * Of a transition that is only planned less is true: additions may be limited (struct access), and others that
 * commute with it one by one may leave nothing for it. A sleep set has to ask dependence_disturbs(),
 * a comparison with a sequence dependence_exhausts().
 *
 * A footprint follows from the model alone, without the program: wakeup trees need to know before it runs what
 * a transition will touch, exactly, neither less nor more. The exceptions are that it ends the process, and the thread where
 * that counts.
 */
enum touch_mode {
	TOUCH_READ, /* commutes with other reads */
	TOUCH_ADD, /* commutes with other additions: semaphores' posts; waits while there are units to spare */
	TOUCH_WRITE,
};

/* What can be touched. The number is an object's or a thread's. */
enum touch_class {
	TOUCH_ALL,	/* written by what concerns every other transition, read by every transition */
	TOUCH_WINDOW,	/* the same for counted yields, which change the priorities of fairness */
	TOUCH_PRIORITY, /* whether a thread is schedulable: written by its own transitions */
	/* What decides, together with something else, whether a thread can go on that doesn't move itself: the
	 * mutex that one woken has to take again, the number of readers that a writer waits for. */
	TOUCH_HOLDING,
	TOUCH_BIRTHS,	/* the numbering of threads */
	TOUCH_THREAD,	/* how far a thread is: written by its own transitions */
	TOUCH_JOINABLE, /* whether a thread has been joined or detached */
	TOUCH_ENDS, /* how many threads have ended: written by the last transition of each (policy.ends_count) */
	TOUCH_WAKING, /* a thread's being born or woken */
	TOUCH_OBJECT, /* an object of the model; of a semaphore the waits */
	TOUCH_POSTS,  /* of a semaphore the posts */
	TOUCH_PAIR,   /* an object for one kind of a plug-in's and one that depends on it: touch_pair() */
	TOUCH_WORD,   /* four bytes of memory, by address; accesses to parts of one aren't told apart */
	TOUCH_SETS,   /* what is in sets of epoll */
	TOUCH_LOCK_WAITS, /* which processes wait for each other's locks of files */
	TOUCH_OUTPUT, /* what the program prints: the order of its parts is what is seen of them */
	/* Where flushes are apart (memory/buffer.c): */
	TOUCH_BUFFER, /* how far a thread's buffer is: written by its flushes */
	TOUCH_PLACE,  /* one of the places of a thread's buffer */
	TOUCH_STORED, /* one word of one of a thread's stores, with the thread above the class: read by its thread, and written by what
			 overwrites it in memory */
	TOUCH_MEMORY, /* long ranges of memory: written by accesses to one, read by all others */
	TOUCH_SEEN, /* what is looked at between transitions (execution_monitor): written by those that change some of it */
	/*
	 * 0: what is looked at in the middle of transitions: read by those that look, written by those that change some of it. 1: memory that such
	 * a look has come to by a pointer or on a stack, which any other transition may change: written by those that look, read by all others.
	 */
	TOUCH_ASSERTED,
};

struct access {
	uint64_t
	    key; /* class in the upper 32 bits, with the two kinds of a TOUCH_PAIR or the thread of a TOUCH_STORED above it; number in the lower */
	uint32_t mode; /* enum touch_mode */
	/*
	 * TOUCH_ADD: after this transition how many more can add before the next one would do something else.
	 * Is no part of the mode: of additions in another order others are the last ones.
	 */
	uint32_t left;
};

#define TOUCH_UNLIMITED UINT32_MAX

static inline uint64_t touch_key(enum touch_class class, uint32_t number)
{
	return (uint64_t) class << 32 | number;
}

static inline enum touch_class touch_class(uint64_t key)
{
	return (enum touch_class)(key >> 32 & 0xffff);
}

/* What operations number b of a class notice of those number a, on an object. */
static inline uint64_t touch_pair(uint32_t a, uint32_t b, uint32_t object)
{
	return touch_key(TOUCH_PAIR, object) | (uint64_t)a << 48 | (uint64_t)b << 56;
}

/* TOUCH_WINDOW, TOUCH_PRIORITY and TOUCH_HOLDING: exist only for the priorities of fairness, and mean nothing
 * without. */
static inline bool touch_is_fair(uint64_t key)
{
	return touch_class(key) == TOUCH_WINDOW || touch_class(key) == TOUCH_PRIORITY ||
	       touch_class(key) == TOUCH_HOLDING;
}

struct footprint {
	struct access *at;
	uint32_t length, room;
	bool failed; /* no memory: not all of it is there */
};

void footprint_clear(struct footprint *footprint); /* keeps the memory */
void footprint_release(struct footprint *footprint);

/* Touch this; of several modes of one key the strongest stays. */
void footprint_touch(struct footprint *footprint, uint64_t key, enum touch_mode mode);

/* Add to this, of which there is `left` after the transition. */
void footprint_add(struct footprint *footprint, uint64_t key, uint32_t left);

/*
 * The footprint of thread t's pending operation, to be performed with `choice` in the present state. Also for
 * an operation that is not enabled: what it would touch.
 */
void dependence_begin(struct footprint *footprint, const struct model *before, uint32_t t, int32_t choice);

/* The same after model_perform() by t: of the threads that it could have woken those that it did. */
void dependence_performed(struct footprint *footprint, const struct model *after, uint32_t t);

/* What the code after the operation led to, as far as others can notice. */
void dependence_born(struct footprint *footprint, uint32_t thread); /* this thread was created */
/*
 * The same with a process of its own, made by thread t: a copy of the memory that t's own process has then, whoever else writes there. Not
 * known before it is performed, unless t creates all threads and is alone in its process.
 */
void dependence_forked(struct footprint *footprint, const struct model *after, uint32_t t);
void dependence_ended(struct footprint *footprint);		    /* the process is gone */
void dependence_exited(struct footprint *footprint); /* it has ended, or is the last that hasn't, and knows */

/* A list of accesses without the owner of the memory. */
struct accesses {
	const struct access *at;
	uint32_t length;
};

/* Replace what is in the footprint. */
void footprint_copy(struct footprint *footprint, struct accesses from);

/* Do transitions of different threads with these footprints depend on each other? `fair`: priorities count. */
bool dependence_conflict(struct accesses a, struct accesses b, bool fair);

/*
 * `pending` could have been performed before `done` was, by another thread: would it do something else after
 * it, or does it depend on it?
 */
bool dependence_disturbs(struct accesses done, struct accesses pending, bool fair);

/*
 * `pending` conflicts with none of a sequence of transitions: would it do something else after them all, because
 * of what `member`, one of them, adds to? `beside`: what precedes the sequence and conflicts with none of them
 * either; `after`: the state after the sequence, but without that.
 */
bool dependence_exhausts(const struct model *after, struct accesses beside, struct accesses member,
			 struct accesses pending);

static inline bool dependence_modes_conflict(uint32_t a, uint32_t b)
{
	return a != b || a == TOUCH_WRITE;
}

#endif
