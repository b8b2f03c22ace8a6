#include "breakpoints/expression/lookup.h"
#include "breakpoints/expression/lexer.h"
#include "breakpoints/names/name.h"
#include "breakpoints/symbols/lines.h"
#include "breakpoints/symbols/symbols.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How well a variable's name fits: as it is, or with scopes before it. */
enum fit { FIT_NOT, FIT_INNER, FIT_WHOLE };

struct lookup {
	struct places *places;
	struct wanted wanted;
	enum fit fit;
	struct looked_up *found;
	char *other, *first; /* files of two of the same fit; NULL: there is one */
	bool ambiguous;
};

struct wanted lookup_take_apart(const char *name)
{
	const char *colons = strstr(name, "::");
	struct wanted wanted = {.name = name};
	if (*name == '\'')
		colons = strstr(name, "'::") + 1;
	else if (!colons || !memchr(name, '.', (size_t)(colons - name)))
		return wanted;
	const size_t quoted = *name == '\'';
	wanted.file = name + quoted;
	wanted.file_length = (size_t)(colons - name) - 2 * quoted;
	wanted.name = colons + 2;
	return wanted;
}

/* The path of the source that this is in, as it was compiled. */
static const char *source_of(const struct variable *variable)
{
	Dwarf_Die unit, die = variable->die;
	return dwarf_diecu(&die, &unit, NULL, NULL) ? dwarf_diename(&unit) : NULL;
}

bool lookup_in_file(const struct wanted *wanted, const struct variable *variable)
{
	const char *source = wanted->file ? source_of(variable) : NULL;
	const size_t length = source ? strlen(source) : 0;
	if (!wanted->file)
		return true;
	if (length < wanted->file_length)
		return false;
	const char *end = source + length - wanted->file_length;
	return memcmp(end, wanted->file, wanted->file_length) == 0 && (end == source || end[-1] == '/');
}

const char *lookup_function_of(const struct variable *variable, Dwarf_Die **scopes)
{
	Dwarf_Die die = variable->die;
	int length = dwarf_getscopes_die(&die, scopes);
	for (int i = 1; i < length; i++)
		if (dwarf_tag(&(*scopes)[i]) == DW_TAG_subprogram)
			return dwarf_diename(&(*scopes)[i]);
	return NULL;
}

static enum fit fits(const char *full, const char *name)
{
	const size_t longer = strlen(full), length = strlen(name);
	if (longer < length || strcmp(full + longer - length, name) != 0)
		return FIT_NOT;
	return longer == length ? FIT_WHOLE : full[longer - length - 1] == ':' ? FIT_INNER : FIT_NOT;
}

/* The same of one that is inside of a function, which may be named before it. */
static enum fit fits_inner(const struct variable *variable, const char *name)
{
	Dwarf_Die *scopes = NULL;
	char *full = NULL;
	const char *last = lookup_last(name);
	if (strcmp(variable->name, last) != 0)
		return FIT_NOT;
	const char *function = lookup_function_of(variable, &scopes);
	enum fit fit = last == name ? FIT_INNER : FIT_NOT;
	if (function && asprintf(&full, "%s::%s", function, variable->name) >= 0 && strcmp(full, name) == 0)
		fit = FIT_WHOLE;
	free(full);
	free(scopes);
	return fit;
}

