/* A worker on the other side of a user's command: what it is told, and that it runs it. */
#include "supervisor/cli/kept/learned.h"
#include "supervisor/cli/kept/state_names.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/session/ops.h"
#include "supervisor/cli/workers/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For list_free(); NULL for bytes that are none. */
static char **load_list(struct loader *loader)
{
	size_t length = load_count(loader, 1);
	char **list = calloc(length + 1, sizeof *list);
	for (size_t i = 0; list && i < length; i++)
		if (!(list[i] = load_text(loader)))
			load_refuse(loader);
	return list;
}

static void load_launch(struct loader *loader, struct launch *launch)
{
	*launch = (struct launch){.input = -1, .path = load_text(loader)};
	launch->arguments = load_list(loader);
	launch->environment = load_list(loader);
	launch->directory = load_text(loader);
	launch->input_path = load_text(loader);
	launch->start_time = load_signed(loader);
}

static void load_made(struct loader *loader, struct options *options, struct promoted *promoted)
{
	struct good_ends *ends = &options->good_ends;
	for (size_t i = 0; i < sizeof ends->statuses / sizeof *ends->statuses; i++)
		ends->statuses[i] = load_number(loader);
	ends->signals = load_number(loader);
	options->atomics = load_bool(loader);
	options->tso = load_bool(loader);
	options->search.apart = load_bool(loader);
	options->search.max_depth = load_number(loader);
	options->outcome_first = load_text(loader);
	if (!promoted_load(promoted, loader) || !learned_load(options->loops, options->shared, loader))
		load_refuse(loader);
	options->promoted = promoted->length ? promoted : NULL;
}

/* All that a worker is told first. */
struct told {
	struct options options;
	char **words;
	struct launch launch;
	struct promoted promoted;
	char **modules;
	unsigned number;
	uint64_t deadline;
};

static size_t length_of(char *const *list)
{
	size_t length = 0;
	while (list[length])
		length++;
	return length;
}

static enum status open_input(struct launch *launch, char why[256])
{
	if (!launch->input_path)
		return STATUS_OK;
	launch->input = open(launch->input_path, O_RDONLY | O_CLOEXEC);
	if (launch->input >= 0)
		return STATUS_OK;
	snprintf(why, 256, "--launch: %.180s there: %s", launch->input_path, strerror(errno));
	return STATUS_NOT_FOUND;
}

static enum status load_told(struct loader *loader, struct told *told, char why[256])
{
	char *version = load_text(loader);
	const bool same =
	    version && strcmp(version, FMC_VERSION) == 0 && load_number(loader) == state_names();
	free(version);
	snprintf(why, 256, "--launch: fmc there is of another version or build");
	if (!same || loader->failed)
		return STATUS_MALFORMED;
	told->words = load_list(loader);
	if (!told->words || loader->failed ||
	    options_parse(&told->options, (int)length_of(told->words), told->words) != 0)
		return STATUS_MALFORMED;
	load_launch(loader, &told->launch);
	told->options.loops = loops_shared();
	told->options.shared = shared_new();
	if (!told->options.loops || !told->options.shared)
		return STATUS_NO_MEMORY;
	load_made(loader, &told->options, &told->promoted);
	told->modules = load_list(loader);
	told->number = (unsigned)load_most(loader, UINT32_MAX);
	const uint64_t left = load_number(loader);
	told->deadline = left ? clock_now() + left : 0;
	if (loader->failed || loader->left > 0 || !told->modules)
		return STATUS_MALFORMED;
	if (ops_open(&told->options, EXITS_USAGE) != 0) {
		snprintf(why, 256, "--launch: the plug-in can't be loaded there");
		return STATUS_UNSUPPORTED;
	}
	return open_input(&told->launch, why);
}

static void work_as_told(struct link *link, struct told *told)
{
	struct processors processors;
	processors_look(&processors);
	processors_bind(&processors, told->number);
	const struct worker_setting setting = {.launch = &told->launch,
					       .options = &told->options,
					       .processors = &processors,
					       .deadline = told->deadline,
					       .modules = told->modules};
	struct worker_told learned = {loops_length(told->options.loops), shared_length(told->options.shared)};
	worker_serve(link, &setting, &told->launch, &learned);
}

/* The parent is gone: what is being run comes to its end, and then nothing is left to be read. */
static void on_pipe(int signal)
{
	(void)signal;
}

/* The link takes the place of standard input and output, which neither fmc nor a target is to touch. */
static bool take_link(struct link *link)
{
	const struct sigaction action = {.sa_handler = on_pipe, .sa_flags = SA_RESTART};
	const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
		  out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	link_from(link, in, out);
	sigaction(SIGPIPE, &action, NULL);
	return in >= 0 && out >= 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
	       dup2(nothing, STDOUT_FILENO) >= 0;
}

int remote_work(void)
{
	struct link link;
	struct loader message;
	struct told told = {.launch.input = -1};
	char why[256] = "";
	if (!take_link(&link))
		return EXITS_SOFTWARE;
	tracer_catch_interrupts();
	if (!link_wait(&link, &message)) {
		link_close(&link);
		return EXITS_DATA;
	}
	enum status status = load_told(&message, &told, why);
	if (status)
		worker_refuse(&link, status, why);
	else
		work_as_told(&link, &told);
	launch_release(&told.launch);
	promoted_release(&told.promoted);
	loops_release(told.options.loops);
	shared_release(told.options.shared);
	list_free(told.modules);
	free((void *)(uintptr_t)told.options.outcome_first);
	list_free(told.words);
	link_close(&link);
	return status ? EXITS_DATA : EXITS_OK;
}
