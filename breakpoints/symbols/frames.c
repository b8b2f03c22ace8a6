/* The functions that an address is in: those that the compiler put in line, and the one around them. */
#include "breakpoints/symbols/scopes.h"

#include <dwarf.h>

size_t places_frames(struct places *places, uint64_t address, bool is_return, struct place at[], size_t room)
{
	struct scopes scopes;
	struct place place, own;
	size_t length = 0;
	places_find(places, address, is_return, &own);
	places_find_innermost(places, address, is_return, &place);
	const char *function = place.function;
	scopes_find(places, address, is_return, &scopes);
	for (size_t i = scopes.length; i-- > 0 && length + 1 < room;) {
		if (dwarf_tag(&scopes.at[i]) != DW_TAG_inlined_subroutine)
			continue;
		at[length] = place;
		at[length++].function = inlined_name(places, &scopes.at[i]);
		place.line = 0;
		const struct source call = inlined_call(&scopes.at[i], &place.line);
		place_set_source(places, &place, call);
		place.library = own.library || (call.path && source_is_library(call.path));
	}
	scopes_release(&scopes);
	at[length] = place;
	at[length++].function = function;
	return length;
}
