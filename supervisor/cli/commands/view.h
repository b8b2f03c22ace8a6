#ifndef FMC_SUPERVISOR_CLI_COMMANDS_VIEW_H
#define FMC_SUPERVISOR_CLI_COMMANDS_VIEW_H

#include "supervisor/cli/options/options.h"

#include <fmc/replay/picture.h>

/* A schedule on its way to being drawn. */
struct view {
	struct schedule schedule;
	struct picture picture;
	/* Opened with `nearest`: an execution that ends well, as near to this one as was found. */
	struct view *nearest;
	size_t part;	 /* the transition in which that one differs */
	bool inevitable; /* after it no execution ends well: all were run */
};

/*
 * Read a schedule and, unless --no-replay says otherwise, play it for what the file doesn't say. Where that isn't possible a
 * line says so, and the picture is made of the file alone. `nearest`: look for an execution that ends well, too.
 *
 * An exit status: EXITS_OK, else all has been said and there is nothing to close.
 */
int view_open(struct view *view, const char *file, const struct options *options, bool nearest);
void view_close(struct view *view);

#endif
