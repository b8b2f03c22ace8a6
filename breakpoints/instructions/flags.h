#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_FLAGS_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of code at an address, as they are without traps; how many could be had. */
typedef size_t code_reader(void *context, uint64_t address, uint8_t *code, size_t size);

/*
 * Are the arithmetic flags overwritten after this address before anything reads them? Then code that changes them can be put
 * in front of it. False when in doubt.
 */
bool flags_are_dead(uint64_t address, code_reader *read, void *context);

#endif
