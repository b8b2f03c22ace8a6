/* What isn't as it is to be, in words. */
#include "supervisor/property/properties.h"

#include <stdio.h>
#include <string.h>

void property_say_problem(const struct property *property, const struct expression_problem *problem,
			  char message[256])
{
	const struct property_spec *spec = &property->spec;
	if (property->number)
		snprintf(message, 256, "--%s%s%.*s '%.50s', column %zu: %.170s", property_word(spec->kind),
			 spec->place ? " " : "", (int)(spec->place_length < 40 ? spec->place_length : 40),
			 spec->place ? spec->place : "", spec->text,
			 problem->column + (size_t)(property_expression(spec) - spec->text), problem->text);
	else
		snprintf(message, 256, "--ltl, in '%.50s', column %zu: %.170s", spec->text, problem->column,
			 problem->text);
}

/* "'count <= 4' is false: count = 5" */
void property_say_violated(const struct property *property, const struct expression *expression,
			   const struct expression_world *world, const char *why, char message[256])
{
	char values[VALUES_SHOWN];
	const char *text = property->spec.text;
	const bool cut = strlen(text) > TEXT_SHOWN;
	expression_describe(expression, world, values, sizeof values);
	snprintf(message, 256, "%s%.*s%s'%.*s%s' is %s%s%s%s%.36s%s", property->spec.place ? "at " : "",
		 (int)(property->spec.place_length < 40 ? property->spec.place_length : 40),
		 property->spec.place ? property->spec.place : "", property->spec.place ? ", " : "",
		 cut ? TEXT_SHOWN - 3 : TEXT_SHOWN, text, cut ? "..." : "",
		 property->spec.kind == PROPERTY_NEVER ? "true" : "false", *values ? ": " : "", values,
		 *why ? " (" : "", why, *why ? ")" : "");
}
