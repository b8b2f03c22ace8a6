#ifndef FMC_BREAKPOINTS_STANCE_H
#define FMC_BREAKPOINTS_STANCE_H

#include <fmc/breakpoints/call.h>
#include <fmc/breakpoints/place.h>

/*
 * How a thread stands that was stopped anywhere in its code, with fmc not having watched it so far; and the way back to where
 * fmc would have stopped it: a thread that waits in a function that is an entry point is taken back to its beginning. What the function
 * had already done to its object is undone, too: libc counts those who wait.
 *
 * All waiting threads of the process are to be taken back before any of them runs, since marks are cleared that are there for
 * all of them.
 */
enum stance_kind {
	/* In no entry point, or in one whose wait goes on by itself (joining, which the kernel ends): it can be let run. */
	STANCE_FREE,
	STANCE_INSIDE, /* in an entry point, and doesn't sleep: has to get out of it before others are taken back */
	STANCE_WAITS,	/* asleep in an entry point: stance_rewind() */
	STANCE_UNKNOWN, /* asleep, in what can't be told, or where it can't be taken out of */
};

struct stance {
	enum stance_kind kind;
	enum op_kind function; /* what the entry point does; OP_NONE: it is in none */
	uint64_t entry;	       /* its address */
	uint64_t return_slot;  /* where its return address is */
	/* The registers as its caller will have them after the call, those that a call keeps; rip is the return address. */
	struct user_regs_struct caller;
	uint64_t word;	   /* the futex word that it sleeps at */
	uint32_t expected; /* what is there */
	uint64_t until;	   /* address of the wait's end; 0: none */
	bool until_real;   /* on CLOCK_REALTIME, else CLOCK_MONOTONIC */
	bool inherits;	/* the kernel hands the word on to the next owner: a lock that inherits priorities */
	uint64_t inner; /* its stack pointer */
};

/*
 * Look at a stopped thread, which may stand before a system call, at STOP_SYSCALL or anywhere else. Of a thread asleep in a
 * system call the tracer has made one that is about to perform it. STATUS_GONE.
 */
enum status stance_find(const struct entries *entries, struct places *places, struct tracee *tracee,
			struct stance *stance);

/* Is it about to make a futex call that would sleep? */
bool stance_sleeps(struct tracee *tracee);

enum rewound {
	REWOUND_BEFORE, /* at the entry, as if it had just been called */
	/*
	 * The same, but it has done what comes before the wait: given up its mutex, come to the barrier. It meets the entry's
	 * trap when it runs, and is not to call the function.
	 */
	REWOUND_ASLEEP,
	REWOUND_WOKEN, /* the same of a condition variable, and it has been woken: it lacks the mutex */
};

/*
 * Take a thread that waits back to the entry. `room`: 16 bytes of the target's memory that stay this thread's, for the time at
 * which the wait ends. STATUS_UNSUPPORTED: `why` says what hinders, and nothing has been changed; STATUS_GONE.
 */
enum status stance_rewind(const struct entries *entries, struct tracee *tracee, const struct stance *stance,
			  uint64_t room, enum rewound *rewound, char why[160]);

/*
 * Take back the mark that somebody waits for this object, which makes the thread that gives it up wake the waiter by a system call. For objects
 * that are seen for the first time; none of the process's threads sleeps in the kernel.
 */
void object_unmark(struct target *target, const struct entries *entries, enum object_class class,
		   uint64_t address);

#endif
