#include "breakpoints/waits/inspector.h"

/* Memory, mappings and threads of the snapshot that an inspector looks at. */

bool inspector_read(const struct inspector *inspector, uint64_t address, void *to, size_t size)
{
	return snapshot_read(inspector->snapshot, address, to, size) == STATUS_OK;
}

uint32_t thread_of_number(const struct inspector *inspector, pid_t number)
{
	size_t low = 0, high = inspector->inspection->length;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		pid_t there = snapshot_thread(inspector->snapshot, inspector->by_number[middle])->number;
		if (there == number)
			return inspector->by_number[middle];
		if (there < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NOBODY;
}

uint32_t thread_of_description(const struct inspector *inspector, uint64_t address)
{
	uint64_t self;
	uint32_t number;
	if (inspector->tid_offset == 0 || !inspector_read(inspector, address, &self, sizeof(self)) ||
	    self != address ||
	    !inspector_read(inspector, address + inspector->tid_offset, &number, sizeof(number)))
		return NOBODY;
	return thread_of_number(inspector, (pid_t)number);
}

const struct snapshot_mapping *mapping_of(const struct inspector *inspector, uint64_t address)
{
	size_t low = 0, high = snapshot_mappings(inspector->snapshot);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct snapshot_mapping *mapping = snapshot_mapping(inspector->snapshot, middle);
		if (address < mapping->low)
			high = middle;
		else if (address >= mapping->high)
			low = middle + 1;
		else
			return mapping;
	}
	return NULL;
}
