#ifndef FMC_SUPERVISOR_CERTIFICATE_HISTORY_H
#define FMC_SUPERVISOR_CERTIFICATE_HISTORY_H

#include <fmc/supervisor/dependence.h>

#include <stddef.h>

/*
 * The causal order of the transitions on the path from the root to where the check is: events are pushed and popped.
 *
 * An event is known by a digest of its thread, operation and choice and of the events that it directly depends on: so of all its
 * past. Two executions that have an event with this digest have all that comes before it in common, in the same order as far as
 * that matters. An execution is one up to the order of independent transitions by the set of its events, whose digests are summed
 * up; and a set of events, each with its past, is the beginning of an execution if that has all of them.
 */
struct digest {
	uint64_t low, high;
};

static inline struct digest digest_sum(struct digest a, struct digest b)
{
	return (struct digest){a.low + b.low, a.high + b.high};
}

static inline bool digest_equal(struct digest a, struct digest b)
{
	return a.low == b.low && a.high == b.high;
}

#define NO_EVENT UINT32_MAX

struct event {
	uint32_t node, thread;
	uint32_t index;		  /* among those of its thread */
	uint32_t own;		  /* the one before it of its thread, or NO_EVENT */
	uint16_t kind;		  /* of the operation */
	uint32_t object;	  /* its first one */
	uint32_t yields;	  /* of its thread up to it */
	struct digest id;	  /* of it and its past */
	struct digest sum;	  /* of it and all before it on the path */
	uint32_t first, accesses; /* its footprint, in history->accesses */
	uint32_t entries;	  /* history->entries before it */
};

/*
 * What was done to one thing, from the latest back. Neighbours of one mode that commute form a group: each depends on the group before
 * it and on none of its own.
 */
struct entry {
	uint64_t key;
	uint32_t mode, event;
	bool limited;	   /* an addition, of which there were only so many */
	uint32_t before;   /* the entry before it, or NO_EVENT */
	uint32_t group;	   /* the last entry of the group before its own, or NO_EVENT */
	struct digest sum; /* of the events of its group up to it */
};

struct slot {
	uint64_t key;
	uint32_t head; /* the latest entry, or NO_EVENT */
	bool used;
};

struct history {
	bool fair; /* the priorities count */
	uint32_t threads;
	struct event *events;
	uint32_t length, room;
	uint32_t *clocks; /* of each event, how many events of each thread are it or before it */
	size_t clocks_room;
	uint32_t *latest; /* of each thread its last event, or NO_EVENT */
	struct access *accesses;
	uint32_t accesses_length, accesses_room;
	struct entry *entries;
	uint32_t entries_length, entries_room;
	struct slot *slots;
	uint32_t slots_length, slots_room;
};

bool history_init(struct history *history, uint32_t threads, bool fair); /* false without memory */
void history_release(struct history *history);

/* A step of this thread with this footprint comes next. Fills in all of the event but node and object. False without memory. */
bool history_push(struct history *history, uint32_t thread, enum op_kind kind, int32_t choice,
		  struct accesses footprint);

/* Take back the last one. */
void history_pop(struct history *history);

/* Must a come before b, or is it b? */
static inline bool history_before(const struct history *h, uint32_t a, uint32_t b)
{
	return h->clocks[(size_t)b * h->threads + h->events[a].thread] > h->events[a].index;
}

/* Does such an access count? */
static inline bool history_counts(const struct history *h, uint64_t key)
{
	return h->fair || !touch_is_fair(key);
}

/* The last entry of the group that an access which comes next depends on, or NO_EVENT. */
uint32_t history_group(const struct history *history, const struct access *access);

/* Events that are left out, with all that happens after them; NO_EVENT twice: none. */
struct without {
	uint32_t one, other;
};

/* Is the event still there? */
static inline bool history_keeps(const struct history *h, uint32_t event, struct without without)
{
	return (without.one == NO_EVENT || event < without.one || !history_before(h, without.one, event)) &&
	       (without.other == NO_EVENT || event < without.other ||
		!history_before(h, without.other, event));
}

/*
 * The digest of an event of this thread with this footprint, after those events of the path that are kept. `own`: the last of them of its
 * thread.
 */
struct digest history_ahead(const struct history *history, struct without without, uint32_t own,
			    uint32_t thread, enum op_kind kind, int32_t choice, struct accesses footprint);

#endif
