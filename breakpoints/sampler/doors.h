#ifndef FMC_BREAKPOINTS_SAMPLER_DOORS_H
#define FMC_BREAKPOINTS_SAMPLER_DOORS_H

#include "breakpoints/sites/sites.h"
#include "breakpoints/stubs/stub.h"
#include "breakpoints/stubs/stub_room.h"

#include <fmc/tracer/target.h>

#define DOOR_JUMP  5		    /* bytes of a jump */
#define DOOR_REACH (DOOR_JUMP + 15) /* bytes of the program's that a stub stands for at most */
#define DOOR_HIGHEST                                                                                         \
	0xcc /* of a displacement: it leads some 830 MB downwards, where there is room for stubs */
#define DOOR_ANY 4

/*
 * A jump from a site to a stub that stands for the instructions there. Of the jump's bytes the first `own` ones take the place of
 * the stub's instructions; where another of those begins, it is a trap instruction, should anybody jump there. What follows is as
 * it would be without this door, and isn't changed as long as there is one.
 *
 * own == 0: there is only a stub, by which the site's trap is passed.
 */
struct door {
	uint64_t at;
	uint8_t own;
	uint8_t original
	    [DOOR_REACH]; /* from `at` on: the bytes of all instructions that the stub stands for, at least the jump's */
	uint8_t reach; /* how many they are */
	uint8_t jump[DOOR_JUMP];
	bool planted; /* in the present target */
	struct stub stub;
};

struct doors {
	struct door *at; /* those that others rely on come first */
	size_t length;
	struct stub_room room;
};

/* Code as it is without the traps of whoever makes doors. */
struct door_code {
	uint64_t address;
	uint8_t bytes[DOOR_REACH];    /* with fmc's other traps */
	uint8_t original[DOOR_REACH]; /* without */
	uint8_t planted[DOOR_JUMP];   /* as it is now */
};

/* What is asked of whoever makes doors: */
struct door_maker {
	void *context;
	bool (*read)(void *context, uint64_t address, struct door_code *code);
	/* What an entry is written with for this instruction. */
	struct stub_site (*site)(void *context, uint64_t address);
	/*
	 * Is there a site? Then its bytes are relied on from now on, and don't change again. If it gets a door for that, byte `wanted`
	 * of its displacement is to be DOOR_HIGHEST if possible: the highest one of the jump that relies on it. True: it has got one.
	 */
	bool (*rely)(void *context, uint64_t address, unsigned wanted);
	/* May there be a jump of a door's already, to this place? */
	bool (*has_door)(void *context, uint64_t address);
};

/* Are the rooms for stubs those that the target has? Else take these, and forget all doors: false without memory. */
bool doors_know_room(const struct doors *doors, const struct target *target);
bool doors_take_room(struct doors *doors, const struct target *target);

/*
 * Make a door for the instruction at an address, of which bit k of `met` says that others jump to k bytes from there. If it
 * can't have one it is a stub only. `wanted`: as above, DOOR_ANY: none. NULL: not even that. Nothing is written. Valid until the next one is made.
 */
struct door *doors_make(struct doors *doors, const struct door_maker *maker, uint64_t address, uint8_t met,
			unsigned wanted);

/*
 * The same for an instruction that can have no jump, with the jump at one ahead of it that leads on to it: whoever comes that way
 * doesn't meet the trap, which stays. `met`: of that one.
 */
struct door *doors_make_ahead(struct doors *doors, const struct door_maker *maker, uint64_t address,
			      uint64_t ahead, uint8_t met);

/* Where a stub has this instruction; NULL: it hasn't. */
const struct piece *door_piece(const struct door *door, uint64_t address);

/* The door in whose stub this is; NULL: in none. */
const struct door *doors_with_stub(const struct doors *doors, uint64_t address);

void doors_forget(struct doors *doors);

#endif
