/* What the program's code and a thread in it look like without fmc's traps and copies. */
#include "breakpoints/traps/state.h"

void entries_hide(const struct entries *entries, uint64_t address, uint8_t *bytes, size_t size)
{
	patches_hide(&entries->first, address, bytes, size);
	patches_hide(&entries->rest, address, bytes, size);
	entries_hide_loaded(entries, address, bytes, size);
	heads_hide(entries, address, bytes, size);
	entries_hide_answered(entries, address, bytes, size);
}

/* The slot that this address is in, NULL if none. */
static const struct slot *slot_at(const struct entries *entries, uint64_t address, size_t *offset)
{
	uint64_t first = entries->page + offsetof(struct page, slots);
	if (!entries->page || address < first)
		return NULL;
	size_t i = (size_t)((address - first) / SLOT_BYTES);
	*offset = (size_t)((address - first) % SLOT_BYTES);
	return i < entries->traps_length && entries->contents->slots[i].entry ? &entries->contents->slots[i]
									      : NULL;
}

uint64_t entries_visible_pc(const struct entries *entries, uint64_t pc)
{
	size_t offset;
	const uint64_t of_head = heads_visible_pc(entries, pc);
	const struct slot *slot = slot_at(entries, pc, &offset);
	if (of_head || !slot)
		return of_head ? of_head : pc;
	return offset <= offsetof(struct slot, copy) ? slot->entry : slot->entry + slot->length;
}

uint64_t entries_at_copy(const struct entries *entries, uint64_t pc)
{
	size_t offset;
	const struct slot *slot = slot_at(entries, pc, &offset);
	return slot && offset == offsetof(struct slot, copy) ? slot->entry : 0;
}

bool entries_is_between(const struct entries *entries, uint64_t pc)
{
	size_t offset;
	return heads_are_between(entries, pc) ||
	       (slot_at(entries, pc, &offset) && offset > offsetof(struct slot, copy));
}
