#include "supervisor/execution/state.h"

#include <fmc/supervisor/states.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* Sets of digests of 128 bits, by open addressing; all zeros are a free place. */
struct key {
	uint64_t low, high;
};

/* How a state was come to. */
struct arrival {
	uint32_t depth; /* the least number of transitions */
	int64_t clock;	/* when it was new */
};

struct key_set {
	struct key *at;
	size_t room, length;
	bool has_arrivals;
	struct arrival *arrivals; /* of each place */
};

struct states {
	struct key_set states, paths, visited;
	struct state_visit *visits; /* of the present execution */
	size_t visits_length, visits_room;
	struct key *
	    path_states; /* of the present execution, by depth: a search that goes depth first has been there; zeros: not told */
	size_t path_states_room;
	bool deep;	 /* an execution has come to where the search takes no other ways any more */
	struct key path; /* of the present execution: its steps so far */
	size_t path_length;
	bool fresh;	  /* it has come to a new state */
	bool other_clock; /* when the last state that was visited was new */
	struct states_count count;
};

#define SET_ROOM 1024

static struct key mix(struct key key, uint64_t word)
{
	key.low = (key.low ^ word) * UINT64_C(0x9fb21c651e98df25);
	key.low ^= key.low >> 32;
	key.high = (key.high + word) * UINT64_C(0xd6e8feb86659fd93);
	key.high ^= key.high >> 29;
	return key;
}

static struct key mix_words(struct key key, const void *bytes, size_t size)
{
	uint64_t word = 0;
	for (size_t i = 0; i + sizeof word <= size; i += sizeof word) {
		memcpy(&word, (const char *)bytes + i, sizeof word);
		key = mix(key, word);
	}
	word = 0;
	memcpy(&word, (const char *)bytes + size / sizeof word * sizeof word, size % sizeof word);
	return mix(key, word);
}

/* Where it is, or the free place for it. There has to be one. */
static size_t place_of(const struct key_set *set, struct key key)
{
	size_t i = key.low & (set->room - 1);
	while ((set->at[i].low || set->at[i].high) &&
	       (set->at[i].low != key.low || set->at[i].high != key.high))
		i = (i + 1) & (set->room - 1);
	return i;
}

static void release(struct key_set *set)
{
	free(set->at);
	free(set->arrivals);
	*set = (struct key_set){.has_arrivals = set->has_arrivals};
}

static bool grow(struct key_set *set)
{
	struct key_set larger = {.room = set->room ? 2 * set->room : SET_ROOM,
				 .length = set->length,
				 .has_arrivals = set->has_arrivals};
	larger.at = calloc(larger.room, sizeof *larger.at);
	if (set->has_arrivals)
		larger.arrivals = calloc(larger.room, sizeof *larger.arrivals);
	if (!larger.at || (set->has_arrivals && !larger.arrivals)) {
		release(&larger);
		return false;
	}
	for (size_t i = 0; i < set->room; i++) {
		if (!set->at[i].low && !set->at[i].high)
			continue;
		const size_t place = place_of(&larger, set->at[i]);
		larger.at[place] = set->at[i];
		if (set->has_arrivals)
			larger.arrivals[place] = set->arrivals[i];
	}
	release(set);
	*set = larger;
	return true;
}

/* Where it is now; *fresh: it wasn't there. SIZE_MAX without memory. */
static size_t enter(struct key_set *set, struct key key, bool *fresh)
{
	*fresh = false;
	if (2 * (set->length + 1) > set->room && !grow(set))
		return SIZE_MAX;
	key.low |= !key.low && !key.high;
	const size_t i = place_of(set, key);
	*fresh = !set->at[i].low && !set->at[i].high;
	set->at[i] = key;
	set->length += *fresh;
	return i;
}

/* The same; false without memory. */
static bool add(struct key_set *set, struct key key, bool *fresh)
{
	return enter(set, key, fresh) != SIZE_MAX;
}

struct states *states_new(void)
{
	struct states *states = calloc(1, sizeof *states);
	if (states)
		states->visited.has_arrivals = true;
	return states;
}

void states_free(struct states *states)
{
	if (!states)
		return;
	release(&states->states);
	release(&states->paths);
	release(&states->visited);
	free(states->visits);
	free(states->path_states);
	free(states);
}

