#include "tracer/contents/contents.h"

#include <stdlib.h>
#include <string.h>

/* Tracking costs about as much as reading so many pages: it is worth while where an execution asks often. */
#define TRACKING_COSTS 150

bool contents_source_wants(const struct contents_source *source)
{
	return source && !source->untracked && source->executions > 0 &&
	       source->refreshes * source->pages > TRACKING_COSTS * source->executions;
}

/* It stands where all copies of this process begin. */
static void begin(struct contents *contents)
{
	struct contents_source *source = contents->source;
	if (mappings_read(contents) != STATUS_OK)
		return;
	contents->tried = true;
	if (!tracking_begin(contents)) {
		source->untracked = true;
		return;
	}
	contents->keeps = source->keeps;
	contents->places = source->places;
	if (source->known) {
		if (!table_copy(&contents->table, &source->table))
			table_clear(&contents->table);
		return;
	}
	source->known = table_refresh(contents) == STATUS_OK && table_copy(&source->table, &contents->table);
}

struct contents *contents_new(struct target *target, struct contents_source *source, bool begins)
{
	struct contents *contents = calloc(1, sizeof *contents);
	if (!contents)
		return NULL;
	contents->target = target;
	contents->source = source;
	contents->maps = contents->pagemap = contents->tracking = -1;
	contents->buffer = malloc((size_t)READ_AT_ONCE * PAGE);
	if (!contents->buffer || !mappings_open(contents)) {
		contents_free(contents);
		return NULL;
	}
	if (begins && contents_source_wants(source))
		begin(contents);
	return contents;
}

/* What the next execution may go by. */
static void tell_source(const struct contents *contents)
{
	struct contents_source *source = contents->source;
	if (!source || contents->now == 0)
		return;
	source->executions++;
	source->refreshes += contents->now;
	source->pages = contents->table.pages_length;
	source->known &= source->keeps || !contents->keeps; /* its bytes are wanted, too */
	source->keeps |= contents->keeps;
	source->places = contents->places;
}

void contents_free(struct contents *contents)
{
	if (!contents)
		return;
	tell_source(contents);
	tracking_end(contents);
	mappings_close(contents);
	table_release(&contents->table);
	table_release(&contents->next);
	free(contents->mappings);
	free(contents->before);
	free(contents->extended);
	free(contents->tracked.at);
	free(contents->found.at);
	free(contents->buffer);
	free(contents->unread);
	free(contents->unread_at);
	free(contents->listed);
	free(contents->heaps);
	free(contents->blocks);
	free(contents);
}

struct contents_source *contents_source_new(uint64_t number)
{
	struct contents_source *source = calloc(1, sizeof *source);
	if (source)
		source->number = number;
	return source;
}

void contents_source_free(struct contents_source *source)
{
	if (!source)
		return;
	table_release(&source->table);
	free(source);
}

uint64_t contents_source_number(const struct contents_source *source)
{
	return source->number;
}

uint64_t contents_pages_read(const struct contents *contents)
{
	return contents->pages_read;
}

bool contents_tracked(const struct contents *contents)
{
	return contents->tracking >= 0;
}

static void mix_lanes(struct lanes *lanes, struct lanes word)
{
	lanes_mix(lanes, word.a);
	lanes_mix(lanes, word.b);
}

/* Of the XSAVE area: the header says which registers are in use, and a processor may say so of one that is all zeros. */
#define HEADER	   512
#define HEADER_END 576

static void read_extended(struct tracee *tracee, struct known_extended *known)
{
	uint8_t area[EXTENDED_ROOM];
	size_t size = sizeof area;
	known->known = true;
	known->runs = tracee->runs;
	known->readable = tracee_extended(tracee, area, &size) == STATUS_OK && size >= HEADER_END;
	if (!known->readable)
		return;
	known->parts[0] = hash_bytes(0, area, HEADER);
	known->parts[1] = hash_bytes(0, area + HEADER_END, size - HEADER_END);
}

/* Vector and floating-point registers: a loop may count in one of them. */
static void mix_extended(const struct contents *contents, struct lanes *lanes, struct tracee *tracee)
{
	struct known_extended *known = &contents->extended[tracee->index];
	if (!known->known || known->runs != tracee->runs)
		read_extended(tracee, known);
	for (int i = 0; i < 2 && known->readable; i++)
		mix_lanes(lanes, known->parts[i]);
}

static bool reserve_extended(struct contents *contents, size_t length)
{
	if (length <= contents->extended_length)
		return true;
	struct known_extended *larger = reallocarray(contents->extended, length, sizeof *larger);
	if (!larger)
		return false;
	memset(larger + contents->extended_length, 0, (length - contents->extended_length) * sizeof *larger);
	contents->extended = larger;
	contents->extended_length = length;
	return true;
}

static enum status mix_registers(struct contents *contents, struct lanes *lanes)
{
	const struct target *target = contents->target;
	if (!reserve_extended(contents, target_tracees(target)))
		return STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < target_tracees(target); i++) {
		struct tracee *tracee = target_tracee(target, i);
		if (tracee->life == TRACEE_DEAD)
			continue;
		const struct user_regs_struct *regs = tracee_regs(tracee);
		if (!regs)
			return STATUS_GONE;
		lanes_mix(lanes, i);
		mix_lanes(lanes, hash_bytes(0, regs, sizeof *regs));
		mix_extended(contents, lanes, tracee);
	}
	return STATUS_OK;
}

/* The mappings, and what is in them. */
static struct lanes memory_of(struct contents *contents)
{
	if (!contents->sum_known)
		contents->sum = (struct lanes){0, 0};
	for (size_t i = 0; i < contents->table.pages_length && !contents->sum_known; i++)
		lanes_add(&contents->sum, contents->table.pages[i].hash);
	contents->sum_known = true;
	struct lanes sum = contents->sum;
	/* The kernel may have one in place of two that are next to each other. */
	for (size_t i = 0; i < contents->mappings_length; i++) {
		if (i == 0 || contents->mappings[i - 1].end != contents->mappings[i].start)
			lanes_mix(&sum, contents->mappings[i].start);
		if (i + 1 == contents->mappings_length ||
		    contents->mappings[i + 1].start != contents->mappings[i].end)
			lanes_mix(&sum, contents->mappings[i].end);
	}
	return sum;
}

enum status contents_digest(struct contents *contents, uint64_t digest[2])
{
	enum status status = table_refresh(contents);
	struct lanes lanes = memory_of(contents);
	if (status == STATUS_OK)
		status = mix_registers(contents, &lanes);
	digest[0] = lanes.a;
	digest[1] = lanes.b;
	return status;
}

enum status target_digest(struct target *target, uint64_t digest[2])
{
	struct contents *contents = contents_new(target, NULL, false);
	const enum status status = contents ? contents_digest(contents, digest) : STATUS_NO_MEMORY;
	contents_free(contents);
	return status;
}
