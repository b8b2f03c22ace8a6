#include "supervisor/order/guards.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

void guards_release(struct guards *guards)
{
	for (size_t i = 0; i < guards->length; i++)
		free(guards->at[i].reads);
	free(guards->at);
	*guards = (struct guards){0};
}

static void add(struct guards *guards, uint32_t threads, uint32_t index)
{
	const size_t size = threads * sizeof(uint32_t);
	uint32_t *reads = malloc(size);
	if (!reads || !ARRAY_DOUBLE(guards->at, guards->length)) {
		free(reads);
		guards->failed = true;
		return;
	}
	memset(reads, 0xff, size);
	guards->at[guards->length++] = (struct guard){index, reads};
}

static bool overlap(const struct memory_access *a, const struct memory_access *b)
{
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* What is told late, when another thread has come to the same, was done in its transition. */
static bool is_before(const struct memory_access *accesses, uint32_t a, uint32_t b)
{
	return accesses[a].transition != accesses[b].transition
		   ? accesses[a].transition < accesses[b].transition
		   : a < b;
}

bool guards_take(struct guards *guards, const struct access_order *order,
		 const struct memory_access *accesses, uint32_t index)
{
	const struct memory_access *access = &accesses[index];
	bool known = access->guard;
	if (access->guard)
		add(guards, order->threads_length, index);
	for (size_t i = 0; i < guards->length && !access->guard; i++) {
		struct guard *guard = &guards->at[i];
		if (!overlap(&accesses[guard->release], access))
			continue;
		known = true;
		if (!access->write && is_before(accesses, guard->release, index) &&
		    (guard->reads[access->thread] == NONE ||
		     is_before(accesses, index, guard->reads[access->thread])))
			guard->reads[access->thread] = index;
	}
	return known;
}

/* In the same thread, or by operations. */
static bool comes_after(const struct access_order *order, const struct memory_access *accesses,
			uint32_t first, uint32_t second)
{
	return accesses[first].thread == accesses[second].thread
		   ? is_before(accesses, first, second)
		   : access_ordered(order, &accesses[first], &accesses[second]);
}

bool guards_ordered(const struct guards *guards, const struct access_order *order,
		    const struct memory_access *accesses, uint32_t first, uint32_t second)
{
	for (size_t i = 0; i < guards->length; i++) {
		const struct guard *guard = &guards->at[i];
		if (!comes_after(order, accesses, first, guard->release))
			continue;
		for (uint32_t t = 0; t < order->threads_length; t++)
			if (guard->reads[t] != NONE && comes_after(order, accesses, guard->reads[t], second))
				return true;
	}
	return false;
}
