/*
 * What the user changes, he changes in a copy: the schedule's execution stays what it is.
 */
#include "replay/timeline/change.h"

#include <fmc/supervisor/bitset.h>

#include <stdlib.h>
#include <string.h>

struct target *changed_target(const struct timeline *timeline)
{
	return timeline->change ? image_target(timeline->change->image) : NULL;
}

bool change_has_registers(const struct timeline *timeline, uint32_t thread)
{
	return timeline->change && thread < THREADS_MOST && bitset_has(timeline->change->written, thread);
}

bool timeline_changed(const struct timeline *timeline)
{
	return timeline->change != NULL;
}

void timeline_drop_changes(struct timeline *timeline)
{
	if (!timeline->change)
		return;
	image_free(timeline->change->image);
	free(timeline->change);
	timeline->change = NULL;
}

static enum status begin(struct timeline *timeline)
{
	if (timeline->change)
		return STATUS_OK;
	if (!timeline->run)
		return STATUS_GONE;
	struct change *change = calloc(1, sizeof *change);
	if (!change)
		return STATUS_NO_MEMORY;
	enum status status = process_image(timeline->process, &change->image);
	if (status != STATUS_OK) {
		free(change);
		return status;
	}
	timeline->change = change;
	process_settle_memory(timeline->process, changed_target(timeline));
	return STATUS_OK;
}

struct tracee *changed_tracee(const struct timeline *timeline, uint32_t thread)
{
	const struct tracee *original = process_tracee(timeline->process, thread);
	return original ? target_tracee(changed_target(timeline), original->index) : NULL;
}

enum status timeline_write(struct timeline *timeline, uint64_t address, const void *from, size_t size)
{
	enum status status = begin(timeline);
	return status == STATUS_OK ? target_write(changed_target(timeline), address, from, size) : status;
}

enum status timeline_set_registers(struct timeline *timeline, uint32_t thread,
				   const struct user_regs_struct *registers)
{
	enum status status = begin(timeline);
	if (status != STATUS_OK)
		return status;
	struct tracee *tracee = changed_tracee(timeline, thread);
	struct user_regs_struct *regs = tracee ? tracee_change_regs(tracee) : NULL;
	if (!regs || thread >= THREADS_MOST)
		return STATUS_GONE;
	/* It may stand before a system call, which then isn't to be made. */
	*regs = *registers;
	regs->orig_rax = (unsigned long long)-1;
	bitset_add(timeline->change->written, thread);
	return STATUS_OK;
}

enum status timeline_set_extended(struct timeline *timeline, uint32_t thread, const void *area, size_t size)
{
	enum status status = begin(timeline);
	if (status != STATUS_OK)
		return status;
	struct tracee *tracee = changed_tracee(timeline, thread);
	return tracee ? tracee_set_extended(tracee, area, size) : STATUS_GONE;
}
