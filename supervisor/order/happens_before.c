/*
 * Clocks and hashes, by what was touched. Accesses to one key come in groups that commute among themselves;
 * each member of a group happens after all members of the group before. So a key needs to remember two groups.
 */
#include "supervisor/order/clocks.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

struct happens_before *happens_before_new(void)
{
	return calloc(1, sizeof(struct happens_before));
}

void happens_before_free(struct happens_before *hb)
{
	if (!hb)
		return;
	free(hb->clocks);
	free(hb->index);
	free(hb->first_record);
	free(hb->own);
	free(hb->prefix);
	free(hb->last);
	free(hb->records);
	free(hb->keys);
	free(hb->key_clocks);
	free(hb->cursors);
	free(hb->cursor_modes);
	free(hb->passed);
	free(hb);
}

bool clocks_reserve(void *array_pointer, size_t needed, size_t size)
{
	void **array = array_pointer;
	void *moved = reallocarray(*array, needed ? needed : 1, size);
	if (moved)
		*array = moved;
	return moved != NULL;
}

/* A trace that tells how its threads have ended tells of all. */
static uint32_t count_threads(const struct trace *trace)
{
	uint32_t threads = trace->threads_length;
	for (size_t i = 0; trace->threads_length == 0 && i < trace->length; i++)
		if (trace->at[i].thread >= threads)
			threads = trace->at[i].thread + 1;
	return threads;
}

static bool start(struct happens_before *hb, const struct trace *trace, bool fair, bool apart, bool bare)
{
	hb->bare = bare;
	hb->trace = trace;
	hb->fair = fair;
	hb->apart = apart;
	hb->length = 0;
	hb->records_length = 0;
	hb->keys_length = 0;
	hb->key_clocks_length = 0;
	hb->threads = lanes(count_threads(trace), apart);
	if (hb->keys)
		memset(hb->keys, 0, hb->keys_room * sizeof *hb->keys);
	size_t n = trace->length;
	bool ok = (bare || clocks_reserve(&hb->clocks, n * hb->threads, sizeof *hb->clocks)) &&
		  clocks_reserve(&hb->index, n, sizeof *hb->index) &&
		  clocks_reserve(&hb->first_record, n + 1, sizeof *hb->first_record) &&
		  clocks_reserve(&hb->own, n, sizeof *hb->own) &&
		  clocks_reserve(&hb->prefix, n + 1, sizeof *hb->prefix) &&
		  clocks_reserve(&hb->last, hb->threads, sizeof *hb->last) &&
		  clocks_reserve(&hb->passed, hb->threads, sizeof *hb->passed);
	if (!ok)
		return false;
	hb->first_record[0] = 0;
	hb->prefix[0] = (struct trace_hash){0, 0};
	for (uint32_t t = 0; t < hb->threads; t++)
		hb->last[t] = NO_RECORD;
	return true;
}

bool happens_before_start(struct happens_before *hb, const struct trace *trace, bool fair)
{
	return start(hb, trace, fair, trace->apart, false);
}

bool happens_before_start_hash(struct happens_before *hb, const struct trace *trace)
{
	return start(hb, trace, false, trace->apart, true);
}

bool happens_before_start_threads(struct happens_before *hb, const struct trace *trace)
{
	return start(hb, trace, false, false, false);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product =
	    (unsigned __int128)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xd6e8feb86659fd93));
	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (a << 17 | a >> 47);
}

static void add_hash(struct trace_hash *sum, struct trace_hash hash)
{
	sum->low += hash.low;
	sum->high += hash.high;
}

static struct trace_hash mix_hash(struct trace_hash hash, uint64_t word)
{
	return (struct trace_hash){mix(hash.low, word), mix(word + 1, hash.high ^ hash.low)};
}

static size_t slot_of(const struct key_state *keys, uint32_t room, uint64_t key)
{
	size_t slot = mix(key, 0) & (room - 1);
	while (keys[slot].used && keys[slot].key != key)
		slot = (slot + 1) & (room - 1);
	return slot;
}

static bool grow_keys(struct happens_before *hb)
{
	uint32_t room = hb->keys_room ? 2 * hb->keys_room : 64;
	struct key_state *keys = calloc(room, sizeof *keys);
	if (!keys)
		return false;
	for (uint32_t i = 0; i < hb->keys_room; i++)
		if (hb->keys[i].used)
			keys[slot_of(keys, room, hb->keys[i].key)] = hb->keys[i];
	free(hb->keys);
	hb->keys = keys;
	hb->keys_room = room;
	return true;
}

static uint32_t *clock_of(struct happens_before *hb, const struct group *group)
{
	return hb->key_clocks + (size_t)group->clock * hb->threads;
}

