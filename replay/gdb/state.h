#ifndef FMC_REPLAY_GDB_STATE_H
#define FMC_REPLAY_GDB_STATE_H

#include "replay/text/text.h"

#include <fmc/replay/timeline.h>

/*
 * What threads and objects are doing where a timeline stands, in words; and what its schedule says of them. Transitions are
 * counted from 0 here, as lines of the schedule are, and said from 1.
 */

/* How many transitions have begun: all before the present part, and its own if somebody has moved in it. */
size_t gdb_state_done(const struct timeline *timeline);
/* The present part is a transition, and its thread has moved in it. */
bool gdb_state_inside(const struct timeline *timeline);

/* What part 0 is called: the program's beginning, or the saved state that the schedule begins in. */
const char *gdb_state_beginning(const struct timeline *timeline);

/* The model; NULL while there is no thread in it. */
const struct model *gdb_state_model(const struct timeline *timeline);

/* "before mutex_lock forks[1]", "waits for forks[1] held by T3, in mutex_lock". */
void gdb_state_thread(const struct timeline *timeline, uint32_t thread, struct text *text);

/* "forks[1]", "T3", "mutex 4" where there is no name. */
void gdb_state_name(const struct timeline *timeline, enum object_class class, uint32_t object,
		    struct text *text);

/* Who holds an object of the model, in "held by T3 since transition 9 (philosophers.c:34)", or what else is to be said of it. */
void gdb_state_object(const struct timeline *timeline, uint32_t object, struct text *text);

/* Does this line act on this object, which isn't a thread? */
bool gdb_state_acts_on(const struct schedule_line *line, uint32_t object);

/* The last of the first `end` lines that this is true of; SIZE_MAX: none. */
typedef bool gdb_state_test(const struct schedule_line *line, uint32_t thread, uint32_t object);
size_t gdb_state_last(const struct timeline *timeline, size_t end, gdb_state_test *test, uint32_t thread,
		      uint32_t object);

/* "T3", or of several processes "T2.1". */
void gdb_state_label(const struct timeline *timeline, uint32_t thread, struct text *text);

/* " (philosophers.c:34)", or nothing. */
void gdb_state_place(const struct schedule_line *line, struct text *text);

/* "philosophers.c:35": where a thread is in the program's own code, as its next transition or the end says. */
void gdb_state_own_place(const struct timeline *timeline, uint32_t thread, struct text *text);

/* "  9  T3   mutex_lock forks[1] = 0  philosophers.c:34  eat" with a line feed; numbers as wide as the longest. */
void gdb_state_line(const struct timeline *timeline, size_t i, struct text *text);

#endif
