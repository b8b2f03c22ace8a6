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

bool seen_prepare(struct snapshot_of_seen *seen)
{
	size_t atoms;
	const size_t ranges = count_ranges(seen, &atoms);
	seen->ranges = calloc(ranges + 1, sizeof *seen->ranges);
	if (!seen->ranges)
		return false;
	fill_ranges(seen);
	seen->size = seen->memory + atoms * ATOM_PARTS;
	seen->now = calloc(1, seen->size + 1);
	seen->before = calloc(1, seen->size + 1);
	return seen->now && seen->before;
}

void seen_release(struct snapshot_of_seen *seen)
{
	free(seen->expressions);
	free(seen->ranges);
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

void seen_take(struct properties *properties, struct snapshot_of_seen *seen, bool *changed)
{
	uint8_t *last = seen->now;
	seen->now = seen->before;
	seen->before = last;
	seen->readable =
	    seen->ranges_length == 0 || target_read_ranges(process_target(properties->process), seen->ranges,
							   seen->ranges_length, seen->now) == STATUS_OK;
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
