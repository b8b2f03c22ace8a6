#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_GENERAL_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_GENERAL_H

#include "breakpoints/instructions/instruction.h"

/*
 * Does it go by general registers, flags and memory alone, and change nothing else? False, too, for rare ones, and those that go by what no
 * register says (the time, the processor).
 */
bool instruction_is_general(const struct instruction *instruction);

/* Does one of these take a word from the stack by itself, and from where? */
enum stack_use {
	STACK_NOTHING,
	STACK_AT_TOP,
	STACK_AT_FRAME, /* where the frame pointer points */
};
enum stack_use instruction_takes(const struct instruction *instruction);

#endif
