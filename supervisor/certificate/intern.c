#include "supervisor/certificate/intern.h"

#include "supervisor/certificate/mix.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

static uint64_t digest(const void *item, size_t size)
{
	const unsigned char *bytes = item;
	uint64_t hash = size;
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t word = 0;
		memcpy(&word, bytes + i, size - i < sizeof word ? size - i : sizeof word);
		hash = mix(hash ^ word);
	}
	return hash;
}

static bool grow(struct intern *intern, const char *items, size_t size)
{
	const uint32_t room = intern->room ? 2 * intern->room : FIRST_ROOM;
	uint32_t *slots = calloc(room, sizeof *slots);
	if (!slots)
		return false;
	for (uint32_t i = 0; i < intern->length; i++) {
		uint64_t slot = digest(items + i * size, size) & (room - 1);
		while (slots[slot])
			slot = (slot + 1) & (room - 1);
		slots[slot] = i + 1;
	}
	free(intern->slots);
	intern->slots = slots;
	intern->room = room;
	return true;
}

uint32_t intern_find(struct intern *intern, const void *items, const void *item, size_t size)
{
	if (2 * (intern->length + 1) > intern->room && !grow(intern, items, size))
		return UINT32_MAX;
	uint64_t slot = digest(item, size) & (intern->room - 1);
	for (; intern->slots[slot]; slot = (slot + 1) & (intern->room - 1))
		if (memcmp((const char *)items + (intern->slots[slot] - 1) * size, item, size) == 0)
			return intern->slots[slot] - 1;
	intern->slots[slot] = ++intern->length;
	return intern->length - 1;
}

void intern_release(struct intern *intern)
{
	free(intern->slots);
	*intern = (struct intern){0};
}
