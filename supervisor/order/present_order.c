#include <fmc/supervisor/present_order.h>

#include <fmc/supervisor/dependence.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define THREADS 64 /* that are told apart; in executions of more nothing is certain */

/* Of each thread how many of its transitions come before. */
struct clock {
	uint32_t of[THREADS];
};

/* As in happens_before.c: each member of the present group comes after all of the group before. */
struct key {
	uint64_t key;
	uint32_t mode; /* of the present group */
	uint32_t
	    clock; /* plus 1: clocks[clock - 1] is the group's before, the next one the present group's; 0: the place is free */
	bool any; /* the present group has members */
};

struct present_order {
	size_t length;	 /* transitions taken in */
	uint32_t *index; /* of each: how many its thread had performed before */
	size_t index_room;
	uint32_t performed[THREADS];
	struct clock last[THREADS]; /* of each thread's last transition */
	bool ended[THREADS];	    /* that was its last one */
	size_t joined
	    [THREADS];	  /* plus 1: the first one of another thread that came after its end; 0: none has */
	struct key *keys; /* open addressing */
	size_t keys_length, keys_room;
	struct clock *clocks;
	size_t clocks_length, clocks_room;
	struct clock now; /* of transition `present`, plus 1 */
	size_t present;
	bool failed;
};

struct present_order *present_order_new(void)
{
	return calloc(1, sizeof(struct present_order));
}

void present_order_free(struct present_order *order)
{
	if (!order)
		return;
	free(order->index);
	free(order->keys);
	free(order->clocks);
	free(order);
}

void present_order_begin(struct present_order *order)
{
	order->length = order->keys_length = order->clocks_length = order->present = 0;
	memset(order->performed, 0, sizeof order->performed);
	memset(order->last, 0, sizeof order->last);
	memset(order->ended, 0, sizeof order->ended);
	memset(order->joined, 0, sizeof order->joined);
	if (order->keys)
		memset(order->keys, 0, order->keys_room * sizeof *order->keys);
	order->failed = false;
}

static void join(struct clock *to, const struct clock *from)
{
	for (unsigned t = 0; t < THREADS; t++)
		to->of[t] = from->of[t] > to->of[t] ? from->of[t] : to->of[t];
}

