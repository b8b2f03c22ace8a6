#ifndef FMC_TRACER_SUBJECT_SUBJECT_H
#define FMC_TRACER_SUBJECT_SUBJECT_H

#include "tracer/proc/maps.h"
#include "tracer/subject/pages.h"

#include <fmc/tracer/subject.h>

/* Where a subject's memory comes from beyond the pages that were kept. */
struct subject_source {
	/* Part of one page, within one mapping. STATUS_NOT_FOUND: it isn't known any more. */
	enum status (*read)(struct subject *subject, const struct subject_mapping *mapping, uint64_t address,
			    void *to, size_t size);
	/* As subject_open(). */
	int (*open)(const struct subject *subject, const struct subject_mapping *mapping);
	void (*close)(struct subject *subject);
};

/* Of a live process, each -1 if not open: its folder in /proc, its memory, its root folder. */
struct subject_process {
	int folder, memory, root;
	bool standing; /* what is read now is kept */
};

/* A file that is mapped, open for reading; -1: it can't be had. */
struct subject_file {
	const struct subject_mapping *mapping;
	int descriptor;
};

struct core;

struct subject {
	const struct subject_source *source;
	pid_t pid;
	int signal;
	pid_t signalled;
	uint64_t still_ns;
	char *program;
	uint64_t *auxiliary; /* pairs, as the process has them */
	size_t auxiliary_length;
	struct subject_thread *threads;
	size_t threads_length;
	struct maps maps;
	struct pages pages;
	struct subject_file *files; /* opened so far, for reading memory from them */
	size_t files_length;
	struct subject_process process;
	struct core *core; /* of a core file */
};

/* An empty one; NULL: no memory. */
struct subject *subject_new(const struct subject_source *source);

/* The main thread first, then by age (proc/births.h). STATUS_NO_MEMORY. */
enum status subject_sort_threads(struct subject *subject, pid_t main);

/* Memory from the file that a mapping is of. STATUS_NOT_FOUND. */
enum status subject_read_file(struct subject *subject, const struct subject_mapping *mapping,
			      uint64_t address, void *to, size_t size);

/* live_source.c: what a process that goes on still tells of the moment when it stood */
extern const struct subject_source subject_live;

/* Keep the pages from low to high, as they are now, as far as they can be read. STATUS_OK or STATUS_NO_MEMORY. */
enum status subject_keep(struct subject *subject, uint64_t low, uint64_t high);

#endif
