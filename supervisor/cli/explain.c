/* The report of a finding, put together. */
#include "explain.h"

#include <fmc/report.h>
#include <fmc/schedule.h>

#include <sys/ioctl.h>

/* So many transitions before the failure are shown. */
#define LAST_TRANSITIONS 20

#define DEFAULT_WIDTH 100

unsigned explain_width(FILE *stream)
{
	struct winsize size;
	if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return DEFAULT_WIDTH;
}

static void print_last_transitions(const struct finding *finding, bool colours, FILE *stream)
{
	size_t length = finding->trace.length;
	size_t first = length > LAST_TRANSITIONS ? length - LAST_TRANSITIONS : 0;
	struct schedule schedule;
	schedule_init(&schedule);
	if (schedule_from_finding(&schedule, finding) == STATUS_OK) {
		const struct show_options show = {explain_width(stream), colours, first, length - first};
		fprintf(stream, "\nThe last %zu of %zu transitions:\n", length - first, length);
		schedule_show_text(&schedule, &show, stream);
	}
	schedule_release(&schedule);
}

void explain_finding(const struct finding *finding, const char *schedule, bool confirmed,
		     const struct options *options, FILE *stream)
{
	const struct report_options how = {options_colours(options, fileno(stream))};
	report_headline(finding, &how, stream);
	fputc('\n', stream);
	report_threads(finding, &how, stream);
	if (finding->trace.length)
		print_last_transitions(finding, how.colours, stream);
	if (finding->output_length) {
		fputc('\n', stream);
		report_output(finding, stream);
	}
	fputc('\n', stream);
	report_counts(&finding->trace, stream);
	fputs(confirmed ? "; replayed twice with the same result\n" : "\n", stream);
	if (schedule)
		fprintf(stream, "Schedule: %s\n    fmc replay %s\n    fmc show %s\n", schedule, schedule,
			schedule);
}
