#include "supervisor/certificate/history.h"

#include "supervisor/certificate/mix.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256

bool history_init(struct history *h, uint32_t threads, bool fair)
{
	*h = (struct history){.fair = fair, .threads = threads, .slots_room = FIRST_SLOTS};
	h->latest = malloc(threads * sizeof *h->latest);
	h->slots = calloc(h->slots_room, sizeof *h->slots);
	for (uint32_t t = 0; h->latest && t < threads; t++)
		h->latest[t] = NO_EVENT;
	return h->latest && h->slots;
}

void history_release(struct history *h)
{
	free(h->events);
	free(h->clocks);
	free(h->latest);
	free(h->accesses);
	free(h->entries);
	free(h->slots);
	*h = (struct history){0};
}

static struct slot *find_slot(const struct history *h, uint64_t key)
{
	uint64_t at = mix(key) & (h->slots_room - 1);
	while (h->slots[at].used && h->slots[at].key != key)
		at = (at + 1) & (h->slots_room - 1);
	return &h->slots[at];
}

static bool grow_slots(struct history *h)
{
	struct slot *old = h->slots;
	const uint32_t room = h->slots_room;
	struct slot *slots = calloc((size_t)room * 2, sizeof *slots);
	if (!slots)
		return false;
	h->slots = slots;
	h->slots_room = 2 * room;
	for (uint32_t i = 0; i < room; i++)
		if (old[i].used)
			*find_slot(h, old[i].key) = old[i];
	free(old);
	return true;
}

static uint32_t head_of(const struct history *h, uint64_t key)
{
	const struct slot *slot = find_slot(h, key);
	return slot->used ? slot->head : NO_EVENT;
}

static bool commute(uint32_t a, uint32_t b)
{
	return !dependence_modes_conflict(a, b);
}

static struct digest digest_begin(const struct history *h, uint32_t own, uint32_t thread, enum op_kind kind,
				  int32_t choice)
{
	const uint64_t what = mix((uint64_t)thread << 32 | (uint32_t)choice) ^ mix((uint64_t)kind << 32);
	struct digest digest = {mix(what), mix(what + 1)};
	if (own != NO_EVENT) {
		digest.low ^= mix(h->events[own].id.low);
		digest.high ^= mix(h->events[own].id.high + 1);
	}
	return digest;
}

/* It depends on a group of events with this sum. In which order it is told of them doesn't matter. */
static void digest_add(struct digest *digest, struct digest sum)
{
	digest->low += mix(sum.low ^ mix(sum.high));
	digest->high += mix(sum.high ^ mix(sum.low + 2));
}

static struct digest digest_end(struct digest digest)
{
	return (struct digest){mix(digest.low ^ mix(digest.high)), mix(digest.high + mix(digest.low))};
}

static void join(struct history *h, uint32_t *clock, uint32_t event)
{
	const uint32_t *other = h->clocks + (size_t)event * h->threads;
	for (uint32_t t = 0; t < h->threads; t++)
		if (other[t] > clock[t])
			clock[t] = other[t];
}

uint32_t history_group(const struct history *h, const struct access *access)
{
	const uint32_t head = head_of(h, access->key);
	return head == NO_EVENT || !commute(h->entries[head].mode, access->mode) ? head
										 : h->entries[head].group;
}

/* What an access depends on comes before the event that makes it. */
static void depend(struct history *h, uint32_t *clock, struct digest *digest, const struct access *access)
{
	const uint32_t last = history_group(h, access);
	if (last == NO_EVENT)
		return;
	digest_add(digest, h->entries[last].sum);
	const uint32_t end = h->entries[last].group;
	for (uint32_t e = last; e != end; e = h->entries[e].before)
		join(h, clock, h->entries[e].event);
}

static bool enter(struct history *h, const struct access *access, uint32_t number, struct digest id)
{
	if (2 * (h->slots_length + 1) > h->slots_room && !grow_slots(h))
		return false;
	if (!ARRAY_GROW(h->entries, h->entries_length, h->entries_room))
		return false;
	struct slot *slot = find_slot(h, access->key);
	if (!slot->used) {
		*slot = (struct slot){access->key, NO_EVENT, true};
		h->slots_length++;
	}
	const uint32_t head = slot->head;
	const bool joins = head != NO_EVENT && commute(h->entries[head].mode, access->mode);
	h->entries[h->entries_length] = (struct entry){
	    .key = access->key,
	    .mode = access->mode,
	    .event = number,
	    .limited = access->mode == TOUCH_ADD && access->left != TOUCH_UNLIMITED,
	    .before = head,
	    .group = joins ? h->entries[head].group : head,
	    .sum = joins ? digest_sum(h->entries[head].sum, id) : id,
	};
	slot->head = h->entries_length++;
	return true;
}

