/* The result as JUnit's XML: a test suite whose cases are the failures, or one case that has passed. */
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/verdict/explain.h"
#include "supervisor/cli/verdict/races.h"
#include "supervisor/cli/verdict/results.h"
#include "supervisor/cli/verdict/warnings.h"

#include <fmc/supervisor/report.h>
#include <fmc/supervisor/shown.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What stands for a character of XML's own; NULL: it is none. In values line feeds and tabs would be read as blanks. */
static const char *entity(char c, bool value)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\n':
		return value ? "&#10;" : "\n";
	case '\t':
		return value ? "&#9;" : "\t";
	default:
		return NULL;
	}
}

/* Text in an element, or in an attribute's value. XML has no control characters and no bytes that aren't UTF-8: they become \xHH. */
static void put(const char *text, bool value, FILE *stream)
{
	const char *const end = text ? text + strlen(text) : NULL;
	while (text < end) {
		const char *known = entity(*text, value);
		size_t length = shown_character(text, (size_t)(end - text));
		if (known)
			fputs(known, stream);
		else if (length == 0)
			fprintf(stream, "\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, length, stream);
		text += known || length == 0 ? 1 : length;
	}
}

static void put_attribute(const char *name, const char *value, FILE *stream)
{
	fprintf(stream, " %s=\"", name);
	put(value, true, stream);
	fputc('"', stream);
}

static void put_property(const char *name, const char *value, FILE *stream)
{
	fputs("      <property", stream);
	put_attribute("name", name, stream);
	put_attribute("value", value, stream);
	fputs("/>\n", stream);
}

static void put_properties(const struct results *results, FILE *stream)
{
	const struct verdict *verdict = results->verdict;
	char executions[24];
	fputs("    <properties>\n", stream);
	put_property("fmc", FMC_VERSION, stream);
	if (verdict) {
		snprintf(executions, sizeof executions, "%" PRIu64, verdict->executions);
		put_property("verdict",
			     verdict_failures(verdict) || verdict->races_failed ? "failure" : "none", stream);
		put_property("complete", verdict->complete ? "true" : "false", stream);
		put_property("executions", executions, stream);
		put_property("strategy", verdict->strategy, stream);
		for (size_t i = 0; i < verdict->reasons; i++)
			put_property("incomplete because", verdict->because[i], stream);
	}
	fputs("    </properties>\n", stream);
}

static void open_case(const struct results *results, const char *name, double seconds, FILE *stream)
{
	fputs("    <testcase", stream);
	put_attribute("name", name, stream);
	put_attribute("classname", results_program(results), stream);
	fprintf(stream, " time=\"%.3f\"", seconds);
}

/* `tag` is failure or error. */
static void open_failure(const char *tag, const char *type, const char *message, FILE *stream)
{
	fprintf(stream, "      <%s", tag);
	put_attribute("type", type, stream);
	put_attribute("message", message, stream);
	fputc('>', stream);
}

/* What is printed of it, without colours. */
static void put_explanation(const struct results *results, const struct reported *reported, FILE *stream)
{
	struct options options = *results->options;
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	options.colours = COLOURS_NEVER;
	if (!memory)
		return;
	explain_finding(&reported->finding, reported->schedule, true, &options, memory);
	if (fclose(memory) == 0)
		put(text, false, stream);
	free(text);
}

static void put_finding(const struct results *results, const struct reported *reported, FILE *stream)
{
	const struct finding *finding = &reported->finding;
	const char *kind = finding_kind_name(finding->kind);
	struct report_place place;
	char name[320];
	bool known = report_place(finding, &place);
	if (known)
		snprintf(name, sizeof name, "%s at %s:%d", kind, place.file, place.line);
	open_case(results, known ? name : kind, reported->seconds, stream);
	if (known) {
		char *source = results_source(place.source ? place.source : place.file);
		put_attribute("file", source, stream);
		free(source);
		fprintf(stream, " line=\"%d\"", place.line);
	}
	fputs(">\n", stream);
	open_failure("failure", kind, finding->message, stream);
	put_explanation(results, reported, stream);
	fputs("</failure>\n", stream);
	if (reported->schedule) {
		fputs("      <system-out>Schedule: ", stream);
		put(reported->schedule, false, stream);
		fputs("</system-out>\n", stream);
	}
	fputs("    </testcase>\n", stream);
}

static void put_race(const struct results *results, const struct race *race, FILE *stream)
{
	char *text = race_text(race);
	open_case(results, text, results->verdict->seconds, stream);
	fputs(">\n", stream);
	open_failure("failure", "race", text, stream);
	fputs("</failure>\n    </testcase>\n", stream);
	free(text);
}

/* Those that count as failures. */
static void put_races(const struct results *results, FILE *stream)
{
	const struct verdict *verdict = results->verdict;
	for (size_t i = 0; verdict->races_failed && i < verdict->races->length; i++)
		if (race_is_told(&verdict->races->at[i], results->options->races))
			put_race(results, &verdict->races->at[i], stream);
}

/* Is the search not what was asked for, by its exit status? */
static bool cut_short(const struct results *results)
{
	const struct verdict *verdict = results->verdict;
	return verdict && (results->exits == EXITS_INTERRUPTED ||
			   (results->options->require_complete &&
			    !verdict_satisfies(verdict, results->options)));
}

/* There are no failures: did the search come to the end that was asked for? */
static void put_passed(const struct results *results, FILE *stream)
{
	const struct verdict *verdict = results->verdict;
	open_case(results, "no failure", verdict ? verdict->seconds : 0, stream);
	fputs(">\n", stream);
	if (!verdict) {
		open_failure("error", "fmc", results->error, stream);
		fputs("</error>\n", stream);
	} else if (cut_short(results)) {
		const char *why = verdict->reasons ? verdict->because[0] : "the search isn't complete";
		open_failure("failure", "incomplete", why, stream);
		fputs("</failure>\n", stream);
	}
	fputs("    </testcase>\n", stream);
}

static void put_verdict(const struct verdict *verdict, FILE *stream)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	if (!memory)
		return;
	verdict_print(verdict, memory);
	for (size_t i = 0; i < WARNINGS; i++)
		warning_print(&verdict->warnings[i], false, memory);
	if (fclose(memory) == 0) {
		fputs("    <system-out>", stream);
		put(text, false, stream);
		fputs("</system-out>\n", stream);
	}
	free(text);
}

void junit_print(const struct results *results, FILE *stream)
{
	const struct verdict *verdict = results->verdict;
	const size_t failures = verdict ? verdict_failures(verdict) + verdict->races_failed : 0;
	const size_t failed = failures ? failures : cut_short(results);
	char *command = results_command(results), counts[160];
	snprintf(counts, sizeof counts, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" time=\"%.3f\"",
		 failures ? failures : 1, failed, !verdict, verdict ? verdict->seconds : 0);
	fprintf(stream,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fmc\"%s>\n  <testsuite",
		counts);
	put_attribute("name", command, stream);
	fprintf(stream, "%s skipped=\"0\">\n", counts);
	put_properties(results, stream);
	for (size_t i = 0; verdict && i < verdict->reported_length; i++)
		if (verdict->reported[i].finding.kind != FINDING_NONE)
			put_finding(results, &verdict->reported[i], stream);
	if (verdict)
		put_races(results, stream);
	if (!failures)
		put_passed(results, stream);
	if (verdict)
		put_verdict(verdict, stream);
	fputs("  </testsuite>\n</testsuites>\n", stream);
	free(command);
}
