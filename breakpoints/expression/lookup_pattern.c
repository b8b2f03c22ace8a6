/* Variables by a pattern of their names: `lock_*`, `queue.c::*`. */
#include "breakpoints/expression/lexer.h"
#include "breakpoints/expression/lookup.h"
#include "breakpoints/symbols/lines.h"
#include "breakpoints/symbols/symbols.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matching {
	struct wanted wanted;
	lookup_visitor *visit;
	void *context;
	size_t seen;
	bool stopped; /* a visit has been false */
};

bool lookup_is_pattern(const char *text)
{
	return strpbrk(text, "*?");
}

bool lookup_pattern_fits(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

/* As it is, or without scopes before it. */
static bool fits(const struct matching *matching, const char *full)
{
	while (full && !lookup_pattern_fits(matching->wanted.name, full)) {
		full = strstr(full, "::");
		full = full ? full + 2 : NULL;
	}
	return full;
}

static bool fits_inner(const struct matching *matching, const struct variable *variable)
{
	Dwarf_Die *scopes = NULL;
	char *full = NULL;
	const char *function = lookup_function_of(variable, &scopes);
	const bool named = function && asprintf(&full, "%s::%s", function, variable->name) >= 0;
	const bool good = fits(matching, named ? full : variable->name);
	free(named ? full : NULL);
	free(scopes);
	return good;
}

static void tell(struct matching *matching, const char *name, const struct looked_up *found)
{
	matching->seen++;
	matching->stopped = !matching->visit(matching->context, name, found);
}

static void match_variables(struct matching *matching, const struct variables *variables, bool inner)
{
	for (size_t v = 0; v < variables->length && !matching->stopped; v++) {
		const struct variable *variable = &variables->at[v];
		const struct looked_up found = {.address = variable->address,
						.size = variable->size,
						.has_type = true,
						.type = variable->type};
		if ((inner ? fits_inner(matching, variable) : fits(matching, variable->name)) &&
		    lookup_in_file(&matching->wanted, variable))
			tell(matching, variable->name, &found);
	}
}

static void visit_symbol(void *context, const struct symbol *symbol)
{
	struct matching *matching = context;
	const struct looked_up found = {.address = symbol->address, .size = symbol->size};
	if (symbol->function || symbol->size == 0 || matching->stopped)
		return;
	char *plain = demangle(symbol->name);
	if (fits(matching, plain ? plain : symbol->name))
		tell(matching, plain ? plain : symbol->name, &found);
	free(plain);
}

static void match_symbols(struct matching *matching, struct places *places)
{
	for (size_t i = 0; i < places->modules.length && !matching->seen && !matching->wanted.file; i++)
		if (module_is_own(&places->modules.at[i]))
			(void)symbols_each(&places->modules.at[i], visit_symbol, matching);
}

bool lookup_pattern(struct places *places, const char *pattern, size_t at, lookup_visitor *visit,
		    void *context, struct expression_problem *problem)
{
	struct matching matching = {.wanted = lookup_take_apart(pattern), .visit = visit, .context = context};
	char text[140];
	for (size_t i = 0; i < places->modules.length && !matching.seen; i++) {
		if (!module_is_own(&places->modules.at[i]))
			continue;
		match_variables(&matching, places_variables(places, i, false), false);
		match_variables(&matching, places_variables(places, i, true), true);
	}
	match_symbols(&matching, places);
	if (matching.seen)
		return !matching.stopped;
	lookup_list(places, text, sizeof text);
	return problem_at(problem, at, "no variable's name fits '%.60s'; there is %s", pattern,
			  *text ? text : "no name of any: the program is stripped");
}
