#ifndef FMC_SUPERVISOR_USES_PATHS_H
#define FMC_SUPERVISOR_USES_PATHS_H

#include "supervisor/process/process.h"

#include <sys/stat.h>

/*
 * The names that a path leads through, from its first folder to its end, and those of symbolic links on the way: each is looked for in its
 * folder, so that who makes or takes away one of them changes what comes of all that is below. "." and ".." are no names.
 *
 *     struct path path;
 *     if (path_begin(process, address, AT_FDCWD, true, &path))
 *             while (path_next(&path))
 *                     ...
 */
#define WALK_ROOM 4224

struct path {
	/* Of the name: */
	char full[WALK_ROOM]; /* as fmc can open it */
	size_t folder;	      /* so much of it is the folder's */
	uint64_t folder_id, id;
	struct stat file; /* what is there, if it exists */
	bool exists;
	bool last;     /* the path ends with it */
	bool relative; /* the path begins in the working folder */
	/* Of the walk: */
	const struct process *process;
	size_t end; /* of the name in `full` */
	char behind; /* what stands there, in truth */
	unsigned links;
	bool follows;
};

/*
 * The path at this address of the program's, which begins in the folder of this descriptor. follows: a symbolic link at its end is followed, too. False:
 * there is none, or it's in /proc or /dev, which aren't the program's.
 */
bool path_begin(const struct process *process, uint64_t address, int folder, bool follows, struct path *path);

/* On to the first or next name; false: there is none, or what is there is no folder. */
bool path_next(struct path *path);

/* The path to the name's folder, without links; empty: it isn't known. */
void path_folder(const struct path *path, char folder[WALK_ROOM]);

/* A number by which the name is known in all executions, by its path; never 0. */
int path_known_by(const struct path *path);

#endif
