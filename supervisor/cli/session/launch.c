/* How the target is started: from a command line or from a schedule's header. */
#include "supervisor/cli/session/launch.h"
#include "supervisor/cli/session/image_id.h"
#include "supervisor/cli/session/leaks.h"
#include "supervisor/cli/session/variables.h"

#include <fmc/tracer/image_file.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REASON 256

void launch_release(struct launch *launch)
{
	free(launch->path);
	list_free(launch->arguments);
	list_free(launch->environment);
	free(launch->directory);
	free(launch->input_path);
	free(launch->image);
	if (launch->input >= 0)
		close(launch->input);
	*launch = (struct launch){.input = -1};
}

struct program launch_program(const struct launch *launch)
{
	return (struct program){.path = launch->path,
				.image = launch->image ? image_id_path(launch->image) : NULL,
				.arguments = launch->arguments,
				.environment = launch->environment,
				.directory = launch->directory,
				.input = launch->input,
				.output = -1,
				.error = -1,
				.start_time = launch->start_time};
}

/* Is there a file that can be executed? Else errno says why not. */
static bool runnable(const char *path)
{
	struct stat about;
	if (stat(path, &about) != 0)
		return false;
	errno = EISDIR;
	return !S_ISDIR(about.st_mode) && access(path, X_OK) == 0;
}

/* The program as a shell finds it: in PATH unless its name has a slash. To be freed; NULL with errno. */
static char *find(const char *name)
{
	const char *path = getenv("PATH");
	if (strchr(name, '/') || !path)
		return runnable(name) ? realpath(name, NULL) : NULL;
	int error = ENOENT;
	while (*name && path) {
		size_t length = strcspn(path, ":");
		char candidate[PATH_MAX];
		snprintf(candidate, sizeof candidate, "%.*s/%s", length ? (int)length : 1,
			 length ? path : ".", name);
		if (runnable(candidate))
			return realpath(candidate, NULL);
		if (errno != ENOENT && errno != ENOTDIR)
			error = errno;
		path = path[length] ? path + length + 1 : NULL;
	}
	errno = error;
	return NULL;
}

static enum status refuse(const char *what, char why[REASON])
{
	int error = errno;
	snprintf(why, REASON, "%.180s: %s", what,
		 error == ENOENT ? "no such file or program" : strerror(error));
	if (error == ENOMEM)
		return STATUS_NO_MEMORY;
	return error == ENOENT ? STATUS_NOT_FOUND : STATUS_DENIED;
}

/* Open the standard input; NULL: leave it as it is. */
static enum status open_input(struct launch *launch, const char *path, char why[REASON])
{
	if (!path)
		return STATUS_OK;
	launch->input = open(path, O_RDONLY | O_CLOEXEC);
	if (launch->input < 0)
		return refuse(path, why);
	launch->input_path = realpath(path, NULL);
	return launch->input_path ? STATUS_OK : refuse(path, why);
}

enum status launch_reopen_input(struct launch *launch, char why[REASON])
{
	char path[64];
	if (launch->input < 0)
		return STATUS_OK;
	snprintf(path, sizeof path, "/proc/self/fd/%d", launch->input);
	launch->input = open(path, O_RDONLY | O_CLOEXEC);
	return launch->input < 0 ? refuse(launch->input_path, why) : STATUS_OK;
}

static enum status fill(struct launch *launch, const char *program, char *const *arguments,
			char *const *environment, const char *input, char why[REASON])
{
	launch->path = find(program);
	if (!launch->path)
		return refuse(program, why);
	launch->arguments = list_copy(arguments);
	launch->environment = list_copy(environment);
	if (!launch->arguments || !launch->environment || !launch->directory)
		return refuse(program, why);
	return open_input(launch, input, why);
}

/* The loader's stores as it looks for a function that is called for the first time can't wait (fmc-check(1)): let it do so before. */
static bool bind_early(struct launch *launch)
{
	static const char variable[] = "LD_BIND_NOW";
	char *set = NULL;
	if (variables_find(launch->environment, variable))
		return true;
	if (asprintf(&set, "%s=1", variable) < 0)
		return false;
	if (variables_add(&launch->environment, set))
		return true;
	free(set);
	return false;
}

enum status launch_from_options(struct launch *launch, const struct options *options, bool quiet,
				char why[REASON])
{
	*launch = (struct launch){.input = -1, .directory = getcwd(NULL, 0), .start_time = time(NULL)};
	const char *input = options->input ? options->input : quiet ? "/dev/null" : NULL;
	enum status status = fill(launch, options->target[0], options->target, environ, input, why);
	const bool early = options->tso_wanted;
	if (!status && (!leaks_leave_out(launch) || (early && !bind_early(launch)))) {
		snprintf(why, REASON, "%s", status_text(STATUS_NO_MEMORY));
		status = STATUS_NO_MEMORY;
	}
	if (status)
		launch_release(launch);
	return status;
}

enum status launch_from_schedule(struct launch *launch, const struct schedule_header *header,
				 const char *input, char why[REASON])
{
	*launch = (struct launch){.input = -1};
	if (header->origin && strcmp(header->origin, SCHEDULE_ATTACHED) == 0) {
		snprintf(why, REASON,
			 "recorded from a process that ran already (fmc attach --run): it can be shown, but "
			 "not run again "
			 "from its beginning");
		return STATUS_UNSUPPORTED;
	}
	if (!header->program || !header->arguments || !header->arguments[0]) {
		snprintf(why, REASON, "the schedule doesn't say which program it is of");
		return STATUS_MALFORMED;
	}
	if (!input)
		input = header->input && strcmp(header->input, "none") != 0 ? header->input : "/dev/null";
	launch->start_time = header->clock ? (int64_t)header->clock : time(NULL);
	launch->directory = header->directory ? strdup(header->directory) : getcwd(NULL, 0);
	launch->image = header->image ? strdup(header->image) : NULL;
	if (header->image && !launch->image)
		return STATUS_NO_MEMORY;
	char *const nothing[] = {NULL};
	enum status status = fill(launch, header->program, header->arguments,
				  header->environment ? header->environment : nothing, input, why);
	if (!status && access(launch->directory, X_OK) != 0)
		status = refuse(launch->directory, why);
	if (status)
		launch_release(launch);
	return status;
}

enum status launch_from_image(struct launch *launch, const char *path, char why[REASON])
{
	struct image_file *file;
	*launch = (struct launch){.input = -1, .start_time = time(NULL)};
	enum status status = image_file_open(path, &file, why);
	if (status)
		return status;
	launch->image = image_id(path);
	launch->directory = strdup(image_file_directory(file));
	if (!launch->image)
		status = refuse(path, why);
	else
		status = fill(launch, image_file_program(file), image_file_arguments(file),
			      image_file_environment(file), NULL, why);
	image_file_close(file);
	if (status)
		launch_release(launch);
	return status;
}
