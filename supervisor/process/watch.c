/* What is to be done for processes that the target makes. */
#include "supervisor/process/look.h"
#include "supervisor/process/process.h"

#include <fmc/tracer/children.h>

/* A process that shares the target's memory (vfork) runs over its traps. */
static bool pass_foreign_trap(void *context, struct tracee *tracee, uint64_t address)
{
	struct process *process = context;
	if (look_pass(process, tracee, address))
		return true;
	return entries_pass_head(process->entries, tracee, address) ||
	       (entries_is_trap(process->entries, address) &&
		entries_pass(process->entries, tracee, address) == STATUS_OK);
}

void process_watch_target(struct process *process, struct target *target)
{
	target_on_foreign_trap(target, pass_foreign_trap, process);
	children_watch(process, target);
}
