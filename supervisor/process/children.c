/*
 * When child processes end. What a program does may depend on it (a wait for the child, the handler of SIGCHLD), and how long a child
 * takes depends on the machine. So it ends at a place of which a schedule can say where it was: between two transitions. A
 * child that comes to its exit at another time is held there, unless the thread that runs waits in the kernel, with all others blocked.
 */
#include "supervisor/process/process.h"

#include <fmc/tracer/children.h>
#include <fmc/tracer/clock.h>

/* A child is waited for so long where it ended when the schedule was recorded. */
#define CHILD_END_NS UINT64_C(60000000000)
#define LOOK_MS	     5

static bool may_exit(void *context, uint32_t child)
{
	const struct children *children = &((const struct process *)context)->children;
	switch (children->stage) {
	case CHILDREN_END:
		return !children->planned || (child < 64 && children->before >> child & 1);
	case CHILDREN_HELD:
		return false;
	case CHILDREN_END_ASLEEP:
		return true;
	}
	return true;
}

void children_watch(struct process *process, struct target *target)
{
	target_on_child_exit(target, may_exit, process);
}

/* Until these have ended, and those that have been let exit. */
static void await(struct process *process, uint64_t which)
{
	struct stop stop;
	target_let_children_exit(process->target);
	if (!target_children_due(process->target, which))
		return;
	const uint64_t deadline = clock_now() + CHILD_END_NS;
	while (target_children_due(process->target, which) && clock_now() < deadline) {
		const enum status status = target_wait(process->target, NULL, LOOK_MS, &stop);
		if (status == STATUS_OK)
			target_push_back(&stop);
		if (status != STATUS_TIMEOUT)
			return;
	}
}

void children_let_end(struct process *process, const uint64_t *before)
{
	process->children =
	    (struct children){.stage = CHILDREN_END, .planned = before, .before = before ? *before : 0};
	if (process->target)
		await(process, process->children.before);
}

uint64_t children_hold(struct process *process)
{
	await(process, 0);
	process->children.stage = CHILDREN_HELD;
	return target_children_ended(process->target);
}

void children_let_end_asleep(struct process *process)
{
	if (process->children.stage != CHILDREN_HELD)
		return;
	process->children.stage = CHILDREN_END_ASLEEP;
	target_let_children_exit(process->target);
}
