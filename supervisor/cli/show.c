/* fmc show: a schedule as columns. */
#include "commands.h"
#include "exits.h"
#include "explain.h"
#include "say.h"

#include <fmc/schedule.h>

#include <unistd.h>

int show_command(const struct options *options)
{
	struct schedule schedule;
	char why[256];
	schedule_init(&schedule);
	enum status status = schedule_load(&schedule, options->file, why);
	if (status) {
		say("%s", why);
		schedule_release(&schedule);
		return EXITS_DATA;
	}
	size_t first = options->first ? options->first - 1 : 0;
	if (first > schedule.length)
		first = schedule.length;
	size_t rest = schedule.length - first;
	bool some = options->count && options->count < rest;
	const struct show_options show = {.width = options->width ? options->width : explain_width(stdout),
					  .colours = options_colours(options, STDOUT_FILENO),
					  .first = first,
					  .count = some ? options->count : rest};
	schedule_show_text(&schedule, &show, stdout);
	schedule_release(&schedule);
	return EXITS_OK;
}
