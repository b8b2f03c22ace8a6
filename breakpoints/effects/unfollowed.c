#include "breakpoints/effects/unfollowed.h"
#include "breakpoints/effects/memory_parts.h"
#include "breakpoints/effects/quiet_functions.h"

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 4

struct unfollowed_function {
	struct memory_call call; /* comes first */
	bool missed, watched;
	char name[];
};

/* Where the name is or would be. */
static size_t find(const struct unfollowed *unfollowed, const char *name, bool *there)
{
	size_t low = 0, high = unfollowed->length;
	*there = false;
	while (low < high && !*there) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(unfollowed->at[middle]->name, name);
		*there = order == 0;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return *there ? high : low;
}

static struct unfollowed_function *new_function(const char *name)
{
	const size_t bytes = strlen(name) + 1;
	struct unfollowed_function *function = calloc(1, sizeof(*function) + bytes);
	if (!function)
		return NULL;
	memcpy(function->name, name, bytes);
	function->call = (struct memory_call){.name = function->name, .parts = {{.extent = UNKNOWN}}};
	return function;
}

const struct memory_call *unfollowed_note(struct unfollowed *unfollowed, const char *name)
{
	bool there;
	const size_t at = find(unfollowed, name, &there), after = unfollowed->length - at;
	if (there)
		return &unfollowed->at[at]->call;
	struct unfollowed_function *function = new_function(name);
	if (!function || !ARRAY_DOUBLE(unfollowed->at, unfollowed->length)) {
		free(function);
		unfollowed->failed = true;
		return NULL;
	}
	memmove(unfollowed->at + at + 1, unfollowed->at + at, after * sizeof(*unfollowed->at));
	unfollowed->at[at] = function;
	unfollowed->length++;
	return &function->call;
}

const struct memory_call *unfollowed_add(struct unfollowed *unfollowed, const char *name)
{
	return !*name || quiet_function(name) || memory_calls_find(name) ? NULL
									 : unfollowed_note(unfollowed, name);
}

static struct unfollowed_function *function_of(const struct unfollowed *unfollowed, const char *name)
{
	bool there;
	const size_t at = find(unfollowed, name, &there);
	return there ? unfollowed->at[at] : NULL;
}

void unfollowed_may_be_missed(struct unfollowed *unfollowed, const char *name)
{
	struct unfollowed_function *function = function_of(unfollowed, name);
	if (function)
		function->missed = true;
}

void unfollowed_is_watched(struct unfollowed *unfollowed, const char *name)
{
	struct unfollowed_function *function = function_of(unfollowed, name);
	if (function)
		function->watched = true;
}

bool unfollowed_matters(const struct memory_call *call)
{
	return !((const struct unfollowed_function *)call)->watched;
}

void unfollowed_add_missed(const struct unfollowed *from, struct unfollowed *unfollowed)
{
	unfollowed->failed |= from->failed;
	for (size_t i = 0; i < from->length; i++)
		if (from->at[i]->missed && !from->at[i]->watched)
			(void)unfollowed_note(unfollowed, from->at[i]->name);
}

void unfollowed_text(const struct unfollowed *unfollowed, char *text, size_t room)
{
	const size_t length = unfollowed->length, shown = length > NAMED + 1 ? NAMED : length;
	size_t at = 0;
	*text = 0;
	if (unfollowed->failed)
		snprintf(text, room, "functions that aren't followed");
	if (unfollowed->failed || length == 0)
		return;
	for (size_t i = 0; i < shown && at < room; i++)
		at += (size_t)snprintf(text + at, room - at, "%s%.24s",
				       i == 0 ? "functions that aren't followed: " : ", ",
				       unfollowed->at[i]->name);
	if (shown < length && at < room)
		snprintf(text + at, room - at, " and %zu more", length - shown);
}

void unfollowed_release(struct unfollowed *unfollowed)
{
	for (size_t i = 0; i < unfollowed->length; i++)
		free(unfollowed->at[i]);
	free(unfollowed->at);
	*unfollowed = (struct unfollowed){0};
}
