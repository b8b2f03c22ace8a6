/* What is to hold where threads come to places in the code. */
#include "supervisor/property/properties.h"

#include "supervisor/process/process.h"

#include <fmc/breakpoints/marks.h>
#include <fmc/breakpoints/spots.h>
#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the XSAVE area of a thread. */
#define XMM_AT 160

void assertions_release(struct assertions *assertions)
{
	for (size_t i = 0; i < assertions->length; i++)
		expression_free(assertions->at[i].expression);
	free(assertions->at);
	free(assertions->marks);
	*assertions = (struct assertions){0};
}

/* Always false. */
static bool out_of_memory(char why[256])
{
	snprintf(why, 256, "%s", status_text(STATUS_NO_MEMORY));
	return false;
}

static bool find_mark(struct assertions *assertions, uint64_t address, size_t *mark)
{
	for (*mark = 0; *mark < assertions->marks_length; ++*mark)
		if (assertions->marks[*mark] == address)
			return true;
	if (*mark == MARKS_MOST ||
	    !ARRAY_GROW(assertions->marks, assertions->marks_length, assertions->marks_room))
		return false;
	assertions->marks[assertions->marks_length++] = address;
	return true;
}

static bool bind_assertion(struct properties *properties, struct assertion *assertion, char why[256])
{
	struct assertions *assertions = &properties->assertions;
	const struct property *property = &properties->at[assertion->property];
	struct expression_problem problem;
	bool moves;
	size_t length;
	if (!expression_bind_at(assertion->expression, process_places(properties->process),
				assertions->marks[assertion->mark], &problem)) {
		property_say_problem(property, &problem, why);
		return false;
	}
	(void)expression_reads(assertion->expression, &length, &moves);
	assertions->roams |= moves;
	return seen_add(&properties->asserted, assertion->expression) || out_of_memory(why);
}

static bool add(struct properties *properties, size_t property, uint64_t address, char why[256])
{
	struct assertions *assertions = &properties->assertions;
	struct expression_problem problem;
	size_t mark;
	if (!find_mark(assertions, address, &mark)) {
		snprintf(why, 256, "--assert-at: more than %d places in the program's code", MARKS_MOST);
		return false;
	}
	if (!ARRAY_GROW(assertions->at, assertions->length, assertions->room))
		return out_of_memory(why);
	struct assertion *assertion = &assertions->at[assertions->length];
	*assertion = (struct assertion){.property = property, .mark = mark};
	assertion->expression = expression_parse(properties->at[property].spec.text, &problem);
	if (!assertion->expression)
		return out_of_memory(why);
	assertions->length++;
	return bind_assertion(properties, assertion, why);
}

static bool find_one(struct properties *properties, size_t property, char why[256])
{
	const struct property_spec *spec = &properties->at[property].spec;
	char text[SPOTS_WHY], *place = property_place(spec);
	struct spots spots;
	if (!place)
		return out_of_memory(why);
	bool good = spots_find(&spots, process_places(properties->process), place, text);
	free(place);
	if (!good) {
		snprintf(why, 256, "--assert-at %.*s: %.190s",
			 (int)(spec->place_length < 40 ? spec->place_length : 40), spec->place, text);
		return false;
	}
	for (size_t i = 0; i < spots.length && good; i++)
		good = add(properties, property, spots.at[i], why);
	spots_release(&spots);
	return good;
}

static bool find(void *context, const uint64_t **at, size_t *length, char why[256])
{
	struct properties *properties = context;
	struct process *process = properties->process;
	assertions_release(&properties->assertions);
	seen_release(&properties->asserted);
	properties->asserted = (struct snapshot_of_seen){0};
	properties->assertions.thread = NO_THREAD;
	(void)places_update(process_places(process), process_target(process));
	for (size_t i = 0; i < properties->length; i++)
		if (properties->at[i].spec.kind == PROPERTY_ASSERT && !find_one(properties, i, why))
			return false;
	if (!seen_prepare(&properties->asserted))
		return out_of_memory(why);
	*at = properties->assertions.marks;
	*length = properties->assertions.marks_length;
	return true;
}

/* Does the expression hold of the thread that stands there? */
static bool holds(struct properties *properties, const struct assertion *assertion, struct tracee *tracee,
		  char text[256])
{
	const struct property *property = &properties->at[assertion->property];
	uint8_t vectors[EXTENDED_ROOM];
	size_t size = sizeof vectors, length;
	char why[EXPRESSION_WHY];
	bool moves;
	struct expression_frame frame = {.registers = tracee_regs(tracee)};
	if (!frame.registers)
		return true;
	if (expression_wants_vectors(assertion->expression) &&
	    tracee_extended(tracee, vectors, &size) == STATUS_OK)
		frame.vectors = vectors + XMM_AT;
	const struct expression_world world = seen_live_world(properties, &frame);
	(void)expression_reads(assertion->expression, &length, &moves);
	properties->assertions.asserted = true;
	properties->assertions.roamed |= moves;
	if (expression_true(assertion->expression, &world, why))
		return true;
	property_say_violated(property, assertion->expression, &world, why, text);
	return false;
}

static bool arrive(void *context, uint32_t thread, size_t mark, int *number, char text[256])
{
	struct properties *properties = context;
	struct assertions *assertions = &properties->assertions;
	struct tracee *tracee = process_tracee(properties->process, thread);
	const struct model *model = properties->model;
	bool good = true;
	properties->model = properties->process->model->model;
	assertions->thread = thread;
	for (size_t i = 0; i < assertions->length && good && tracee; i++) {
		if (assertions->at[i].mark != mark)
			continue;
		assertions->reached |= UINT32_C(1) << assertions->at[i].property;
		*number = (int)properties->at[assertions->at[i].property].number;
		good = holds(properties, &assertions->at[i], tracee, text);
	}
	assertions->thread = NO_THREAD;
	properties->model = model;
	return good;
}

bool properties_marks(struct properties *properties, struct process_marks *marks)
{
	bool any = false;
	for (size_t i = 0; i < properties->length; i++)
		any |= properties->at[i].spec.kind == PROPERTY_ASSERT;
	*marks = (struct process_marks){.context = properties, .find = find, .arrive = arrive};
	return any;
}
