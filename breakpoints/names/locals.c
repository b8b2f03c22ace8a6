#include "breakpoints/names/locals.h"
#include "breakpoints/names/name.h"
#include <dwarf.h>
#include <string.h>

/* Data by the variables of a function: one that is it, or one that leads to it. */

typedef bool variable_visitor(void *context, Dwarf_Die *variable, Dwarf_Die *type, const struct located *at);

static int number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	Dwarf_Word number;
	return dwarf_attr_integrate(die, attribute, &found) && dwarf_formudata(&found, &number) == 0
		   ? (int)number
		   : 0;
}

/* One that is declared after the place holds what was there before. */
static bool is_yet_to_come(Dwarf_Die *variable, int line)
{
	return dwarf_tag(variable) == DW_TAG_variable && line && number_of(variable, DW_AT_decl_line) > line;
}

typedef bool die_visitor(void *context, Dwarf_Die *variable);

/* The parameters and variables of one scope, until the visitor returns false. */
static bool visit_scope(Dwarf_Die *scope, int line, die_visitor *visit, void *context)
{
	Dwarf_Die die;
	if (dwarf_child(scope, &die) != 0)
		return true;
	do {
		int tag = dwarf_tag(&die);
		if ((tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) &&
		    !is_yet_to_come(&die, line) && !visit(context, &die))
			return false;
	} while (dwarf_siblingof(&die, &die) == 0);
	return true;
}

/* Innermost first. */
static void visit_all(const struct scopes *scopes, die_visitor *visit, void *context)
{
	int line = scopes->line;
	for (size_t i = scopes->length; i > 0; i--) {
		Dwarf_Die *scope = &scopes->at[i - 1];
		if (!visit_scope(scope, line, visit, context))
			return;
		if (dwarf_tag(scope) == DW_TAG_inlined_subroutine)
			line = number_of(scope, DW_AT_call_line);
	}
}

/* Those that have a place. */
struct visit_placed {
	const struct scopes *scopes;
	const struct activation *activation;
	variable_visitor *visit;
	void *context;
};

static bool visit_placed(void *context, Dwarf_Die *variable)
{
	struct visit_placed *placed = context;
	Dwarf_Die type;
	struct located at;
	return !type_of(variable, &type) ||
	       !variable_locate(placed->scopes, placed->activation, variable, &at) ||
	       placed->visit(placed->context, variable, &type, &at);
}

static void visit_variables(const struct scopes *scopes, const struct activation *activation,
			    variable_visitor *visit, void *context)
{
	struct visit_placed placed = {scopes, activation, visit, context};
	visit_all(scopes, visit_placed, &placed);
}

struct named {
	const char *name;
	Dwarf_Die *variable;
	bool found;
};

/* A function may declare what is defined elsewhere. */
static bool compare_name(void *context, Dwarf_Die *variable)
{
	struct named *named = context;
	const char *name = dwarf_diename(variable);
	if (!name || strcmp(name, named->name) != 0 || dwarf_hasattr(variable, DW_AT_declaration))
		return true;
	*named->variable = *variable;
	named->found = true;
	return false;
}

bool locals_find(const struct scopes *scopes, const char *name, Dwarf_Die *variable)
{
	struct named named = {name, variable, false};
	visit_all(scopes, compare_name, &named);
	return named.found;
}

static bool covers(const struct covering *covering, const struct sought *sought)
{
	return covering->base <= sought->address && sought->address - covering->base < covering->size;
}

static bool same_type(Dwarf_Die *a, Dwarf_Die *b)
{
	Dwarf_Die one, other;
	if (dwarf_peel_type(a, &one) != 0 || dwarf_peel_type(b, &other) != 0)
		return false;
	const char *name = dwarf_diename(&one), *its = dwarf_diename(&other);
	return name && its ? strcmp(name, its) == 0 : dwarf_dieoffset(&one) == dwarf_dieoffset(&other);
}

bool covering_path(const struct covering *covering, const struct sought *sought, const struct covering *inner,
		   struct text *text)
{
	Dwarf_Die type = covering->type, within;
	uint64_t offset = sought->address - covering->base;
	Dwarf_Word size;
	bool through = !inner;
	if (!covers(covering, sought))
		return false;
	name_pass(text, &type);
	if (dwarf_peel_type(&type, &type) != 0)
		return false;
	do {
		if (inner && sought->address - offset == inner->base) {
			within = inner->type;
			through |= same_type(&type, &within);
		}
	} while (name_enter(text, &type, &offset));
	return through && offset == 0 && dwarf_aggregate_size(&type, &size) == 0 && size >= sought->size;
}

static bool is_of_library(struct places *places, Dwarf_Die *type)
{
	static const char *const namespaces[] = {"std::", "core::", "alloc::", "__gnu_cxx::"};
	const char *name = places_type_name(places, type);
	for (size_t i = 0; name && i < sizeof(namespaces) / sizeof(namespaces[0]); i++)
		if (strncmp(name, namespaces[i], strlen(namespaces[i])) == 0)
			return true;
	return !name;
}

void covering_narrow(struct places *places, struct covering *covering, const struct sought *sought)
{
	char scratch[256];
	struct text text = {.at = scratch, .room = sizeof(scratch)};
	struct covering inner = *covering;
	uint64_t offset = sought->address - covering->base;
	while (is_of_library(places, &inner.type))
		if (dwarf_peel_type(&inner.type, &inner.type) != 0 ||
		    !name_enter(&text, &inner.type, &offset))
			return;
	text.length = 0;
	inner.base = sought->address - offset;
	if (dwarf_aggregate_size(&inner.type, &inner.size) == 0 &&
	    covering_path(&inner, sought, NULL, &text) && text.length)
		*covering = inner;
}