static const char *last_component(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

static void note_other(struct lookup *lookup, const struct variable *variable)
{
	const char *file = last_component(source_of(variable));
	lookup->ambiguous = true;
	if (!lookup->other)
		lookup->other = file ? strdup(file) : NULL;
}

static void offer(struct lookup *lookup, const struct variable *variable, enum fit fit)
{
	if (fit == FIT_NOT || fit < lookup->fit || !lookup_in_file(&lookup->wanted, variable))
		return;
	if (fit == lookup->fit) {
		if (lookup->found->address != variable->address)
			note_other(lookup, variable);
		return;
	}
	const char *file = last_component(source_of(variable));
	free(lookup->first);
	free(lookup->other);
	lookup->first = file ? strdup(file) : NULL;
	lookup->other = NULL;
	lookup->ambiguous = false;
	lookup->fit = fit;
	*lookup->found = (struct looked_up){
	    .address = variable->address, .size = variable->size, .has_type = true, .type = variable->type};
}

static void look_in_module(struct lookup *lookup, size_t i)
{
	const struct variables *variables = places_variables(lookup->places, i, false);
	for (size_t v = 0; v < variables->length; v++)
		offer(lookup, &variables->at[v], fits(variables->at[v].name, lookup->wanted.name));
	if (lookup->fit == FIT_WHOLE)
		return;
	variables = places_variables(lookup->places, i, true);
	for (size_t v = 0; v < variables->length; v++)
		offer(lookup, &variables->at[v], fits_inner(&variables->at[v], lookup->wanted.name));
}

static bool has_types(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/* Among the children of `parent` and of the namespaces and classes in it: the first for which `visit` is true. */
static bool each_type(Dwarf_Die *parent, bool (*visit)(void *context, Dwarf_Die *die), void *context)
{
	Dwarf_Die die;
	if (dwarf_child(parent, &die) != 0)
		return false;
	do
		if (visit(context, &die) || (has_types(&die) && each_type(&die, visit, context)))
			return true;
	while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

struct in_unit {
	bool (*visit)(void *context, Dwarf_Die *die);
	void *context;
};

static bool look_in_unit(void *context, Dwarf_Die *unit, uint64_t bias)
{
	const struct in_unit *in = context;
	(void)bias;
	return each_type(unit, in->visit, in->context);
}

static bool in_units(struct places *places, bool (*visit)(void *context, Dwarf_Die *die), void *context)
{
	struct in_unit in = {visit, context};
	return lines_each_unit(places, look_in_unit, &in);
}

struct enumerator {
	struct places *places;
	const char *name;
	struct looked_up *found;
};

/* `State::DONE` of `enum class State`, `bank::DONE` of an enumeration in this namespace. */
static bool is_enumerator(const struct enumerator *wanted, Dwarf_Die *type, const char *name)
{
	const char *last = lookup_last(wanted->name);
	if (strcmp(name, last) != 0 || last == wanted->name)
		return strcmp(name, last) == 0;
	const char *of = places_type_name(wanted->places, type);
	const size_t length = (size_t)(last - wanted->name) - 2;
	const size_t whole = of ? strlen(of) : 0;
	const char *scope_end = of && lookup_last(of) != of ? lookup_last(of) - 2 : of;
	const size_t scope = of ? (size_t)(scope_end - of) : 0;
	return (whole >= length && memcmp(of + whole - length, wanted->name, length) == 0) ||
	       (scope >= length && memcmp(of + scope - length, wanted->name, length) == 0);
}

static bool visit_enumeration(void *context, Dwarf_Die *type)
{
	const struct enumerator *wanted = context;
	Dwarf_Die die;
	Dwarf_Attribute attribute;
	Dwarf_Sword value;
	if (dwarf_tag(type) != DW_TAG_enumeration_type || dwarf_child(type, &die) != 0)
		return false;
	do {
		const char *name = dwarf_diename(&die);
		if (!name || !is_enumerator(wanted, type, name) ||
		    !dwarf_attr(&die, DW_AT_const_value, &attribute) ||
		    dwarf_formsdata(&attribute, &value) != 0)
			continue;
		*wanted->found = (struct looked_up){.is_constant = true, .constant = value};
		return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Is it directly in what the name has before its last "::"? */
static bool is_scoped(Dwarf_Die *die, const char *name)
{
	const char *last = lookup_last(name);
	const size_t scope = (size_t)(last - name);
	Dwarf_Die *scopes = NULL;
	const int length = last == name ? 0 : dwarf_getscopes_die(die, &scopes);
	const char *parent = length > 1 ? dwarf_diename(&scopes[1]) : NULL;
	const bool fits = last == name || (parent && strlen(parent) + 2 <= scope &&
					   memcmp(last - 2 - strlen(parent), parent, strlen(parent)) == 0);
	free(scopes);
	return fits;
}

/* A variable that is a constant, and so nowhere in memory. */
static bool visit_constant(void *context, Dwarf_Die *die)
{
	const struct enumerator *wanted = context;
	const int tag = dwarf_tag(die);
	const char *name = tag == DW_TAG_member || tag == DW_TAG_variable ? dwarf_diename(die) : NULL;
	Dwarf_Attribute attribute;
	Dwarf_Sword value;
	if (!name || strcmp(name, lookup_last(wanted->name)) != 0 || !is_scoped(die, wanted->name) ||
	    !dwarf_attr_integrate(die, DW_AT_const_value, &attribute) ||
	    dwarf_formsdata(&attribute, &value) != 0)
		return false;
	*wanted->found = (struct looked_up){.is_constant = true, .constant = value};
	return true;
}

struct type_wanted {
	struct places *places;
	const char *name;
	int tag;
	Dwarf_Die *type;
};

static bool names_type(int tag)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_base_type:
		return true;
	default:
		return false;
	}
}

/* C++ has `struct` and `class` for one thing. */
static bool has_tag(int tag, int wanted)
{
	return wanted == 0 || tag == wanted ||
	       (wanted == DW_TAG_structure_type && tag == DW_TAG_class_type) ||
	       (wanted == DW_TAG_class_type && tag == DW_TAG_structure_type);
}

static bool visit_type(void *context, Dwarf_Die *die)
{
	const struct type_wanted *wanted = context;
	const int tag = dwarf_tag(die);
	const char *own = names_type(tag) && has_tag(tag, wanted->tag) ? dwarf_diename(die) : NULL;
	if (!own || strcmp(own, lookup_last(wanted->name)) != 0)
		return false;
	const char *full =
	    lookup_last(wanted->name) == wanted->name ? own : places_type_name(wanted->places, die);
	if (!full || fits(full, wanted->name) == FIT_NOT)
		return false;
	*wanted->type = *die;
	return true;
}

bool lookup_type(struct places *places, const char *name, int tag, size_t at, Dwarf_Die *type,
		 struct expression_problem *problem)
{
	struct type_wanted wanted = {places, name, tag, type};
	return in_units(places, visit_type, &wanted) ||
	       problem_at(problem, at, "there is no type '%.80s' in the debug information", name);
}

struct definition {
	Dwarf_Die *type;
	const char *name;
	int tag;
};

static bool visit_definition(void *context, Dwarf_Die *die)
{
	struct definition *wanted = context;
	const char *name = dwarf_tag(die) == wanted->tag ? dwarf_diename(die) : NULL;
	if (!name || strcmp(name, wanted->name) != 0 || dwarf_hasattr(die, DW_AT_declaration))
		return false;
	*wanted->type = *die;
	return true;
}

void lookup_definition(struct places *places, Dwarf_Die *type)
{
	struct definition wanted = {type, dwarf_diename(type), dwarf_tag(type)};
	if (wanted.name && dwarf_hasattr(type, DW_AT_declaration))
		(void)in_units(places, visit_definition, &wanted);
}

struct symbol_wanted {
	const char *name;
	struct looked_up *found;
	bool seen;
};

static void visit_symbol(void *context, const struct symbol *symbol)
{
	struct symbol_wanted *wanted = context;
	if (symbol->function || wanted->seen)
		return;
	char *plain = demangle(symbol->name);
	wanted->seen = strcmp(symbol->name, wanted->name) == 0 || (plain && strcmp(plain, wanted->name) == 0);
	free(plain);
	if (wanted->seen)
		*wanted->found = (struct looked_up){.address = symbol->address, .size = symbol->size};
}

static bool look_in_symbols(struct places *places, const char *name, struct looked_up *found)
{
	struct symbol_wanted wanted = {name, found, false};
	for (size_t i = 0; i < places->modules.length && !wanted.seen; i++)
		if (module_is_own(&places->modules.at[i]))
			(void)symbols_each(&places->modules.at[i], visit_symbol, &wanted);
	return wanted.seen;
}

static bool say_ambiguous(const struct lookup *lookup, const char *name, size_t at,
			  struct expression_problem *problem)
{
	const char *first = lookup->first, *other = lookup->other;
	if (first && other && strcmp(first, other) != 0)
		return problem_at(problem, at, "there are several '%s': say which, as %s::%s or %s::%s", name,
				  first, name, other, name);
	return problem_at(problem, at,
			  "there are several '%s' in one file: say which, with its function or namespace "
			  "before it and '::' between",
			  name);
}

bool lookup_name(struct places *places, const char *name, size_t at, struct looked_up *found,
		 struct expression_problem *problem)
{
	struct lookup lookup = {.places = places, .wanted = lookup_take_apart(name), .found = found};
	struct enumerator enumerator = {places, name, found};
	/* The program's own first: a library's variable of the same name is another one. */
	for (size_t i = 0; i < places->modules.length && lookup.fit != FIT_WHOLE; i++)
		if (module_is_own(&places->modules.at[i]))
			look_in_module(&lookup, i);
	bool good = lookup.fit != FIT_NOT && !lookup.ambiguous;
	if (lookup.ambiguous)
		(void)say_ambiguous(&lookup, name, at, problem);
	else if (!good)
		good = lookup_thread_local(places, name, found) ||
		       in_units(places, visit_enumeration, &enumerator) ||
		       in_units(places, visit_constant, &enumerator) ||
		       look_in_symbols(places, name, found) || lookup_explain(places, name, at, problem);
	free(lookup.first);
	free(lookup.other);
	return good;
}
