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

static void mix_bytes(struct lanes *lanes, const void *data, size_t size)
{
	const struct lanes hash = hash_bytes(0, data, size);
	lanes_mix(lanes, hash.a);
	lanes_mix(lanes, hash.b);
}

/* Of the XSAVE area: the header says which registers are in use, and a processor may say so of one that is all zeros. */
#define HEADER	   512
#define HEADER_END 576

/* Vector and floating-point registers: a loop may count in one of them. */
static void mix_extended(struct lanes *lanes, struct tracee *tracee)
{
	uint8_t area[EXTENDED_ROOM];
	size_t size = sizeof area;
	if (tracee_extended(tracee, area, &size) != STATUS_OK || size < HEADER_END)
		return;
	mix_bytes(lanes, area, HEADER);
	mix_bytes(lanes, area + HEADER_END, size - HEADER_END);
}

static enum status mix_registers(const struct target *target, struct lanes *lanes)
{
	for (uint32_t i = 0; i < target_tracees(target); i++) {
		struct tracee *tracee = target_tracee(target, i);
		if (tracee->life == TRACEE_DEAD)
			continue;
		const struct user_regs_struct *regs = tracee_regs(tracee);
		if (!regs)
			return STATUS_GONE;
		lanes_mix(lanes, i);
		mix_bytes(lanes, regs, sizeof *regs);
		mix_extended(lanes, tracee);
	}
	return STATUS_OK;
}

/* The mappings, and what is in them. */
static struct lanes memory_of(const struct contents *contents)
{
	struct lanes sum = {0, 0};
	for (size_t i = 0; i < contents->table.pages_length; i++)
		lanes_add(&sum, contents->table.pages[i].hash);
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
		status = mix_registers(contents->target, &lanes);
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
