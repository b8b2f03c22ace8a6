#ifndef FMC_TRACER_COPY_OPEN_FILES_H
#define FMC_TRACER_COPY_OPEN_FILES_H

#include "tracer/copy/channel.h"

#include <fmc/tracer/origin.h>
#include <fmc/tracer/target.h>

#include <sys/stat.h>

/*
 * What a process has besides its memory and registers, looked at before copies are made of it in the middle of its
 * run. Copies share open files with their source and with each other; of files that are only read that
 * is the position alone, which can be put back.
 */
#define POSITIONS_MOST 256

struct open_files {
	struct {
		int descriptor;
		int64_t position;
		unsigned flags; /* as open() takes them */
		bool own;	/* a file in memory that is open for writing: each copy gets one of its own */
		bool contents;	/* and may read it */
		uint64_t size;	/* of that */
	} at[POSITIONS_MOST];
	size_t length;
};

/* Files that a process has had open from its beginning are everybody's. */
struct inherited {
	const struct program *program;
	const struct target *before; /* the same process when it began; NULL: it is started by launch() */
};

/*
 * Those of a process whose threads are all stopped or dead. STATUS_UNSUPPORTED: it has something that copies would share
 * or lack: files open for writing other than program.output, pipes, sockets, memory shared with others, pending signals,
 * timers, children. What is among `channels` is taken care of by the caller.
 */
enum status open_files_take(const struct target *target, const struct inherited *inherited,
			    const struct channels *channels, struct open_files *open_files);

/*
 * Open the files anew in a copy, so that it has positions of its own. One that can't be opened any more stays shared with
 * the source.
 */
enum status open_files_separate(const struct open_files *open_files, struct tracee *copy);

/* Put the positions back in a copy. */
enum status open_files_restore(const struct open_files *open_files, struct tracee *copy);

/* No children, timers or signals that are pending, and no memory that it shares with others. */
bool open_files_quiet(const struct target *target);
/* Has it had this file open by this number from its beginning? */
bool open_files_inherited(const struct target *target, const struct inherited *inherited, int descriptor,
			  const struct stat *file);
/* In place of what it has open there a file in memory, which is empty. */
enum status open_files_make(struct tracee *tracee, int descriptor, unsigned flags);

/* apart.c: as origin_set_apart(). */
enum status open_files_apart(struct target *target, const struct inherited *inherited, struct own_files *apart);

#endif
