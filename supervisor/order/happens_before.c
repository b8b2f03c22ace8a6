/*
 * Clocks and hashes, by what was touched. Accesses to one key come in groups that commute among themselves;
 * each member of a group happens after all members of the group before. So a key needs to remember two groups.
 */
#include <fmc/supervisor/happens_before.h>
#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

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
	uint32_t threads;
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

/* Make room for `needed` members of an array that may be NULL; false without memory. */
static bool reserve(void *array_pointer, size_t needed, size_t size)
{
	void **array = array_pointer;
	void *moved = reallocarray(*array, needed ? needed : 1, size);
	if (moved)
		*array = moved;
	return moved != NULL;
}

bool happens_before_start(struct happens_before *hb, const struct trace *trace, bool fair)
{
	hb->trace = trace;
	hb->fair = fair;
	hb->length = 0;
	hb->records_length = 0;
	hb->keys_length = 0;
	hb->key_clocks_length = 0;
	hb->threads = trace->threads_length;
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].thread >= hb->threads)
			hb->threads = trace->at[i].thread + 1;
	if (hb->keys)
		memset(hb->keys, 0, hb->keys_room * sizeof *hb->keys);
	size_t n = trace->length;
	bool ok = reserve(&hb->clocks, n * hb->threads, sizeof *hb->clocks) &&
		  reserve(&hb->index, n, sizeof *hb->index) &&
		  reserve(&hb->first_record, n + 1, sizeof *hb->first_record) &&
		  reserve(&hb->own, n, sizeof *hb->own) && reserve(&hb->prefix, n + 1, sizeof *hb->prefix) &&
		  reserve(&hb->last, hb->threads, sizeof *hb->last) &&
		  reserve(&hb->passed, hb->threads, sizeof *hb->passed);
	if (!ok)
		return false;
	hb->first_record[0] = 0;
	hb->prefix[0] = (struct trace_hash){0, 0};
	for (uint32_t t = 0; t < hb->threads; t++)
		hb->last[t] = NO_RECORD;
	return true;
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
		if (!reserve(&hb->key_clocks, room, sizeof *hb->key_clocks))
			return NO_RECORD;
		hb->key_clocks_room = room;
	}
	memset(hb->key_clocks + needed - hb->threads, 0, hb->threads * sizeof *hb->key_clocks);
	return hb->key_clocks_length++;
}

/* The state of a key, made if need be; NULL without memory. */
static struct key_state *find_key(struct happens_before *hb, uint64_t key)
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
	memset(clock_of(hb, &state->now), 0, hb->threads * sizeof(uint32_t));
}

static void join(uint32_t *to, const uint32_t *from, uint32_t threads)
{
	for (uint32_t t = 0; t < threads; t++)
		if (from[t] > to[t])
			to[t] = from[t];
}

static bool counts(const struct happens_before *hb, const struct access *access)
{
	return hb->fair || !touch_is_fair(access->key);
}

/* Of a transition with this past, number `index` of its thread. */
static struct trace_hash hash_event(struct trace_hash past, uint32_t t, uint32_t index, uint32_t kind,
				    int32_t choice)
{
	uint64_t label = (uint64_t)t << 32 | index;
	return mix_hash(mix_hash(past, mix(label, kind)), (uint64_t)(int64_t)choice);
}

/* The past of transition i: its clock without itself, and its hash. */
static bool look_back(struct happens_before *hb, size_t i, struct accesses accesses)
{
	const struct transition *transition = &hb->trace->at[i];
	uint32_t t = transition->thread, last = hb->last[t];
	uint32_t *clock = hb->clocks + i * hb->threads;
	struct trace_hash past = {0, 0};
	memset(clock, 0, hb->threads * sizeof *clock);
	if (last != NO_RECORD) {
		join(clock, hb->clocks + (size_t)last * hb->threads, hb->threads);
		past = mix_hash(hb->own[last], 1);
	}
	hb->index[i] = clock[t];
	for (uint32_t a = 0; a < accesses.length; a++) {
		const struct access *access = &accesses.at[a];
		if (!counts(hb, access))
			continue;
		struct key_state *state = find_key(hb, access->key);
		if (!state)
			return false;
		turn(hb, state, access->mode);
		join(clock, clock_of(hb, &state->before), hb->threads);
		add_hash(&past, mix_hash(state->before.hash, access->mode + 2));
	}
	clock[t] = hb->index[i] + 1;
	hb->own[i] = hash_event(past, t, hb->index[i], transition->op.kind, transition->choice);
	return true;
}

/* What adds to something that is limited would not if it were blocked. */
static uint32_t mode_elsewhere(const struct access *access)
{
	return access->mode == TOUCH_ADD && access->left != TOUCH_UNLIMITED ? TOUCH_WRITE : access->mode;
}

/* Transition i joins the present groups of what it touched. */
static bool enter_groups(struct happens_before *hb, size_t i, struct accesses accesses)
{
	size_t needed = hb->records_length + accesses.length;
	if (needed > hb->records_room) {
		size_t room = 2 * needed + 64;
		if (!reserve(&hb->records, room, sizeof *hb->records))
			return false;
		hb->records_room = room;
	}
	for (uint32_t a = 0; a < accesses.length; a++) {
		if (!counts(hb, &accesses.at[a]))
			continue;
		struct key_state *state = find_key(hb, accesses.at[a].key);
		uint32_t record = (uint32_t)hb->records_length++;
		hb->records[record] = (struct record){
		    .transition = (uint32_t)i,
		    .mode = accesses.at[a].mode,
		    .elsewhere = mode_elsewhere(&accesses.at[a]),
		    .previous = state->now.tail != NO_RECORD ? state->now.tail : state->before.tail,
		    .before = state->before.tail,
		};
		state->now.tail = record;
		add_hash(&state->now.hash, hb->own[i]);
		join(clock_of(hb, &state->now), hb->clocks + i * hb->threads, hb->threads);
	}
	hb->first_record[i + 1] = (uint32_t)hb->records_length;
	return true;
}

