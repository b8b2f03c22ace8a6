#ifndef FMC_TRACER_SNAPSHOT_SNAPSHOT_H
#define FMC_TRACER_SNAPSHOT_SNAPSHOT_H

#include "tracer/proc/maps.h"
#include "tracer/snapshot/pages.h"

#include <fmc/tracer/snapshot.h>

/* Where a snapshot's memory comes from beyond the pages that were kept. */
struct snapshot_source {
	/* Part of one page, within one mapping. STATUS_NOT_FOUND: it isn't known any more. */
	enum status (*read)(struct snapshot *snapshot, const struct snapshot_mapping *mapping,
			    uint64_t address, void *to, size_t size);
	/* As snapshot_open(). */
	int (*open)(const struct snapshot *snapshot, const struct snapshot_mapping *mapping);
	void (*close)(struct snapshot *snapshot);
};

/* Of a live process, each -1 if not open: its folder in /proc, its memory, its root folder. */
struct snapshot_process {
	int folder, memory, root;
	bool standing; /* what is read now is kept */
};

/* A file that is mapped, open for reading; -1: it can't be had. */
struct snapshot_file {
	const struct snapshot_mapping *mapping;
	int descriptor;
};

struct core;

struct snapshot {
	const struct snapshot_source *source;
	pid_t pid;
	int signal;
	pid_t signalled;
	uint64_t still_ns;
	char *program;
	uint64_t *auxiliary; /* pairs, as the process has them */
	size_t auxiliary_length;
	struct snapshot_thread *threads;
	size_t threads_length;
	struct maps maps;
	struct pages pages;
	struct snapshot_file *files; /* opened so far, for reading memory from them */
	size_t files_length;
	struct snapshot_process process;
	struct core *core; /* of a core file */
};

/* An empty one; NULL: no memory. */
struct snapshot *snapshot_new(const struct snapshot_source *source);

/* The main thread first, then by age (proc/births.h). STATUS_NO_MEMORY. */
enum status snapshot_sort_threads(struct snapshot *snapshot, pid_t main);

/* Memory from the file that a mapping is of. STATUS_NOT_FOUND. */
enum status snapshot_read_file(struct snapshot *snapshot, const struct snapshot_mapping *mapping,
			       uint64_t address, void *to, size_t size);

/* live_source.c: what a process that goes on still tells of the moment when it stood */
extern const struct snapshot_source snapshot_live;

/* Keep the pages from low to high, as they are now, as far as they can be read. STATUS_OK or STATUS_NO_MEMORY. */
enum status snapshot_keep(struct snapshot *snapshot, uint64_t low, uint64_t high);

#endif
