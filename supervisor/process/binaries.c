/* Programs that processes run, and what is known of their code: that executions begin with, and what processes become (exec). */
#include "supervisor/process/process.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/maps.h>

static struct entries *make_entries(const struct process *process)
{
	const struct process_options *options = &process->options;
	struct entries *entries = entries_new();
	if (!entries)
		return NULL;
	if (options->atomics || options->note_unseen)
		entries_use_atomics(entries, options->atomics ? ATOMICS_SWITCHED : ATOMICS_NOTED);
	if (options->atomics)
		entries_promote(entries, options->promoted);
	if (options->scout)
		entries_scout(entries);
	entries_answer_instructions(entries);
	if (options->outputs)
		entries_watch_output(entries);
	if (options->variables)
		entries_watch_variables(entries);
	/* Of a saved image any thread may stand after the first byte of a function. */
	if (options->pilot || options->program.image)
		entries_without_doors(entries);
	return entries;
}

static uint32_t add(struct process *process, uint64_t key)
{
	if (!ARRAY_GROW(process->binaries, process->binaries_length, process->binaries_room))
		return NO_BINARY;
	struct binary made = {.key = key, .entries = make_entries(process), .places = places_new()};
	if (!made.entries || !made.places) {
		entries_free(made.entries);
		places_free(made.places);
		return NO_BINARY;
	}
	process->binaries[process->binaries_length] = made;
	return (uint32_t)process->binaries_length++;
}

bool binaries_begin(struct process *process)
{
	if (add(process, 0) == NO_BINARY)
		return false;
	binaries_use(process, 0);
	return true;
}

void binaries_use(struct process *process, uint32_t binary)
{
	process->entries = process->binaries[binary].entries;
	process->places = process->binaries[binary].places;
}

/* Which files are mapped where; 0: that isn't known. */
static uint64_t key_of(const struct target *target)
{
	struct maps maps;
	uint64_t key = UINT64_C(0xcbf29ce484222325);
	if (maps_of(target_pid(target), &maps) != STATUS_OK)
		return 0;
	for (size_t i = 0; i < maps.length; i++) {
		const struct snapshot_mapping *at = &maps.at[i];
		const uint64_t words[] = {at->low, at->high, at->device, at->inode, at->offset};
		for (size_t j = 0; at->inode && j < sizeof words / sizeof *words; j++)
			key = (key ^ words[j]) * UINT64_C(0x100000001b3);
	}
	maps_release(&maps);
	return key;
}

uint32_t binaries_of(struct process *process, const struct target *target)
{
	const uint64_t key = key_of(target);
	for (uint32_t i = 1; key && i < process->binaries_length; i++)
		if (process->binaries[i].key == key)
			return i;
	return add(process, key);
}

void binaries_release(struct process *process)
{
	for (size_t i = 0; i < process->binaries_length; i++) {
		entries_free(process->binaries[i].entries);
		places_free(process->binaries[i].places);
	}
	free(process->binaries);
}
