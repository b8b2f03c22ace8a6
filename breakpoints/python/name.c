#include "breakpoints/python/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The variable that an object is in: a global one, an attribute of self, a local one; or an item of a list in one. */

#define ITEMS_LOOKED 1024

struct lookup {
	struct python *python;
	uint64_t object;
	const char *before; /* "self." */
	char *found;
};

/* Its index in a list or tuple; -1: it isn't in it. */
static long find_item(struct python *python, uint64_t list, uint64_t object)
{
	uint64_t first, item;
	size_t length;
	if (!python_items(python, list, &first, &length))
		return -1;
	for (size_t i = 0; i < length && i < ITEMS_LOOKED; i++)
		if (python_word(python, first + 8 * i, &item) && item == object)
			return (long)i;
	return -1;
}

/* "before" + the variable's name, and "[i]" if the object is an item of what it holds. */
static bool compare(void *context, uint64_t key, uint64_t value)
{
	struct lookup *lookup = context;
	long item = -1;
	if (value != lookup->object && (item = find_item(lookup->python, value, lookup->object)) < 0)
		return true;
	char *name = python_text(lookup->python, key);
	if (!name)
		return true;
	const int length = item < 0 ? asprintf(&lookup->found, "%s%s", lookup->before, name)
				    : asprintf(&lookup->found, "%s%s[%ld]", lookup->before, name, item);
	free(name);
	if (length < 0)
		lookup->found = NULL;
	return false;
}

/* Things of which every module has many, and whose attributes are no variables of the program. */
static bool is_definition(struct python *python, uint64_t object)
{
	static const char *const types[] = {"function", "type", "module", "builtin_function_or_method",
					    "str",	"int",	"dict",	  "list",
					    "tuple"};
	char type[PYTHON_TYPE_ROOM];
	if (!python_type_name(python, object, type))
		return true;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

/* The same with what the object of this name has as attributes: "box.lock". */
static bool compare_attributes(void *context, uint64_t key, uint64_t value)
{
	struct lookup *lookup = context;
	if (is_definition(lookup->python, value))
		return true;
	char *name = python_text(lookup->python, key), *before = NULL;
	if (!name || asprintf(&before, "%s.", name) < 0)
		before = NULL;
	free(name);
	if (!before)
		return true;
	struct lookup inner = {.python = lookup->python, .object = lookup->object, .before = before};
	python_each_attribute(lookup->python, value, compare, &inner);
	free(before);
	lookup->found = inner.found;
	return !inner.found;
}

/* The name of a local variable, a string object. */
static uint64_t local_name(struct python *python, const struct python_frame *frame, uint32_t i)
{
	uint64_t first;
	size_t length;
	if (!python_items(python, frame->code->names, &first, &length) || i >= length)
		return 0;
	return python_pointer(python, first + UINT64_C(8) * i);
}

static void look_at_locals(struct lookup *lookup, const struct python_frame *frame, python_visitor *visit)
{
	for (uint32_t i = 0; i < frame->code->locals && i < ITEMS_LOOKED && !lookup->found; i++) {
		const uint64_t value = python_local(lookup->python, frame, i);
		if (value)
			visit(lookup, local_name(lookup->python, frame, i), value);
	}
}

static void look_at_globals(struct lookup *lookup, const struct python_frame *frame)
{
	python_each_in_dict(lookup->python, frame->globals, compare, lookup);
	if (!lookup->found)
		python_each_in_dict(lookup->python, frame->globals, compare_attributes, lookup);
}

/* The main thread's module and functions often have what all threads use. */
static void look_at_main(struct lookup *lookup)
{
	const struct python_thread *main = &lookup->python->threads[0];
	if (main->frames_length)
		look_at_globals(lookup, &main->frames[main->frames_length - 1]);
	for (size_t i = 0; i < main->frames_length && i < 8 && !lookup->found; i++)
		if (!python_is_library(&main->frames[i]))
			look_at_locals(lookup, &main->frames[i], compare);
}

/* Names that mean the same everywhere come before those of the thread's own. */
static char *find_variable(struct python *python, const struct python_frame *frame, uint64_t object)
{
	struct lookup lookup = {.python = python, .object = object, .before = ""};
	if (frame)
		look_at_globals(&lookup, frame);
	if (!lookup.found)
		look_at_main(&lookup);
	if (frame && !lookup.found)
		look_at_locals(&lookup, frame, compare_attributes);
	if (frame && !lookup.found)
		look_at_locals(&lookup, frame, compare);
	return lookup.found;
}

const char *python_variable(struct python *python, const struct python_frame *frame, uint64_t object)
{
	for (const struct python_variable *known = python->variables; known; known = known->next)
		if (known->object == object)
			return known->name;
	struct python_variable *variable = calloc(1, sizeof(*variable));
	if (!variable)
		return NULL;
	variable->object = object;
	variable->name = find_variable(python, frame, object);
	variable->next = python->variables;
	python->variables = variable;
	return variable->name;
}

void python_variables_free(struct python *python)
{
	while (python->variables) {
		struct python_variable *variable = python->variables;
		python->variables = variable->next;
		free(variable->name);
		free(variable);
	}
}
