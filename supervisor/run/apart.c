#include "supervisor/run/run.h"

#include <string.h>

/*
 * An instruction like ADD to memory without a LOCK prefix reads, computes, and writes, and on a multiprocessor another one's write
 * may come between: Intel SDM volume 3, 9.1.2. The read is a transition in which the thread stays where it is, and what is there is
 * noted. In the write's the old contents are put back for as long as the instruction takes: then it computes what it would have.
 */

bool apart_read(struct process *process, struct process_thread *thread)
{
	const struct call *call = &thread->call;
	struct apart *apart = &thread->apart;
	*apart = (struct apart){.entry = call->entry, .size = (uint64_t)call->op.arg};
	if (apart->size <= APART_BYTES &&
	    target_read(process->target, call->object, apart->read, apart->size) == STATUS_OK)
		return true;
	apart->entry = 0;
	return false;
}

struct call apart_next(const struct process_thread *thread)
{
	struct call call = thread->call;
	call.op.kind = OP_MEMORY_WRITE;
	return call;
}

void apart_before_write(struct process *process, struct process_thread *thread, struct apart *found)
{
	struct apart *apart = &thread->apart;
	const uint64_t address = thread->call.object;
	*found = *apart;
	/* A handler's instruction may come between the two halves of another one, which then begins anew. */
	if (!thread->call.apart || apart->entry != thread->call.entry ||
	    target_read(process->target, address, found->read, apart->size) != STATUS_OK ||
	    memcmp(found->read, apart->read, apart->size) == 0) {
		found->entry = 0;
	} else {
		process_note_other(process, "an instruction writes what it makes of memory as it was before "
					    "another thread changed it");
		/* A death is told by the next wait. */
		(void)target_write(process->target, address, apart->read, apart->size);
	}
	*apart = (struct apart){0};
}

void apart_undo_write(struct process *process, const struct process_thread *thread, const struct apart *found)
{
	if (found->entry)
		(void)target_write(process->target, thread->call.object, found->read,
				   found->size); /* as above */
}
