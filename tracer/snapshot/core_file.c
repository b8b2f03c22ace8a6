#include "tracer/proc/file.h"
#include "tracer/snapshot/core.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory that a core file lacks, since it is in the files that were mapped: taken from those if they are still the same. */

#define BUILD_ID_MOST  64
#define HEADERS_MOST   64
#define NOTES_MOST     4096
#define DELETED_SUFFIX " (deleted)"

struct build_id {
	uint8_t bytes[BUILD_ID_MOST];
	uint32_t length; /* 0: there is none, or it isn't known */
};

static ssize_t read_core(const struct core *core, void *to, size_t size, uint64_t offset)
{
	ssize_t length;
	do
		length = pread(core->file, to, size, (off_t)offset);
	while (length < 0 && errno == EINTR);
	return length;
}

static bool find_build_id(const uint8_t *notes, size_t size, struct build_id *id)
{
	Elf64_Nhdr header;
	for (size_t at = 0; at + sizeof header <= size;) {
		memcpy(&header, notes + at, sizeof header);
		const uint64_t name = at + sizeof header,
			       description = name + ((header.n_namesz + UINT64_C(3)) & ~UINT64_C(3));
		const uint64_t end = description + ((header.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
		if (end > size)
			return false;
		if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0 && header.n_descsz <= BUILD_ID_MOST) {
			id->length = header.n_descsz;
			memcpy(id->bytes, notes + description, id->length);
			return true;
		}
		at = (size_t)end;
	}
	return false;
}

/* Something that holds an ELF file from its beginning, or a part of it: the file itself, or memory. */
struct image {
	struct snapshot *snapshot; /* NULL: the file */
	uint64_t base;
	int file;
};

static bool read_image(const struct image *image, uint64_t offset, void *to, size_t size)
{
	if (image->snapshot) {
		const struct snapshot_mapping *mapping = maps_find(&image->snapshot->maps, image->base);
		const struct core_part *part =
		    &image->snapshot->core->parts[mapping - image->snapshot->maps.at];
		return offset + size <= part->kept &&
		       read_core(image->snapshot->core, to, size, part->offset + offset) == (ssize_t)size;
	}
	return pread(image->file, to, size, (off_t)offset) == (ssize_t)size;
}

/* Notes stand at the same offset in the first page of the file as of its memory. */
static void read_build_id(const struct image *image, struct build_id *id)
{
	Elf64_Ehdr header;
	Elf64_Phdr segments[HEADERS_MOST];
	uint8_t notes[NOTES_MOST];
	id->length = 0;
	if (!read_image(image, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_phentsize != sizeof *segments || header.e_phnum > HEADERS_MOST ||
	    header.e_phoff > INT32_MAX ||
	    !read_image(image, header.e_phoff, segments, header.e_phnum * sizeof *segments))
		return;
	for (int i = 0; i < header.e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];
		if (segment->p_type == PT_NOTE && segment->p_filesz <= sizeof notes &&
		    segment->p_offset <= INT32_MAX &&
		    read_image(image, segment->p_offset, notes, (size_t)segment->p_filesz) &&
		    find_build_id(notes, (size_t)segment->p_filesz, id))
			return;
	}
}

/* The mapping of a file's beginning. */
static const struct snapshot_mapping *first_of(const struct snapshot *snapshot,
					       const struct snapshot_mapping *mapping)
{
	const struct maps *maps = &snapshot->maps;
	const struct snapshot_mapping *first = mapping;
	while (first > maps->at && first->offset && (first - 1)->inode == first->inode)
		first--;
	return first->offset == 0 ? first : NULL;
}

/* What the process had mapped, as far as the core file tells; then a file without build-id doesn't fit. */
static bool fits(struct snapshot *snapshot, const struct snapshot_mapping *mapping, int file)
{
	struct build_id had, has;
	const struct snapshot_mapping *first = first_of(snapshot, mapping);
	if (!first)
		return true;
	read_build_id(&(struct image){.snapshot = snapshot, .base = first->low}, &had);
	read_build_id(&(struct image){.file = file}, &has);
	return had.length == 0 || (had.length == has.length && memcmp(had.bytes, has.bytes, had.length) == 0);
}

const struct snapshot_mapping *core_program_mapping(const struct snapshot *snapshot)
{
	const uint64_t headers = snapshot_auxiliary(snapshot, AT_PHDR);
	const struct snapshot_mapping *mapping = headers ? maps_find(&snapshot->maps, headers) : NULL;
	return mapping && mapping->path ? mapping : NULL;
}

static int open_named(const char *path)
{
	return file_open_regular(AT_FDCWD, path);
}

/* Deleted files often have been replaced by newer ones, which then don't fit. */
static int open_as_told(const char *path)
{
	char name[PATH_MAX];
	const size_t length = strlen(path), suffix = strlen(DELETED_SUFFIX);
	if (length >= sizeof name || *path != '/')
		return -1;
	memcpy(name, path, length + 1);
	if (length > suffix && strcmp(name + length - suffix, DELETED_SUFFIX) == 0)
		name[length - suffix] = 0;
	return open_named(name);
}

static int core_open(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	const struct core *core = snapshot->core;
	const struct snapshot_mapping *program = core_program_mapping(snapshot);
	if (!mapping->path)
		return -1;
	const bool is_program = core->given && program && strcmp(program->path, mapping->path) == 0;
	const int file = is_program ? open_named(core->given) : open_as_told(mapping->path);
	if (file >= 0 && fits((struct snapshot *)(uintptr_t)snapshot, mapping, file))
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

bool core_fits_program(struct snapshot *snapshot)
{
	const struct snapshot_mapping *program = core_program_mapping(snapshot);
	if (!snapshot->core->given || !program)
		return true;
	const int file = core_open(snapshot, program);
	if (file >= 0)
		close(file);
	return file >= 0;
}

static enum status core_read(struct snapshot *snapshot, const struct snapshot_mapping *mapping,
			     uint64_t address, void *to, size_t size)
{
	const struct core_part *part = &snapshot->core->parts[mapping - snapshot->maps.at];
	const uint64_t at = address - mapping->low;
	const size_t kept = at >= part->kept ? 0 : part->kept - at < size ? (size_t)(part->kept - at) : size;
	if (kept && read_core(snapshot->core, to, kept, part->offset + at) != (ssize_t)kept)
		return STATUS_NOT_FOUND;
	if (kept == size)
		return STATUS_OK;
	if (mapping->writable || !mapping->path)
		return STATUS_NOT_FOUND;
	return snapshot_read_file(snapshot, mapping, address + kept, (uint8_t *)to + kept, size - kept);
}

static void core_close(struct snapshot *snapshot)
{
	struct core *core = snapshot->core;
	if (!core)
		return;
	elf_end(core->elf);
	if (core->file >= 0)
		close(core->file);
	free(core->parts);
	free(core->given);
	free(core->names);
	free(core->files);
	free(core);
}

const struct snapshot_source snapshot_core_source = {core_read, core_open, core_close};
