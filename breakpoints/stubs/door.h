#ifndef FMC_BREAKPOINTS_STUBS_DOOR_H
#define FMC_BREAKPOINTS_STUBS_DOOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * The code in front of a displaced beginning of a function: it loads the return address into r11, which no caller
 * relies on (nor on the flags), and traps. Calls from within some ranges it lets pass without a trap: those that libc
 * makes for itself are no operations, and a stop costs more than anything that they do.
 */

struct range {
	uint64_t low, high;
};

#define DOOR_RANGES 2
#define DOOR_BYTES  41
#define DOOR_TRAP   (DOOR_BYTES - 1) /* offset of the trap instruction */

/*
 * The door for execution at `at`; DOOR_RANGES ranges are at `ranges`, within 2 GB of it, empty ones { 0, 0 }. What is
 * to follow the trap has to be right after the door.
 */
void door_encode(uint64_t at, uint64_t ranges, uint8_t door[DOOR_BYTES]);

/*
 * A door's second form leads elsewhere in place of the trap: to DOOR_LEAD_BYTES that are `distance` bytes after the door's end, up to 100, and
 * from there to any address, with a number in r11d.
 */
#define DOOR_LEAD_BYTES 20
void door_lead(uint8_t door[DOOR_BYTES], size_t distance, uint32_t number, uint64_t address,
	       uint8_t lead[DOOR_LEAD_BYTES]);

#endif
