#ifndef FMC_TRACER_BELONGINGS_H
#define FMC_TRACER_BELONGINGS_H

#include <fmc/target.h>

/*
 * What a process has besides its memory and registers, looked at before copies are made of it in the middle of its
 * run. Copies share open files with their source and with each other; of files that are only read that
 * is the position alone, which can be put back.
 */
#define POSITIONS_MOST 64

struct belongings {
	struct {
		int descriptor;
		int64_t position;
	} at[POSITIONS_MOST];
	size_t length;
};

/*
 * Those of a stopped process with one thread. `before`: the same process at an earlier time; files that it had open
 * are everybody's. `output`: fmc's own descriptor of the file that takes what the process writes, -1 if there is none. STATUS_UNSUPPORTED: it has something that copies would share or lack: files open for
 * writing, pipes, sockets, memory shared with others, pending signals, children.
 */
enum status belongings_take(const struct target *target, const struct target *before, int output,
			    struct belongings *belongings);

/* Put the positions back in a copy. */
enum status belongings_restore(const struct belongings *belongings, struct tracee *copy);

#endif
