#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_SWEEP_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_SWEEP_H

#include "breakpoints/instructions/instruction.h"
#include "breakpoints/symbols/modules.h"
#include <fmc/tracer/status.h>

/*
 * The instructions of a module that are certainly such: a trap at any other byte would change one in its middle. Certain is what
 * control flow reaches from the beginning of a function (functions.h), where
 *
 *   - the function decodes whole: its last instruction ends where it ends, and nobody jumps into the middle of one (but after a
 *     LOCK prefix, as libc does);
 *   - in code without known ends, calls and jumps from certain code lead there.
 *
 * After a jump or return nothing is certain but what some jump leads to, unless the function jumps through a table or has
 * landing pads of exceptions.
 */

/* Code of which nothing is certain, but perhaps its beginning. */
struct left_out {
	uint64_t low, high;
	const uint8_t *code; /* its bytes */
	bool
	    is_function; /* low is the beginning of an instruction; else something between functions that looks like code */
};

struct sweep_visitor {
	void *context;
	void (*instruction)(void *context, const struct instruction *instruction); /* in ascending order */
	void (*left_out)(void *context, const struct left_out *left_out);	   /* may be NULL */
	/*
	 * If it isn't NULL, functions (with known ends) of whose bytes it says no aren't taken to pieces, nor is what is no function's
	 * and only they lead to. That is much quicker where few are wanted. left_out has to be NULL then.
	 */
	bool (*wants)(const uint8_t *code, size_t size);
};

/*
 * Visit them as they are in the module's file, first all instructions, then what is left out. What is visited is valid during the
 * visit. STATUS_OK, STATUS_NOT_FOUND if the file can't be read; STATUS_NO_MEMORY, STATUS_INTERRUPTED (tracer_interrupted()): not
 * everything was visited.
 */
enum status sweep_module(const struct module *module, const struct sweep_visitor *visitor);

#endif
