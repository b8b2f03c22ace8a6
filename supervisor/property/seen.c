/* What expressions see of a state, taken at once. */
#include "supervisor/property/properties.h"

#include "supervisor/process/process.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

bool seen_add(struct snapshot_of_seen *seen, const struct expression *expression)
{
	if (!ARRAY_GROW(seen->expressions, seen->expressions_length, seen->expressions_room))
		return false;
	seen->expressions[seen->expressions_length++] = expression;
	return true;
}

static size_t count_ranges(const struct snapshot_of_seen *seen, size_t *atoms)
{
	size_t ranges = 0;
	*atoms = 0;
	for (size_t i = 0; i < seen->expressions_length; i++) {
		size_t length;
		bool moves;
		(void)expression_reads(seen->expressions[i], &length, &moves);
		ranges += length;
		(void)expression_atoms(seen->expressions[i], &length);
		*atoms += length;
	}
	return ranges;
}

static void fill_ranges(struct snapshot_of_seen *seen)
{
	for (size_t i = 0; i < seen->expressions_length; i++) {
		size_t length;
		bool moves;
		const struct expression_range *reads =
		    expression_reads(seen->expressions[i], &length, &moves);
		for (size_t r = 0; r < length; r++) {
			seen->ranges[seen->ranges_length++] =
			    (struct iovec){(void *)reads[r].address, reads[r].size};
			seen->memory += reads[r].size;
		}
	}
}

static int by_address(const void *a, const void *b)
{
	const struct iovec *x = a, *y = b;
	return x->iov_base < y->iov_base ? -1 : x->iov_base > y->iov_base;
}

static uint64_t end_of(const struct iovec *range)
{
	return (uint64_t)range->iov_base + range->iov_len;
}

/* So many bytes more cost less than another range does. */
#define NEAR 512

static size_t merge_spans(struct snapshot_of_seen *seen)
{
	size_t size = 0;
	memcpy(seen->spans, seen->ranges, seen->ranges_length * sizeof *seen->spans);
	qsort(seen->spans, seen->ranges_length, sizeof *seen->spans, by_address);
	for (size_t i = 0; i < seen->ranges_length; i++) {
		struct iovec *last = seen->spans_length ? &seen->spans[seen->spans_length - 1] : NULL;
		if (!last || (uint64_t)seen->spans[i].iov_base > end_of(last) + NEAR)
			seen->spans[seen->spans_length++] = seen->spans[i];
		else if (end_of(&seen->spans[i]) > end_of(last))
			last->iov_len = end_of(&seen->spans[i]) - (uint64_t)last->iov_base;
	}
	for (size_t i = 0; i < seen->spans_length; i++)
		size += seen->spans[i].iov_len;
	return size;
}

static void find_places(struct snapshot_of_seen *seen)
{
	for (size_t r = 0; r < seen->ranges_length; r++) {
		const uint64_t low = (uint64_t)seen->ranges[r].iov_base;
		size_t at = 0, s = 0;
		while (low >= end_of(&seen->spans[s]) || low < (uint64_t)seen->spans[s].iov_base)
			at += seen->spans[s++].iov_len;
		seen->places[r] = at + (low - (uint64_t)seen->spans[s].iov_base);
	}
}

static bool prepare_spans(struct snapshot_of_seen *seen)
{
	seen->spans = calloc(seen->ranges_length + 1, sizeof *seen->spans);
	seen->places = calloc(seen->ranges_length + 1, sizeof *seen->places);
	if (!seen->spans || !seen->places)
		return false;
	seen->raw = malloc(merge_spans(seen) + 1);
	if (seen->raw)
		find_places(seen);
	return seen->raw;
}

bool seen_prepare(struct snapshot_of_seen *seen)
{
	size_t atoms;
	const size_t ranges = count_ranges(seen, &atoms);
	seen->ranges = calloc(ranges + 1, sizeof *seen->ranges);
	if (!seen->ranges)
		return false;
	fill_ranges(seen);
	if (!prepare_spans(seen))
		return false;
	seen->size = seen->memory + atoms * ATOM_PARTS;
	seen->now = calloc(1, seen->size + 1);
	seen->before = calloc(1, seen->size + 1);
	return seen->now && seen->before;
}

