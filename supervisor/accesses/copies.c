/*
 * gcc tells of both sides of a copy from memory to memory, the write first, before it performs either. What it tells of last is that copy
 * then: an operation that reads there and writes where the thread's last one has told of.
 */
#include "supervisor/accesses/accesses.h"

void copies_join(struct run *run, struct call *call)
{
	const struct call *last = &run_self(run)->call;
	if (!call->compiled || call->op.kind != OP_MEMORY_READ || !last->compiled ||
	    last->op.kind != OP_MEMORY_WRITE || last->op.arg != call->op.arg ||
	    !entries_copy_between(run->process->entries, last->op.place, call->op.place))
		return;
	call->op.kind = OP_MEMORY_WRITE;
	call->op.arg3 = call->op.arg2;
	call->op.arg2 = last->op.arg2;
	call->object = (uint64_t)last->op.arg2;
}