bool happens_before_push(struct happens_before *hb)
{
	size_t i = hb->length;
	FMC_ASSERT(i < hb->trace->length);
	struct accesses accesses = trace_accesses(hb->trace, i);
	if (!look_back(hb, i, accesses) || !enter_groups(hb, i, accesses))
		return false;
	hb->last[hb->trace->at[i].thread] = (uint32_t)i;
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
	return hb->clocks[j * hb->threads + hb->trace->at[i].thread] > hb->index[i];
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
	uint32_t last = thread < hb->threads ? hb->last[thread] : NO_RECORD;
	if (last != NO_RECORD)
		past = mix_hash(hb->own[last], 1);
	for (uint32_t a = 0; a < footprint.length; a++)
		if (counts(hb, &footprint.at[a]))
			add_hash(&past,
				 mix_hash(hash_before(hb, &footprint.at[a]), footprint.at[a].mode + 2));
	uint32_t index = last != NO_RECORD ? hb->index[last] + 1 : 0;
	add_hash(&hash, hash_event(past, thread, index, kind, choice));
	return hash;
}

static bool add_cursor(struct happens_before *hb, uint32_t record, uint32_t mode)
{
	if (record == NO_RECORD)
		return true;
	if (hb->cursors_length == hb->cursors_room) {
		size_t room = hb->cursors_room ? 2 * hb->cursors_room : 16;
		if (!reserve(&hb->cursors, room, sizeof *hb->cursors) ||
		    !reserve(&hb->cursor_modes, room, sizeof *hb->cursor_modes))
			return false;
		hb->cursors_room = room;
	}
	hb->cursors[hb->cursors_length] = record;
	hb->cursor_modes[hb->cursors_length++] = mode;
	return true;
}

/* Where the candidates of an access begin that is not in the trace. */
static bool add_cursor_after(struct happens_before *hb, const struct access *access)
{
	const struct key_state *state = find_key(hb, access->key);
	if (!state)
		return false;
	bool conflict = dependence_modes_conflict(state->mode, access->mode);
	return add_cursor(hb, conflict && state->now.tail != NO_RECORD ? state->now.tail : state->before.tail,
			  mode_elsewhere(access));
}

bool happens_before_candidates(struct happens_before *hb, size_t j, uint32_t thread,
			       struct accesses footprint)
{
	FMC_ASSERT(j <= hb->length && thread < hb->threads);
	hb->cursors_length = 0;
	hb->asking = thread;
	memset(hb->passed, 0, hb->threads * sizeof *hb->passed);
	if (j == hb->length) {
		if (hb->last[thread] != NO_RECORD)
			happens_before_pass(hb, hb->last[thread]);
		for (uint32_t a = 0; a < footprint.length; a++)
			if (counts(hb, &footprint.at[a]) && !add_cursor_after(hb, &footprint.at[a]))
				return false;
		return true;
	}
	for (size_t i = j; i-- > 0;)
		if (hb->trace->at[i].thread == thread) {
			happens_before_pass(hb, i);
			break;
		}
	for (uint32_t r = hb->first_record[j]; r < hb->first_record[j + 1]; r++)
		if (!add_cursor(hb, hb->records[r].before, hb->records[r].elsewhere))
			return false;
	return true;
}

/* Take all cursors off transition i; true iff one of them conflicts with it. */
static bool step_back(struct happens_before *hb, uint32_t i, bool past)
{
	bool conflict = false;
	for (size_t c = 0; c < hb->cursors_length;) {
		const struct record *record = &hb->records[hb->cursors[c]];
		if (record->transition != i) {
			c++;
			continue;
		}
		conflict |= dependence_modes_conflict(record->mode, hb->cursor_modes[c]);
		/* All before a write comes before it too. */
		if (record->previous == NO_RECORD || (past && record->mode == TOUCH_WRITE)) {
			hb->cursors[c] = hb->cursors[--hb->cursors_length];
			hb->cursor_modes[c] = hb->cursor_modes[hb->cursors_length];
		} else {
			hb->cursors[c++] = record->previous;
		}
	}
	return conflict;
}

size_t happens_before_candidate(struct happens_before *hb)
{
	while (hb->cursors_length > 0) {
		uint32_t latest = 0;
		for (size_t c = 0; c < hb->cursors_length; c++) {
			uint32_t i = hb->records[hb->cursors[c]].transition;
			latest = i > latest ? i : latest;
		}
		uint32_t t = hb->trace->at[latest].thread;
		bool past = t == hb->asking || hb->passed[t] > hb->index[latest];
		if (step_back(hb, latest, past) && !past)
			return latest;
	}
	return SIZE_MAX;
}

void happens_before_pass(struct happens_before *hb, size_t i)
{
	join(hb->passed, happens_before_clock(hb, i), hb->threads);
}
