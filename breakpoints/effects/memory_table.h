#ifndef FMC_BREAKPOINTS_EFFECTS_MEMORY_TABLE_H
#define FMC_BREAKPOINTS_EFFECTS_MEMORY_TABLE_H

#include "breakpoints/effects/memory_parts.h"

/* The tables of memory_calls.c, in any order; the last row of each has no name. */
extern const struct memory_call memory_table_texts[], memory_table_files[], memory_table_threads[],
    memory_table_system[];
#define MEMORY_CALLS_MOST 2048

#define READS(argument, extent)                                                                              \
	{                                                                                                    \
		argument, extent, false, 0                                                                   \
	}
#define WRITES(argument, extent)                                                                             \
	{                                                                                                    \
		argument, extent, true, 0                                                                    \
	}
#define READS_BYTES(argument, bytes)                                                                         \
	{                                                                                                    \
		argument, FIXED, false, bytes                                                                \
	}
#define WRITES_BYTES(argument, bytes)                                                                        \
	{                                                                                                    \
		argument, FIXED, true, bytes                                                                 \
	}
#define READS_EACH(argument, times, type)                                                                    \
	{                                                                                                    \
		argument, times, false, sizeof(type)                                                         \
	}
#define WRITES_EACH(argument, times, type)                                                                   \
	{                                                                                                    \
		argument, times, true, sizeof(type)                                                          \
	}
#define WRITES_STATE(state, type)                                                                            \
	{                                                                                                    \
		state, STATE, true, sizeof(type)                                                             \
	}
#define MORE			  READS(0, REST)
#define READS_OF(argument, type)  READS_BYTES(argument, sizeof(type))
#define WRITES_OF(argument, type) WRITES_BYTES(argument, sizeof(type))
/* What libc keeps to itself for who gives a null pointer for a place of his own. */
#define WRITES_UNLESS(argument, state)                                                                       \
	{                                                                                                    \
		state, STATE_UNLESS, true, argument                                                          \
	}
/* Variables that libc writes for the program. */
#define WRITES_ZONE                                                                                          \
	WRITES_STATE(TIME_ZONE, long), WRITES_STATE(ZONE_NAMES, char *[2]), WRITES_STATE(DAYLIGHT, int)
#define WRITES_OPTIONS WRITES(OPTION, STATE), WRITES(OPTION_ARGUMENT, STATE), WRITES(OPTION_LETTER, STATE)
#define WRITES_ERRORS  WRITES_STATE(ERROR_COUNT, unsigned)
#define READS_UNLESS(argument, state)                                                                        \
	{                                                                                                    \
		state, STATE_UNLESS, false, argument                                                         \
	}
#define SHIFT(argument, state) WRITES_OF(argument, mbstate_t), WRITES_UNLESS(argument, state)
/*
 * Streams. Who reads, seeks or asks where it is depends on whatever others do with the stream. Of two who write to standard output or the
 * error output neither does, only what is seen differs: so that counts as a read, and all else as a write, since what is in a file or in
 * memory may be read later.
 */
#define STREAM_WRITTEN(argument) READS(argument, STREAM_OBJECT), WRITES(argument, STREAM_KEPT)
#define STREAM_USED(argument)	 WRITES(argument, STREAM_OBJECT)

#endif
