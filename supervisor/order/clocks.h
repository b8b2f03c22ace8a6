#ifndef FMC_SUPERVISOR_ORDER_CLOCKS_H
#define FMC_SUPERVISOR_ORDER_CLOCKS_H

#include <fmc/supervisor/happens_before.h>

/* The inside of the happens-before relation: happens_before.c makes it, candidates.c walks it back. */

#define NO_RECORD UINT32_MAX

struct group {
	struct trace_hash hash; /* the sum of its members' */
	uint32_t tail;		/* its last record */
	uint32_t clock;		/* into clocks_of_keys, in units of `threads`: the join of its members' */
};

struct key_state {
	uint64_t key;
	uint32_t mode; /* of the present group */
	bool used;
	struct group now, before;
};

/* One access of one transition. */
struct record {
	uint32_t transition;
	uint32_t mode;
	uint32_t elsewhere; /* what the mode might be before others than it was performed after */
	uint32_t previous;  /* the one before it to the same key */
	uint32_t before;    /* the last of the group before its own */
};

struct happens_before {
	const struct trace *trace;
	bool fair;
	bool bare;	  /* only hashes: neither clocks nor records */
	bool apart;	  /* clocks are of lanes, not of threads: */
	uint32_t threads; /* so many */
	size_t length, room;
	uint32_t *clocks; /* length x threads */
	uint32_t *index;
	uint32_t *first_record; /* one more than transitions */
	struct trace_hash *own, *prefix;
	uint32_t *last; /* of each thread: its last transition, NO_RECORD if none */
	uint32_t threads_room;

	struct record *records;
	size_t records_length, records_room;
	struct key_state *keys; /* open addressing */
	uint32_t keys_length, keys_room;
	uint32_t *key_clocks;
	uint32_t key_clocks_length;
	size_t key_clocks_room;

	uint32_t *cursors; /* of the candidates */
	size_t cursors_length, cursors_room;
	uint32_t *passed; /* a clock: what comes before candidates that were passed */
	uint32_t *cursor_modes;
	uint32_t asking; /* whose candidates */
};

/* Make room for `needed` members of an array that may be NULL; false without memory. */
bool clocks_reserve(void *array_pointer, size_t needed, size_t size);

/* The state of a key, made if need be; NULL without memory. */
struct key_state *happens_before_key(struct happens_before *hb, uint64_t key);

/* Of transition i. */
static inline uint32_t clocks_lane(const struct happens_before *hb, size_t i)
{
	return lane_of(transition_step(&hb->trace->at[i]), hb->apart);
}

static inline void clocks_join(uint32_t *to, const uint32_t *from, uint32_t threads)
{
	for (uint32_t t = 0; t < threads; t++)
		if (from[t] > to[t])
			to[t] = from[t];
}

static inline bool access_counts(const struct happens_before *hb, const struct access *access)
{
	return hb->fair || !touch_is_fair(access->key);
}

/* What adds to something that is limited would not if it were blocked. */
static inline uint32_t access_elsewhere(const struct access *access)
{
	return access->mode == TOUCH_ADD && access->left != TOUCH_UNLIMITED ? TOUCH_WRITE : access->mode;
}

#endif
