#ifndef FMC_BREAKPOINTS_STUBS_DISPLACE_H
#define FMC_BREAKPOINTS_STUBS_DISPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Performing an instruction without its trap: a copy of it elsewhere, that does the same there, and a jump
 * back after the original (x86-64).
 */

struct displacer;

struct displacer *displacer_new(void); /* NULL without memory */
void displacer_free(struct displacer *displacer);

#define DISPLACE_CODE                                                                                        \
	20		 /* bytes of original code that are looked at: 4 and the longest instruction, of 15  \
			  */
#define DISPLACE_ROOM 40 /* the longest copy */

struct displaced {
	uint8_t copy[DISPLACE_ROOM];
	uint8_t size;	    /* of the copy, the jump back included */
	uint8_t length;	    /* of the original instructions */
	bool touches_after; /* one after the first has an operand in memory */
	uint32_t
	    starts; /* bit k: after the first one, another begins k bytes from it, in the copy as in the original */
};

/* Where a direct jump or call from the displaced instruction goes instead of `target`. */
typedef uint64_t displace_redirect(void *context, uint64_t target);

/*
 * Copy the instruction whose bytes are `code` and that stands at `from`, for execution at `to`. Operands
 * relative to the program counter are made to mean the same; a call leaves the original return address.
 * `redirect` may be NULL. False if this can't be done: an unknown instruction, or something out of the reach
 * of 32 bits.
 */
bool displace(struct displacer *displacer, uint64_t from, const uint8_t code[DISPLACE_CODE], uint64_t to,
	      displace_redirect *redirect, void *context, struct displaced *displaced);

/*
 * The same for as many whole instructions as `bytes` bytes take; they have to be within those that are looked at. False also if one
 * of them leaves the straight path (a jump, a call, a return).
 */
bool displace_straight(struct displacer *displacer, uint64_t from, const uint8_t code[DISPLACE_CODE],
		       size_t bytes, uint64_t to, struct displaced *displaced);

/* The 5 bytes of a `jmp` at `from` to `to`. False if it is out of reach. */
bool jump_encode(uint64_t from, uint64_t to, uint8_t code[5]);

/* A direct jump, conditional or not, with a 32-bit or 8-bit displacement. */
struct jump {
	uint64_t address; /* of its displacement */
	uint64_t next;	  /* the displacement counts from here */
	uint64_t target;
	uint8_t width; /* of the displacement in bytes: 4 or 1 */
};

typedef void jump_visitor(void *context, const struct jump *jump);

/* Visit the direct jumps in the code of one function, in the order of addresses. */
void jumps_each(struct displacer *displacer, const uint8_t *code, size_t size, uint64_t address,
		jump_visitor *visit, void *context);

/* Does one of them go to where something else shall be written over the function's beginning, after its first byte? */
bool jumps_into(struct displacer *displacer, const uint8_t *code, size_t size, uint64_t address,
		size_t length);

#endif
