#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_FENCES_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_FENCES_H

#include "breakpoints/instructions/instruction.h"

/* What an instruction means to the stores before it that wait in the processor's buffer (Intel SDM volume 3, 9.2 and 9.3). */
enum fencing {
	FENCING_NONE, /* they go on waiting */
	FENCING_STORE, /* so they do, and its own store is to wait behind them: it writes its operand in memory, and nothing else */
	FENCING_PUSH,	/* the same of one that writes the eight bytes below the stack pointer: PUSH, CALL */
	FENCING_WAITS,	/* it waits for them */
	FENCING_UNTOLD, /* it may store elsewhere, or nobody can tell */
};

enum fencing instruction_fencing(const struct instruction *instruction);

#endif
