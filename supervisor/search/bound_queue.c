#include "supervisor/search/bound_queue.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

/* The longest encoding of one number. */
#define MOST_BYTES 10u

void bound_queue_init(struct bound_queue *list)
{
	memset(list, 0, sizeof *list);
}

void bound_queue_release(struct bound_queue *list)
{
	free(list->bytes);
	free(list->last);
	bound_queue_init(list);
}

void bound_queue_clear(struct bound_queue *list)
{
	list->length = list->read = list->last_length = 0;
	list->count = list->taken = 0;
}

static bool reserve_bytes(struct bound_queue *list, size_t more)
{
	if (list->length + more <= list->room)
		return true;
	size_t room = list->room ? list->room : 1024;
	while (room < list->length + more)
		room *= 2;
	uint8_t *bytes = realloc(list->bytes, room);
	if (!bytes)
		return false;
	list->bytes = bytes;
	list->room = room;
	return true;
}

static bool reserve_last(struct bound_queue *list, size_t length)
{
	if (length <= list->last_room)
		return true;
	size_t room = list->last_room ? list->last_room : 64;
	while (room < length)
		room *= 2;
	struct step *last = reallocarray(list->last, room, sizeof *last);
	if (!last)
		return false;
	list->last = last;
	list->last_room = room;
	return true;
}

static void put(struct bound_queue *list, uint64_t number)
{
	while (number >= 0x80) {
		list->bytes[list->length++] = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	list->bytes[list->length++] = (uint8_t)number;
}

static uint64_t get(struct bound_queue *list)
{
	uint64_t number = 0;
	for (unsigned shift = 0;; shift += 7) {
		FMC_ASSERT(list->read < list->length);
		uint8_t byte = list->bytes[list->read++];
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
}

static void put_step(struct bound_queue *list, struct step step)
{
	put(list, step.thread);
	/* Choices are near zero on both sides: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
	put(list, step.choice < 0 ? 2 * (uint64_t)(-(int64_t)step.choice) - 1 : 2 * (uint64_t)step.choice);
}

static struct step get_step(struct bound_queue *list)
{
	uint32_t thread = (uint32_t)get(list);
	uint64_t choice = get(list);
	int64_t value = choice & 1 ? -(int64_t)(choice / 2) - 1 : (int64_t)(choice / 2);
	return (struct step){.thread = thread, .choice = (int32_t)value};
}

static void put_state(struct bound_queue *list, struct trace_hash state)
{
	bool known = state.low != 0 || state.high != 0;
	put(list, known);
	if (!known)
		return;
	memcpy(list->bytes + list->length, &state, sizeof state);
	list->length += sizeof state;
}

static struct trace_hash get_state(struct bound_queue *list)
{
	struct trace_hash state = {0, 0};
	if (!get(list))
		return state;
	FMC_ASSERT(list->read + sizeof state <= list->length);
	memcpy(&state, list->bytes + list->read, sizeof state);
	list->read += sizeof state;
	return state;
}

bool bound_queue_push(struct bound_queue *list, const struct step *path, size_t length, struct step step,
		      struct trace_hash state)
{
	size_t shared = 0;
	while (shared < length && shared < list->last_length &&
	       path[shared].thread == list->last[shared].thread &&
	       path[shared].choice == list->last[shared].choice)
		shared++;
	size_t rest = length - shared + 1;
	if (!reserve_last(list, length + 1) ||
	    !reserve_bytes(list, (3 + 2 * rest) * MOST_BYTES + sizeof state))
		return false;
	put(list, shared);
	put(list, rest);
	for (size_t i = shared; i < length; i++) {
		put_step(list, path[i]);
		list->last[i] = path[i];
	}
	put_step(list, step);
	put_state(list, state);
	list->last[length] = step;
	list->last_length = length + 1;
	list->count++;
	return true;
}

void bound_queue_rewind(struct bound_queue *list)
{
	list->read = 0;
	list->taken = 0;
	list->last_length = 0;
}

/* The next prefix becomes the last one; returns how many steps it keeps of the one before. */
static size_t read_item(struct bound_queue *list, struct trace_hash *state)
{
	size_t shared = (size_t)get(list);
	size_t rest = (size_t)get(list);
	FMC_ASSERT(shared <= list->last_length && shared + rest <= list->last_room);
	for (size_t i = 0; i < rest; i++)
		list->last[shared + i] = get_step(list);
	*state = get_state(list);
	list->last_length = shared + rest;
	list->taken++;
	return shared;
}

bool bound_queue_take(struct bound_queue *list, const struct step **prefix, size_t *length,
		      struct trace_hash *state)
{
	if (list->taken == list->count)
		return false;
	read_item(list, state);
	*prefix = list->last;
	*length = list->last_length;
	return true;
}

/* With all its steps for the first one, of which there is no one before. */
static void save_item(struct bound_queue *reader, bool first, struct saver *saver)
{
	struct trace_hash state;
	size_t shared = read_item(reader, &state);
	if (first)
		shared = 0;
	save_number(saver, shared);
	save_number(saver, reader->last_length - shared);
	for (size_t i = shared; i < reader->last_length; i++)
		save_step(saver, &reader->last[i]);
	save_number(saver, state.low);
	save_number(saver, state.high);
}

void bound_queue_save(const struct bound_queue *list, struct saver *saver)
{
	struct bound_queue reader = *list;
	save_number(saver, list->count - list->taken);
	if (list->taken == list->count)
		return;
	reader.last = calloc(reader.last_room, sizeof *reader.last);
	if (!reader.last) {
		saver->failed = true;
		return;
	}
	memcpy(reader.last, list->last, list->last_length * sizeof *reader.last);
	if (list->taken == 0)
		bound_queue_rewind(&reader);
	for (bool first = true; reader.taken < reader.count; first = false)
		save_item(&reader, first, saver);
	free(reader.last);
}

/* The item after the path, which becomes its own; false: that can't be, or no memory. */
static bool load_item(struct bound_queue *list, struct step **path, size_t *length, struct loader *loader)
{
	size_t shared = (size_t)load_most(loader, *length);
	size_t rest = load_count(loader, 2);
	if (rest == 0)
		load_refuse(loader);
	struct step *steps = loader->failed ? NULL : reallocarray(*path, shared + rest + 1, sizeof *steps);
	if (!steps)
		return false;
	*path = steps;
	*length = shared + rest;
	for (size_t i = shared; i < *length; i++)
		steps[i] = load_step(loader);
	uint64_t low = load_number(loader), high = load_number(loader);
	return !loader->failed &&
	       bound_queue_push(list, steps, *length - 1, steps[*length - 1], (struct trace_hash){low, high});
}

bool bound_queue_load(struct bound_queue *list, struct loader *loader)
{
	struct step *path = NULL;
	size_t length = 0, count = load_count(loader, 6);
	bool ok = true;
	for (size_t i = 0; i < count && ok; i++)
		ok = load_item(list, &path, &length, loader);
	free(path);
	return ok && !loader->failed;
}
