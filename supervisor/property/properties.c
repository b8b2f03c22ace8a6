/* What is to hold, and whether it does. */
#include "supervisor/property/properties.h"

#include "supervisor/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: no memory, or what is in *problem is wrong with the one that *wrong is. */
static struct properties *make(const struct property_specs *specs, struct expression_problem *problem,
			       size_t *wrong)
{
	struct properties *properties = calloc(1, sizeof *properties);
	bool good = properties;
	for (*wrong = 0; good && *wrong < specs->length; ++*wrong)
		good = properties_add(properties, &specs->at[*wrong], (uint32_t)*wrong + 1, problem);
	if (good && course_prepare(properties, problem, wrong))
		return properties;
	properties_free(properties);
	return NULL;
}

struct properties *properties_new(const struct property_specs *specs)
{
	struct expression_problem problem;
	size_t wrong;
	return make(specs, &problem, &wrong);
}

bool property_specs_agree(const struct property_specs *specs, char why[PROPERTY_WHY])
{
	struct expression_problem problem = {.column = 0};
	size_t wrong;
	struct properties *properties = make(specs, &problem, &wrong);
	properties_free(properties);
	if (!properties && *problem.text && wrong < specs->length)
		snprintf(why, PROPERTY_WHY, "--%s '%.60s', column %zu: %.200s",
			 property_word(specs->at[wrong].kind), specs->at[wrong].text, problem.column,
			 problem.text);
	else if (!properties)
		snprintf(why, PROPERTY_WHY, "%s", status_text(STATUS_NO_MEMORY));
	return properties;
}

void properties_free(struct properties *properties)
{
	if (!properties)
		return;
	for (size_t i = 0; i < properties->length; i++) {
		expression_free(properties->at[i].expression);
		automaton_release(&properties->at[i].opposite);
		free((char *)properties->at[i].spec.text);
		free((char *)properties->at[i].spec.place);
	}
	free(properties->at);
	course_release(&properties->course);
	seen_release(&properties->seen);
	seen_release(&properties->asserted);
	assertions_release(&properties->assertions);
	free(properties);
}

/* Always false. */
static bool fail(struct sighting *sighting, enum status status, const char *text)
{
	sighting->failed = true;
	sighting->status = status;
	snprintf(sighting->message, sizeof sighting->message, "%s", text);
	return false;
}

