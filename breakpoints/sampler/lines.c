#include "breakpoints/sampler/lines.h"
#include "breakpoints/sampler/sampler_state.h"

#include <string.h>
#include <sys/mman.h>

/* Of one line. */
static void settle(struct sampler *sampler, uint64_t address, uint64_t bytes, bool write)
{
	const uint32_t number = line_word(address, write);
	uint64_t *word = &sampler->shared->lines[number];
	if (*word == 0 && sampler->settled_length < SETTLED_MOST)
		sampler->settled[sampler->settled_length++] = number;
	if (*word >> 32 != line_empty(address) >> 32)
		*word = line_empty(address);
	*word |= line_bits(address, bytes);
}

void lines_settle(struct sampler *sampler, uint64_t address, uint64_t bytes, bool write)
{
	uint64_t part;
	if (!sampler->shared)
		return;
	for (; address % LINE_BYTES + bytes > LINE_BYTES; address += part, bytes -= part) {
		part = line_part(address, bytes);
		settle(sampler, address, part, write);
	}
	settle(sampler, address, bytes, write);
}

void lines_begin(struct sampler *sampler)
{
	struct log_memory *shared = sampler->shared;
	if (shared && madvise(shared->lines, sizeof(shared->lines), MADV_REMOVE) != 0)
		memset(shared->lines, 0, sizeof(shared->lines));
	sampler->settled_length = 0;
}

void lines_forget(struct sampler *sampler)
{
	if (sampler->shared && sampler->settled_length == SETTLED_MOST)
		memset(sampler->shared->lines, 0, sizeof(sampler->shared->lines));
	else if (sampler->shared)
		for (uint32_t i = 0; i < sampler->settled_length; i++)
			sampler->shared->lines[sampler->settled[i]] = 0;
	sampler->settled_length = 0;
}

void lines_forget_range(struct sampler *sampler, uint64_t address, uint64_t bytes)
{
	const uint64_t last = (address + bytes) / LINE_BYTES;
	for (uint64_t line = address / LINE_BYTES; sampler->shared && line <= last; line++) {
		sampler->shared->lines[line_word(line * LINE_BYTES, false)] = 0;
		sampler->shared->lines[line_word(line * LINE_BYTES, true)] = 0;
	}
}
