/* The report of a finding, put together. */
#include "supervisor/cli/verdict/explain.h"
#include "supervisor/cli/output/terminal.h"

#include <fmc/replay/schedule.h>
#include <fmc/supervisor/report.h>

#include <inttypes.h>
#include <string.h>

/* So many transitions before the failure are shown. */
#define LAST_TRANSITIONS 20

static void print_last_transitions(const struct finding *finding, bool colours, FILE *stream)
{
	size_t length = finding->trace.length;
	size_t first = length > LAST_TRANSITIONS ? length - LAST_TRANSITIONS : 0;
	struct schedule schedule;
	schedule_init(&schedule);
	if (schedule_from_finding(&schedule, finding) == STATUS_OK) {
		const struct show_options show = {terminal_width_or_default(stream), colours, first,
						  length - first};
		fprintf(stream, "\nThe last %zu of %zu transitions:\n", length - first, length);
		schedule_show_text(&schedule, &show, stream);
	}
	schedule_release(&schedule);
}

/* Where in the schedule somebody's time comes before its turn. */
static void print_early(const struct finding *finding, FILE *stream)
{
	const size_t i = trace_early(&finding->trace);
	if (i == finding->trace.length)
		return;
	const struct transition *early = &finding->trace.at[i];
	char label[THREAD_LABEL_ROOM];
	fprintf(stream, "It needs --timeouts any: in transition %zu, %s %s, %s while others could go on.\n",
		i + 1, report_label(&finding->trace, early->thread, label), op_name(early->op.kind),
		early->op.kind == OP_SLEEP ? "a sleep ends" : "a time-out fires");
}

/* A file name as a shell takes it. */
static void print_quoted(const char *name, FILE *stream)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-,@%:=";
	if (*name && !name[strspn(name, plain)]) {
		fputs(name, stream);
		return;
	}
	fputc('\'', stream);
	for (; *name; name++)
		fputs(*name == '\'' ? "'\\''" : (char[]){*name, 0}, stream);
	fputc('\'', stream);
}

static void print_commands(const char *schedule, FILE *stream)
{
	static const char *const commands[] = {"replay", "show"};
	fprintf(stream, "Schedule: %s\n", schedule);
	for (size_t i = 0; i < 2; i++) {
		fprintf(stream, "    fmc %s %s", commands[i], *schedule == '-' ? "./" : "");
		print_quoted(schedule, stream);
		fputc('\n', stream);
	}
}

void explain_finding(const struct finding *finding, const char *schedule, bool confirmed,
		     const struct options *options, FILE *stream)
{
	const struct report_options how = {options_colours(options, fileno(stream)), terminal_width(stream)};
	report_headline(finding, &how, stream);
	fputc('\n', stream);
	report_threads(finding, &how, stream);
	if (finding->trace.length)
		print_last_transitions(finding, how.colours, stream);
	if (finding->output_length) {
		fputc('\n', stream);
		report_output(finding, &how, stream);
	}
	if (finding->client_output_length) {
		fputc('\n', stream);
		report_client_output(finding, &how, stream);
	}
	fputc('\n', stream);
	report_counts(&finding->trace, stream);
	fputs(confirmed ? "; replayed twice with the same result\n" : "\n", stream);
	print_early(finding, stream);
	if (schedule)
		print_commands(schedule, stream);
}