static bool bind_one(struct properties *properties, struct property *property, struct sighting *sighting)
{
	struct expression_problem problem;
	bool moves;
	size_t length;
	if (!expression_bind(property->expression, process_places(properties->process), &problem)) {
		property_say_problem(property, &problem, sighting->message);
		sighting->failed = true;
		sighting->status = STATUS_NOT_FOUND;
		return false;
	}
	(void)expression_reads(property->expression, &length, &moves);
	properties->moves |= moves;
	return seen_add(&properties->seen, property->expression) ||
	       fail(sighting, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
}

/* What is to hold at a place is known there only. */
static bool is_of_states(const struct property *property)
{
	return property->expression && property->spec.kind != PROPERTY_ASSERT;
}

static bool bind(struct properties *properties, struct sighting *sighting)
{
	struct process *process = properties->process;
	/* Without modules no name is found, which is said. */
	(void)places_update(process_places(process), process_target(process));
	for (size_t i = 0; i < properties->length; i++)
		if (is_of_states(&properties->at[i]) && !bind_one(properties, &properties->at[i], sighting))
			return false;
	properties->bound = seen_prepare(&properties->seen);
	return properties->bound || fail(sighting, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
}

/* "'G (request -> F served)' isn't fulfilled: request = 1, served = 0" */
static void say_broken(struct properties *properties, const struct property *property, const char *how,
		       const char *at, struct sighting *sighting)
{
	char values[VALUES_SHOWN] = "";
	const bool cut = strlen(property->spec.text) > TEXT_SHOWN - 20;
	size_t used = 0;
	const struct expression_world world = seen_world(properties);
	for (size_t i = 0; *at && i < properties->length; i++) {
		const struct property *part = &properties->at[i];
		char why[EXPRESSION_WHY];
		if (part->spec.kind != PROPERTY_PROP || part->bit == UINT32_MAX || used >= sizeof values)
			continue;
		used +=
		    (size_t)snprintf(values + used, sizeof values - used, "%s%.*s is %s", used ? ", " : "",
				     part->number ? (int)property_name(&part->spec) : 40, part->spec.text,
				     expression_true(part->expression, &world, why) ? "true" : "false");
	}
	sighting->violated = sighting->unfulfilled = true;
	sighting->number = (int)property->number;
	snprintf(sighting->message, sizeof sighting->message, "'%.*s%s' %s%s%s", TEXT_SHOWN - 20,
		 property->spec.text, cut ? "..." : "", how, at, values);
}

/* The first that doesn't hold. */
static void judge(struct properties *properties, struct sighting *sighting)
{
	const struct expression_world world = seen_world(properties);
	for (size_t i = 0; i < properties->length && !sighting->violated; i++) {
		const struct property *property = &properties->at[i];
		char why[EXPRESSION_WHY];
		if (property->spec.kind > PROPERTY_NEVER)
			continue;
		const bool holds = expression_true(property->expression, &world, why);
		if (holds == (property->spec.kind == PROPERTY_ALWAYS))
			continue;
		sighting->violated = true;
		sighting->number = (int)property->number;
		property_say_violated(property, property->expression, &world, why, sighting->message);
	}
}

static void follow(struct properties *properties, const struct trace *trace, bool again,
		   struct sighting *sighting)
{
	const bool stays = trace->end == END_EXIT;
	if (!course_take(properties, trace->length, sighting->changed || again)) {
		(void)fail(sighting, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
		return;
	}
	const struct property *broken =
	    again || sighting->violated ? NULL : course_broken(properties, trace->length, stays);
	if (broken)
		say_broken(properties, broken,
			   broken->rest == FORMULA_NEVER ? "can't be fulfilled any more"
							 : "isn't fulfilled when the program ends",
			   ": ", sighting);
}

static void look(void *context, struct execution *execution, const struct trace *trace, bool again,
		 struct sighting *sighting)
{
	struct properties *properties = context;
	bool changed, asserted;
	if (!process_target(properties->process) || (!properties->bound && !bind(properties, sighting)))
		return;
	if (trace->length == 0)
		properties->seen.taken = properties->asserted.taken = false;
	properties->model = execution_model(execution);
	seen_take(properties, &properties->seen, &changed);
	sighting->changed = changed || properties->moves;
	if (properties->assertions.length > 0) {
		seen_take(properties, &properties->asserted, &asserted);
		sighting->asserted_changed = asserted;
		sighting->asserted = properties->assertions.asserted;
		sighting->roamed = properties->assertions.roamed;
		sighting->roams = properties->assertions.roams;
		properties->assertions.asserted = properties->assertions.roamed = false;
	}
	/* A process on its way out may be without memory already. */
	if (properties->seen.readable || trace->end == END_NONE) {
		if (sighting->changed && !again)
			judge(properties, sighting);
		follow(properties, trace, again, sighting);
	}
	properties->model = NULL;
}

static void look_at_cycle(void *context, const struct trace *trace, struct sighting *sighting)
{
	struct properties *properties = context;
	const struct property *broken = course_broken_by_loop(properties, trace->length, trace->loop_start);
	char how[100];
	sighting->other = course_differs(properties, trace->length, trace->loop_start);
	snprintf(how, sizeof how, "isn't fulfilled while transitions %zu to %zu repeat for ever",
		 trace->loop_start + 1, trace->length);
	if (properties->course.failed)
		(void)fail(sighting, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
	else if (broken)
		say_broken(properties, broken, how, "", sighting);
}

static void come(void *context, const struct trace *trace, const uint64_t before[3], const uint64_t now[3])
{
	course_come(context, trace, before, now);
}

static uint32_t tell_reached(void *context)
{
	struct properties *properties = context;
	const uint32_t reached = properties->assertions.reached;
	properties->assertions.reached = 0;
	properties->assertions.asserted = properties->assertions.roamed = false;
	return reached;
}

struct execution_monitor properties_monitor(struct properties *properties, struct process *process)
{
	properties->process = process;
	return (struct execution_monitor){.context = properties,
					  .look = look,
					  .counts = properties->course.counts,
					  .reached = tell_reached,
					  .cycle = properties->course.formulas_count ? look_at_cycle : NULL,
					  .come = come};
}
