#ifndef FMC_BREAKPOINTS_STUBS_SLOT_H
#define FMC_BREAKPOINTS_STUBS_SLOT_H

#include "breakpoints/stubs/displace.h"
#include "breakpoints/stubs/door.h"

#define TRAP_INSTRUCTION 0xcc
#define NOP_INSTRUCTION	 0x90

/*
 * A slot of fmc's page: a door, displaced instructions, and after them where they were taken from, so that
 * an unwinder that finds a thread there knows where it stands (original_pc() in names/stack.c).
 *
 * The door serves entry points whose first instructions can make room for a jump to it. It traps right before
 * the copy, with the return address in r11: the thread then goes on without a change of its registers, and
 * nobody has to read its stack. The other entry points get a plain trap instruction.
 */
#define SLOT_BYTES 128
struct slot {
	uint8_t door[DOOR_BYTES];
	uint8_t copy[DISPLACE_ROOM];
	uint8_t reserved[SLOT_BYTES - DOOR_BYTES - DISPLACE_ROOM - 16];
	uint64_t length; /* of the original instructions */
	uint64_t entry;
};

/* The page: the ranges from which doors let calls pass, then the slots. */
struct page {
	struct range own[DOOR_RANGES];
	uint8_t reserved[SLOT_BYTES - DOOR_RANGES * sizeof(struct range)];
	struct slot slots[];
};

#endif
