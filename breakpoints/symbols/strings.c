/* Names that stay as long as the places do. */
#include "breakpoints/symbols/places.h"

#include <stdlib.h>
#include <string.h>

static size_t string_hash(const char *text)
{
	size_t hash = 5381;
	while (*text)
		hash = hash * 33 ^ (uint8_t)*text++;
	return hash;
}

static bool grow_strings(struct places *places)
{
	size_t room = places->strings_room ? 2 * places->strings_room : 256;
	char **larger = calloc(room, sizeof(*larger));
	if (!larger)
		return false;
	for (size_t i = 0; i < places->strings_room; i++) {
		if (!places->strings[i])
			continue;
		size_t at = string_hash(places->strings[i]) & (room - 1);
		while (larger[at])
			at = (at + 1) & (room - 1);
		larger[at] = places->strings[i];
	}
	free(places->strings);
	places->strings = larger;
	places->strings_room = room;
	return true;
}

const char *places_string(struct places *places, const char *text)
{
	if (2 * places->strings_length >= places->strings_room && !grow_strings(places))
		return NULL;
	size_t mask = places->strings_room - 1, at = string_hash(text) & mask;
	for (; places->strings[at]; at = (at + 1) & mask)
		if (strcmp(places->strings[at], text) == 0)
			return places->strings[at];
	places->strings[at] = strdup(text);
	places->strings_length += places->strings[at] != NULL;
	return places->strings[at];
}
