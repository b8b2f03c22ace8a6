/* The table of promoted instructions. */
#include <fmc/breakpoints/promoted.h>

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

static int compare(const struct module_place *place, const char *module, uint64_t offset)
{
	const int order = strcmp(place->module, module);
	return order ? order : (place->offset > offset) - (place->offset < offset);
}

/* Where it is, or would be. */
static size_t position_of(const struct promoted *promoted, const char *module, uint64_t offset)
{
	size_t low = 0, high = promoted->length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (compare(&promoted->at[middle], module, offset) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct promoted *promoted, size_t i, const char *module, uint64_t offset)
{
	return i < promoted->length && compare(&promoted->at[i], module, offset) == 0;
}

bool promoted_has(const struct promoted *promoted, const char *module, uint64_t offset)
{
	return is_at(promoted, position_of(promoted, module, offset), module, offset);
}

bool promoted_add(struct promoted *promoted, const struct module_place *place)
{
	const size_t at = position_of(promoted, place->module, place->offset);
	if (is_at(promoted, at, place->module, place->offset) ||
	    !ARRAY_DOUBLE(promoted->at, promoted->length))
		return false;
	memmove(&promoted->at[at + 1], &promoted->at[at], (promoted->length - at) * sizeof *promoted->at);
	promoted->at[at] = *place;
	promoted->length++;
	return true;
}

bool promoted_add_all(struct promoted *promoted, const struct promoted *more)
{
	for (size_t i = 0; i < more->length; i++)
		if (!promoted_add(promoted, &more->at[i]) &&
		    !promoted_has(promoted, more->at[i].module, more->at[i].offset))
			return false;
	return true;
}

void promoted_release(struct promoted *promoted)
{
	free(promoted->at);
	*promoted = (struct promoted){0};
}
