/* Heads of loops as they are planted: taken out, hidden, and where a thread in one stands. */
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/rounds.h>

#include <string.h>

/* The one in whose slot this address is, and how many bytes after its copy's beginning; NULL if it is in none. */
static const struct head *head_with(const struct entries *entries, uint64_t address, int64_t *after)
{
	for (uint32_t i = heads_next(entries, HEADS_BEGIN); i < HEADS_END; i = heads_next(entries, i)) {
		const struct head *head = &entries->heads[i];
		if (!head->address || address - head->at >= SLOT_BYTES)
			continue;
		*after = (int64_t)(address - head->at) - (int64_t)offsetof(struct slot, copy);
		return head;
	}
	return NULL;
}

static bool starts_at(const struct head *head, int64_t after)
{
	return after > 0 && after < (int64_t)head->slot.length && head->starts >> after & 1;
}

bool heads_are_between(const struct entries *entries, uint64_t pc)
{
	int64_t after;
	const struct head *head = head_with(entries, pc, &after);
	return head && !starts_at(head, after);
}

uint64_t heads_visible_pc(const struct entries *entries, uint64_t pc)
{
	int64_t after;
	const struct head *head = head_with(entries, pc, &after);
	if (!head)
		return 0;
	if (after <= 0)
		return head->address;
	return head->address + (starts_at(head, after) ? (uint64_t)after : head->slot.length);
}

enum status heads_unplant(const struct entries *entries, struct target *target)
{
	enum status status = STATUS_OK;
	for (uint32_t i = heads_next(entries, HEADS_BEGIN); i < HEADS_END && status == STATUS_OK;
	     i = heads_next(entries, i)) {
		const struct head *head = &entries->heads[i];
		uint8_t code[sizeof(head->planted)];
		size_t size = head_planted_size(head);
		if (head->address && target_read(target, head->address, code, size) == STATUS_OK &&
		    memcmp(code, head->planted, size) == 0)
			status = target_write(target, head->address, head->original, size);
	}
	return status;
}

enum status entries_show_loops(const struct entries *entries, struct target *target,
			       const uint64_t loops[LOOPS_MOST / 64], bool counting)
{
	enum status status = STATUS_OK;
	for (uint32_t i = 0; i < entries->loops_length && status == STATUS_OK; i++) {
		const struct head *head = &entries->heads[i];
		if (head->address && loops[i / 64] >> i % 64 & 1)
			status =
			    target_write(target, head->address, counting ? head->planted : head->original,
					 head_planted_size(head));
	}
	return status;
}

void heads_hide(const struct entries *entries, uint64_t address, uint8_t *bytes, size_t size)
{
	for (uint32_t i = heads_next(entries, HEADS_BEGIN); i < HEADS_END; i = heads_next(entries, i)) {
		const struct head *head = &entries->heads[i];
		for (size_t k = 0; head->address && k < head_planted_size(head); k++) {
			uint64_t at = head->address + k - address;
			if (at < size && bytes[at] == head->planted[k])
				bytes[at] = head->original[k];
		}
	}
}

bool heads_have(const struct entries *entries, uint64_t address)
{
	int64_t after;
	return head_with(entries, address, &after) != NULL;
}