static uint32_t new_clock(struct happens_before *hb)
{
	size_t needed = (size_t)(hb->key_clocks_length + 1) * hb->threads;
	if (needed > hb->key_clocks_room) {
		size_t room = 2 * needed + 64;
		if (!clocks_reserve(&hb->key_clocks, room, sizeof *hb->key_clocks))
			return NO_RECORD;
		hb->key_clocks_room = room;
	}
	memset(hb->key_clocks + needed - hb->threads, 0, hb->threads * sizeof *hb->key_clocks);
	return hb->key_clocks_length++;
}

struct key_state *happens_before_key(struct happens_before *hb, uint64_t key)
{
	if (2 * (hb->keys_length + 1) > hb->keys_room && !grow_keys(hb))
		return NULL;
	struct key_state *state = &hb->keys[slot_of(hb->keys, hb->keys_room, key)];
	if (state->used)
		return state;
	*state = (struct key_state){.key = key, .mode = TOUCH_READ, .used = true};
	hb->keys_length++;
	state->now.tail = state->before.tail = NO_RECORD;
	state->now.clock = new_clock(hb);
	state->before.clock = new_clock(hb);
	return state->now.clock == NO_RECORD || state->before.clock == NO_RECORD ? NULL : state;
}

/* An access that conflicts with the present group begins a new one. */
static void turn(struct happens_before *hb, struct key_state *state, uint32_t mode)
{
	if (!dependence_modes_conflict(state->mode, mode) || state->now.tail == NO_RECORD) {
		state->mode = mode;
		return;
	}
	uint32_t clock = state->before.clock;
	state->before = state->now;
	state->now = (struct group){.tail = NO_RECORD, .clock = clock};
	state->mode = mode;
	if (!hb->bare)
		memset(clock_of(hb, &state->now), 0, hb->threads * sizeof(uint32_t));
}

/* Of a transition with this past, number `index` of its thread. */
static struct trace_hash hash_event(struct trace_hash past, uint32_t t, uint32_t index, uint32_t kind,
				    int32_t choice)
{
	uint64_t label = (uint64_t)t << 32 | index;
	return mix_hash(mix_hash(past, mix(label, kind)), (uint64_t)(int64_t)choice);
}

/* So many more keys have room after this, so that the states of others stay where they are. */
static bool reserve_keys(struct happens_before *hb, uint32_t more)
{
	while (2 * (hb->keys_length + more) > hb->keys_room)
		if (!grow_keys(hb))
			return false;
	return true;
}

/* The clock of transition i by what its own thread has done. */
static void begin_clock(struct happens_before *hb, size_t i, uint32_t last)
{
	uint32_t *clock = hb->clocks + i * hb->threads;
	memset(clock, 0, hb->threads * sizeof *clock);
	if (last != NO_RECORD)
		clocks_join(clock, hb->clocks + (size_t)last * hb->threads, hb->threads);
}

/* The states of the keys that a transition touches, those of the first so many accesses. */
#define STATES 16

static struct key_state *state_of(struct happens_before *hb, struct key_state **states, uint32_t a,
				  const struct access *access)
{
	return a < STATES ? states[a] : happens_before_key(hb, access->key);
}

/* The past of transition i: its clock without itself, and its hash. */
static bool look_back(struct happens_before *hb, size_t i, struct accesses accesses,
		      struct key_state *states[STATES])
{
	const struct transition *transition = &hb->trace->at[i];
	uint32_t t = clocks_lane(hb, i), last = hb->last[t];
	uint32_t *clock = hb->bare ? NULL : hb->clocks + i * hb->threads;
	struct trace_hash past = {0, 0};
	if (!hb->bare)
		begin_clock(hb, i, last);
	if (last != NO_RECORD)
		past = mix_hash(hb->own[last], 1);
	hb->index[i] = last != NO_RECORD ? hb->index[last] + 1 : 0;
	for (uint32_t a = 0; a < accesses.length; a++) {
		const struct access *access = &accesses.at[a];
		if (!access_counts(hb, access))
			continue;
		struct key_state *state = happens_before_key(hb, access->key);
		if (!state)
			return false;
		if (a < STATES)
			states[a] = state;
		turn(hb, state, access->mode);
		if (clock)
			clocks_join(clock, clock_of(hb, &state->before), hb->threads);
		add_hash(&past, mix_hash(state->before.hash, access->mode + 2));
	}
	if (clock)
		clock[t] = hb->index[i] + 1;
	/* What a thread has pending as it flushes is its own lane's. */
	const bool flush = hb->apart && transition->choice == CHOICE_FLUSH;
	hb->own[i] = hash_event(past, t, hb->index[i], flush ? OP_MEMORY_FLUSH : transition->op.kind,
				transition->choice);
	return true;
}

