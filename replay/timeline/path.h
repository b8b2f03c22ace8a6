#ifndef FMC_REPLAY_TIMELINE_PATH_H
#define FMC_REPLAY_TIMELINE_PATH_H

#include "replay/timeline/event.h"
#include "replay/timeline/traps.h"

#include <sys/user.h>

/* One segment of the path from a part's beginning to a place in it. */
enum segment_kind {
	SEGMENT_STEPS,	/* so many instructions */
	SEGMENT_BREAK,	/* to the count-th arrival at `address` */
	SEGMENT_WATCH,	/* to the count-th touch of what `watch` says */
	SEGMENT_SIGNAL, /* to the count-th signal */
	SEGMENT_LOST,	/* to where the running thread has `registers`, as far as that can be told */
};

struct segment {
	enum segment_kind kind;
	uint64_t count;
	uint64_t address;
	struct user_watch watch;
	struct user_regs_struct registers;
};

struct path {
	struct segment *segments;
	size_t length, room;
};

/* A place with its instructions counted from a root. */
struct spot {
	size_t part;
	uint32_t root;
	uint64_t steps;
};
void path_clear(struct path *path);
void path_release(struct path *path);
/* Where the event has come about: a further segment, or the steps counted. */
void path_note(struct timeline *timeline, const struct event *event);
/* Come here again: to the root, then along the path. */
bool go_path(struct timeline *timeline, const struct spot *from, const struct path *path, struct move *move);
/* Go there: the beginning of a part, then so many instructions, or this segment. */
bool go_to_part(struct timeline *timeline, size_t part, struct move *move);
bool go_to_step(struct timeline *timeline, size_t part, uint64_t steps, struct move *move);
/* The same from any root; and to the root itself. */
bool go_to_spot(struct timeline *timeline, const struct spot *spot, struct move *move);
bool go_to_root(struct timeline *timeline, size_t part, uint32_t root, struct move *move);
/* Asked at each step that is counted: has the user had enough? He is asked now and then. */
bool path_is_enough(struct timeline *timeline);
/* From where it stands by this segment, freely; false: it ends elsewhere, *move says so. */
bool go_segment(struct timeline *timeline, const struct segment *segment, struct move *move);
/* Nothing but the trap of this segment is in force; NULL: nothing at all. */
void use_own(struct timeline *timeline, const struct segment *segment);
/* Does this part end in a loop that waits for another thread? Then `registers` are those that repeat. */
bool ends_in_loop(struct timeline *timeline, size_t part, struct user_regs_struct *registers);
/*
 * How many instructions a part has; of one that ends in a loop which only another thread can end, to where that begins to
 * repeat. STEPS_MOST: too many to be counted.
 */
#define STEPS_MOST 1000000u
bool count_steps(struct timeline *timeline, size_t part, uint64_t *steps, struct move *move);
/* From the part's beginning to where the running thread had these registers; false: that isn't met in STEPS_MOST. */
bool walk_to_registers(struct timeline *timeline, size_t part, const struct user_regs_struct *registers,
		       struct move *move);
/* To the part's beginning, since it has too many instructions to go anywhere else in it; the next stop says so. */
bool go_to_long_part(struct timeline *timeline, size_t part, struct move *move);

#endif
