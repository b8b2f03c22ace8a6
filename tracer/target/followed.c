#include "tracer/target/tracee.h"

#include <string.h>
#include <sys/ptrace.h>

/* Processes that a target makes and that are supervised like itself: targets of their own. */

/* Numbers of threads in a process follow its own. */
#define NUMBERS_APART 10000

/* What a fork has left as it is in the parent. */
static void inherit(const struct tracee *creator, struct target *child)
{
	const struct target *parent = creator->target;
	struct tracee *first = child->tracees[0];
	memcpy(child->near_pages, parent->near_pages, sizeof child->near_pages);
	child->near_pages_length = parent->near_pages_length;
	reserved_inherit(child, parent);
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
	first->signal_stack = creator->signal_stack;
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

struct target *target_follow(const struct stop *stop)
{
	struct target *parent = stop->tracee->target, *child = target_forked(stop);
	if (!child)
		return NULL;
	descendants_forget(parent, child->pid);
	relatives_join(parent, child);
	inherit(stop->tracee, child);
	parent->answers->at_birth(stop->tracee, child->tracees[0]);
	if (open_trap(stop->tracee, child->tracees[0]) != STATUS_OK) {
		target_kill(child);
		return NULL;
	}
	tick_start(child);
	target_keep_files(child, parent->kept_files);
	return child;
}

void target_take_clock(struct target *target, const struct target *from)
{
	target->world.elapsed_ns = from->world.elapsed_ns;
	target->world.followed = from->world.followed;
	target->world.wait = (struct kernel_wait){0};
}
