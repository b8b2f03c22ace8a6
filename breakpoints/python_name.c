#include "breakpoints/python.h"

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

/* The name of a local variable, a string object. */
static uint64_t local_name(struct python *python, const struct python_frame *frame, uint32_t i)
{
	uint64_t first;
	size_t length;
	if (!python_items(python, frame->code->names, &first, &length) || i >= length)
		return 0;
	return python_pointer(python, first + UINT64_C(8) * i);
}

static void look_at_locals(struct lookup *lookup, const struct python_frame *frame)
{
	for (uint32_t i = 0; i < frame->code->locals && i < ITEMS_LOOKED && !lookup->found; i++) {
		const uint64_t value = python_local(lookup->python, frame, i);
		if (value)
			compare(lookup, local_name(lookup->python, frame, i), value);
	}
}

static void look_at_self(struct lookup *lookup, const struct python_frame *frame)
{
	if (frame->code->locals == 0 ||
	    !python_text_is(lookup->python, local_name(lookup->python, frame, 0), "self"))
		return;
	lookup->before = "self.";
	python_each_attribute(lookup->python, python_local(lookup->python, frame, 0), compare, lookup);
	lookup->before = "";
}

/* The main thread's module and functions often have what all threads use. */
static void look_at_main(struct lookup *lookup)
{
	const struct python_thread *main = &lookup->python->threads[0];
	if (main->frames_length)
		python_each_in_dict(lookup->python, main->frames[main->frames_length - 1].globals, compare,
				    lookup);
	for (size_t i = 0; i < main->frames_length && i < 8 && !lookup->found; i++)
		look_at_locals(lookup, &main->frames[i]);
}

static char *find_variable(struct python *python, const struct python_frame *frame, uint64_t object)
{
	struct lookup lookup = {.python = python, .object = object, .before = ""};
	if (frame)
		python_each_in_dict(python, frame->globals, compare, &lookup);
	if (frame && !lookup.found)
		look_at_self(&lookup, frame);
	if (!lookup.found)
		look_at_main(&lookup);
	if (frame && !lookup.found)
		look_at_locals(&lookup, frame);
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
