/* Footprints as lists of accesses. */
#include <fmc/supervisor/dependence.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

void footprint_clear(struct footprint *footprint)
{
	footprint->length = 0;
	footprint->failed = false;
}

void footprint_release(struct footprint *footprint)
{
	free(footprint->at);
	*footprint = (struct footprint){0};
}

void footprint_touch(struct footprint *footprint, uint64_t key, enum touch_mode mode)
{
	for (uint32_t i = 0; i < footprint->length; i++) {
		struct access *access = &footprint->at[i];
		if (access->key != key)
			continue;
		if (access->mode != mode)
			access->mode = TOUCH_WRITE;
		return;
	}
	if (!ARRAY_GROW(footprint->at, footprint->length, footprint->room)) {
		footprint->failed = true;
		return;
	}
	footprint->at[footprint->length++] = (struct access){key, mode, TOUCH_UNLIMITED};
}

void footprint_add(struct footprint *footprint, uint64_t key, uint32_t left)
{
	footprint_touch(footprint, key, TOUCH_ADD);
	for (uint32_t i = 0; i < footprint->length; i++)
		if (footprint->at[i].key == key && footprint->at[i].left > left)
			footprint->at[i].left = left;
}

void footprint_copy(struct footprint *footprint, struct accesses from)
{
	footprint_clear(footprint);
	if (from.length > footprint->room) {
		struct access *at = reallocarray(footprint->at, from.length, sizeof *at);
		footprint->failed = !at;
		if (!at)
			return;
		footprint->at = at;
		footprint->room = from.length;
	}
	if (from.length > 0)
		memcpy(footprint->at, from.at, from.length * sizeof *from.at);
	footprint->length = from.length;
}
