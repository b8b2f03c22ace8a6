/* Formulas along an execution. */
#include "supervisor/property/properties.h"

#include "supervisor/process/process.h"

#include <fmc/supervisor/states.h>

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

/* One formula; false: no memory, or what isn't agreed. */
static bool prepare(struct properties *properties, size_t i, struct expression_problem *problem)
{
	struct course *course = &properties->course;
	const struct proposition_finder finder = {properties, find};
	const uint32_t formula =
	    formula_parse(&course->formulas, properties->at[i].spec.text, &finder, problem);
	const uint32_t opposite =
	    formula == NO_FORMULA ? NO_FORMULA : formula_negate(&course->formulas, formula);
	if (opposite == NO_FORMULA)
		return false;
	/* The parser has added propositions to the list. */
	struct property *property = &properties->at[i];
	const enum automaton_result result = automaton_make(&property->opposite, &course->formulas, opposite);
	if (result == AUTOMATON_LARGE) {
		problem->column = 1;
		snprintf(
		    problem->text, sizeof problem->text,
		    "its automaton would have more than %u states: what is joined by && can be formulas of "
		    "their own",
		    AUTOMATON_MOST);
	}
	property->formula = formula;
	property->opposite_at = course->set_words;
	course->set_words += automaton_words(&property->opposite);
	course->formulas_count++;
	course->counts |= formula_counts(&course->formulas, formula);
	return result == AUTOMATON_MADE;
}

bool course_prepare(struct properties *properties, struct expression_problem *problem, size_t *wrong)
{
	const size_t asked = properties->length;
	if (!formulas_init(&properties->course.formulas))
		return false;
	for (size_t i = 0; i < asked; i++) {
		if (properties->at[i].spec.kind != PROPERTY_LTL)
			continue;
		*wrong = i;
		if (!prepare(properties, i, problem))
			return false;
	}
	properties->course.graph = properties->course.formulas_count ? state_graph_new() : NULL;
	return true;
}

void course_release(struct course *course)
{
	formulas_release(&course->formulas);
	free(course->states);
	free(course->rests);
	free(course->sets);
	state_graph_free(course->graph);
}

#define ENLARGE(at, count)                                                                                   \
	({                                                                                                   \
		void *larger_ = reallocarray((at), (count), sizeof *(at));                                   \
		if (larger_)                                                                                 \
			(at) = larger_;                                                                      \
		larger_ != NULL;                                                                             \
	})

static bool make_room(struct course *course, size_t states)
{
	const size_t room = 2 * states + 64;
	if (states <= course->room)
		return true;
	if (!ENLARGE(course->states, room) || !ENLARGE(course->rests, room * course->formulas_count) ||
	    !ENLARGE(course->sets, room * course->set_words))
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

/* Of one formula, number f of them. */
static void step(struct course *course, struct property *property, size_t f, size_t transitions)
{
	const uint64_t state = course->states[transitions];
	const size_t count = course->formulas_count;
	uint64_t *now = course->sets + transitions * course->set_words + property->opposite_at;
	const uint32_t before =
	    transitions ? course->rests[(transitions - 1) * count + f] : property->formula;
	property->rest = course->formulas.length < RESTS_MOST
			     ? formula_progress(&course->formulas, before, state)
			     : NO_FORMULA;
	course->rests[transitions * count + f] = property->rest;
	if (transitions == 0) {
		uint64_t first[AUTOMATON_MOST / BITSET_WORD_BITS];
		automaton_begin(&property->opposite, first);
		automaton_step(&property->opposite, first, state, now);
	} else {
		automaton_step(&property->opposite, now - course->set_words, state, now);
	}
}

bool course_take(struct properties *properties, size_t transitions, bool changed)
{
	struct course *course = &properties->course;
	size_t f = 0;
	if (course->formulas_count == 0)
		return true;
	if (!make_room(course, transitions + 1))
		return false;
	course->states[transitions] =
	    changed || transitions == 0 ? present_state(properties) : course->states[transitions - 1];
	for (size_t i = 0; i < properties->length; i++)
		if (properties->at[i].spec.kind == PROPERTY_LTL)
			step(course, &properties->at[i], f++, transitions);
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

/* The automaton finds it, and no finding is told before the formula has been evaluated. */
const struct property *course_broken_by_loop(struct properties *properties, size_t transitions, size_t loop)
{
	struct course *course = &properties->course;
	bool accepts = false;
	for (size_t i = 0; i < properties->length && !accepts; i++) {
		const struct property *property = &properties->at[i];
		bool failed;
		if (property->spec.kind != PROPERTY_LTL)
			continue;
		accepts = automaton_accepts_loop(
		    &property->opposite, course->sets + loop * course->set_words + property->opposite_at,
		    course->states + loop + 1, transitions - loop, &failed);
		course->failed |= failed;
	}
	return accepts ? broken(properties, transitions, loop) : NULL;
}

void course_come(struct properties *properties, const struct trace *trace, const uint64_t before[3],
		 const uint64_t now[3])
{
	struct course *course = &properties->course;
	if (course->graph && trace && !states_told(properties->process->model->model))
		state_graph_give_up(course->graph);
	else if (course->graph && !trace)
		state_graph_clear(course->graph);
	else if (course->graph && trace->length < course->room)
		state_graph_add(course->graph, trace, before, now, course->states[trace->length]);
}

bool properties_all_gone(const struct properties *properties, char why[PROPERTY_WHY])
{
	const struct state_graph *graph = properties->course.graph;
	const size_t states = graph ? state_graph_whole(graph) : 0;
	if (states == 0) {
		snprintf(why, PROPERTY_WHY, "what leaves them after another round isn't run");
		return false;
	}
	for (size_t i = 0; i < properties->length; i++) {
		const struct property *property = &properties->at[i];
		const enum fair_paths answer = property->spec.kind == PROPERTY_LTL
						   ? state_graph_accepted(graph, &property->opposite)
						   : FAIR_PATHS_NONE;
		if (answer == FAIR_PATHS_NONE)
			continue;
		snprintf(why, PROPERTY_WHY,
			 answer == FAIR_PATHS_SOME
			     ? "going round several of them in turn would break '%.*s'"
			     : "whether going round several in turn breaks '%.*s' takes too much memory",
			 TEXT_SHOWN, property->spec.text);
		return false;
	}
	return true;
}

bool course_differs(const struct properties *properties, size_t transitions, size_t before)
{
	const struct course *course = &properties->course;
	return memcmp(course->sets + transitions * course->set_words,
		      course->sets + before * course->set_words,
		      course->set_words * sizeof *course->sets) != 0;
}
