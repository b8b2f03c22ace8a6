#include "breakpoints/expression/lookup.h"
#include "breakpoints/expression/types.h"

#include <fmc/breakpoints/selection.h>
#include <fmc/tracer/array.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of arrays that are selected one by one. */
#define MOST_RANGES 65536

struct selecting {
	struct selection *selection;
	struct places *places;
	const char *text, *at, *end; /* at: what is read next of the present item */
	struct expression_problem *problem;
};

void selection_release(struct selection *selection)
{
	free(selection->at);
	*selection = (struct selection){0};
}

static size_t column(const struct selecting *s)
{
	return (size_t)(s->at - s->text);
}

static bool fail(const struct selecting *s, const char *what)
{
	s->problem->column = column(s) + 1;
	snprintf(s->problem->text, sizeof s->problem->text, "%s", what);
	return false;
}

/* A range, and what is there. */
struct part {
	uint64_t address, size;
	bool has_type;
	struct type type;
};

static bool keep(struct selecting *s, const struct part *part)
{
	struct selection *selection = s->selection;
	if (part->size == 0)
		return fail(s, "its size isn't known");
	if (selection->length == MOST_RANGES ||
	    !ARRAY_GROW(selection->at, selection->length, selection->room))
		return fail(s, "that is more than can be compared in each state");
	selection->at[selection->length++] = (struct expression_range){part->address, part->size};
	return true;
}

static uint64_t size_of(struct type *type)
{
	Dwarf_Word size = 0;
	return type->has_die && dwarf_aggregate_size(&type->die, &size) == 0 ? size : 0;
}

/* Of a name, or of a pattern for several. */
static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '*' || c == '?';
}

static bool select_part(struct selecting *s, struct part part);

/* The rest of the item is read of this member; false: what is in the problem, or *missing: there is none. */
static bool select_named(const struct selecting *s, const struct part *part, const char *name, bool *missing)
{
	struct selecting rest = *s;
	uint64_t offset = 0;
	struct type member;
	*missing = !type_find_member(s->places, &part->type, name, &member, &offset);
	return !*missing &&
	       select_part(&rest, (struct part){part->address + offset, size_of(&member), true, member});
}

/* The same of all that fit a pattern. */
static bool select_members(const struct selecting *s, const struct part *part, const char *pattern,
			   bool *missing)
{
	const char *name;
	bool gone;
	*missing = true;
	for (size_t i = 0, left = 0; (name = type_member_name(s->places, &part->type, &left)); left = ++i) {
		if (!lookup_pattern_fits(pattern, name))
			continue;
		if (!select_named(s, part, name, &gone) && !gone)
			return false;
		*missing &= gone;
	}
	return !*missing;
}

static bool select_member(struct selecting *s, struct part part)
{
	char name[128], members[128];
	size_t length = 0;
	bool missing;
	s->at++;
	while (s->at + length < s->end && is_of_name(s->at[length]))
		length++;
	snprintf(name, sizeof name, "%.*s", (int)length, s->at);
	if (!part.has_type)
		return fail(s, "there is no debug information of its type");
	struct selecting rest = *s;
	rest.at += length;
	const bool good = lookup_is_pattern(name) ? select_members(&rest, &part, name, &missing)
						  : select_named(&rest, &part, name, &missing);
	if (good || !missing)
		return good;
	type_list_members(&part.type, members, sizeof members);
	snprintf(s->problem->text, sizeof s->problem->text,
		 *members ? "there is no such member; there are %s" : "it has no members", members);
	s->problem->column = column(s) + 1;
	return false;
}

