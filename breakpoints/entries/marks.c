/* Marks are heads of no loop, at each of which every arrival is a trap. */
#include "breakpoints/entries/rounds.h"

enum status entries_mark(struct entries *entries, struct tracee *tracee, uint32_t i, uint64_t address)
{
	enum status status = head_plant(entries, tracee, LOOPS_MOST + i, address, COUNTABLE_BY_TRAP);
	if (status == STATUS_OK && entries->marks_length <= i)
		entries->marks_length = i + 1;
	return status;
}

enum status entries_lift_mark(const struct entries *entries, struct target *target, uint32_t i)
{
	const struct head *head = &entries->heads[LOOPS_MOST + i];
	return target_write(target, head->address, head->original, head_planted_size(head));
}

enum status entries_restore_mark(const struct entries *entries, struct target *target, uint32_t i)
{
	const struct head *head = &entries->heads[LOOPS_MOST + i];
	return target_write(target, head->address, head->planted, head_planted_size(head));
}

uint32_t entries_mark_at(const struct entries *entries, uint64_t trap)
{
	const uint32_t i = head_at(entries, trap);
	return i >= LOOPS_MOST && i < HEADS_END ? i - LOOPS_MOST : MARKS_MOST;
}

void entries_pass_mark(const struct entries *entries, struct tracee *tracee, uint32_t i)
{
	entries_pass_round(entries, tracee, LOOPS_MOST + i);
}
