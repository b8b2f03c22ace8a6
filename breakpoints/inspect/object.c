#include "breakpoints/inspect/parts.h"
#include <stdlib.h>
#include <string.h>

/* Names of what threads wait for. */

#define STARTS_WITHIN (UINT64_C(1) << 31) /* of the program's end, the heap */

static const struct snapshot_thread *thread_at(const struct inspector *inspector, size_t i)
{
	return snapshot_thread(inspector->snapshot, i);
}

static bool find_stack(const void *context, const struct region *region, uint32_t *thread)
{
	const struct inspector *inspector = context;
	for (uint32_t i = 0; i < inspector->inspection->length; i++) {
		uint64_t stack = thread_at(inspector, i)->regs.rsp;
		if (stack < region->low || stack > region->high)
			continue;
		*thread = i;
		return true;
	}
	return false;
}

/* A core file doesn't say which mapping it is: that after the program's own, where the kernel lets it begin. */
static bool is_heap(const struct inspector *inspector, const struct snapshot_mapping *mapping)
{
	const struct modules *modules = &inspector->places->modules;
	if (!snapshot_is_core(inspector->snapshot) || modules->length == 0 || mapping->path ||
	    !mapping->writable)
		return mapping->path && strcmp(mapping->path, "[heap]") == 0;
	for (size_t i = 0; i < snapshot_mappings(inspector->snapshot); i++) {
		const struct snapshot_mapping *other = snapshot_mapping(inspector->snapshot, i);
		if (other->low >= modules->at[0].high)
			return other == mapping && mapping->low - modules->at[0].high < STARTS_WITHIN;
	}
	return false;
}

static bool find_region(const void *context, uint64_t address, struct region *region)
{
	const struct inspector *inspector = context;
	const struct snapshot_mapping *mapping = mapping_of(inspector, address);
	if (!mapping)
		return false;
	*region =
	    (struct region){.low = mapping->low, .high = mapping->high, .heap = is_heap(inspector, mapping)};
	return true;
}

static enum status read_snapshot(void *context, uint64_t address, void *to, size_t size)
{
	return snapshot_read(context, address, to, size);
}

static int by_object(const void *a, const void *b, void *context)
{
	const struct inspected_thread *threads = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	uint64_t x = threads[one].wait.object, y = threads[other].wait.object;
	return x != y ? (x < y ? -1 : 1) : one < other ? -1 : one > other;
}

void objects_name(struct inspector *inspector)
{
	struct inspected_thread *threads = inspector->inspection->threads;
	struct naming naming = {.places = inspector->places,
				.around = {.context = inspector, .region = find_region, .stack = find_stack},
				.read = read_snapshot,
				.context = inspector->snapshot,
				.steps = inspector->steps,
				.threads = (uint32_t)inspector->inspection->length};
	uint32_t *order = malloc((inspector->inspection->length + 1) * sizeof(*order));
	size_t length = 0;
	if (!order)
		return;
	for (uint32_t i = 0; i < inspector->inspection->length; i++)
		if (threads[i].wait.object && !threads[i].wait.name)
			order[length++] = i;
	qsort_r(order, length, sizeof(*order), by_object, threads);
	for (size_t first = 0, end; first < length; first = end) {
		char name[NAME_BYTES];
		const struct wait *wait = &threads[order[first]].wait;
		const struct sought sought = {.address = wait->object, .size = wait_object_bytes(wait)};
		bool rust = wait->call && strstr(wait->call, "::");
		for (end = first + 1; end < length && threads[order[end]].wait.object == wait->object;)
			end++;
		naming_name(&naming, &sought, order + first, end - first, rust, name);
		for (size_t i = first; i < end; i++)
			threads[order[i]].wait.name = strdup(name);
	}
	naming_release(&naming);
	free(order);
}
