#ifndef FMC_REPLAY_TIMELINE_CHANGE_H
#define FMC_REPLAY_TIMELINE_CHANGE_H

#include "replay/timeline/timeline.h"

#include <fmc/supervisor/bitset.h>

#define THREADS_MOST 4096

/* A copy of the process in which the user has changed something. */
struct change {
	struct image *image;
	bool gone;
	uint64_t written[THREADS_MOST / BITSET_WORD_BITS]; /* threads whose registers have been */
};

/* The copy's thread of this number; NULL: it has none. */
struct tracee *changed_tracee(const struct timeline *timeline, uint32_t thread);

#endif