struct cover_search {
	const struct sought *sought;
	struct covering *covering;
	bool found;
};

static bool compare_variable(void *context, Dwarf_Die *variable, Dwarf_Die *type, const struct located *at)
{
	struct cover_search *search = context;
	struct covering covering = {.type = *type, .base = at->word, .variable = dwarf_diename(variable)};
	char scratch[256];
	struct text text = {.at = scratch, .room = sizeof(scratch)};
	if (!at->in_memory || !covering.variable || dwarf_aggregate_size(type, &covering.size) != 0 ||
	    !covering_path(&covering, search->sought, NULL, &text))
		return true;
	*search->covering = covering;
	search->found = true;
	return false;
}

bool locals_cover(const struct scopes *scopes, const struct activation *activation,
		  const struct sought *sought, struct covering *covering)
{
	struct cover_search search = {.sought = sought, .covering = covering};
	visit_variables(scopes, activation, compare_variable, &search);
	return search.found;
}

#define DATA_MOST   64 /* that are looked at for one function */
#define HOPS_MOST   2  /* from what a variable points to */
#define NESTED_MOST 10 /* structures in structures: the C++ library has a pointer in six of them */

/* Data that pointers lead to, the nearest first. */
struct lead_search {
	const struct activation *activation;
	struct covering at[DATA_MOST];
	unsigned hops[DATA_MOST];
	size_t length;
};

static void add_data(struct lead_search *search, Dwarf_Die *type, uint64_t base, unsigned hops,
		     const char *variable)
{
	struct covering data = {.type = *type, .base = base, .variable = variable};
	Dwarf_Die peeled;
	if (search->length == DATA_MOST || base == 0 || dwarf_peel_type(type, &peeled) != 0 ||
	    dwarf_aggregate_size(&peeled, &data.size) != 0 || data.size == 0)
		return;
	int tag = dwarf_tag(&peeled);
	if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type)
		return;
	for (size_t i = 0; i < search->length; i++)
		if (search->at[i].base == base && search->at[i].size == data.size &&
		    !search->at[i].variable == !variable)
			return;
	search->at[search->length] = data;
	search->hops[search->length++] = hops;
}

static bool is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static bool pointee(Dwarf_Die *type, Dwarf_Die *target)
{
	Dwarf_Die peeled;
	return dwarf_peel_type(type, &peeled) == 0 && is_pointer(dwarf_tag(&peeled)) &&
	       type_of(&peeled, target);
}

static bool add_variable(void *context, Dwarf_Die *variable, Dwarf_Die *type, const struct located *at)
{
	struct lead_search *search = context;
	const struct activation *activation = search->activation;
	Dwarf_Die target;
	uint64_t word = at->word;
	if (!pointee(type, &target)) {
		if (at->in_memory)
			add_data(search, type, at->word, 0, dwarf_diename(variable));
	} else if (!at->in_memory ||
		   activation->read(activation->context, at->word, &word, sizeof(word)) == STATUS_OK) {
		add_data(search, &target, word, 0, NULL);
	}
	return true;
}

/* What the pointers in a structure point to. Of a union nobody knows which member it holds. */
static void add_members(struct lead_search *search, Dwarf_Die type, uint64_t base, unsigned hops,
			unsigned nested)
{
	const struct activation *activation = search->activation;
	Dwarf_Die child;
	if (nested == NESTED_MOST || dwarf_peel_type(&type, &type) != 0 ||
	    dwarf_tag(&type) == DW_TAG_union_type || dwarf_child(&type, &child) != 0)
		return;
	do {
		Dwarf_Die member, target;
		uint64_t start, size, word;
		int tag = dwarf_tag(&child);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_external) || !type_member(&child, &member, &start, &size))
			continue;
		if (!pointee(&member, &target))
			add_members(search, member, base + start, hops, nested + 1);
		else if (activation->read(activation->context, base + start, &word, sizeof(word)) ==
			 STATUS_OK)
			add_data(search, &target, word, hops, NULL);
	} while (search->length < DATA_MOST && dwarf_siblingof(&child, &child) == 0);
}

/* Does it contain what was found so far, and more? */
static bool is_better(const struct covering *data, const struct sought *sought, const struct covering *found)
{
	char scratch[256];
	struct text text = {.at = scratch, .room = sizeof(scratch)};
	const struct covering *inner = found->size ? found : NULL;
	if (data->variable || (inner && data->size <= inner->size))
		return false;
	return covering_path(data, sought, inner, &text) && text.length > 0;
}

bool locals_lead(const struct scopes *scopes, const struct activation *activation,
		 const struct sought *sought, struct covering *found)
{
	struct lead_search search = {.activation = activation};
	bool better = false;
	visit_variables(scopes, activation, add_variable, &search);
	for (size_t i = 0; i < search.length; i++) {
		if (is_better(&search.at[i], sought, found)) {
			*found = search.at[i];
			better = true;
		}
		if (search.hops[i] < HOPS_MOST)
			add_members(&search, search.at[i].type, search.at[i].base,
				    search.hops[i] + !search.at[i].variable, 0);
	}
	return better;
}
