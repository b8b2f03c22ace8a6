#ifndef FMC_BREAKPOINTS_SITES_PLAIN_ACCESS_H
#define FMC_BREAKPOINTS_SITES_PLAIN_ACCESS_H

#include "breakpoints/instructions/instruction.h"

/*
 * Plain loads and stores of the objects that atomic instructions access, where both name them by their address (relative to the
 * program counter): a lock that is taken by XCHG and released by MOV.
 */
enum access {
	ACCESS_LOAD,
	ACCESS_STORE,
	ACCESS_CHANGE, /* both, or it can't be told */
};

struct plain_accesses {
	struct plain_access *at;
	size_t length;
	struct plain_object *objects;
	size_t objects_length;
};

/* Take note of an instruction with an operand relative to the program counter. False without memory. */
bool plain_accesses_add(struct plain_accesses *accesses, const struct instruction *instruction,
			bool is_atomic);

/* Plain accesses of these bytes are for atomics, too. False without memory. */
bool plain_accesses_add_object(struct plain_accesses *accesses, uint64_t address, uint64_t size);

/* Visit those that aren't atomic and access an address that an atomic one accesses, or such an object. */
void plain_accesses_visit(struct plain_accesses *accesses,
			  void (*visit)(void *context, const struct instruction *instruction,
					enum access access),
			  void *context);
void plain_accesses_release(struct plain_accesses *accesses);

/* What the instruction does to its operand in memory. False: it doesn't access it (lea, nop, prefetch). */
bool instruction_access(const struct instruction *instruction, enum access *access);

#endif
