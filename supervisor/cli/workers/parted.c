/* Accesses to memory that are made in parts. */
#include "supervisor/cli/workers/parted.h"

/* Does one operation of a thread's go on where the other has stopped? */
static bool goes_on_in(const struct op *one, const struct op *next)
{
	return one->kind == next->kind && one->flags & next->flags & OP_INSTRUCTION &&
	       one->place == next->place && one->arg2 + one->arg == next->arg2;
}

bool is_parted(const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *at = &trace->at[i];
		size_t next = i + 1;
		if (op_class(at->op.kind) != CLASS_MEMORY)
			continue;
		while (next < trace->length && trace->at[next].thread != at->thread)
			next++;
		if (next < trace->length && goes_on_in(&at->op, &trace->at[next].op))
			return true;
	}
	return false;
}