void seen_release(struct snapshot_of_seen *seen)
{
	free(seen->expressions);
	free(seen->ranges);
	free(seen->spans);
	free(seen->places);
	free(seen->raw);
	free(seen->now);
	free(seen->before);
}

/* What a thread holds that comes to a place nobody else changes. */
static void take_atoms(struct properties *properties, struct snapshot_of_seen *seen)
{
	uint8_t *to = seen->now + seen->memory;
	for (size_t i = 0; i < seen->expressions_length; i++) {
		size_t length;
		const struct expression_atom *const *atoms = expression_atoms(seen->expressions[i], &length);
		for (size_t a = 0; a < length; a++, to += ATOM_PARTS)
			if (atoms[a]->thread != EXPRESSION_SELF)
				atom_parts(properties, atoms[a], to);
	}
}

/* One range is read quicker from the process's memory as a file. */
static enum status read_spans(const struct target *target, struct snapshot_of_seen *seen)
{
	if (seen->spans_length == 1)
		return target_read(target, (uint64_t)seen->spans->iov_base, seen->raw, seen->spans->iov_len);
	return target_read_ranges(target, seen->spans, seen->spans_length, seen->raw);
}

/* Where something between two ranges isn't mapped each is read by itself. */
static bool read_ranges(const struct target *target, struct snapshot_of_seen *seen)
{
	uint8_t *to = seen->now;
	if (seen->ranges_length == 0)
		return true;
	if (read_spans(target, seen) != STATUS_OK)
		return target_read_ranges(target, seen->ranges, seen->ranges_length, seen->now) == STATUS_OK;
	for (size_t i = 0; i < seen->ranges_length; to += seen->ranges[i++].iov_len)
		memcpy(to, seen->raw + seen->places[i], seen->ranges[i].iov_len);
	return true;
}

void seen_take(struct properties *properties, struct snapshot_of_seen *seen, bool *changed)
{
	uint8_t *last = seen->now;
	seen->now = seen->before;
	seen->before = last;
	seen->readable = read_ranges(process_target(properties->process), seen);
	take_atoms(properties, seen);
	*changed = !seen->taken || !seen->readable || memcmp(seen->now, seen->before, seen->size) != 0;
	seen->taken = seen->readable;
}

static bool read_live(void *context, uint64_t address, void *to, size_t size)
{
	const struct properties *properties = context;
	return target_read(process_target(properties->process), address, to, size) == STATUS_OK;
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
	return read_live(context, address, to, size);
}

/*
 * The program's thread-local variables are the first block that the thread's vector of blocks leads to, which the word after its own address
 * at FS leads to. With glibc a block has two words in it, the first for the vector's length; musl has one.
 */
static bool find_block(void *context, uint32_t thread, uint64_t *address)
{
	const struct properties *properties = context;
	if (thread == EXPRESSION_SELF)
		thread = properties->assertions.thread;
	struct tracee *tracee = thread == NO_THREAD || thread >= model_threads(properties->model)
				    ? NULL
				    : process_tracee(properties->process, thread);
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	const uint64_t entry = entries_is_musl(process_entries(properties->process)) ? 8 : 16;
	uint64_t vector;
	return regs && regs->fs_base && read_live(context, regs->fs_base + 8, &vector, sizeof vector) &&
	       read_live(context, vector + entry, address, sizeof *address) && *address != 0;
}

static bool ask(void *context, const struct expression_atom *atom)
{
	const struct properties *properties = context;
	struct expression_atom own = *atom;
	if (own.thread == EXPRESSION_SELF)
		own.thread = properties->assertions.thread;
	return atom_holds(context, &own);
}

struct expression_world seen_world(struct properties *properties)
{
	return (struct expression_world){
	    .context = properties, .read = read_seen, .atom = ask, .thread_block = find_block};
}

struct expression_world seen_live_world(struct properties *properties, const struct expression_frame *frame)
{
	return (struct expression_world){.context = properties,
					 .read = read_live,
					 .atom = ask,
					 .thread_block = find_block,
					 .frame = frame};
}
