/* A store that has waited reaches memory. */
#include "supervisor/before/before.h"
#include "supervisor/perform/perform.h"

bool perform_flush(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	const bool chosen = self->call.op.kind != OP_MEMORY_FLUSH;
	const struct call next = chosen ? self->call : self->stores.held;
	process_note(process, MANNER_STAY, 0);
	process_note_other(process, "a store reaches memory");
	outcome->result = stores_flush(&self->stores);
	if (next.op.kind == OP_NONE && self->stores.length == 0)
		return true;
	if (next.op.kind == OP_NONE)
		run_stop_before_flush(&run, &next);
	else
		run_from_call(process, thread, &next, outcome);
	return false;
}
