#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_LIVENESS_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_LIVENESS_H

#include "breakpoints/instructions/flags.h"

/* Bits of registers: rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 to r15, and the arithmetic flags. */
#define REGISTERS_COUNTED 16
#define REGISTER_FLAGS	  (UINT32_C(1) << REGISTERS_COUNTED)

/* Is each of these registers overwritten after this address, whichever way the code goes on, before anything reads it? False when in doubt. */
bool registers_are_dead(uint64_t address, uint32_t registers, code_reader *read, void *context);

#endif
