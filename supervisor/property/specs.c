/* Properties as text. */
#include "supervisor/property/properties.h"

#include <fmc/breakpoints/spots.h>
#include <fmc/supervisor/property.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[PROPERTY_KINDS] = {
    [PROPERTY_ALWAYS] = "always",    [PROPERTY_NEVER] = "never", [PROPERTY_PROP] = "prop",
    [PROPERTY_ASSERT] = "assert-at", [PROPERTY_LTL] = "ltl",
};

const char *property_word(enum property_kind kind)
{
	return words[kind];
}

bool property_specs_add(struct property_specs *specs, const char *text)
{
	const size_t length = strcspn(text, " ");
	enum property_kind kind = 0;
	while (kind < PROPERTY_KINDS &&
	       (strlen(words[kind]) != length || memcmp(words[kind], text, length) != 0))
		kind++;
	text += length + strspn(text + length, " ");
	if (kind == PROPERTY_KINDS || !*text || specs->length == PROPERTIES_MOST)
		return false;
	struct property_spec spec = {.kind = kind, .text = text};
	if (kind == PROPERTY_ASSERT) {
		spec.place = text;
		spec.place_length = property_place_length(text);
		spec.text += spec.place_length + strspn(text + spec.place_length, " ");
	}
	specs->at[specs->length++] = spec;
	return true;
}

size_t property_place_length(const char *text)
{
	const char *at = text;
	if (*at == '\'' && strchr(at + 1, '\''))
		at = strchr(at + 1, '\'') + 1;
	return (size_t)(at - text) + strcspn(at, " ");
}

char *property_spec_text(const struct property_spec *spec)
{
	char *text;
	return asprintf(&text, "%s %.*s%s%s", words[spec->kind], (int)spec->place_length,
			spec->place ? spec->place : "", spec->place ? " " : "", spec->text) < 0
		   ? NULL
		   : text;
}

/* Of a place without its quotes, which say that blanks are part of it. */
char *property_place(const struct property_spec *spec)
{
	const char *end = spec->place + spec->place_length;
	char *place = calloc(1, spec->place_length + 1);
	size_t length = 0;
	for (const char *at = spec->place; place && at < end; at++)
		if (*at != '\'')
			place[length++] = *at;
	return place;
}

static bool check_place(const struct property_spec *spec, char why[PROPERTY_WHY])
{
	char text[SPOTS_WHY] = "out of memory";
	char *place = property_place(spec);
	const bool good = place && spots_check(place, text);
	free(place);
	if (!good)
		snprintf(why, PROPERTY_WHY, "--assert-at: %s", text);
	else if (!*spec->text)
		snprintf(why, PROPERTY_WHY, "--assert-at %.*s needs an expression after the place",
			 (int)(spec->place_length < 60 ? spec->place_length : 60), spec->place);
	return good && *spec->text;
}

size_t property_name(const struct property_spec *spec)
{
	return spec->kind == PROPERTY_PROP ? strcspn(spec->text, "=") : 0;
}

const char *property_expression(const struct property_spec *spec)
{
	return spec->kind == PROPERTY_PROP ? spec->text + property_name(spec) + 1 : spec->text;
}

/* Of a proposition: what a formula can call it. */
static bool is_name(const char *text, size_t length)
{
	static const char *const taken[] = {"X", "F", "G", "U", "R", "W", "true", "false"};
	if (length == 0 || !(isalpha((unsigned char)*text) || *text == '_'))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (strlen(taken[i]) == length && memcmp(taken[i], text, length) == 0)
			return false;
	return true;
}

static bool has_expression(const char *text, size_t at, struct expression_problem *problem)
{
	struct expression *expression = expression_parse(text, problem);
	expression_free(expression);
	problem->column += at;
	return expression;
}

/* Every name is one; an expression has to be one. */
static int find_anything(void *context, const char *text, size_t length, bool quoted, size_t at,
			 struct expression_problem *problem)
{
	(void)context;
	if (!quoted)
		return 0;
	char *expression = strndup(text, length);
	const bool good = expression && has_expression(expression, at, problem);
	free(expression);
	return good ? 0 : -1;
}

/* Is it a formula; *counts: with X? */
static bool has_formula(const char *text, struct expression_problem *problem, bool *counts)
{
	static const struct proposition_finder finder = {NULL, find_anything};
	struct formulas formulas;
	const uint32_t formula =
	    formulas_init(&formulas) ? formula_parse(&formulas, text, &finder, problem) : NO_FORMULA;
	*counts = formula != NO_FORMULA && formula_counts(&formulas, formula);
	formulas_release(&formulas);
	return formula != NO_FORMULA;
}

bool property_specs_count(const struct property_specs *specs)
{
	struct expression_problem problem;
	bool counts = false;
	for (size_t i = 0; i < specs->length && !counts; i++)
		if (specs->at[i].kind == PROPERTY_LTL)
			(void)has_formula(specs->at[i].text, &problem, &counts);
	return counts;
}

bool property_check(const struct property_spec *spec, char why[PROPERTY_WHY])
{
	struct expression_problem problem = {.column = 0};
	const size_t name = property_name(spec);
	bool good, counts;
	if (spec->kind == PROPERTY_ASSERT && !check_place(spec, why))
		return false;
	if (spec->kind == PROPERTY_PROP && (!spec->text[name] || !is_name(spec->text, name))) {
		snprintf(why, PROPERTY_WHY,
			 "--prop needs NAME=EXPRESSION, as served='done == 1', not '%.60s'", spec->text);
		return false;
	}
	if (spec->kind == PROPERTY_LTL)
		good = has_formula(spec->text, &problem, &counts);
	else
		good = has_expression(property_expression(spec),
				      (size_t)(property_expression(spec) - spec->text), &problem);
	if (!good)
		snprintf(why, PROPERTY_WHY, "--%s '%.60s', column %zu: %.200s", words[spec->kind], spec->text,
			 problem.column, problem.text);
	return good;
}
