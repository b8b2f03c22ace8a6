#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_DIRECTION_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_DIRECTION_H

#include "breakpoints/instructions/instruction.h"

/*
 * What an instruction does with its operand in memory, the one that ModRM tells of. DIRECTION_NONE: it has none, or only
 * computes the address, or hints at it. DIRECTION_UNTOLD: which bytes it touches depends on more than registers and ModRM
 * (masked moves, gathers), or it is none of the usual instructions of user programs.
 */
enum direction { DIRECTION_NONE, DIRECTION_UNTOLD, DIRECTION_READ, DIRECTION_WRITE, DIRECTION_BOTH };

enum direction instruction_direction(const struct instruction *instruction);

#endif
