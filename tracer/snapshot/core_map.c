#include "tracer/snapshot/core.h"

#include <stdlib.h>
#include <string.h>

/* A mapping with where its contents are, while they are put in order. */
struct piece {
	struct snapshot_mapping mapping;
	struct core_part part;
};

struct pieces {
	struct piece *at;
	size_t length;
};

static int by_address(const void *one, const void *other)
{
	const uint64_t first = ((const struct piece *)one)->mapping.low;
	const uint64_t second = ((const struct piece *)other)->mapping.low;
	return (first > second) - (first < second);
}

static bool is_usable(const struct core *core, const GElf_Phdr *segment, const char **what)
{
	uint64_t end;
	*what = NULL;
	if (segment->p_filesz > segment->p_memsz ||
	    __builtin_add_overflow(segment->p_vaddr, segment->p_memsz, &end) ||
	    __builtin_add_overflow(segment->p_offset, segment->p_filesz, &end))
		*what = "a segment is damaged";
	else if (segment->p_filesz && end > core->size)
		*what = CORE_CUT_OFF;
	return !*what;
}

static enum status take_segments(const struct core *core, struct pieces *pieces, const char **what)
{
	size_t count = 0;
	elf_getphdrnum(core->elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		if (!gelf_getphdr(core->elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !segment.p_memsz)
			continue;
		if (!is_usable(core, &segment, what))
			return STATUS_MALFORMED;
		pieces->at[pieces->length++] = (struct piece){{.low = segment.p_vaddr,
							       .high = segment.p_vaddr + segment.p_memsz,
							       .readable = segment.p_flags & PF_R,
							       .writable = segment.p_flags & PF_W,
							       .executable = segment.p_flags & PF_X},
							      {segment.p_offset, segment.p_filesz}};
	}
	qsort(pieces->at, pieces->length, sizeof *pieces->at, by_address);
	for (size_t i = 1; i < pieces->length; i++)
		if (pieces->at[i].mapping.low < pieces->at[i - 1].mapping.high) {
			*what = "two segments overlap";
			return STATUS_MALFORMED;
		}
	return STATUS_OK;
}

static struct piece *piece_at(const struct pieces *pieces, size_t length, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < length; i++)
		if (pieces->at[i].mapping.low < high && low < pieces->at[i].mapping.high)
			return &pieces->at[i];
	return NULL;
}

/* Files of one path get one number, in place of that of the inode, which isn't told. */
static uint64_t number_of(const struct core *core, const char *path)
{
	for (size_t i = 0; i < core->files_length; i++)
		if (strcmp(core->files[i].path, path) == 0)
			return i + 1;
	return 0;
}

/* A range that no segment is about wasn't writable, else it would have been kept. */
static void name_pieces(const struct core *core, struct pieces *pieces)
{
	const size_t length = pieces->length;
	for (size_t i = 0; i < core->files_length; i++) {
		const struct core_file *file = &core->files[i];
		struct piece *piece = piece_at(pieces, length, file->low, file->high);
		if (!piece) {
			piece = &pieces->at[pieces->length++];
			*piece = (struct piece){
			    {.low = file->low, .high = file->high, .readable = true, .executable = true},
			    {0, 0}};
		} else if (piece->mapping.low < file->low)
			continue;
		struct snapshot_mapping *mapping = &piece->mapping;
		mapping->path = file->path;
		mapping->inode = number_of(core, file->path);
		mapping->offset = file->offset + (mapping->low - file->low);
	}
}

/* Ranges of files could overlap in a damaged note. */
static bool are_apart(struct pieces *pieces)
{
	qsort(pieces->at, pieces->length, sizeof *pieces->at, by_address);
	for (size_t i = 1; i < pieces->length; i++)
		if (pieces->at[i].mapping.low < pieces->at[i - 1].mapping.high)
			return false;
	return true;
}

static enum status publish(struct snapshot *snapshot, const struct pieces *pieces)
{
	struct core *core = snapshot->core;
	snapshot->maps.at = calloc(pieces->length + 1, sizeof *snapshot->maps.at);
	core->parts = calloc(pieces->length + 1, sizeof *core->parts);
	if (!snapshot->maps.at || !core->parts)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < pieces->length; i++) {
		snapshot->maps.at[i] = pieces->at[i].mapping;
		core->parts[i] = pieces->at[i].part;
	}
	snapshot->maps.length = pieces->length;
	return STATUS_OK;
}

enum status core_read_mappings(struct snapshot *snapshot, const char **what)
{
	struct core *core = snapshot->core;
	size_t count = 0;
	elf_getphdrnum(core->elf, &count);
	struct pieces pieces = {calloc(count + core->files_length + 1, sizeof *pieces.at), 0};
	if (!pieces.at)
		return STATUS_NO_MEMORY;
	enum status status = take_segments(core, &pieces, what);
	if (status == STATUS_OK) {
		name_pieces(core, &pieces);
		if (!are_apart(&pieces)) {
			*what = "the note about mapped files is damaged";
			status = STATUS_MALFORMED;
		}
	}
	if (status == STATUS_OK)
		status = publish(snapshot, &pieces);
	free(pieces.at);
	return status;
}
