#ifndef FMC_REPLAY_GDB_TEXTS_H
#define FMC_REPLAY_GDB_TEXTS_H

#include "replay/text/text.h"

#include <fmc/replay/timeline.h>

/*
 * What a user asks for in GDB, answered in whole lines from where the timeline stands.
 */

/* Every thread and what it is doing; who runs or goes next is marked. */
void gdb_text_threads(struct timeline *timeline, struct text *text);

/* Objects, how they stand and who waits for them; only those that have been touched or are waited for unless `all`. */
void gdb_text_objects(struct timeline *timeline, bool all, struct text *text);

/* So many lines of the schedule around here; the one that comes next or is being performed is marked. */
void gdb_text_schedule(struct timeline *timeline, size_t count, struct text *text);

/* Why a thread can't go on: whom it waits for, whom that one waits for and so on, and what happened before. */
void gdb_text_why(struct timeline *timeline, uint32_t thread, struct text *text);

/* Leave the schedule: this thread goes on here. Says what comes of it; false: it can't be, and why. */
bool gdb_text_branch(struct timeline *timeline, uint32_t thread, struct text *text);

/* Write what is followed to a file; one that exists isn't replaced. `branched`: it isn't the one that was opened. */
void gdb_text_save(struct timeline *timeline, const char *path, bool branched, struct text *text);

#endif