/* "[3]", or "[*]" for all of them, of each of which the rest of the item is read. */
static bool select_element(struct selecting *s, struct part part)
{
	uint64_t stride = 0, elements = 0, first = 0;
	struct type element;
	if (!part.has_type || !type_element(s->places, &part.type, &element, &stride, &elements) || !stride)
		return fail(s, "this is no array that the debug information describes");
	const char *digits = ++s->at;
	const bool every = *digits == '*';
	char *after = (char *)digits + 1;
	if (!every)
		first = isdigit((unsigned char)*digits) ? strtoull(digits, &after, 10) : UINT64_MAX;
	if (first == UINT64_MAX || *after != ']')
		return fail(s, "an index is a number, or * for every element");
	if (every ? elements == 0 : elements && first >= elements)
		return fail(s, every ? "how many elements there are isn't known"
				     : "the array has fewer elements");
	s->at = after + 1;
	/* An array of arrays is one type. */
	const bool row = element.level > part.type.level;
	for (uint64_t i = every ? 0 : first; i <= (every ? elements - 1 : first); i++) {
		struct selecting rest = *s;
		if (!select_part(&rest, (struct part){part.address + i * stride,
						      row ? stride : size_of(&element), true, element}))
			return false;
	}
	return true;
}

/* What the rest of the item says of this part. */
static bool select_part(struct selecting *s, struct part part)
{
	if (s->at == s->end)
		return keep(s, &part);
	if (*s->at == '.')
		return select_member(s, part);
	if (*s->at == '[')
		return select_element(s, part);
	return fail(s, "expected a member, an index, or a comma");
}

/* Where the item's name ends: after the last of its parts that are joined by "::", of which a file may be the first. */
static const char *end_of_name(const char *at, const char *end)
{
	for (const char *c = at; c + 1 < end; c++)
		if (c[0] == ':' && c[1] == ':')
			at = c + 2;
	while (at < end && is_of_name(*at))
		at++;
	return at;
}

static bool select_found(struct selecting *s, const struct looked_up *found, const char *name_end)
{
	struct selecting rest = *s;
	if (found->is_constant)
		return fail(s, "that is a constant");
	if (found->is_thread_local)
		return fail(s, "that is thread-local: there is one for each thread");
	struct part part = {.address = found->address, .size = found->size, .has_type = found->has_type};
	if (found->has_type) {
		Dwarf_Die type = found->type;
		if (!type_describe(s->places, &type, &part.type))
			return fail(s, "its type can't be told");
		part.size = size_of(&part.type);
	}
	rest.at = name_end;
	return select_part(&rest, part);
}

struct by_pattern {
	struct selecting *selecting;
	const char *name_end;
};

static bool select_one(void *context, const char *name, const struct looked_up *found)
{
	const struct by_pattern *by = context;
	struct expression_problem *problem = by->selecting->problem;
	char text[sizeof problem->text];
	if (select_found(by->selecting, found, by->name_end))
		return true;
	snprintf(text, sizeof text, "%s", problem->text);
	snprintf(problem->text, sizeof problem->text, "of '%.60s': %.180s", name, text);
	return false;
}

static bool select_item(struct selecting *s)
{
	const char *name_end = end_of_name(s->at, s->end);
	char *name = strndup(s->at, (size_t)(name_end - s->at));
	struct looked_up found = {0};
	struct by_pattern by = {s, name_end};
	bool good;
	if (!name)
		return fail(s, "out of memory");
	if (!*name)
		good = fail(s, "expected the name of a variable");
	else if (lookup_is_pattern(name))
		good = lookup_pattern(s->places, name, column(s), select_one, &by, s->problem);
	else
		good = lookup_name(s->places, name, column(s), &found, s->problem) &&
		       select_found(s, &found, name_end);
	free(name);
	return good;
}

bool selection_find(struct selection *selection, struct places *places, const char *text,
		    struct expression_problem *problem)
{
	*selection = (struct selection){0};
	*problem = (struct expression_problem){0};
	const char *at = text;
	bool good = true;
	while (good) {
		at += strspn(at, " \t");
		const char *comma = at + strcspn(at, ",");
		const char *end = comma;
		while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		struct selecting s = {selection, places, text, at, end, problem};
		good = select_item(&s);
		if (!*comma)
			break;
		at = comma + 1;
	}
	if (!good)
		selection_release(selection);
	return good;
}
