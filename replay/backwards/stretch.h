#ifndef FMC_REPLAY_BACKWARDS_STRETCH_H
#define FMC_REPLAY_BACKWARDS_STRETCH_H

#include "replay/timeline/timeline.h"

/*
 * The end of a part: a stretch that isn't longer than it has to be, from an image on. Where that is can't be told beforehand: the program runs
 * to the end of the part and images are kept on the way; how much processor time the thread has used from each to the end is known then.
 */
#define WAITING 64u

struct waiting {
	uint32_t root; /* of the image */
	unsigned pass;
	uint64_t since, length; /* nanoseconds; length: from there to the end, once the pass is over */
};

struct stretch {
	struct waiting waiting[WAITING]; /* images that were passed, the latest last */
	size_t waiting_length;
	unsigned pass;
	uint64_t process_since; /* what the process had used at the latest of them */
	uint64_t length;	/* of the one that was found, 0: none has been */
	uint64_t too_short;	/* 0: nothing was */
	uint64_t too_long;
	uint64_t least, most; /* so long it is to be: most, where that can be had */
};

void stretch_begin(struct stretch *stretch);
/* The one that was found is too short: so many times as long at least, though not as long as what was too long. */
void stretch_lengthen(struct stretch *stretch, uint64_t times);
/*
 * There is none so long, or too much in it: less than that, though not as short as what was too short. False: hardly anything lies between
 * them.
 */
bool stretch_shorten(struct stretch *stretch, uint64_t too_long);
/* From where it stands to the end of its part; false: interrupted, and *move says so. sliced: images are kept on the way. */
bool stretch_run_out(struct stretch *stretch, struct timeline *timeline, bool sliced, struct move *move);

enum approached {
	APPROACHED,	   /* it stands at an image, where the stretch begins */
	APPROACHED_NONE,   /* no image can be had, or none that is far enough from the end */
	APPROACHED_BROKEN, /* *move says why */
};
/* From where it stands, somewhere in a part. */
enum approached stretch_approach(struct stretch *stretch, struct timeline *timeline, struct move *move);

#endif
