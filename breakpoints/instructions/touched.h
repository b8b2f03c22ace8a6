#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_TOUCHED_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_TOUCHED_H

#include <fmc/breakpoints/sampling.h>

/* Which memory an instruction is about to touch, told from the registers of the thread that stands before it. */
#define TOUCHED_CODE 15

struct operands;

struct operands *operands_new(void); /* NULL without memory */
void operands_free(struct operands *operands);

/*
 * `code`: the instruction's bytes and what follows, TOUCHED_CODE in all; it stands at `address`. What goes to the stack by itself
 * (push, call) isn't told. Returns how many; 0 also if it can't be told.
 */
size_t operands_touched(struct operands *operands, uint64_t address, const uint8_t code[TOUCHED_CODE],
			const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST]);

#endif