void states_begin(struct states *states)
{
	states->path = (struct key){1, 2};
	states->path_length = 0;
	states->fresh = false;
	states->visits_length = 0;
}

void states_end(struct states *states)
{
	states->count.executions++;
	states->count.quiet = states->fresh ? 0 : states->count.quiet + 1;
}

/* What an object is, and how it stands; nothing for one that stands as it was found. */
static struct key object_key(const struct execution *x, const struct trace *trace, uint32_t object,
			     uint64_t identity)
{
	const struct model *model = x->block.model;
	struct object_state now, first;
	struct key key = mix((struct key){identity, 3}, (uint64_t)model_object_class(model, object));
	model_object_state(model, object, &now);
	first = object < trace->objects_length ? trace->objects[object] : now;
	const bool rests = now.class < CLASS_USER && now.sleepers == 0 && now.owner == first.owner &&
			   now.count == first.count && now.type == first.type &&
			   now.spurious == first.spurious && now.destroyed == first.destroyed;
	if (rests)
		return (struct key){0, 0};
	key = mix(mix(mix(key, now.type), now.owner), now.count);
	key = mix(mix(mix(key, now.sleepers), now.spurious), now.destroyed);
	return now.class >= CLASS_USER ? mix_words(key, now.user, sizeof now.user) : key;
}

static uint64_t identity_of(const struct execution *x, uint32_t object)
{
	const struct machine_ops *ops = x->machine->ops;
	return object != NO_OBJECT && ops->identity ? ops->identity(x->machine, object) : object;
}

static struct key thread_key(const struct execution *x, struct key key, uint32_t t)
{
	const struct model *model = x->block.model;
	const struct op *op = model_pending(model, t);
	const bool thread = op_class(op->kind) == CLASS_THREAD;
	uint64_t words[MODEL_THREAD_WORDS];
	model_thread_words(model, t, words);
	for (int i = 0; i < MODEL_THREAD_WORDS; i++)
		key = mix(key, words[i]);
	key = mix(key, thread ? op->object : identity_of(x, op->object));
	key = mix(key, identity_of(x, op->object2));
	return mix(key, op->place);
}

static struct key model_key(const struct execution *x, const struct trace *trace)
{
	const struct model *model = x->block.model;
	struct key key = mix((struct key){5, 7}, model_threads(model)), objects = {0, 0};
	for (uint32_t t = 0; t < model_threads(model); t++)
		key = thread_key(x, key, t);
	for (uint32_t o = 0; o < model_objects(model); o++) {
		/* In no order. */
		const struct key one = object_key(x, trace, o, identity_of(x, o));
		objects.low += one.low;
		objects.high += one.high;
	}
	return mix(mix(key, objects.low), objects.high);
}

static bool known_path(struct states *states, const struct trace *trace, bool *known)
{
	bool fresh;
	/* It may have been begun anew. */
	if (trace->length < states->path_length) {
		states->path = (struct key){1, 2};
		states->path_length = 0;
	}
	for (; states->path_length < trace->length; states->path_length++) {
		const struct transition *t = &trace->at[states->path_length];
		states->path = mix(mix(states->path, t->thread), (uint64_t)(int64_t)t->choice);
	}
	const bool good = add(&states->paths, states->path, &fresh);
	*known = !fresh;
	return good;
}

bool states_told(const struct model *model)
{
	bool told = true;
	for (uint32_t o = 0; o < model_objects(model) && told; o++) {
		const enum object_class class = model_object_class(model, o);
		struct object_state state;
		told = class != CLASS_CONNECTION;
		if (class != CLASS_QUEUE)
			continue;
		model_object_state(model, o, &state);
		told = state.count == 0;
	}
	return told;
}

bool states_see(struct states *states, const struct execution *execution, const struct trace *trace)
{
	struct machine *machine = execution->machine;
	const struct machine_ops *ops = machine->ops;
	bool known = false, fresh = false;
	uint64_t memory[2];
	if (states->count.failed || !known_path(states, trace, &known)) {
		states->count.failed = true;
		return false;
	}
	if (known)
		return true;
	if (!states_told(execution->block.model) ||
	    !(ops->state ? ops->state(machine, memory) : ops->digest(machine, memory)) ||
	    !add(&states->states, mix(mix(model_key(execution, trace), memory[0]), memory[1]), &fresh)) {
		states->count.failed = true;
		return false;
	}
	states->fresh |= fresh;
	states->count.states = states->states.length;
	return true;
}

