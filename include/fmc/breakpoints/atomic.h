#ifndef FMC_BREAKPOINTS_ATOMIC_H
#define FMC_BREAKPOINTS_ATOMIC_H

#include <fmc/breakpoints/call.h>

#include <sys/user.h>

/*
 * An instruction of the program's that accesses memory and may be an operation. What it is about to do follows from it and the registers of the
 * thread that stands before it, whoever holds them: nothing here knows of targets.
 */
enum atomic_kind {
	ATOMIC_CHANGE, /* reads and writes, or it can't be told */
	ATOMIC_LOAD,
	ATOMIC_STORE,
	ATOMIC_APART, /* reads and writes without a LOCK prefix: two accesses, between which others may come */
	ATOMIC_UNTOLD, /* reads and writes where the registers don't tell */
	ATOMIC_COPY, /* promoted: a call that copies memory (enum copy_kind): where to and how much the arguments say */
	ATOMIC_CALL, /* promoted: a call of a function of a library's that touches memory: which the arguments and strings say */
	ATOMIC_RESULT, /* the instruction after such a call, whose result is in the library's own memory: it reads that */
	ATOMIC_RELEASE, /* promoted: a function by which memory is given back begins; whether it is an operation its caller decides */
	ATOMIC_UNDECODED, /* the first instruction of a function that can't be decoded whole and seems to have some */
};

struct memory_call;

struct atomic {
	uint64_t address; /* in the process */
	uint8_t kind;	  /* enum atomic_kind */
	uint8_t length;	  /* of the instruction */
	uint8_t bytes;	  /* of its memory operand */
	uint8_t base, index,
	    scale;	/* registers as offsets in struct user_regs_struct in words, or one of these: */
	uint8_t copies; /* enum copy_kind */
	uint8_t size;	/* of ATOMIC_RELEASE: how many bytes it gives back, enum releasing_size */
	bool in_thread; /* relative to the thread's fs base */
	bool scout;	/* no operation: it is only to be told what is accessed (call.scouts) */
	const struct memory_call *function; /* of ATOMIC_CALL, ATOMIC_RESULT */
	int64_t displacement;
};

#define ATOMIC_NO_REGISTER 0xff
#define ATOMIC_NEXT	   0xfe /* the address after the instruction */

/* Can be told what it accesses, from registers alone? */
static inline bool atomic_is_told(const struct atomic *atomic)
{
	switch ((enum atomic_kind)atomic->kind) {
	case ATOMIC_CHANGE:
	case ATOMIC_LOAD:
	case ATOMIC_STORE:
	case ATOMIC_APART:
	case ATOMIC_COPY:
		return true;
	case ATOMIC_UNTOLD:
	case ATOMIC_CALL:
	case ATOMIC_RESULT:
	case ATOMIC_RELEASE:
	case ATOMIC_UNDECODED:
		break;
	}
	return false;
}

/* Which address it is about to access, from the registers of a thread that stands before it. Not of kinds that nobody can tell. */
uint64_t atomic_operand(const struct atomic *atomic, const struct user_regs_struct *regs);

/*
 * Into a call that says nothing yet but that there are no objects: where it is and the address that it accesses (find), and which operation it is
 * where that is told (decode).
 */
void atomic_find(const struct atomic *atomic, const struct user_regs_struct *regs, struct call *call);
void atomic_decode(const struct atomic *atomic, const struct user_regs_struct *regs, struct call *call);

#endif
