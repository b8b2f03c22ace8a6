#include "supervisor/cli/verdict/memory.h"

#include <fmc/tracer/array.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void memory_seen_release(struct memory_seen *seen)
{
	for (size_t i = 0; i < seen->length; i++) {
		struct memory_variable *variable = &seen->variables[i];
		for (size_t k = 0; k < variable->length; k++)
			free(variable->uses[k].place);
		free(variable->uses);
		free(variable->name);
	}
	free(seen->variables);
	free(seen->unseen);
	*seen = (struct memory_seen){0};
}

static struct memory_variable *find_variable(struct memory_seen *seen, const char *name)
{
	for (size_t i = 0; i < seen->length; i++)
		if (strcmp(seen->variables[i].name, name) == 0)
			return &seen->variables[i];
	if (!ARRAY_ONE_MORE(seen->variables, seen->length))
		return NULL;
	seen->variables[seen->length] = (struct memory_variable){.name = strdup(name)};
	return seen->variables[seen->length].name ? &seen->variables[seen->length++] : NULL;
}

/* Numbers in places count as such: line 9 comes before line 10. */
static int compare(const struct memory_use *use, const char *place, uint32_t thread)
{
	int order = strverscmp(use->place, place);
	return order ? order : use->thread < thread ? -1 : use->thread > thread;
}

bool memory_seen_add(struct memory_seen *seen, const char *name, const char *place, uint32_t thread)
{
	struct memory_variable *variable = find_variable(seen, name);
	size_t at = 0;
	if (!variable)
		return false;
	while (at < variable->length && compare(&variable->uses[at], place, thread) < 0)
		at++;
	if (at < variable->length && compare(&variable->uses[at], place, thread) == 0)
		return true;
	struct memory_use *larger = reallocarray(variable->uses, variable->length + 1, sizeof *larger);
	char *copy = strdup(place);
	if (larger)
		variable->uses = larger;
	if (!larger || !copy) {
		free(copy);
		return false;
	}
	memmove(larger + at + 1, larger + at, (variable->length - at) * sizeof *larger);
	larger[at] = (struct memory_use){copy, thread};
	variable->length++;
	return true;
}

bool memory_seen_add_all(struct memory_seen *seen, const struct memory_seen *more)
{
	bool good = true;
	for (size_t i = 0; i < more->length; i++)
		for (size_t k = 0; k < more->variables[i].length; k++)
			good =
			    memory_seen_add(seen, more->variables[i].name, more->variables[i].uses[k].place,
					    more->variables[i].uses[k].thread) &&
			    good;
	return good;
}

void memory_seen_save(const struct memory_seen *seen, struct saver *saver)
{
	save_number(saver, seen->length);
	for (size_t i = 0; i < seen->length; i++) {
		const struct memory_variable *variable = &seen->variables[i];
		save_text(saver, variable->name);
		save_number(saver, variable->length);
		for (size_t k = 0; k < variable->length; k++) {
			save_text(saver, variable->uses[k].place);
			save_number(saver, variable->uses[k].thread);
		}
	}
}

static bool load_use(struct memory_seen *seen, const char *name, struct loader *loader)
{
	char *place = load_text(loader);
	const uint32_t thread = (uint32_t)load_most(loader, UINT32_MAX);
	const bool good = name && place && memory_seen_add(seen, name, place, thread);
	free(place);
	return good;
}

bool memory_seen_load(struct memory_seen *seen, struct loader *loader)
{
	const size_t length = load_count(loader, 2);
	bool good = true;
	for (size_t i = 0; i < length && good; i++) {
		char *name = load_text(loader);
		const size_t uses = load_count(loader, 2);
		for (size_t k = 0; k < uses && good; k++)
			good = load_use(seen, name, loader);
		free(name);
	}
	return good && !loader->failed;
}

void memory_seen_leave_out(struct memory_seen *seen, const char *what)
{
	if (*what && !seen->unseen)
		seen->unseen = strdup(what);
}

/* "," or "and" before number i of n. */
static const char *joint(size_t i, size_t n)
{
	return i == 0 ? "" : i + 1 < n ? ", " : " and ";
}

/* How many uses from i on have its place. */
static size_t same_place(const struct memory_variable *variable, size_t i)
{
	size_t n = 1;
	while (i + n < variable->length && strcmp(variable->uses[i].place, variable->uses[i + n].place) == 0)
		n++;
	return n;
}

static size_t count_places(const struct memory_variable *variable)
{
	size_t places = 0;
	for (size_t i = 0; i < variable->length; i += same_place(variable, i))
		places++;
	return places;
}

static void print_variable(const struct memory_variable *variable, size_t most, FILE *stream)
{
	size_t all = count_places(variable), shown = most && all > most ? most : all, place = 0;
	fprintf(stream, "%s at ", variable->name);
	for (size_t i = 0; i < variable->length && place < shown; place++) {
		size_t threads = same_place(variable, i);
		fprintf(stream, "%s%s by ", shown < all ? (place ? ", " : "") : joint(place, all),
			variable->uses[i].place);
		for (size_t k = 0; k < threads; k++)
			fprintf(stream, "%sT%" PRIu32, joint(k, threads), variable->uses[i + k].thread + 1);
		i += threads;
	}
	if (shown < all)
		fprintf(stream, " and %zu more places", all - shown);
}

void memory_seen_print(const struct memory_seen *seen, size_t most, FILE *stream)
{
	size_t shown = most && seen->length > most ? most : seen->length;
	for (size_t i = 0; i < shown; i++) {
		fputs(i ? "; " : "", stream);
		print_variable(&seen->variables[i], most, stream);
	}
	if (shown < seen->length)
		fprintf(stream, "; and %zu more", seen->length - shown);
}
