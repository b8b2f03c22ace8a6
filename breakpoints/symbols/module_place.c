#include <fmc/breakpoints/module_place.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool module_place_equal(const struct module_place *a, const struct module_place *b)
{
	return a->offset == b->offset && strcmp(a->module, b->module) == 0;
}

void module_place_print(const struct module_place *place, char text[MODULE_PLACE_TEXT])
{
	snprintf(text, MODULE_PLACE_TEXT, "%s+0x%" PRIx64, place->module, place->offset);
}

/* A module's name may have blanks, and a plus: its offset is after the last one. */
bool module_place_parse(const char *text, struct module_place *place, const char **rest)
{
	const char *plus = strrchr(text, '+');
	const size_t length = plus ? (size_t)(plus - text) : 0;
	char *end;
	*place = (struct module_place){0};
	/* strtoull() would take blanks, signs and another 0x. */
	if (length == 0 || length >= MODULE_PLACE_NAME || strncmp(plus, "+0x", 3) != 0 ||
	    !isxdigit((unsigned char)plus[3]) || plus[4] == 'x' || plus[4] == 'X')
		return false;
	memcpy(place->module, text, length);
	errno = 0;
	place->offset = strtoull(plus + 3, &end, 16);
	*rest = end;
	return errno == 0;
}
