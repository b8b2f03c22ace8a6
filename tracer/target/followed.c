#include "tracer/target/target.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* Processes that a target makes and that are supervised like itself: targets of their own. */

/* Numbers of threads in a process follow its own. */
#define NUMBERS_APART 10000

/* What a fork has left as it is in the parent. */
static void inherit(const struct tracee *creator, struct target *child)
{
	const struct target *parent = creator->target;
	child->world = parent->world;
	child->world.children = 0;
	child->world.ended = 0;
	child->world.has_timers = false;
	child->world.numbers = NULL;
	child->world.number =
	    parent->world.number ? NUMBER_OF_MAIN + NUMBERS_APART * (pid_t)child->family : 0;
	child->world.parent = parent->world.number;
	/* A generator seeded alike would give both the same. */
	child->world.random += child->family * UINT64_C(0x9e3779b97f4a7c15);
}

/* As a copy of its parent it has what was planted there. */
static void inherit_memory(const struct tracee *creator, struct target *child)
{
	const struct target *parent = creator->target;
	memcpy(child->near_pages, parent->near_pages, sizeof child->near_pages);
	child->near_pages_length = parent->near_pages_length;
	reserved_inherit(child, parent);
	child->tracees[0]->signal_stack = creator->signal_stack;
}

/* Its SIGTRAP was blocked, as there would be no traps in it. */
static enum status open_trap(const struct tracee *creator, struct tracee *first)
{
	uint64_t mask = 0;
	signal_mask_inherit(creator, first);
	if (!creator->blocks_trap)
		return STATUS_OK;
	if (ptrace(PTRACE_GETSIGMASK, first->tid, (void *)sizeof mask, &mask) != 0)
		return STATUS_GONE;
	return signal_mask_give(first, signal_mask_of(first, mask));
}

static void join(const struct stop *stop, struct target *child)
{
	struct target *parent = stop->tracee->target;
	descendants_forget(parent, child->pid);
	relatives_join(parent, child);
	filters_inherit(child, parent);
	inherit(stop->tracee, child);
	tick_start(child);
	target_keep_files(child, parent->kept_files);
}

struct target *target_follow(const struct stop *stop)
{
	struct target *parent = stop->tracee->target, *child = target_forked(stop);
	if (!child)
		return NULL;
	join(stop, child);
	inherit_memory(stop->tracee, child);
	parent->answers->at_birth(stop->tracee, child->tracees[0]);
	if (open_trap(stop->tracee, child->tracees[0]) != STATUS_OK) {
		target_kill(child);
		return NULL;
	}
	return child;
}

/* False: it has ended before, or the wait was interrupted. */
static bool await_program(struct target *parent, pid_t pid, bool *interrupted)
{
	int status;
	while (wait_for_thread_or_interrupt(pid, &status, interrupted)) {
		if (STOPS_EVENT(status) == PTRACE_EVENT_EXEC) {
			parent->answers->at_exec(parent, pid);
			return true;
		}
		descendants_serve(parent, pid, status);
		if (!WIFSTOPPED(status))
			return false;
	}
	return false;
}

struct target *target_follow_sharing(const struct stop *stop, bool *interrupted)
{
	struct target *parent = stop->tracee->target;
	*interrupted = false;
	if (!await_program(parent, (pid_t)stop->number, interrupted))
		return NULL;
	const struct stop apart = {.kind = STOP_FORK, .tracee = stop->tracee, .number = stop->number};
	struct target *child = target_forked(&apart);
	if (!child)
		return NULL;
	join(stop, child);
	child->world.raised = 0; /* at_exec() has seen to that */
	parent->answers->at_birth(stop->tracee, child->tracees[0]);
	return child;
}

void target_take_clock(struct target *target, const struct target *from)
{
	target->world.elapsed_ns = from->world.elapsed_ns;
	target->world.followed = from->world.followed;
	target->world.wait = (struct kernel_wait){0};
}
