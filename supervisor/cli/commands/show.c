/* fmc show: a schedule for the eye, in several forms. */
#include "supervisor/cli/commands/view.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/output/terminal.h"
#include "supervisor/cli/verdict/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As columns: nothing but the file is needed. */
static int show_text(const struct options *options, FILE *stream)
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
	const struct show_options show = {.width = options->width ? options->width
								  : terminal_width_or_default(stream),
					  .colours = options_colours(options, fileno(stream)),
					  .first = first,
					  .count = some ? options->count : rest};
	schedule_show_text(&schedule, &show, stream);
	schedule_release(&schedule);
	return EXITS_OK;
}

/* The file again, without what it tells of where it was made. */
static int show_stripped(const struct options *options, FILE *stream)
{
	struct schedule schedule;
	char why[256];
	enum status status = schedule_load(&schedule, options->file, why);
	if (status) {
		say("%s", why);
		return EXITS_DATA;
	}
	status = schedule_hide_environment(&schedule) ? schedule_write(&schedule, stream) : STATUS_NO_MEMORY;
	if (status)
		say("%s: %s", options->file, status_text(status));
	schedule_release(&schedule);
	return status ? EXITS_SOFTWARE : EXITS_OK;
}

static const char *about_nearest(const struct view *view)
{
	if (view->inevitable)
		return "The nearest execution that ends well. Where they part is the last chance: after it "
		       "no "
		       "execution does.";
	return "The nearest execution that ends well, of those that were tried.";
}

/* The schedule that was asked for, or the one that was found, beside the first. */
static int write_page(const struct options *options, const struct view *view, FILE *stream)
{
	struct view other;
	struct beside beside = {.about = options->beside};
	if (options->beside) {
		int exits = view_open(&other, options->beside, options, false);
		if (exits != EXITS_OK)
			return exits;
		beside.picture = &other.picture;
		beside.part = picture_part(&view->schedule, &other.schedule);
		picture_write_page(&view->picture, &beside, stream);
		view_close(&other);
		return EXITS_OK;
	}
	if (view->nearest) {
		beside = (struct beside){&view->nearest->picture, view->part, about_nearest(view)};
		picture_write_page(&view->picture, &beside, stream);
	} else {
		picture_write_page(&view->picture, NULL, stream);
	}
	return EXITS_OK;
}

static int show_picture(const struct options *options, FILE *stream)
{
	struct view view;
	bool page = options->format == FORMAT_PAGE;
	int exits = view_open(&view, options->file, options, page && !options->beside);
	if (exits != EXITS_OK)
		return exits;
	if (page)
		exits = write_page(options, &view, stream);
	else if (options->format == FORMAT_DOT)
		picture_write_dot(&view.picture, stream);
	else
		picture_write_perfetto(&view.picture, stream);
	view_close(&view);
	return exits;
}

static int show(const struct options *options, FILE *stream)
{
	if (options->strip)
		return show_stripped(options, stream);
	if (options->format == FORMAT_TEXT)
		return show_text(options, stream);
	tracer_catch_interrupts();
	return show_picture(options, stream);
}

/* What was made goes to its file at once, so that nothing half-made takes the place of what was there. */
static bool save(const char *path, const char *bytes, size_t length)
{
	FILE *stream = fopen(path, "we");
	bool good = stream && fwrite(bytes, 1, length, stream) == length;
	if (stream)
		good = fclose(stream) == 0 && good;
	if (!good)
		say("%s: %s", path, strerror(errno));
	return good;
}

int show_command(const struct options *options)
{
	if (!options->output)
		return show(options, stdout);
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	int exits = stream ? show(options, stream) : EXITS_SOFTWARE;
	if (!stream || fclose(stream) != 0) {
		say("%s", status_text(STATUS_NO_MEMORY));
		exits = EXITS_SOFTWARE;
	} else if (exits == EXITS_OK && !save(options->output, bytes, length)) {
		exits = EXITS_SOFTWARE;
	}
	free(bytes);
	return exits;
}
