#ifndef FMC_REPLAY_TIMELINE_MARK_H
#define FMC_REPLAY_TIMELINE_MARK_H

#include "replay/timeline/timeline.h"

/* A place to return to. */
struct timeline_mark {
	struct timeline_mark *next;
	struct spot spot;
	bool counted;
	struct path path;
	uint64_t digest;
};

#endif
