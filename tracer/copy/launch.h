#ifndef FMC_TRACER_COPY_LAUNCH_H
#define FMC_TRACER_COPY_LAUNCH_H

#include "tracer/tracee/tracee.h"

/* The user and the groups that a process runs as. */
struct identity {
	uid_t user;
	gid_t group;
	const uint32_t *groups;
	size_t groups_length;
};

/*
 * launch.c: a new process, stopped at its ELF entry point, with fmc's page in it; what libraries have asked on the way there has been
 * answered from `world`. `as` is given for one that becomes a saved process, and is confined; its user counts if fmc is root. NULL: it is fmc's
 * own and free.
 */
struct program;
enum status launch(const struct program *program, const struct identity *as,
		   const struct virtual_world *world, struct target **target, char why[256]);

/* run_up.c: the same for a process that stands at its exec event. */
enum status run_up(struct tracee *tracee, char why[256]);

#endif
