/* The table of promoted instructions, and one as text. */
#include <fmc/breakpoints/promoted.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool promoted_has(const struct promoted *promoted, const char *module, uint64_t offset)
{
	for (size_t i = 0; i < promoted->length; i++)
		if (promoted->at[i].offset == offset && strcmp(promoted->at[i].module, module) == 0)
			return true;
	return false;
}

bool promoted_add(struct promoted *promoted, const struct promoted_place *place)
{
	if (promoted->length == PROMOTED_MOST || promoted_has(promoted, place->module, place->offset))
		return false;
	promoted->at[promoted->length++] = *place;
	return true;
}

void promoted_print(const struct promoted_place *place, char text[PROMOTED_TEXT])
{
	snprintf(text, PROMOTED_TEXT, "%s+0x%" PRIx64, place->module, place->offset);
}

/* A module's name may have blanks, and a plus: its offset is after the last one. */
bool promoted_parse(const char *text, struct promoted_place *place)
{
	const char *plus = strrchr(text, '+');
	const size_t length = plus ? (size_t)(plus - text) : 0;
	*place = (struct promoted_place){0};
	if (length == 0 || length >= PROMOTED_MODULE || strncmp(plus, "+0x", 3) != 0)
		return false;
	const char *digits = plus + 3;
	if (!*digits || digits[strspn(digits, "0123456789abcdef")])
		return false;
	memcpy(place->module, text, length);
	errno = 0;
	place->offset = strtoull(digits, NULL, 16);
	return errno == 0;
}
