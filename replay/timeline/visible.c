/* Where threads stand, as the program would see it: without fmc's traps, and before the operation that they are stopped at. */
#include "replay/timeline/timeline.h"

/* Is it on its way, in the middle of a part? Else it stands before an operation. */
static bool is_running(const struct timeline *timeline, uint32_t thread)
{
	const struct event *event = &timeline->event;
	bool between = event->kind == EVENT_PART || event->kind == EVENT_END || timeline->fresh;
	if (!between && event->thread == thread)
		return true;
	return model_pending(execution_model(timeline->execution), thread)->kind == OP_NONE;
}

static uint64_t find_pc(struct timeline *timeline, uint32_t thread, const struct user_regs_struct *regs)
{
	const struct entries *entries = process_entries(timeline->process);
	if (is_running(timeline, thread))
		return entries_visible_pc(entries, regs->rip);
	if (process_in_syscall(timeline->process, thread))
		return regs->rip - 2;
	return entries_is_trap(entries, regs->rip - 1) ? regs->rip - 1
						       : entries_visible_pc(entries, regs->rip);
}

uint64_t visible_pc(struct timeline *timeline, uint32_t thread)
{
	struct tracee *tracee = process_tracee(timeline->process, thread);
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	if (!regs)
		return 0;
	const uint32_t before = memories_visit(timeline, thread);
	const uint64_t pc = find_pc(timeline, thread, regs);
	memories_leave(timeline, before);
	return pc;
}

uint64_t visible_place(struct timeline *timeline, uint32_t thread)
{
	return place_of(timeline, thread, visible_pc(timeline, thread));
}

void visible_registers(struct timeline *timeline, uint32_t thread, struct user_regs_struct *registers)
{
	uint64_t pc = visible_pc(timeline, thread);
	if (process_in_syscall(timeline->process, thread) && pc != registers->rip)
		registers->rax = registers->orig_rax;
	registers->rip = pc;
	registers->orig_rax = (unsigned long long)-1;
	registers->eflags &= ~(unsigned long long)(TRAP_FLAG | RESUME_FLAG);
}
