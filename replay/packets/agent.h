#ifndef FMC_REPLAY_PACKETS_AGENT_H
#define FMC_REPLAY_PACKETS_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Agent expressions: a condition as GDB compiles it, in bytecodes for a machine with a stack ("Debugging with GDB", appendix "The
 * GDB Agent Expression Mechanism"). Nothing is believed of the code: whatever it does, it ends soon.
 */

/* Registers and memory that an expression is about; each returns false where it can't be had. */
struct gdb_agent_state {
	void *context;
	bool (*reg)(void *context, uint32_t number, uint64_t *value);
	bool (*memory)(void *context, uint64_t address, void *to, size_t size);
};

/*
 * The value on top of the stack at the code's end. False: there is none, since the code is damaged, does what isn't offered
 * (floating point, variables of a trace), divides by zero, reads what isn't there, or takes too long.
 */
bool gdb_agent_evaluate(const unsigned char *code, size_t length, const struct gdb_agent_state *state,
			uint64_t *value);

#endif
