#include "breakpoints/places.h"
#include <stdlib.h>
#include <string.h>

/* Code addresses as function, file and line. */

/*
 * Part of the C++ run-time (libstdc++, libc++abi). Weak, so that fmc also links without it: then C++
 * functions are shown by their symbols.
 */
extern char *__cxa_demangle(const char *symbol, char *buffer, size_t *length, int *status)
    __attribute__((weak));

char *demangle(const char *symbol)
{
	int status;
	if (!__cxa_demangle || strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	return __cxa_demangle(symbol, NULL, NULL, &status);
}

/* `eat(int)` and `pool::run(int) const` are shown as `eat` and `pool::run`: arguments make lines long. */
static void cut_arguments(char *name)
{
	int depth = 0;
	for (char *c = name; *c; c++) {
		depth += *c == '<';
		depth -= *c == '>';
		if (*c == '(' && depth == 0 && c != name && strncmp(c, "(anonymous namespace)", 21) != 0) {
			*c = 0;
			return;
		}
	}
}

Dwfl_Module *places_dwfl_module(struct places *places, uint64_t address)
{
	return places->dwfl ? dwfl_addrmodule(places->dwfl, address) : NULL;
}

static const char *function_name(struct places *places, Dwfl_Module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym sym;
	const char *symbol = dwfl_module_addrinfo(module, address, &offset, &sym, NULL, NULL, NULL);
	if (!symbol)
		return NULL;
	char *plain = demangle(symbol);
	if (plain)
		cut_arguments(plain);
	const char *name = places_string(places, plain ? plain : symbol);
	free(plain);
	return name;
}

static void find_line(struct places *places, Dwfl_Module *module, uint64_t address, struct place *place)
{
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	if (!line)
		return;
	const char *path = dwfl_lineinfo(line, NULL, &place->line, NULL, NULL, NULL);
	if (!path)
		return;
	const char *slash = strrchr(path, '/');
	place->file = places_string(places, slash ? slash + 1 : path);
}

void places_find(struct places *places, uint64_t address, bool is_return, struct place *place)
{
	*place = (struct place){.address = address};
	const struct module *module = modules_find(&places->modules, address);
	if (!module)
		return;
	place->module = places_string(places, module->name);
	place->offset = address - module->bias;
	place->library = module->kind != MODULE_PROGRAM;
	Dwfl_Module *dwfl_module = places_dwfl_module(places, address);
	if (!dwfl_module)
		return;
	uint64_t looked_up = address - (is_return ? 1 : 0);
	place->function = function_name(places, dwfl_module, looked_up);
	find_line(places, dwfl_module, looked_up, place);
}
