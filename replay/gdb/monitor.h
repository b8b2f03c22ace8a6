#ifndef FMC_REPLAY_GDB_MONITOR_H
#define FMC_REPLAY_GDB_MONITOR_H

#include "replay/gdb/session.h"

/*
 * fmc's own commands in GDB: `monitor NAME ARGUMENT`. Each is a row of the table in monitor.c and a function that adds what
 * the user reads to `text`, in whole lines. The argument is what stands after the name, without spaces around it.
 */
typedef void gdb_command(struct gdb_server *s, const char *argument, struct text *text);

/* Where the timeline stands, in a line. */
void gdb_position(struct gdb_server *s, struct text *text);

/* Go to the beginning of a part, as `monitor goto` does, and say where that is. */
void gdb_go(struct gdb_server *s, size_t part, struct text *text);

/* Run a line of these. */
void gdb_run_command(struct gdb_server *s, char *line, struct text *text);

/* ask.c: what the rows say. */
gdb_command gdb_ask_threads, gdb_ask_objects, gdb_ask_schedule, gdb_ask_why, gdb_ask_branch, gdb_ask_save,
    gdb_ask_mark, gdb_ask_restart;

/*
 * For scripts in GDB. `keep`: list these threads (as 2.3: of GDB's process 2, number 3) everywhere, in place of those named before. `where`: the part, how many transitions there are,
 * how many threads so far, and their names in the schedule; of those that are alive also GDB's, as T2.1=2.3.
 * `last-write`: back to before the last write of these bytes. `inferiors`: those that there are in the schedule, as 2@7: number 2, first there before transition 7. `resync`: the next reverse-continue runs the command that
 * follows, if one does, and stops where the timeline is then; so GDB learns of a movement of fmc's, and can interrupt it.
 */
gdb_command gdb_ask_where, gdb_ask_last_write, gdb_ask_resync, gdb_ask_keep, gdb_ask_inferiors;

#endif
