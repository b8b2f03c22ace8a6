/* Doors that lead to what runs inside of the target. */
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/leads.h>

#include <stdlib.h>
#include <string.h>

static struct entry_lead lead_of(const struct trap *trap)
{
	return (struct entry_lead){.kind = trap->point->kind,
				   .untimed = trap->point->untimed,
				   .shape = trap->point->shape,
				   .timeout = trap->point->timeout,
				   .c11 = trap->point->c11,
				   .takes_object = entry_point_takes_object(trap->point),
				   .stop = trap->stop,
				   .copy = trap->copy};
}

/* Who is led to from the doors knows what may be loaded, and isn't told of it. */
static enum status leave_out_loader(const struct entries *entries, struct target *target)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < entries->traps_length && status == STATUS_OK; i++) {
		const struct trap *trap = &entries->traps[i];
		uint8_t original;
		if (entry_point_is_loader(trap->point) &&
		    (patches_find(&entries->first, trap->address, &original) ||
		     patches_find(&entries->rest, trap->address, &original)))
			status = target_write(target, trap->address, &original, 1);
	}
	return status;
}

size_t entries_lead(const struct entries *entries, struct target *target, uint64_t address,
		    struct entry_lead leads[], size_t room)
{
	const size_t size = entries_contents_size(entries);
	struct page *page = entries->page && entries->traps_length <= room ? malloc(size) : NULL;
	if (!page)
		return 0;
	memcpy(page, entries->contents, size);
	for (size_t i = 0; i < entries->traps_length; i++) {
		struct slot *slot = &page->slots[i];
		leads[i] = lead_of(&entries->traps[i]);
		_Static_assert(sizeof slot->reserved >= DOOR_LEAD_BYTES, "a lead fits a slot");
		if (entries->traps[i].by_door)
			door_lead(slot->door, sizeof slot->copy, (uint32_t)i, address, slot->reserved);
	}
	enum status status = target_write(target, entries->page, page, size);
	free(page);
	if (status == STATUS_OK)
		status = leave_out_loader(entries, target);
	return status == STATUS_OK ? entries->traps_length : 0;
}
