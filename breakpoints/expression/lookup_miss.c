/* Why a name of an expression is none of a variable that can be read. */
#include "breakpoints/expression/lexer.h"
#include "breakpoints/expression/lookup.h"
#include "breakpoints/symbols/places.h"
#include "breakpoints/symbols/symbols.h"

#include <dwarf.h>
#include <fmc/breakpoints/suggest.h>
#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names told where none is near. */
#define NAMES_TOLD 5

enum miss { MISS_UNKNOWN, MISS_OPTIMISED, MISS_LOCAL };

struct search {
	const char *name; /* the last part of what is wanted */
	enum miss miss;
	const char *function; /* MISS_LOCAL */
};

const char *lookup_last(const char *name)
{
	const char *colons;
	while ((colons = strstr(name, "::")) != NULL)
		name = colons + 2;
	return name;
}

static void judge(struct search *search, Dwarf_Die *die, const char *function)
{
	enum miss miss = MISS_OPTIMISED;
	if (function)
		miss = MISS_LOCAL;
	else if (dwarf_hasattr(die, DW_AT_declaration))
		return;
	if (miss <= search->miss)
		return;
	search->miss = miss;
	search->function = function;
}

static void look(struct search *search, Dwarf_Die *parent, const char *function)
{
	Dwarf_Die die;
	if (dwarf_child(parent, &die) != 0)
		return;
	do {
		const int tag = dwarf_tag(&die);
		const char *name = dwarf_diename(&die);
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
			if (name && strcmp(name, search->name) == 0)
				judge(search, &die, function);
		} else if (tag == DW_TAG_subprogram) {
			look(search, &die, name ? name : "?");
		} else if (tag == DW_TAG_lexical_block || tag == DW_TAG_namespace) {
			look(search, &die, function);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Only in the program: what libraries have of that name isn't meant. */
static struct search look_for(struct places *places, const char *name)
{
	struct search search = {.name = lookup_last(name)};
	Dwfl_Module *module =
	    places->modules.length ? places_dwfl_module(places, places->modules.at[0].low) : NULL;
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	while (module && (unit = dwfl_module_nextcu(module, unit, &bias)))
		look(&search, unit, NULL);
	return search;
}

struct names {
	char **at;
	size_t length, room;
};

static void add_name(struct names *names, const char *name)
{
	if (*name == '_' || strchr(name, '.') || strchr(name, '@') ||
	    !ARRAY_GROW(names->at, names->length, names->room))
		return;
	for (size_t i = 0; i < names->length; i++)
		if (strcmp(names->at[i], name) == 0)
			return;
	names->at[names->length] = strdup(name);
	names->length += names->at[names->length] != NULL;
}

static void visit_symbol(void *context, const struct symbol *symbol)
{
	char *plain = demangle(symbol->name);
	if (!symbol->function && symbol->size > 0)
		add_name(context, plain ? plain : symbol->name);
	free(plain);
}

static void add_variables(struct names *names, const struct variables *variables)
{
	for (size_t i = 0; i < variables->length; i++)
		add_name(names, variables->at[i].name);
}

/* The program's own, or its symbols where it has no debug information. */
static struct names known_names(struct places *places)
{
	struct names names = {0};
	if (places->modules.length == 0)
		return names;
	add_variables(&names, places_variables(places, 0, false));
	add_variables(&names, places_variables(places, 0, true));
	if (names.length == 0)
		(void)symbols_each(&places->modules.at[0], visit_symbol, &names);
	return names;
}

static void list_names(const struct names *names, char *text, size_t room)
{
	size_t used = 0;
	*text = '\0';
	for (size_t i = 0; i < names->length && i < NAMES_TOLD && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", names->at[i]);
	if (names->length > NAMES_TOLD && used < room)
		snprintf(text + used, room - used, " and %zu more", names->length - NAMES_TOLD);
}

static void release_names(struct names *names)
{
	for (size_t i = 0; i < names->length; i++)
		free(names->at[i]);
	free(names->at);
}

void lookup_list(struct places *places, char *text, size_t room)
{
	struct names names = known_names(places);
	list_names(&names, text, room);
	release_names(&names);
}

static bool say_unknown(struct places *places, const char *name, size_t at,
			struct expression_problem *problem)
{
	char text[140];
	struct names names = known_names(places);
	const char *near = suggest(lookup_last(name), (const char *const *)names.at, names.length);
	list_names(&names, text, sizeof text);
	if (near)
		(void)problem_at(problem, at, "there is no variable '%s'; did you mean '%s'?", name, near);
	else if (names.length)
		(void)problem_at(problem, at, "there is no variable '%.80s'; there is %s", name, text);
	else
		(void)problem_at(
		    problem, at,
		    "there is no variable '%s', nor a name of any other: the program is stripped; an "
		    "address can be read as *(int *)0x404010",
		    name);
	release_names(&names);
	return false;
}

bool lookup_explain(struct places *places, const char *name, size_t at, struct expression_problem *problem)
{
	const struct search search = look_for(places, name);
	switch (search.miss) {
	case MISS_OPTIMISED:
		return problem_at(problem, at, "'%s' has been optimised out: it is nowhere in memory", name);
	case MISS_LOCAL:
		return problem_at(
		    problem, at,
		    "'%s' is a local variable of %s: only --assert-at a place in it has it, if it "
		    "isn't optimised out there",
		    name, search.function);
	case MISS_UNKNOWN:
		break;
	}
	return say_unknown(places, name, at, problem);
}
