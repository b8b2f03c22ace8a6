#ifndef FMC_REPLAY_GDB_SERVER_H
#define FMC_REPLAY_GDB_SERVER_H

#include <fmc/replay/timeline.h>

/*
 * The other end of GDB's `target remote`: a timeline as a program that GDB debugs, forwards and backwards. It takes GDB's
 * breakpoints, movements and looks to the timeline, and knows nothing of how that comes about.
 */
struct gdb_server;

/* `say` gets a line for the user who started the server, without "fmc:"; NULL without memory. */
struct gdb_server *gdb_server_new(void (*say)(const char *line));
void gdb_server_free(struct gdb_server *server); /* NULL is allowed */

/* Has GDB asked for a stop, or gone? For struct timeline_options, with the server as its context. */
bool gdb_server_interrupted(void *server);

/*
 * Serve one GDB, which speaks over these descriptors, until it has gone or fmc is asked to end. The timeline stays where it
 * then is, without GDB's breakpoints and changes. STATUS_OK, or why it can't go on: STATUS_NO_MEMORY.
 */
enum status gdb_server_run(struct gdb_server *server, struct timeline *timeline, int in, int out);

#endif
