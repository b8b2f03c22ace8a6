/* What is to hold, and whether it does. */
#include "supervisor/property/properties.h"

#include "supervisor/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct properties *properties_new(const struct property_specs *specs)
{
	struct properties *properties = calloc(1, sizeof *properties);
	if (!properties)
		return NULL;
	properties->at = calloc(specs->length + 1, sizeof *properties->at);
	for (size_t i = 0; properties->at && i < specs->length; i++) {
		struct property *property = &properties->at[i];
		struct expression_problem problem;
		property->spec = specs->at[i];
		property->spec.text = strdup(specs->at[i].text);
		properties->length = i + 1;
		property->expression =
		    property->spec.text ? expression_parse(property->spec.text, &problem) : NULL;
		if (!property->expression)
			break;
	}
	if (properties->at && properties->length == specs->length &&
	    (specs->length == 0 || properties->at[specs->length - 1].expression))
		return properties;
	properties_free(properties);
	return NULL;
}

void properties_free(struct properties *properties)
{
	if (!properties)
		return;
	for (size_t i = 0; i < properties->length; i++) {
		expression_free(properties->at[i].expression);
		free((char *)properties->at[i].spec.text);
	}
	free(properties->at);
	seen_release(&properties->seen);
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
	if (expression_bind(property->expression, process_places(properties->process), &problem)) {
		(void)expression_reads(property->expression, &length, &moves);
		properties->moves |= moves;
		return true;
	}
	sighting->failed = true;
	sighting->status = STATUS_NOT_FOUND;
	snprintf(sighting->message, sizeof sighting->message, "--%s '%.50s', column %zu: %.170s",
		 property_word(property->spec.kind), property->spec.text, problem.column, problem.text);
	return false;
}

static bool bind(struct properties *properties, struct sighting *sighting)
{
	struct process *process = properties->process;
	/* Without modules no name is found, which is said. */
	(void)places_update(process_places(process), process_target(process));
	for (size_t i = 0; i < properties->length; i++)
		if (!bind_one(properties, &properties->at[i], sighting))
			return false;
	properties->bound = seen_prepare(properties);
	return properties->bound || fail(sighting, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
}

#define TEXT_SHOWN   84 /* columns of an expression in a message */
#define VALUES_SHOWN 104

/* "'count <= 4' is false: count = 5" */
static void say_violated(const struct property *property, const struct expression_world *world,
			 const char *why, char message[256])
{
	char values[VALUES_SHOWN];
	const char *text = property->spec.text;
	const bool cut = strlen(text) > TEXT_SHOWN;
	expression_describe(property->expression, world, values, sizeof values);
	snprintf(message, 256, "'%.*s%s' is %s%s%s%s%.36s%s", cut ? TEXT_SHOWN - 3 : TEXT_SHOWN, text,
		 cut ? "..." : "", property->spec.kind == PROPERTY_ALWAYS ? "false" : "true",
		 *values ? ": " : "", values, *why ? " (" : "", why, *why ? ")" : "");
}

/* The first that doesn't hold. */
static void judge(struct properties *properties, struct sighting *sighting)
{
	const struct expression_world world = seen_world(properties);
	for (size_t i = 0; i < properties->length && !sighting->violated; i++) {
		const struct property *property = &properties->at[i];
		char why[EXPRESSION_WHY];
		const bool holds = expression_true(property->expression, &world, why);
		if (holds == (property->spec.kind == PROPERTY_ALWAYS))
			continue;
		sighting->violated = true;
		sighting->number = (int)i + 1;
		say_violated(property, &world, why, sighting->message);
	}
}

static void look(void *context, struct execution *execution, const struct trace *trace, bool again,
		 struct sighting *sighting)
{
	struct properties *properties = context;
	bool changed;
	if (!process_target(properties->process) || (!properties->bound && !bind(properties, sighting)))
		return;
	if (trace->length == 0)
		properties->seen.taken = false;
	properties->model = execution_model(execution);
	seen_take(properties, &changed);
	sighting->changed = changed || properties->moves;
	/* A process on its way out may be without memory already. */
	if (sighting->changed && !again && (properties->seen.readable || trace->end == END_NONE))
		judge(properties, sighting);
	properties->model = NULL;
}

struct execution_monitor properties_monitor(struct properties *properties, struct process *process)
{
	properties->process = process;
	return (struct execution_monitor){.context = properties, .look = look};
}
