/* The list of what is to hold, with the expressions in it. */
#include "supervisor/property/properties.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

static bool make_expression(struct property *property, struct expression_problem *problem)
{
	property->spec.text = strdup(property->spec.text);
	if (property->spec.place &&
	    !(property->spec.place = strndup(property->spec.place, property->spec.place_length))) {
		free((char *)property->spec.text);
		property->spec.text = NULL;
	}
	if (!property->spec.text || property->spec.kind == PROPERTY_LTL)
		return property->spec.text;
	/* One in a formula has no name. */
	property->expression = expression_parse(
	    property->number ? property_expression(&property->spec) : property->spec.text, problem);
	return property->expression;
}

struct property *properties_add(struct properties *properties, const struct property_spec *spec,
				uint32_t number, struct expression_problem *problem)
{
	if (!ARRAY_GROW(properties->at, properties->length, properties->room))
		return NULL;
	struct property *property = &properties->at[properties->length++];
	*property = (struct property){.spec = *spec, .number = number, .bit = UINT32_MAX};
	return make_expression(property, problem) ? property : NULL;
}