/* Transition i joins the present groups of what it touched. */
static void enter_hashes(struct happens_before *hb, size_t i, struct accesses accesses,
			 struct key_state *states[STATES])
{
	for (uint32_t a = 0; a < accesses.length; a++) {
		if (!access_counts(hb, &accesses.at[a]))
			continue;
		struct key_state *state = state_of(hb, states, a, &accesses.at[a]);
		state->now.tail = (uint32_t)i;
		add_hash(&state->now.hash, hb->own[i]);
	}
}

/* The same with clocks and records. */
static bool enter_groups(struct happens_before *hb, size_t i, struct accesses accesses,
			 struct key_state *states[STATES])
{
	size_t needed = hb->records_length + accesses.length;
	if (needed > hb->records_room) {
		size_t room = 2 * needed + 64;
		if (!clocks_reserve(&hb->records, room, sizeof *hb->records))
			return false;
		hb->records_room = room;
	}
	for (uint32_t a = 0; a < accesses.length; a++) {
		if (!access_counts(hb, &accesses.at[a]))
			continue;
		struct key_state *state = state_of(hb, states, a, &accesses.at[a]);
		uint32_t record = (uint32_t)hb->records_length++;
		hb->records[record] = (struct record){
		    .transition = (uint32_t)i,
		    .mode = accesses.at[a].mode,
		    .elsewhere = access_elsewhere(&accesses.at[a]),
		    .previous = state->now.tail != NO_RECORD ? state->now.tail : state->before.tail,
		    .before = state->before.tail,
		};
		state->now.tail = record;
		add_hash(&state->now.hash, hb->own[i]);
		clocks_join(clock_of(hb, &state->now), hb->clocks + i * hb->threads, hb->threads);
	}
	hb->first_record[i + 1] = (uint32_t)hb->records_length;
	return true;
}

bool happens_before_push(struct happens_before *hb)
{
	size_t i = hb->length;
	FMC_ASSERT(i < hb->trace->length);
	struct accesses accesses = trace_accesses(hb->trace, i);
	struct key_state *states[STATES];
	if (!reserve_keys(hb, accesses.length) || !look_back(hb, i, accesses, states))
		return false;
	if (hb->bare)
		enter_hashes(hb, i, accesses, states);
	else if (!enter_groups(hb, i, accesses, states))
		return false;
	hb->last[clocks_lane(hb, i)] = (uint32_t)i;
	hb->prefix[i + 1] = hb->prefix[i];
	add_hash(&hb->prefix[i + 1], hb->own[i]);
	hb->length++;
	return true;
}

bool happens_before_push_all(struct happens_before *hb)
{
	while (hb->length < hb->trace->length)
		if (!happens_before_push(hb))
			return false;
	return true;
}

bool happens_before(const struct happens_before *hb, size_t i, size_t j)
{
	FMC_ASSERT(i < hb->length && j < hb->length);
	return hb->clocks[j * hb->threads + clocks_lane(hb, i)] > hb->index[i];
}

const uint32_t *happens_before_clock(const struct happens_before *hb, size_t i)
{
	FMC_ASSERT(i < hb->length);
	return hb->clocks + i * hb->threads;
}

uint32_t happens_before_threads(const struct happens_before *hb)
{
	return hb->threads;
}

struct trace_hash happens_before_hash(const struct happens_before *hb, size_t n)
{
	FMC_ASSERT(n <= hb->length);
	return hb->prefix[n];
}

/* Of the group that an access to this key would come after. */
static struct trace_hash hash_before(const struct happens_before *hb, const struct access *access)
{
	if (hb->keys_room == 0)
		return (struct trace_hash){0, 0};
	const struct key_state *state = &hb->keys[slot_of(hb->keys, hb->keys_room, access->key)];
	if (!state->used)
		return (struct trace_hash){0, 0};
	bool turns = state->now.tail != NO_RECORD && dependence_modes_conflict(state->mode, access->mode);
	return turns ? state->now.hash : state->before.hash;
}

struct trace_hash happens_before_ahead(const struct happens_before *hb, uint32_t thread, enum op_kind kind,
				       int32_t choice, struct accesses footprint)
{
	struct trace_hash past = {0, 0}, hash = hb->prefix[hb->length];
	FMC_ASSERT(!hb->apart);
	uint32_t last = thread < hb->threads ? hb->last[thread] : NO_RECORD;
	if (last != NO_RECORD)
		past = mix_hash(hb->own[last], 1);
	for (uint32_t a = 0; a < footprint.length; a++)
		if (access_counts(hb, &footprint.at[a]))
			add_hash(&past,
				 mix_hash(hash_before(hb, &footprint.at[a]), footprint.at[a].mode + 2));
	uint32_t index = last != NO_RECORD ? hb->index[last] + 1 : 0;
	add_hash(&hash, hash_event(past, thread, index, kind, choice));
	return hash;
}
