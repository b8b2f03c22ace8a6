#ifndef FMC_BREAKPOINTS_PYTHON_STACKS_H
#define FMC_BREAKPOINTS_PYTHON_STACKS_H

#include <fmc/breakpoints/frame.h>
#include <fmc/tracer/target.h>

/*
 * Stacks of a target that runs Python scripts: the functions of the script in place of those of the interpreter that runs
 * them.
 */
struct python_stacks;

/* Of a target that stands, and stays so until this is freed. NULL: it runs no Python that is known, or there is no memory. */
struct python_stacks *python_stacks_new(struct target *target);
void python_stacks_free(struct python_stacks *stacks); /* NULL is allowed */

/*
 * Put them into the native stack of this tracee, of which *cut says that its outer end is missing. The frames, allocated, are
 * replaced by others; where nothing is known of Python's they stay. False: no memory, some texts are missing.
 */
bool python_stacks_put(const struct python_stacks *stacks, const struct tracee *tracee, bool cut,
		       struct frame **frames, size_t *length);

#endif
