#ifndef FMC_TRACER_SNAPSHOT_CORE_H
#define FMC_TRACER_SNAPSHOT_CORE_H

#include "tracer/snapshot/snapshot.h"

#include <gelf.h>

/* What the files core*.c share: a core file as a snapshot. */

/* Where the contents of a mapping stand in the core file; those after `kept` don't. */
struct core_part {
	uint64_t offset, kept;
};

struct core {
	int file;
	uint64_t size;
	Elf *elf;
	struct core_part *parts; /* in the order of the snapshot's mappings, whose number this is */
	char *given;		 /* the program as the user says, NULL: not said */
	char *names;		 /* paths of mapped files, to which the mappings point */
	struct core_file *files;
	size_t files_length;
};

/* A range of memory that a file was mapped to (NT_FILE). */
struct core_file {
	uint64_t low, high, offset;
	const char *path;
};

#define CORE_WHY_ROOM 256
#define CORE_CUT_OFF  "it is cut off (no room on the disk, or the limit that ulimit -c shows)"

/*
 * core_notes.c: threads, signal, auxiliary vector and mapped files. STATUS_OK, STATUS_NO_MEMORY, STATUS_MALFORMED with a few
 * words in *what.
 */
enum status core_read_notes(struct snapshot *snapshot, const char **what);

/* core_map.c: the mappings, from segments and mapped files; needs the notes. As above. */
enum status core_read_mappings(struct snapshot *snapshot, const char **what);

/* core_file.c: the files that the process had mapped */
extern const struct snapshot_source snapshot_core_source;
/* False: the user names a program that this core file isn't of. */
bool core_fits_program(struct snapshot *snapshot);
/* The mapping of the program itself; NULL: not to be told. */
const struct snapshot_mapping *core_program_mapping(const struct snapshot *snapshot);

#endif
