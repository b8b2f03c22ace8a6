/* The graph of what has been run. */
#include "replay/minimize/known.h"

#include <stdlib.h>
#include <string.h>

void known_release(struct known *known)
{
	free(known->states);
	free(known->slots);
	free(known->ways);
	free(known->targets);
	*known = (struct known){0};
}

static bool same_class(struct trace_hash a, struct trace_hash b)
{
	return a.low == b.low && a.high == b.high;
}

/* The slot of a class, or the free one where it would be. */
static uint32_t find_slot(const struct known *known, struct trace_hash class)
{
	uint32_t slot = (uint32_t)(class.low ^ class.high >> 32) & (known->slots_room - 1);
	while (known->slots[slot] && !same_class(known->states[known->slots[slot] - 1].class, class))
		slot = (slot + 1) & (known->slots_room - 1);
	return slot;
}

/* Twice the room for states; false without memory or beyond KNOWN_STATES. */
static bool grow(struct known *known)
{
	uint32_t room = known->room ? 2 * known->room : 256;
	if (room > KNOWN_STATES)
		return false;
	struct known_state *states = reallocarray(known->states, room, sizeof *states);
	if (!states)
		return false;
	known->states = states;
	uint32_t *slots = calloc((size_t)2 * room, sizeof *slots);
	if (!slots)
		return false;
	free(known->slots);
	known->slots = slots;
	known->slots_room = 2 * room;
	known->room = room;
	for (uint32_t i = 0; i < known->length; i++)
		slots[find_slot(known, states[i].class)] = i + 1;
	return true;
}

/* The state of this class, made if need be; its number + 1, 0 without room. */
static uint32_t add_state(struct known *known, struct trace_hash class)
{
	if (known->length == known->room && !grow(known))
		return 0;
	uint32_t slot = find_slot(known, class);
	if (!known->slots[slot]) {
		known->states[known->length] = (struct known_state){.class = class, .end = MINIMIZE_UNKNOWN};
		known->slots[slot] = ++known->length;
	}
	return known->slots[slot];
}

static bool add_ways(struct known *known, struct known_state *state, const struct alternative *ways,
		     uint32_t count)
{
	if (known->ways_length + count > known->ways_room) {
		uint32_t room = 2 * known->ways_room + count + 256;
		struct alternative *moved = reallocarray(known->ways, room, sizeof *moved);
		if (!moved)
			return false;
		known->ways = moved;
		uint32_t *targets = reallocarray(known->targets, room, sizeof *targets);
		if (!targets)
			return false;
		known->targets = targets;
		known->ways_room = room;
	}
	state->first_way = known->ways_length;
	state->ways = count;
	memcpy(known->ways + known->ways_length, ways, count * sizeof *ways);
	memset(known->targets + known->ways_length, 0, count * sizeof *known->targets);
	known->ways_length += count;
	return true;
}

/* How an execution ends is a matter of its class alone where the program itself ends it. */
static bool ends_by_class(enum end_reason end)
{
	return end == END_EXIT || end == END_SIGNAL || end == END_DEADLOCK;
}

void known_add(struct known *known, const struct happens_before *hb, const struct trace *trace,
	       enum minimize_end end)
{
	uint32_t at = add_state(known, happens_before_hash(hb, 0));
	for (size_t i = 0; i < trace->length && at; i++) {
		const struct transition *transition = &trace->at[i];
		struct known_state *state = &known->states[at - 1];
		const struct alternative *open = trace->alternatives + transition->first_alternative;
		if (state->ways == 0 && !add_ways(known, state, open, transition->alternatives))
			return;
		uint32_t first = state->first_way, ways = state->ways;
		at = add_state(known, happens_before_hash(hb, i + 1));
		for (uint32_t w = first; w < first + ways; w++)
			if (step_equal(known->ways[w].step, transition_step(transition)))
				known->targets[w] = at;
	}
	if (at && ends_by_class(trace->end))
		known->states[at - 1].end = end;
}

/* Where the schedule goes from this state: the next one + 1, or 0. Keeps count of transitions. */
static uint32_t follow(const struct known *known, const struct known_state *state,
		       const struct deviation *list, size_t length, uint32_t *previous, uint64_t *steps,
		       uint32_t room)
{
	const struct alternative *ways = known->ways + state->first_way;
	uint64_t done = *previous == NO_THREAD ? 0 : steps[*previous];
	uint32_t thread = deviation_thread(list, length, *previous, done, ways, state->ways);
	if (thread >= room)
		return 0;
	size_t way = deviation_alternative(list, length, thread, steps[thread], ways, state->ways);
	*previous = thread;
	steps[thread]++;
	return known->targets[state->first_way + way];
}

enum minimize_end known_end(const struct known *known, const struct deviation *list, size_t length)
{
	uint32_t threads = 0;
	for (uint32_t w = 0; w < known->ways_length; w++)
		if (threads <= known->ways[w].step.thread)
			threads = known->ways[w].step.thread + 1;
	uint64_t *steps = calloc((size_t)threads + 1, sizeof *steps);
	uint32_t previous = NO_THREAD;
	enum minimize_end end = MINIMIZE_UNKNOWN;
	/* The first state that was ever added is the beginning; a class is never longer than those after it. */
	uint32_t at = steps && known->length ? 1 : 0;
	while (at) {
		const struct known_state *state = &known->states[at - 1];
		end = state->end;
		at = end == MINIMIZE_UNKNOWN && state->ways
			 ? follow(known, state, list, length, &previous, steps, threads)
			 : 0;
	}
	free(steps);
	return end;
}

void class_set_release(struct class_set *set)
{
	free(set->slots);
	*set = (struct class_set){0};
}

static struct trace_hash *class_slot(struct trace_hash *slots, size_t room, struct trace_hash class)
{
	size_t slot = (class.low ^ class.high >> 32) & (room - 1);
	while ((slots[slot].low | slots[slot].high) && !same_class(slots[slot], class))
		slot = (slot + 1) & (room - 1);
	return &slots[slot];
}

bool class_set_add(struct class_set *set, struct trace_hash class, bool *failed)
{
	/* The empty trace's class marks free slots; nobody comes by it twice. */
	if (!(class.low | class.high))
		return true;
	if (2 * set->length >= set->room) {
		size_t room = set->room ? 2 * set->room : 512;
		struct trace_hash *slots = calloc(room, sizeof *slots);
		if (!slots) {
			*failed = true;
			return true;
		}
		for (size_t i = 0; i < set->room; i++)
			if (set->slots[i].low | set->slots[i].high)
				*class_slot(slots, room, set->slots[i]) = set->slots[i];
		free(set->slots);
		set->slots = slots;
		set->room = room;
	}
	struct trace_hash *slot = class_slot(set->slots, set->room, class);
	if (same_class(*slot, class))
		return false;
	*slot = class;
	set->length++;
	return true;
}
