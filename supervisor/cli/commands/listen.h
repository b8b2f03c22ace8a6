#ifndef FMC_SUPERVISOR_CLI_COMMANDS_LISTEN_H
#define FMC_SUPERVISOR_CLI_COMMANDS_LISTEN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Where somebody of this machine can connect to. */
struct listener {
	int descriptor;
	const char *path;    /* of a socket to be removed; NULL: a port. Borrowed. */
	char name[PATH_MAX]; /* "PATH" or "127.0.0.1:PORT"; empty: not open */
};

/*
 * At a Unix socket that only this user can connect to, if `path` isn't NULL; else at a port of 127.0.0.1, with 0 at any free one.
 * False, with a line in `why`.
 */
bool listener_open(struct listener *listener, const char *path, uint16_t port, char why[512]);

/* Wait for a client: its descriptor, -1 once fmc is asked to end (tracer_interrupted()). */
int listener_accept(struct listener *listener);

/* Also one that isn't open. */
void listener_close(struct listener *listener);

#endif
