#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_MARKS_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_MARKS_H

#include "breakpoints/instructions/stretches.h"

/* What is known of a byte of code. */
enum {
	COVERED = 1, /* it is in a function whose end is known */
	START = 2,   /* an instruction begins here */
	INSIDE = 4,  /* an instruction goes on here */
	TARGET = 8,  /* a direct jump or call leads here */
	SURE = 16,   /* the START is certain */
	LEADS = 32,  /* the START's instruction has a target outside of all functions with known ends */
	ENDS = 64,   /* after the START's instruction control doesn't go on */
};

/* What has been seen of one instruction. */
#define DECODED (START | LEADS | ENDS)

/* Does some other decoding, or a jump, disagree on where instructions begin there, or has it taken the marks away again? */
bool marks_disputed(const struct stretch *stretch, uint64_t low, uint64_t high);

/* Is the byte in a function whose end is known, or part of an instruction? */
bool mark_is_known(uint8_t mark);
/* Where to look on, from this index: some that are known are passed by. */
size_t marks_known_from(const struct stretch *stretch, size_t i);

#endif
