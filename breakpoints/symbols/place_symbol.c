/* Symbols of the C library. */
#include "breakpoints/symbols/places.h"
#include "breakpoints/symbols/symbols.h"

#include <string.h>

struct wanted {
	const char *name;
	uint64_t address;
};

static void look(void *context, const struct symbol *symbol)
{
	struct wanted *wanted = context;
	if (wanted->address == 0 && strcmp(symbol->name, wanted->name) == 0)
		wanted->address = symbol->address;
}

static bool is_libc(const struct module *module)
{
	return module->kind == MODULE_LIBC || module->kind == MODULE_THREADS ||
	       (module->kind == MODULE_PROGRAM && module->is_static);
}

uint64_t places_libc_symbol(const struct places *places, const char *name)
{
	struct wanted wanted = {.name = name};
	for (size_t i = 0; i < places->modules.length && wanted.address == 0; i++)
		if (is_libc(&places->modules.at[i]))
			(void)symbols_each(&places->modules.at[i], look, &wanted);
	return wanted.address;
}