/* Where the key is, or would be. */
static struct key *place_of(struct key *keys, size_t room, uint64_t key)
{
	size_t slot = (key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
	while (keys[slot].clock && keys[slot].key != key)
		slot = (slot + 1) & (room - 1);
	return &keys[slot];
}

static bool grow_keys(struct present_order *order)
{
	const size_t room = order->keys_room ? 2 * order->keys_room : 256;
	struct key *keys = calloc(room, sizeof *keys);
	if (!keys)
		return false;
	for (size_t i = 0; i < order->keys_room; i++)
		if (order->keys[i].clock)
			*place_of(keys, room, order->keys[i].key) = order->keys[i];
	free(order->keys);
	order->keys = keys;
	order->keys_room = room;
	return true;
}

static struct clock *clock_before(struct present_order *order, const struct key *key)
{
	return &order->clocks[key->clock - 1];
}

static struct clock *clock_now(struct present_order *order, const struct key *key)
{
	return &order->clocks[key->clock];
}

/* Made if need be; NULL without memory. */
static struct key *key_of(struct present_order *order, uint64_t number)
{
	if (2 * (order->keys_length + 1) > order->keys_room && !grow_keys(order))
		return NULL;
	struct key *key = place_of(order->keys, order->keys_room, number);
	if (key->clock)
		return key;
	if (!ARRAY_RESERVE(order->clocks, order->clocks_length + 2, order->clocks_room))
		return NULL;
	*key = (struct key){.key = number, .mode = TOUCH_READ, .clock = (uint32_t)order->clocks_length + 1};
	memset(&order->clocks[order->clocks_length], 0, 2 * sizeof *order->clocks);
	order->clocks_length += 2;
	order->keys_length++;
	return key;
}

/* Does an access of this mode come after the present group, too? */
static bool comes_after(const struct key *key, uint32_t mode)
{
	return key->any && dependence_modes_conflict(key->mode, mode);
}

/* A transition that touches these: what comes before it, without itself. */
static void look_back(struct present_order *order, uint32_t thread, struct accesses touched,
		      struct clock *clock)
{
	*clock = order->last[thread];
	for (uint32_t i = 0; i < touched.length && order->keys_room; i++) {
		const struct access *access = &touched.at[i];
		const struct key *key = place_of(order->keys, order->keys_room, access->key);
		if (key->clock && !touch_is_fair(access->key))
			join(clock, comes_after(key, access->mode) ? clock_now(order, key)
								   : clock_before(order, key));
	}
}

/* It has been performed: it joins the groups of what it touched. */
static bool enter(struct present_order *order, struct accesses touched, const struct clock *clock)
{
	for (uint32_t i = 0; i < touched.length; i++) {
		const struct access *access = &touched.at[i];
		if (touch_is_fair(access->key))
			continue;
		struct key *key = key_of(order, access->key);
		if (!key)
			return false;
		if (comes_after(key, access->mode)) {
			*clock_before(order, key) = *clock_now(order, key);
			*clock_now(order, key) = (struct clock){{0}};
		}
		key->mode = access->mode;
		key->any = true;
		join(clock_now(order, key), clock);
	}
	return true;
}

/* Is the end of this thread, which has ended, among what is touched? */
static bool is_touched(struct accesses touched, uint32_t thread)
{
	for (uint32_t i = 0; i < touched.length; i++)
		if (touched.at[i].key == touch_key(TOUCH_THREAD, thread))
			return true;
	return false;
}

static void note_joined(struct present_order *order, uint32_t by, size_t transition, struct accesses touched)
{
	for (uint32_t t = 0; t < THREADS; t++)
		if (t != by && order->ended[t] && !order->joined[t] && is_touched(touched, t))
			order->joined[t] = transition + 1;
}

static bool push(struct present_order *order, const struct trace *trace)
{
	const size_t i = order->length;
	const struct transition *transition = &trace->at[i];
	const struct accesses touched = trace_accesses(trace, i);
	const uint32_t thread = transition->thread;
	struct clock clock;
	if (thread >= THREADS || !ARRAY_GROW(order->index, order->length, order->index_room))
		return false;
	look_back(order, thread, touched, &clock);
	note_joined(order, thread, i, touched);
	order->index[order->length++] = order->performed[thread];
	clock.of[thread] = ++order->performed[thread];
	order->last[thread] = clock;
	order->ended[thread] = transition->flags & TRANSITION_EXITS;
	return enter(order, touched, &clock);
}

/* Does transition i, which has been taken in, come before the present one? */
static bool is_before_present(const struct present_order *order, const struct trace *trace, size_t i)
{
	return order->now.of[trace->at[i].thread] > order->index[i];
}

static bool is_ordered(const struct present_order *order, const struct trace *trace, struct accesses touched,
		       uint32_t first, size_t earlier)
{
	const uint32_t next = order->index[earlier] + 1;
	if (order->now.of[first] > next)
		return true;
	if (!order->ended[first] || next < order->performed[first])
		return false;
	return order->joined[first] ? is_before_present(order, trace, order->joined[first] - 1)
				    : is_touched(touched, first);
}

bool present_ordered(struct present_order *order, const struct trace *trace, struct accesses touched,
		     uint32_t first, size_t earlier, size_t present)
{
	if (order->failed || present + 1 != trace->length || earlier >= present ||
	    trace->at[earlier].thread != first)
		return false;
	while (order->length < present && !order->failed)
		order->failed = !push(order, trace);
	const uint32_t thread = trace->at[present].thread;
	if (order->failed || order->length != present || thread >= THREADS)
		return false;
	if (order->present != present + 1)
		look_back(order, thread, touched, &order->now);
	order->present = present + 1;
	return is_ordered(order, trace, touched, first, earlier);
}
