/* A store that has waited reaches memory. */
#include "supervisor/before/before.h"
#include "supervisor/perform/perform.h"

bool perform_flush(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	const bool chosen = self->call.op.kind != OP_MEMORY_FLUSH;
	const struct call next = chosen ? self->call : self->stores.held;
	outcome->result = stores_flush(&self->stores);
	const bool goes_on = next.op.kind == OP_NONE && self->stores.length == 0;
	process_note(process, goes_on ? MANNER_RUN : MANNER_STAY, 0);
	if (goes_on)
		return true;
	if (next.op.kind == OP_NONE)
		run_stop_before_flush(&run, &next);
	else
		run_from_call(process, thread, &next, outcome);
	return false;
}
