/* fmc attach --explore: the schedules that lead on from where a running process stands. */
#include "supervisor/cli/attach/attach.h"
#include "supervisor/cli/attach/print_account.h"
#include "supervisor/cli/check/check.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/ops.h"

#include <fmc/tracer/image_file.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_NUMBERS 1000000

/* What the files are called: as the schedule that is asked for, without .sched, else as the program, in the present folder. */
static char *base_name(const struct options *options, pid_t pid)
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	ssize_t got = readlink(link, path, sizeof path - 1);
	path[got > 0 ? got : 0] = '\0';
	const char *slash = strrchr(path, '/');
	const char *name = options->output ? options->output : slash ? slash + 1 : "process";
	size_t length = strlen(name);
	if (options->output && length > 6 && strcmp(name + length - 6, ".sched") == 0)
		length -= 6;
	return strndup(name, length);
}

/* A file that isn't there yet: NAME.image, NAME.2.image ...; to be freed. */
static char *image_name(const char *base)
{
	char *name = NULL;
	for (unsigned n = 1; n < MOST_NUMBERS; n++) {
		int length =
		    n == 1 ? asprintf(&name, "%s.image", base) : asprintf(&name, "%s.%u.image", base, n);
		if (length < 0)
			return NULL;
		if (access(name, F_OK) != 0)
			return name;
		free(name);
	}
	return NULL;
}

static enum status save(const struct options *options, pid_t pid, struct held *held, char **image,
			char why[256])
{
	struct image_saved saved;
	char *base = base_name(options, pid);
	*image = base ? image_name(base) : NULL;
	free(base);
	snprintf(why, 256, "%s", status_text(STATUS_NO_MEMORY));
	if (!*image)
		return STATUS_NO_MEMORY;
	enum status status = held_save(held, *image, &saved, why);
	if (status == STATUS_OK)
		fprintf(people_stream(options),
			"Saved %" PRIu32 " thread%s to %s, %.1f MB; the process %s.\n\n", saved.threads,
			plural(saved.threads), *image, (double)saved.bytes / 1e6,
			options->keep_running ? "goes on" : "stands still meanwhile");
	return status;
}

/* Of no use without a schedule that begins there. */
static void drop_unused(const char *image, int exits)
{
	if (exits != EXITS_FINDING)
		unlink(image);
}

static int search(const struct options *options, const char *image)
{
	struct launch launch;
	char why[256];
	enum status status = launch_from_image(&launch, image, why);
	if (status) {
		say("%s", why);
		return say_exit(status);
	}
	int exits = check_search(&launch, options);
	launch_release(&launch);
	return exits;
}

static int explore_held(const struct options *options, pid_t pid, struct held *held)
{
	char why[256], *image;
	enum status status = save(options, pid, held, &image, why);
	if (options->keep_running || status)
		held_release(held);
	if (status) {
		free(image);
		return attach_failed(status, why);
	}
	int exits = search(options, image);
	if (!options->keep_running) {
		bool gone = held_gone(held);
		held_release(held);
		fprintf(people_stream(options), "\nThe process %s.\n",
			gone ? "has been killed meanwhile" : "goes on");
	}
	drop_unused(image, exits);
	free(image);
	return exits;
}

int attach_explore(const struct options *options, pid_t pid)
{
	struct held *held;
	char why[256];
	int refused = ops_open(options, EXITS_USAGE);
	if (refused)
		return refused;
	enum status status = held_take(pid, &held, why);
	return status ? attach_failed(status, why) : explore_held(options, pid, held);
}
