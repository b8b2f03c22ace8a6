/* The line of progress. */
#include "progress.h"
#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INTERVAL 200000000u /* nanoseconds between two updates */

void progress_init(struct progress *progress, unsigned jobs)
{
	*progress = (struct progress){.on = isatty(STDERR_FILENO), .jobs = jobs, .begin = clock_now()};
	progress->last = progress->begin;
}

void progress_update(struct progress *progress, const char *strategy, const struct search_progress *search,
		     const struct verdict *verdict, uint64_t depth)
{
	if (!progress->on)
		return;
	uint64_t now = clock_now();
	if (now - progress->last < INTERVAL)
		return;
	progress->last = now;
	progress->shown = true;
	double seconds = (double)(now - progress->begin) / 1e9;
	fprintf(stderr, "\r\033[K%s: %" PRIu64 " executions, %.0f per second, depth %" PRIu64, strategy,
		verdict->executions, (double)(verdict->executions - progress->earlier) / seconds, depth);
	if (progress->jobs > 1)
		fprintf(stderr, ", %u jobs", progress->jobs);
	if (search->bound)
		fprintf(stderr, ", bound %" PRIu32, search->bound);
	if (search->estimate > 0)
		fprintf(stderr, ", about %.3g in all", search->estimate);
	if (search->estimate_high > search->estimate_low)
		fprintf(stderr, " (%.3g to %.3g)", search->estimate_low, search->estimate_high);
	fprintf(stderr, ", %" PRIu64 " classes, %.0f%% known", verdict->classes, 100 * verdict->saturation);
	fflush(stderr);
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
