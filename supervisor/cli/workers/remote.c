/* Workers that a user's command starts: this side of it. */
#include "supervisor/cli/workers/remote.h"
#include "supervisor/cli/kept/learned.h"
#include "supervisor/cli/kept/state_names.h"
#include "supervisor/cli/output/exits.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void remote_become(const struct link *link, const char *command)
{
	char path[PATH_MAX] = "", *line;
	if (readlink("/proc/self/exe", path, sizeof path - 1) < 0 ||
	    asprintf(&line, "%s '%s' worker", command, path) < 0 || dup2(link->socket, STDIN_FILENO) < 0 ||
	    dup2(link->socket, STDOUT_FILENO) < 0)
		_exit(EXITS_SOFTWARE);
	execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	_exit(EXITS_UNAVAILABLE);
}

static void save_list(struct saver *saver, char *const *list)
{
	size_t length = 0;
	while (list && list[length])
		length++;
	save_number(saver, length);
	for (size_t i = 0; i < length; i++)
		save_text(saver, list[i]);
}

static void save_launch(struct saver *saver, const struct launch *launch)
{
	save_text(saver, launch->path);
	save_list(saver, launch->arguments);
	save_list(saver, launch->environment);
	save_text(saver, launch->directory);
	save_text(saver, launch->input_path);
	save_signed(saver, launch->start_time);
}

/* What the search has made of the options that are on the command line, as far as executions go by it. */
static void save_made(struct saver *saver, const struct options *options)
{
	const struct good_ends *ends = &options->good_ends;
	for (size_t i = 0; i < sizeof ends->statuses / sizeof *ends->statuses; i++)
		save_number(saver, ends->statuses[i]);
	save_number(saver, ends->signals);
	save_number(saver, options->atomics);
	save_number(saver, options->tso);
	save_number(saver, options->search.apart);
	save_number(saver, options->search.max_depth);
	save_text(saver, options->outcome_first);
	promoted_save(options->promoted, saver);
	learned_save(options->loops, 0, options->shared, 0, saver);
}

bool remote_tell(struct worker *worker, const struct worker_setting *setting, unsigned number)
{
	const struct options *options = setting->options;
	const uint64_t now = clock_now();
	struct saver saver = {0};
	save_text(&saver, FMC_VERSION);
	save_number(&saver, state_names());
	save_list(&saver, options->words);
	save_launch(&saver, setting->launch);
	save_made(&saver, options);
	save_list(&saver, setting->modules);
	save_number(&saver, number);
	save_number(&saver, setting->deadline > now ? setting->deadline - now : setting->deadline > 0);
	worker->loops = loops_length(options->loops);
	worker->shared = shared_length(options->shared);
	errno = ENOMEM;
	const bool put = link_put(&worker->link, &saver);
	saver_release(&saver);
	return put;
}
