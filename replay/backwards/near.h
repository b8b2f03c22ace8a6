#ifndef FMC_REPLAY_BACKWARDS_NEAR_H
#define FMC_REPLAY_BACKWARDS_NEAR_H

#include "replay/timeline/timeline.h"

/*
 * To run from image to image. Slices are short at first, and the longer the longer it takes, so that their number
 * stays small.
 */
#define SLICE_US      20u
#define SLICES_OF_ONE 24u
void slices_begin(struct timeline *timeline, unsigned us);
const struct event *slices_next(struct timeline *timeline);

enum nearing {
	NEAR_THERE,    /* one instruction before it, counted */
	NEAR_NONE,     /* there is no instruction in between */
	NEAR_UNCOPIED, /* no image can be had where it stands; nobody outside of near.c gets to see this */
	NEAR_ELSEWHERE, /* interrupted, failed, or at the part's beginning for want of an image: *move or the remark say so */
};
/*
 * To one instruction before the traps in force stop it next, or before the end of the part. Where that is far, images bring
 * it nearer: the last bit alone is counted.
 */
enum nearing near_next(struct timeline *timeline, struct move *move);
/* One instruction back within the part, however the place was come to. */
enum nearing near_before(struct timeline *timeline, struct move *move);

/*
 * An image here, and freely on towards the traps in force with more of them, to the last of which it goes back. False: no image can be
 * had, or *broken, and *move says why.
 */
bool near_closer(struct timeline *timeline, bool *broken, struct move *move);

/* It stands after an instruction that has touched this: take note of where that may begin. */
void touch_note(struct timeline *timeline, const struct user_watch *watch);
/* From the stop before to before the instruction that touches this and ends at `behind`. */
enum touch {
	TOUCH_FOUND,
	TOUCH_MISSED, /* it stands anywhere */
	TOUCH_BROKEN, /* *move says why */
};
enum touch touch_go(struct timeline *timeline, const struct user_watch *watch, uint64_t behind,
		    struct move *move);

/*
 * The same for a breakpoint at which it stands: `leading`, taken there, are the places that lead to it; from the stop before to the
 * first of them. MISSED: it has come another way.
 */
struct leading {
	uint64_t at[TOUCHING_MOST];
	size_t length;
};
void lead_note(struct timeline *timeline, struct leading *leading);
enum touch lead_go(struct timeline *timeline, const struct segment *segment, const struct leading *leading,
		   struct move *move);

#endif
