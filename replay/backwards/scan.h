#ifndef FMC_REPLAY_BACKWARDS_SCAN_H
#define FMC_REPLAY_BACKWARDS_SCAN_H

#include "replay/timeline/timeline.h"

/*
 * Execute from an image before this part up to its beginning: timeline->hits are then those on the way. The more
 * images it goes back at once, the longer takes that, and the sooner is it through. Of a part with many of them only the last may be
 * there, more than `after` if there are. False: *move says why not.
 */
bool scan_before(struct timeline *timeline, const struct traps *traps, size_t part, size_t images,
		 uint64_t after, struct move *move);
/* How many there are from here to the end of the part. */
bool scan_behind(struct timeline *timeline, struct traps *traps, uint64_t *count, struct move *move);
/* Those are in force: to the next that counts, what else is met is timeline->event. */
struct scanner {
	struct timeline *timeline;
	const struct traps *traps; /* what counts */
	bool second;		   /* a breakpoint where a watchpoint has just stopped it */
};
/* From a root or a part's beginning, where it stands. */
void scanner_begin(struct scanner *scanner, struct timeline *timeline, const struct traps *traps);
bool scanner_next(struct scanner *scanner, struct event *hit);

#endif