static bool keep_accesses(struct history *h, struct event *event, struct accesses footprint)
{
	event->first = h->accesses_length;
	for (uint32_t a = 0; a < footprint.length; a++) {
		if (!history_counts(h, footprint.at[a].key))
			continue;
		if (!ARRAY_GROW(h->accesses, h->accesses_length, h->accesses_room))
			return false;
		h->accesses[h->accesses_length++] = footprint.at[a];
	}
	event->accesses = h->accesses_length - event->first;
	return true;
}

bool history_push(struct history *h, uint32_t thread, enum op_kind kind, int32_t choice,
		  struct accesses footprint)
{
	const uint32_t number = h->length, own = h->latest[thread];
	if (!ARRAY_GROW(h->events, h->length, h->room) ||
	    !ARRAY_RESERVE(h->clocks, (size_t)h->room * h->threads, h->clocks_room))
		return false;
	struct event *event = &h->events[number];
	*event = (struct event){
	    .thread = thread, .own = own, .kind = (uint16_t)kind, .entries = h->entries_length};
	event->index = own == NO_EVENT ? 0 : h->events[own].index + 1;
	if (!keep_accesses(h, event, footprint))
		return false;
	uint32_t *clock = h->clocks + (size_t)number * h->threads;
	struct digest digest = digest_begin(h, own, thread, kind, choice);
	memset(clock, 0, h->threads * sizeof *clock);
	if (own != NO_EVENT)
		join(h, clock, own);
	for (uint32_t a = 0; a < event->accesses; a++)
		depend(h, clock, &digest, &h->accesses[event->first + a]);
	clock[thread] = event->index + 1;
	event->id = digest_end(digest);
	event->sum = number ? digest_sum(h->events[number - 1].sum, event->id) : event->id;
	h->length++;
	h->latest[thread] = number;
	for (uint32_t a = 0; a < event->accesses; a++)
		if (!enter(h, &h->accesses[event->first + a], number, event->id))
			return false;
	return true;
}

void history_pop(struct history *h)
{
	const struct event *event = &h->events[--h->length];
	while (h->entries_length > event->entries) {
		const struct entry *entry = &h->entries[--h->entries_length];
		find_slot(h, entry->key)->head = entry->before;
	}
	h->latest[event->thread] = event->own;
	h->accesses_length = event->first;
}

/* The kept events of the group that ends with this entry, summed up. */
static bool sum_kept(const struct history *h, uint32_t last, struct without without, struct digest *sum)
{
	const uint32_t end = h->entries[last].group;
	bool any = false;
	for (uint32_t e = last; e != end; e = h->entries[e].before) {
		if (!history_keeps(h, h->entries[e].event, without))
			continue;
		*sum = digest_sum(*sum, h->events[h->entries[e].event].id);
		any = true;
	}
	return any;
}

/*
 * The group that an access depends on when some events are left out: groups of which nothing is kept vanish, and those on both sides of
 * one become one group if their modes commute.
 */
static bool group_ahead(const struct history *h, struct without without, const struct access *access,
			struct digest *sum)
{
	uint32_t last = head_of(h, access->key), mode = 0;
	bool found = false;
	while (last != NO_EVENT) {
		const struct entry *entry = &h->entries[last];
		if (!found && commute(entry->mode, access->mode)) {
			last = entry->group;
			continue;
		}
		struct digest kept = {0, 0};
		if (sum_kept(h, last, without, &kept)) {
			if (found && !commute(entry->mode, mode))
				return true;
			*sum = digest_sum(*sum, kept);
			mode = entry->mode;
			found = true;
		}
		last = entry->group;
	}
	return found;
}

struct digest history_ahead(const struct history *h, struct without without, uint32_t own, uint32_t thread,
			    enum op_kind kind, int32_t choice, struct accesses footprint)
{
	struct digest digest = digest_begin(h, own, thread, kind, choice);
	for (uint32_t a = 0; a < footprint.length; a++) {
		struct digest sum = {0, 0};
		if (history_counts(h, footprint.at[a].key) && group_ahead(h, without, &footprint.at[a], &sum))
			digest_add(&digest, sum);
	}
	return digest_end(digest);
}
