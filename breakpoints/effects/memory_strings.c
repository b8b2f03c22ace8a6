/* How long strings are in the memory of a process. */
#include "breakpoints/effects/memory_calls.h"

#include <string.h>
#include <wchar.h>

uint64_t memory_string_bytes(const struct target *target, uint64_t address, uint64_t most)
{
	char text[256];
	for (uint64_t length = 0; length < most;) {
		uint64_t size = sizeof(text) - (address + length) % sizeof(text);
		if (size > most - length)
			size = most - length;
		if (target_read(target, address + length, text, size) != STATUS_OK)
			return length;
		const char *end = memchr(text, 0, size);
		if (end)
			return length + (uint64_t)(end - text) + 1;
		length += size;
	}
	return most;
}

uint64_t memory_wide_bytes(const struct target *target, uint64_t address, uint64_t most)
{
	wchar_t one = 1;
	uint64_t length = 0;
	for (; length < most && one; length++)
		if (target_read(target, address + length * sizeof(one), &one, sizeof(one)) != STATUS_OK)
			break;
	return length * sizeof(one);
}