/* The execution has been begun anew: what follows the states that it had come to hasn't been explored. False without memory. */
static bool take_back(struct states *states)
{
	struct key_set rest = {.has_arrivals = true}, own = {0};
	bool fresh, good = true;
	for (size_t i = 0; i < states->visits_length && good; i++) {
		const uint64_t *digest = states->visits[i].digest;
		good = add(&own, (struct key){digest[0], digest[1]}, &fresh);
	}
	for (size_t i = 0; i < states->visited.room && good; i++) {
		const struct key key = states->visited.at[i];
		const struct key found = own.room ? own.at[place_of(&own, key)] : (struct key){0, 0};
		if ((!key.low && !key.high) || found.low || found.high)
			continue;
		const size_t place = enter(&rest, key, &fresh);
		good = place != SIZE_MAX;
		if (good)
			rest.arrivals[place] = states->visited.arrivals[i];
	}
	release(&own);
	if (!good) {
		release(&rest);
		return false;
	}
	release(&states->visited);
	states->visited = rest;
	states->visits_length = 0;
	return true;
}

/*
 * The execution has come to this state; *fresh: none has before. Once the depth has ended executions one that comes to a state with fewer
 * transitions sees more of what follows, and counts as the first. False without memory.
 */
static bool arrive(struct states *states, const struct trace *trace, struct key key, int64_t clock,
		   bool *fresh)
{
	const size_t length = states->visits_length;
	const bool anew = length > 0 && states->visits[length - 1].before >= trace->length;
	if ((anew && !take_back(states)) ||
	    !ARRAY_GROW(states->visits, states->visits_length, states->visits_room))
		return false;
	const size_t place = enter(&states->visited, key, fresh);
	if (place == SIZE_MAX)
		return false;
	struct arrival *first = &states->visited.arrivals[place];
	*fresh |= states->deep && trace->length < first->depth;
	if (*fresh)
		*first = (struct arrival){(uint32_t)trace->length, clock};
	states->other_clock = first->clock != clock;
	states->visits[states->visits_length++] = (struct state_visit){trace->length, {key.low, key.high}};
	return true;
}

const struct state_visit *states_visits(const struct states *states, size_t *length)
{
	*length = states->visits_length;
	return states->visits;
}

/* The state at this depth of the execution. False without memory. */
static bool note_path(struct states *states, size_t depth, struct key key)
{
	if (!ARRAY_RESERVE(states->path_states, depth + 1, states->path_states_room))
		return false;
	states->path_states[depth] = key;
	return true;
}

/* Has the execution been in this state before? It could go round for ever then, which is to be seen. */
static bool goes_round(const struct states *states, size_t depth, struct key key)
{
	for (size_t i = 0; i < depth; i++)
		if (states->path_states[i].low == key.low && states->path_states[i].high == key.high)
			return true;
	return false;
}

bool states_visited(struct states *states, const struct execution *execution, const struct trace *trace,
		    const struct state_beside *beside)
{
	struct machine *machine = execution->machine;
	const struct policy *policy = &execution->plan->policy;
	const bool fair = policy->fair_k != 0;
	bool fresh;
	uint64_t memory[2];
	/* A state that can't be told is no other one's. */
	if (!states_told(execution->block.model) || !machine->ops->digest(machine, memory)) {
		(void)note_path(states, trace->length, (struct key){0, 0}); /* nothing more depends on it */
		return false;
	}
	struct key key =
	    mix(mix(model_key(execution, trace), memory[0]), mix((struct key){11, 13}, beside->digest).low);
	key = mix(key, memory[1]);
	if (fair)
		key = mix_words(key, execution->fair, fair_bytes(execution->fair_room));
	states->deep |= policy->max_depth != 0 && trace->length >= policy->max_depth;
	if (!note_path(states, trace->length, key) || !arrive(states, trace, key, beside->clock, &fresh))
		return false;
	const bool pruned = !fresh && !(fair && goes_round(states, trace->length, key));
	states->count.visited = states->visited.length;
	states->count.pruned += pruned;
	states->count.other_clock += pruned && states->other_clock;
	return pruned;
}

void states_forget(struct states *states)
{
	release(&states->visited);
	states->deep = false;
}

struct states_count states_count(const struct states *states)
{
	return states->count;
}
