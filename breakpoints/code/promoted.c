/* The table of promoted instructions. */
#include <fmc/breakpoints/promoted.h>

#include <string.h>

bool promoted_has(const struct promoted *promoted, const char *module, uint64_t offset)
{
	for (size_t i = 0; i < promoted->length; i++)
		if (promoted->at[i].offset == offset && strcmp(promoted->at[i].module, module) == 0)
			return true;
	return false;
}

bool promoted_add(struct promoted *promoted, const struct module_place *place)
{
	if (promoted->length == PROMOTED_MOST || promoted_has(promoted, place->module, place->offset))
		return false;
	promoted->at[promoted->length++] = *place;
	return true;
}
