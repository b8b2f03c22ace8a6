/* Places that at() asks about: what isn't there nobody comes to, and nothing would tell that it is misspelt. */
#include "breakpoints/expression/bind.h"
#include "breakpoints/expression/lexer.h"
#include "breakpoints/symbols/lines.h"
#include "breakpoints/symbols/symbols.h"

#include <dwarf.h>
#include <fmc/breakpoints/spots.h>
#include <fmc/breakpoints/suggest.h>
#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool expression_means_function(const char *full, const char *name)
{
	const size_t length = strlen(name);
	for (const char *at = full; (at = strstr(at, name)) != NULL; at++) {
		const bool begins = at == full || (at - full >= 2 && at[-1] == ':' && at[-2] == ':');
		if (begins && (at[length] == '\0' || strchr("(@<", at[length])))
			return true;
	}
	return false;
}

/* The program's functions, for who has misspelt one. */
struct functions {
	const char *wanted;
	bool found;
	char **names;
	size_t length, room;
};

static void visit_symbol(void *context, const struct symbol *symbol)
{
	struct functions *functions = context;
	if (!symbol->function || functions->found)
		return;
	char *plain = demangle(symbol->name);
	const char *full = plain ? plain : symbol->name;
	functions->found = expression_means_function(full, functions->wanted);
	if (*full != '_' && ARRAY_GROW(functions->names, functions->length, functions->room)) {
		functions->names[functions->length] = strndup(full, strcspn(full, "("));
		functions->length += functions->names[functions->length] != NULL;
	}
	free(plain);
}

/* Of what has been put in line there may be no symbol. */
static bool has_inlined(Dwarf_Die *parent, const char *last)
{
	Dwarf_Die die;
	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&die);
		const char *name = tag == DW_TAG_subprogram ? dwarf_diename(&die) : NULL;
		const bool inner = tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
				   tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
		if ((name && strcmp(name, last) == 0) || (inner && has_inlined(&die, last)))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static bool look_in_unit(void *context, Dwarf_Die *unit, uint64_t bias)
{
	struct functions *functions = context;
	(void)bias;
	functions->found = has_inlined(unit, lookup_last(functions->wanted));
	return functions->found;
}

static bool say_unknown(const struct binding *b, const struct functions *functions, size_t at)
{
	const char *near =
	    suggest(functions->wanted, (const char *const *)functions->names, functions->length);
	if (near)
		return problem_at(b->problem, at, "there is no function '%.80s'; did you mean '%.80s'?",
				  functions->wanted, near);
	if (functions->length)
		return problem_at(b->problem, at, "there is no function '%.100s'; a line is file.c:42",
				  functions->wanted);
	return problem_at(b->problem, at,
			  "there is no function '%.80s', nor a name of any other: the program is stripped",
			  functions->wanted);
}

static bool find_function(const struct binding *b, const char *name, size_t at)
{
	struct functions functions = {.wanted = name};
	struct places *places = b->places;
	for (size_t i = 0; i < places->modules.length && !functions.found; i++)
		if (module_is_own(&places->modules.at[i]))
			(void)symbols_each(&places->modules.at[i], visit_symbol, &functions);
	const bool found = functions.found || lines_each_unit(places, look_in_unit, &functions) ||
			   say_unknown(b, &functions, at);
	for (size_t i = 0; i < functions.length; i++)
		free(functions.names[i]);
	free(functions.names);
	return found;
}

static bool find_line(const struct binding *b, const struct expression_atom *atom, size_t at)
{
	char *text = NULL, why[SPOTS_WHY] = "out of memory";
	struct spots spots = {0};
	const bool found = asprintf(&text, "%s:%d", atom->place, atom->line) >= 0 &&
			   spots_find(&spots, b->places, text, why);
	free(text);
	spots_release(&spots);
	return found || problem_at(b->problem, at, "%s", why);
}

bool bind_place(struct binding *b, const struct node *node)
{
	const struct expression_atom *atom = &node->atom;
	const char *text = b->expression->text;
	const char *found = strstr(text + node->begin, atom->place);
	const size_t at = found ? (size_t)(found - text) : node->begin;
	if (b->places->modules.length == 0)
		return true;
	return atom->line ? find_line(b, atom, at) : find_function(b, atom->place, at);
}
