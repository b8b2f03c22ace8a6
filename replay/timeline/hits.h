#ifndef FMC_REPLAY_TIMELINE_HITS_H
#define FMC_REPLAY_TIMELINE_HITS_H

#include "replay/timeline/event.h"
#include "replay/timeline/traps.h"

/* What was stopped at on the way, and how to come there again. */
struct hit {
	struct event event;
	size_t part;
	bool at_beginning; /* of the part; else it is */
	uint32_t root;
	uint64_t count; /* the so-manieth after this root */
	/* Of a watchpoint: where it was noticed; the arrivals at the instruction `by` since the hit before (or the root), 0: unknown. */
	uint64_t behind, by, arrivals;
	bool counted; /* instead: after so many instructions from the part's beginning */
	uint64_t steps;
};

struct hits {
	struct hit *at;
	size_t length, room;
	struct traps traps; /* what was to be stopped at */
	size_t part;	    /* from the beginning of this one on: */
	bool cut;	    /* or from somewhere in it */
	size_t here;	    /* the timeline stands where this one is, counted from 1; 0: elsewhere */
};

void hits_begin(struct hits *hits, const struct traps *traps, size_t part);
bool hits_add(struct hits *hits, const struct hit *hit); /* false without memory */
void hits_clear(struct hits *hits);
void hits_release(struct hits *hits);
/* After so many hits from the old root there is an image now, which is a root of its own. */
void hits_change_root(struct hits *hits, size_t part, uint32_t old, uint64_t count, uint32_t root);
/* And no more: they are counted from the other root again, which it came so many hits after. */
void hits_rebase(struct hits *hits, size_t part, uint32_t root, uint32_t base, uint64_t count);
bool hits_uses(const struct hits *hits, uint32_t root);

#endif
