/* What expressions see of a state, taken at once. */
#include "supervisor/property/properties.h"

#include "supervisor/process/process.h"

#include <stdlib.h>
#include <string.h>

static size_t count_ranges(const struct properties *properties, size_t *atoms)
{
	size_t ranges = 0;
	*atoms = 0;
	for (size_t i = 0; i < properties->length; i++) {
		size_t length;
		bool moves;
		if (!properties->at[i].expression)
			continue;
		(void)expression_reads(properties->at[i].expression, &length, &moves);
		ranges += length;
		(void)expression_atoms(properties->at[i].expression, &length);
		*atoms += length;
	}
	return ranges;
}

static void fill_ranges(struct properties *properties)
{
	struct snapshot_of_seen *seen = &properties->seen;
	for (size_t i = 0; i < properties->length; i++) {
		size_t length;
		bool moves;
		if (!properties->at[i].expression)
			continue;
		const struct expression_range *reads =
		    expression_reads(properties->at[i].expression, &length, &moves);
		for (size_t r = 0; r < length; r++) {
			seen->ranges[seen->ranges_length++] =
			    (struct iovec){(void *)reads[r].address, reads[r].size};
			seen->memory += reads[r].size;
		}
	}
}

bool seen_prepare(struct properties *properties)
{
	struct snapshot_of_seen *seen = &properties->seen;
	size_t atoms;
	const size_t ranges = count_ranges(properties, &atoms);
	seen->ranges = calloc(ranges + 1, sizeof *seen->ranges);
	if (!seen->ranges)
		return false;
	fill_ranges(properties);
	seen->size = seen->memory + atoms * ATOM_PARTS;
	seen->now = calloc(1, seen->size + 1);
	seen->before = calloc(1, seen->size + 1);
	return seen->now && seen->before;
}

void seen_release(struct snapshot_of_seen *seen)
{
	free(seen->ranges);
	free(seen->now);
	free(seen->before);
}

static void take_atoms(struct properties *properties)
{
	uint8_t *to = properties->seen.now + properties->seen.memory;
	for (size_t i = 0; i < properties->length; i++) {
		size_t length;
		if (!properties->at[i].expression)
			continue;
		const struct expression_atom *const *atoms =
		    expression_atoms(properties->at[i].expression, &length);
		for (size_t a = 0; a < length; a++, to += ATOM_PARTS)
			atom_parts(properties, atoms[a], to);
	}
}

void seen_take(struct properties *properties, bool *changed)
{
	struct snapshot_of_seen *seen = &properties->seen;
	uint8_t *last = seen->now;
	seen->now = seen->before;
	seen->before = last;
	seen->readable = target_read_ranges(process_target(properties->process), seen->ranges,
					    seen->ranges_length, seen->now) == STATUS_OK;
	take_atoms(properties);
	*changed = !seen->taken || !seen->readable || memcmp(seen->now, seen->before, seen->size) != 0;
	seen->taken = seen->readable;
}

static bool read_seen(void *context, uint64_t address, void *to, size_t size)
{
	const struct properties *properties = context;
	const struct snapshot_of_seen *seen = &properties->seen;
	const uint8_t *from = seen->now;
	for (size_t i = 0; seen->readable && i < seen->ranges_length; i++) {
		const struct iovec *range = &seen->ranges[i];
		const uint64_t low = (uint64_t)range->iov_base;
		if (address >= low && address + size <= low + range->iov_len) {
			memcpy(to, from + (address - low), size);
			return true;
		}
		from += range->iov_len;
	}
	return target_read(process_target(properties->process), address, to, size) == STATUS_OK;
}

static bool ask(void *context, const struct expression_atom *atom)
{
	return atom_holds(context, atom);
}

struct expression_world seen_world(struct properties *properties)
{
	return (struct expression_world){.context = properties, .read = read_seen, .atom = ask};
}
