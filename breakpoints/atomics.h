#ifndef FMC_BREAKPOINTS_ATOMICS_H
#define FMC_BREAKPOINTS_ATOMICS_H

#include "breakpoints/modules.h"

#include <sys/user.h>

/*
 * Atomic read-modify-write instructions (LOCK prefix, XCHG with memory) in the code of the program itself, libc's own
 * part of a static one left out. Locks that are made of them enter the kernel only when contended.
 */
struct atomic {
	uint64_t address; /* in the process */
	uint8_t length;	  /* of the instruction */
	uint8_t bytes;	  /* of its memory operand */
	uint8_t base, index,
	    scale;	/* registers as offsets in struct user_regs_struct in words, or one of these: */
	bool in_thread; /* relative to the thread's fs base */
	int64_t displacement;
};

#define ATOMIC_NO_REGISTER 0xff
#define ATOMIC_NEXT	   0xfe /* the address behind the instruction */

struct atomics {
	struct atomic *at; /* in ascending order */
	size_t length;
	size_t unknown; /* those whose operand can't be told, not in `at` */
};

/* Find them, or the first `most`; without memory or file what was found so far. Ends with atomics_release(). */
void atomics_find(struct atomics *atomics, const struct module *module, size_t most);
void atomics_release(struct atomics *atomics);

/* Forget those in this range. */
void atomics_leave_out(struct atomics *atomics, uint64_t address, uint64_t size);

/* The one at this address, NULL if there is none. */
const struct atomic *atomics_at(const struct atomics *atomics, uint64_t address);

/* Which address it is about to access, from the registers of a thread that stands before it. */
uint64_t atomic_operand(const struct atomic *atomic, const struct user_regs_struct *regs);

#endif
