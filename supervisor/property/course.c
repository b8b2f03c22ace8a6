/* Formulas along an execution. */
#include "supervisor/property/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many different rests of formulas are kept; what has more isn't followed on the way, only judged at the end. */
#define RESTS_MOST 100000u

#define PROPOSITIONS_MOST 64

/* The proposition of this name. */
static struct property *named(struct properties *properties, const char *text, size_t length)
{
	for (size_t i = 0; i < properties->length; i++) {
		struct property *property = &properties->at[i];
		if (property->number && property_name(&property->spec) == length &&
		    memcmp(property->spec.text, text, length) == 0)
			return property;
	}
	return NULL;
}

/* The same expression, in a formula before. */
static struct property *unnamed(struct properties *properties, const char *text, size_t length)
{
	for (size_t i = 0; i < properties->length; i++) {
		struct property *property = &properties->at[i];
		if (!property->number && strlen(property->spec.text) == length &&
		    memcmp(property->spec.text, text, length) == 0)
			return property;
	}
	return NULL;
}

static int number_of(struct properties *properties, struct property *property,
		     struct expression_problem *problem)
{
	struct course *course = &properties->course;
	if (property->bit < PROPOSITIONS_MOST)
		return (int)property->bit;
	if (course->propositions == PROPOSITIONS_MOST) {
		snprintf(problem->text, sizeof problem->text, "more than %d propositions", PROPOSITIONS_MOST);
		return -1;
	}
	property->bit = course->propositions++;
	return (int)property->bit;
}

static int find(void *context, const char *text, size_t length, bool quoted, size_t at,
		struct expression_problem *problem)
{
	struct properties *properties = context;
	struct property *property = quoted ? NULL : named(properties, text, length);
	if (quoted)
		property = unnamed(properties, text, length);
	if (quoted && !property) {
		char *expression = strndup(text, length);
		const struct property_spec spec = {.kind = PROPERTY_PROP, .text = expression};
		property = expression ? properties_add(properties, &spec, 0, problem) : NULL;
		free(expression);
	} else if (!property) {
		problem->column = at + 1;
		snprintf(problem->text, sizeof problem->text,
			 "there is no proposition '%.*s': --prop %.*s=EXPRESSION says what it is, and "
			 "{an expression} needs no name",
			 (int)(length < 40 ? length : 40), text, (int)(length < 40 ? length : 40), text);
	}
	return property ? number_of(properties, property, problem) : -1;
}

bool course_prepare(struct properties *properties, struct expression_problem *problem, size_t *wrong)
{
	struct course *course = &properties->course;
	const struct proposition_finder finder = {properties, find};
	const size_t asked = properties->length;
	if (!formulas_init(&course->formulas))
		return false;
	for (size_t i = 0; i < asked; i++) {
		if (properties->at[i].spec.kind != PROPERTY_LTL)
			continue;
		*wrong = i;
		const uint32_t formula =
		    formula_parse(&course->formulas, properties->at[i].spec.text, &finder, problem);
		if (formula == NO_FORMULA)
			return false;
		properties->at[i].formula = formula;
		course->formulas_count++;
		/* Under reduction states may be repeated more or less often. */
		properties->moves |= formula_counts(&course->formulas, formula);
	}
	return true;
}

void course_release(struct course *course)
{
	formulas_release(&course->formulas);
	free(course->states);
	free(course->rests);
}

static bool make_room(struct course *course, size_t states)
{
	if (states <= course->room)
		return true;
	const size_t room = 2 * states + 64;
	uint64_t *longer = reallocarray(course->states, room, sizeof *longer);
	if (longer)
		course->states = longer;
	uint32_t *rests = reallocarray(course->rests, room * course->formulas_count, sizeof *rests);
	if (rests)
		course->rests = rests;
	if (!longer || !rests)
		return false;
	course->room = room;
	return true;
}

static uint64_t present_state(struct properties *properties)
{
	const struct expression_world world = seen_world(properties);
	uint64_t state = 0;
	for (size_t i = 0; i < properties->length; i++) {
		const struct property *property = &properties->at[i];
		char why[EXPRESSION_WHY];
		if (property->spec.kind == PROPERTY_PROP && property->bit < PROPOSITIONS_MOST &&
		    expression_true(property->expression, &world, why))
			state |= UINT64_C(1) << property->bit;
	}
	return state;
}

bool course_take(struct properties *properties, size_t transitions, bool changed)
{
	struct course *course = &properties->course;
	size_t f = 0;
	if (course->formulas_count == 0)
		return true;
	if (!make_room(course, transitions + 1))
		return false;
	const uint64_t state =
	    changed || transitions == 0 ? present_state(properties) : course->states[transitions - 1];
	course->states[transitions] = state;
	for (size_t i = 0; i < properties->length; i++) {
		struct property *property = &properties->at[i];
		if (property->spec.kind != PROPERTY_LTL)
			continue;
		const uint32_t before = transitions
					    ? course->rests[(transitions - 1) * course->formulas_count + f]
					    : property->formula;
		property->rest = course->formulas.length < RESTS_MOST
				     ? formula_progress(&course->formulas, before, state)
				     : NO_FORMULA;
		course->rests[transitions * course->formulas_count + f++] = property->rest;
	}
	return true;
}

static const struct property *broken(struct properties *properties, size_t length, size_t loop)
{
	struct course *course = &properties->course;
	for (size_t i = 0; i < properties->length; i++) {
		const struct property *property = &properties->at[i];
		bool failed;
		if (property->spec.kind == PROPERTY_LTL &&
		    !formula_fulfilled(&course->formulas, property->formula, course->states, length, loop,
				       &failed) &&
		    !(course->failed |= failed))
			return property;
	}
	return NULL;
}

const struct property *course_broken(struct properties *properties, size_t transitions, bool stays)
{
	if (properties->course.formulas_count == 0)
		return NULL;
	for (size_t i = 0; i < properties->length; i++)
		if (properties->at[i].spec.kind == PROPERTY_LTL && properties->at[i].rest == FORMULA_NEVER)
			return &properties->at[i];
	return stays ? broken(properties, transitions + 1, transitions) : NULL;
}

const struct property *course_broken_by_loop(struct properties *properties, size_t transitions, size_t loop)
{
	return broken(properties, transitions, loop);
}
