#ifndef FMC_SUPERVISOR_SHARING_H
#define FMC_SUPERVISOR_SHARING_H

#include <fmc/supervisor/trace.h>

/*
 * Memory that threads share without an operation between: what a search that switches threads at operations alone can't
 * see. Pure: from a trace and the accesses that were made in it.
 */
struct memory_access {
	uint64_t address, size; /* size > 0 */
	uint64_t place;		/* the instruction */
	size_t transition;	/* of the trace, whoever performs it: it has begun, and the next one hasn't */
	uint32_t thread;
	bool write;
	bool locked; /* by a function of libc's that locks it meanwhile, which nothing else tells; not after a sift */
	bool handler; /* of a signal that has come to the thread where a schedule has it: it may come elsewhere */
	bool
	    own_stack; /* memory of the thread's own stack, which another thread may get when this one is gone */
	bool other_stack; /* memory of another thread's */
	bool frees; /* the memory is given back (a write): whatever comes later there is something else */
	bool
	    lingers; /* but for what touches it before it is given out again: that is an access to what was given back */
	bool
	    inner; /* by libc for itself: it says nothing where the thread has given it back before, nor where another one has, since libc takes blocks unseen */
	bool gives; /* no access: the memory is given out, and whatever comes later there is something else */
	bool last;  /* it comes after the ends of all other threads, by libc's count of them */
	bool
	    guard; /* the thread has initialised a C++ static variable, and releases its guard, which begins there */
	bool
	    operation; /* it is what the transition itself does; so is what an OP_MEMORY_* announces, without this */
};

/* Is the memory given back or out, and something else after that? */
static inline bool access_ends(const struct memory_access *access)
{
	return access->frees || access->gives;
}

/* Two accesses of different threads, or of one and its handler, to common bytes, one of them a write: indices, the earlier first. */
struct sharing {
	uint32_t first, second;
	bool ordered; /* an operation orders them: sharing_find_all() */
};

/* Of so many pairs the first are found: enough to name variables. */
#define SHARING_MOST 256

struct sharings {
	struct sharing at[SHARING_MOST];
	size_t length;
	bool handlers;	 /* set by the caller: pairs of a thread's accesses and its handlers' are to be found, too */
	size_t compared; /* of the accesses; the rest were left out, since the caller wants no more of it: */
	bool (*enough)(void *context); /* set by the caller: asked now and then; NULL: never enough */
	void *context;
};

/*
 * Those of the accesses, given in the order in which they happened, that no chain of dependent operations orders: the first
 * thread's next operation doesn't come before (happens_before.h, without fairness) the one after which the second access is,
 * so that schedules of the same operations, or ones that differ in these alone, may have them the other way round. After a
 * thread's last operation it is its end that counts, which joins come after, and what comes last of all. What comes before the release of
 * the guard of a C++ static variable comes before what follows a read of that. What a handler does no operation orders with what its thread does
 * outside of it, if both aren't operations. Each pair of places and threads once for eight
 * bytes. `found` is as the caller has set it up, its pairs are replaced. False without memory.
 */
bool sharing_find(const struct trace *trace, const struct memory_access *accesses, size_t length,
		  struct sharings *found);

/*
 * Those, and pairs that operations order, up to half of SHARING_MOST; but for those of an access and another thread that wasn't there yet
 * or not any more, and of two operations, whose order the search sees to.
 */
bool sharing_find_all(const struct trace *trace, const struct memory_access *accesses, size_t length,
		      struct sharings *found);

/* What such a pair is where the program may have locks and flags of its own, made of plain accesses. */
enum sharing_kind {
	SHARING_RACE,	 /* nothing orders it */
	SHARING_ORDERED, /* what was written to other memory and read there does */
	SHARING_PASSES, /* nothing does, but it does so for other pairs: it may be a lock or a flag, or a race as well */
};

/*
 * Judge the pairs that sharing_find() has found in these accesses, of whose instructions no access has been left out. A read, and what is an operation, comes after what
 * other threads have last written to the same pair's bytes, and so does what follows it (Lamport, Time, Clocks, and the Ordering of
 * Events in a Distributed System, 1978); a pair isn't ordered by itself. That takes more for ordered than C11's rules do, never less.
 * False: without memory, or there are too many accesses or threads to tell.
 */
bool sharing_judge(const struct trace *trace, const struct memory_access *accesses, size_t length,
		   const struct sharings *found, enum sharing_kind kinds[SHARING_MOST]);

#endif
