/* The line of progress. */
#include "supervisor/cli/explore/progress.h"
#include "supervisor/cli/output/terminal.h"
#include "supervisor/cli/session/session.h"

#include <fmc/supervisor/shown.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WIPE	      "\r\033[K" /* what the line holds */
#define NARROWEST     10
#define UNKNOWN_WIDTH 79	 /* of a terminal that doesn't tell its width */
#define INTERVAL      200000000u /* nanoseconds between two updates */

void progress_init(struct progress *progress, unsigned jobs)
{
	*progress = (struct progress){.on = isatty(STDERR_FILENO), .jobs = jobs, .begin = clock_now()};
	progress->last = progress->begin;
}

/* All that there is to say, the most important first. */
static void print_line(const struct progress *progress, const char *strategy,
		       const struct search_progress *search, const struct verdict *verdict, uint64_t depth,
		       FILE *stream)
{
	double seconds = (double)(progress->last - progress->begin) / 1e9;
	fprintf(stream, "%s: %" PRIu64 " executions, %.0f per second, depth %" PRIu64, strategy,
		verdict->executions, (double)(verdict->executions - progress->earlier) / seconds, depth);
	if (progress->jobs > 1)
		fprintf(stream, ", %u jobs", progress->jobs);
	if (search->bound)
		fprintf(stream, ", bound %" PRIu32, search->bound);
	if (search->estimate > 0)
		fprintf(stream, ", about %.3g in all", search->estimate);
	if (search->estimate_high > search->estimate_low)
		fprintf(stream, " (%.3g to %.3g)", search->estimate_low, search->estimate_high);
	fprintf(stream, ", %" PRIu64 " classes, %.0f%% known", verdict->classes, 100 * verdict->saturation);
}

/* All of it: signals that tell of tracees interrupt a write to a terminal, after which stdio drops the rest. */
static void put(const char *text, size_t length)
{
	fflush(stderr);
	while (length > 0) {
		const ssize_t written = write(STDERR_FILENO, text, length);
		if (written < 0 && errno != EINTR)
			return;
		text += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
}

/* A line that the terminal would break couldn't be wiped: one column is left free, where the cursor stays. */
static void show(const char *line, size_t length)
{
	const unsigned width = terminal_width(stderr);
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return;
	fputs(WIPE, stream);
	shown_print_line(line, length, width > NARROWEST ? width - 1 : UNKNOWN_WIDTH, stream);
	if (fclose(stream) == 0)
		put(text, size);
	free(text);
}

void progress_update(struct progress *progress, const char *strategy, const struct search_progress *search,
		     const struct verdict *verdict, uint64_t depth)
{
	char *line;
	size_t length;
	if (!progress->on)
		return;
	uint64_t now = clock_now();
	if (now - progress->last < INTERVAL)
		return;
	progress->last = now;
	FILE *stream = open_memstream(&line, &length);
	if (!stream)
		return;
	print_line(progress, strategy, search, verdict, depth, stream);
	if (fclose(stream) == 0) {
		progress->shown = true;
		show(line, length);
	}
	free(line);
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		put(WIPE, sizeof WIPE - 1);
	progress->shown = false;
}
