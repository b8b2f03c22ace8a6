/* The certificate of a search that is over, checked before it is written. */
#include "supervisor/cli/check/certify_write.h"
#include "supervisor/cli/explore/certify.h"
#include "supervisor/cli/explore/explore.h"
#include "supervisor/cli/output/output_file.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/environment.h"
#include "supervisor/cli/session/record.h"

#include <fmc/replay/certificate_file.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The verdict's sentences, a line each; NULL without memory. */
static char **sentences(const struct verdict *verdict)
{
	char *text = NULL, **lines = calloc(1, sizeof *lines);
	size_t size, length = 0;
	FILE *stream = open_memstream(&text, &size);
	if (stream)
		verdict_print(verdict, stream);
	if (!stream || fclose(stream) != 0 || !lines) {
		free(text);
		free(lines);
		return NULL;
	}
	char *rest = text;
	for (char *line; lines && (line = strsep(&rest, "\n")) != NULL;) {
		char **longer = *line ? reallocarray(lines, length + 2, sizeof *lines) : NULL;
		if (!*line)
			continue;
		if (!longer || !(longer[length] = strdup(line))) {
			lines = longer ? longer : lines;
			lines[length] = NULL;
			list_free(lines);
			lines = NULL;
			break;
		}
		lines = longer;
		lines[++length] = NULL;
	}
	free(text);
	return lines;
}

/* An execution once more: where findings are collected the program's modules become known. */
static void learn_modules(struct exploration *x)
{
	const struct plan plan = {.policy = explore_first_policy(x)};
	struct finding finding;
	finding_init(&finding);
	x->session->deadline = 0;
	(void)session_run(x->session, &plan, &x->last.trace, &finding); /* its trace is all that is wanted */
	finding_release(&finding);
}

/* The program, how it is started, and the options: all that a schedule's header says. */
static bool fill_header(struct exploration *x, const struct launch *launch, struct certificate_file *file)
{
	const struct search_options *search = &x->certifying.search;
	const struct policy policy = {
	    .fair_k = search->fair_k, .max_depth = search->max_depth, .ordered = search->ordered};
	struct launch told = *launch;
	const char *why = NULL;
	char strategy[32];
	strategy_describe(search, strategy);
	learn_modules(x);
	const struct policy first = explore_first_policy(x);
	char **needed =
	    x->repeatable ? environment_needed(launch, x->options, &first, &x->last.trace, &why) : NULL;
	told.environment = needed ? needed : launch->environment;
	const bool filled = record_header(&file->schedule.header, x->session, &told, x->options, &policy,
					  strategy, &x->certifying.knowledge);
	list_free(needed);
	return filled;
}

static bool make_file(struct exploration *x, const struct launch *launch, struct certificate_file *file)
{
	file->tree = x->certifying.tree;
	certificate_init(&x->certifying.tree);
	file->executions = x->certifying.executions;
	file->shown = sentences(x->verdict);
	file->conditions = verdict_conditions(x->verdict);
	return file->shown && fill_header(x, launch, file);
}

static bool refuse(const char *path, const char *why)
{
	say("%s: no certificate is written: %s", path, why);
	return true;
}

static bool write_checked(struct exploration *x, const struct launch *launch,
			  const struct certificate_report *report, double seconds, FILE *stream)
{
	const char *path = x->options->certificate;
	struct certificate_file file;
	size_t size = 0;
	certificate_file_init(&file);
	const bool made = make_file(x, launch, &file);
	char *text = made ? certificate_file_text(&file, &size) : NULL;
	certificate_file_release(&file);
	const bool written = text && output_file_write(path, text, size);
	free(text);
	if (!text)
		say("%s: can't write the certificate: %s", path, status_text(STATUS_NO_MEMORY));
	if (written && strcmp(path, "-") != 0)
		fprintf(stream,
			"Certificate: %s (%" PRIu64
			" executions, %zu bytes, checked in %.2f seconds; fmc certificate "
			"%s).\n",
			path, report->executions, size, seconds, path);
	return written;
}

bool certify_write(struct exploration *x, const struct launch *launch, FILE *stream)
{
	struct certifying *c = &x->certifying;
	const char *path = x->options->certificate;
	struct certificate_report report;
	if (!c->recorder)
		return refuse(path, "there was no memory for it");
	const char *lacks = x->options->automatic ? NULL : certify_lacks(x->options->search.strategy);
	if (!c->kept && lacks)
		return refuse(path, lacks);
	if (!c->kept || x->diverged || (!x->options->all && x->verdict->reported_length > 0))
		return refuse(path, "the search isn't complete");
	if (c->refused)
		return refuse(path, c->refused);
	const uint64_t begin = clock_now();
	const enum status status = certificate_check(&c->tree, true, &report);
	const double seconds = (double)(clock_now() - begin) / 1e9;
	if (status)
		return refuse(path, status == STATUS_MALFORMED ? report.why : status_text(status));
	return write_checked(x, launch, &report, seconds, stream);
}
