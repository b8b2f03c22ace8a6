#ifndef FMC_REPLAY_GDB_PROCESS_H
#define FMC_REPLAY_GDB_PROCESS_H

#include "replay/text/text.h"

#include <fmc/replay/timeline.h>

/* What the system tells of the program's process; of several that whose memory is shown (timeline_show()). */

/* Its auxiliary vector as bytes; nothing if the process is gone. */
void gdb_process_auxv(struct timeline *timeline, struct text *bytes);

/* One value of it; 0 if it isn't there. */
uint64_t gdb_process_auxv_value(struct timeline *timeline, uint64_t type);

/*
 * A path as the program's processes would have it: in /proc each has the number of its memory plus one, `self` is the one that is shown, and threads have the
 * schedule's numbers. False if that is about a process or a thread that isn't there.
 */
bool gdb_process_path(struct timeline *timeline, const char *path, struct text *real);

/* The path of the file that it runs. */
void gdb_process_file(struct timeline *timeline, struct text *path);

#endif
