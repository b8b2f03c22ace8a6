#ifndef FMC_TESTS_SCENE_H
#define FMC_TESTS_SCENE_H

/* A target of tests/targets with its traps, before it is started: what tests of the breakpoints begin with. */
#include "breakpoints/symbols/places.h"
#include <check.h>
#include <fmc/breakpoints/call.h>
#include <fmc/tracer/origin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

struct scene {
	struct entries *entries;
	struct places *places;
	struct origin *origin;
	struct target *target; /* NULL until the test starts it */
	char *path, *arguments[2];
	struct program program; /* borrowed by the origin */
	int output[2];
	bool states; /* note how objects are kept, not operations */
};

static enum status scene_prepare(void *context, struct target *target, struct tracee *tracee)
{
	(void)tracee;
	return entries_plant_first(context, target);
}

static inline void scene_open_path(struct scene *scene, const char *path, enum origin_kind kind)
{
	*scene = (struct scene){.entries = entries_new(), .places = places_new(), .path = strdup(path)};
	ck_assert_ptr_nonnull(scene->path);
	scene->arguments[0] = scene->path;
	ck_assert_int_eq(pipe(scene->output), 0);
	scene->program = (struct program){.path = scene->path,
					  .arguments = scene->arguments,
					  .environment = environ,
					  .input = -1,
					  .output = scene->output[1],
					  .error = -1};
	char why[256];
	enum status status =
	    origin_new(&scene->program, kind, scene_prepare, scene->entries, &scene->origin, why);
	ck_assert_msg(status == STATUS_OK, "%s: %s", status_text(status), why);
}

static inline void scene_open(struct scene *scene, const char *name, enum origin_kind kind)
{
	char path[512];
	const char *folder = getenv("FMC_TEST_TARGETS");
	ck_assert_ptr_nonnull(folder);
	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s", folder, name), (int)sizeof(path));
	scene_open_path(scene, path, kind);
}

static void scene_close(struct scene *scene)
{
	target_kill(scene->target);
	origin_free(scene->origin);
	places_free(scene->places);
	entries_free(scene->entries);
	close(scene->output[0]);
	close(scene->output[1]);
	free(scene->path);
}

#endif
