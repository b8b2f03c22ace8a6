/* Reports on parts of a search, as bytes. */
#include "supervisor/cli/workers/part_report.h"

#include <fmc/supervisor/wire.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>

void part_report_release(struct part_report *report)
{
	saver_release(&report->told);
	free(report->classes);
	free(report->ends);
	*report = (struct part_report){0};
}

bool part_report_tell(struct part_report *report, const struct part_execution *execution,
		      const struct trace *trace)
{
	struct saver saver = {0};
	wire_put_plan(&saver, &(struct plan){.policy = execution->policy});
	save_number(&saver, execution->took);
	save_text(&saver, execution->uncontrolled);
	save_number(&saver, execution->heard);
	save_number(&saver, execution->from);
	save_number(&saver, execution->fed);
	save_number(&saver, execution->diverged);
	wire_put_trace(&saver, trace);
	save_number(&report->told, execution->fails);
	save_bytes(&report->told, saver.at, saver.length);
	report->told.failed |= saver.failed;
	report->told_length++;
	saver_release(&saver);
	return !report->told.failed;
}

static bool count_end(struct part_report *report, uint64_t digest)
{
	struct part_ends *ends = report->ends, *end = ends + report->ends_length;
	while (ends && ends < end && ends->digest != digest)
		ends++;
	if (ends == end) {
		if (!ARRAY_ONE_MORE(report->ends, report->ends_length))
			return false;
		ends = &report->ends[report->ends_length++];
		*ends = (struct part_ends){.digest = digest};
	}
	ends->executions++;
	return true;
}

bool part_report_count(struct part_report *report, const struct trace *trace, uint64_t took,
		       const struct trace_hash *class, uint64_t digest)
{
	if (!ARRAY_DOUBLE(report->classes, report->classes_length) ||
	    (digest != 0 && !count_end(report, digest)))
		return false;
	report->classes[report->classes_length++] = *class;
	report->executions++;
	report->transitions += trace->length;
	report->longest = took > report->longest ? took : report->longest;
	if (trace->length > report->longest_trace)
		report->longest_trace = trace->length;
	report->forbade = report->forbade || trace_forbids(trace);
	report->reached = report->reached || trace->reached;
	return true;
}

void part_report_save(const struct part_report *report, const struct saver *rest, struct saver *saver)
{
	save_bytes(saver, report->told.at, report->told.length);
	save_number(saver, report->executions);
	save_number(saver, report->transitions);
	save_number(saver, report->longest);
	save_number(saver, report->longest_trace);
	save_number(saver, report->forbade);
	save_number(saver, report->reached);
	save_number(saver, report->classes_length);
	for (size_t i = 0; i < report->classes_length; i++) {
		save_number(saver, report->classes[i].low);
		save_number(saver, report->classes[i].high);
	}
	save_number(saver, report->ends_length);
	for (size_t i = 0; i < report->ends_length; i++) {
		save_number(saver, report->ends[i].digest);
		save_number(saver, report->ends[i].executions);
	}
	save_bytes(saver, rest->at, rest->length);
	saver->failed |= report->told.failed || rest->failed;
}

static bool load_lists(struct loader *loader, struct part_report *report)
{
	size_t length = load_count(loader, 2);
	report->classes = calloc(length + 1, sizeof *report->classes);
	for (; report->classes && report->classes_length < length; report->classes_length++) {
		struct trace_hash *class = &report->classes[report->classes_length];
		class->low = load_number(loader);
		class->high = load_number(loader);
	}
	length = load_count(loader, 2);
	report->ends = calloc(length + 1, sizeof *report->ends);
	for (; report->ends && report->ends_length < length; report->ends_length++) {
		struct part_ends *ends = &report->ends[report->ends_length];
		ends->digest = load_number(loader);
		ends->executions = load_number(loader);
	}
	return report->classes && report->ends;
}

static struct loader load_inner(struct loader *loader)
{
	size_t length;
	const void *bytes = load_bytes(loader, &length);
	return (struct loader){bytes, length, false};
}

bool part_report_load(struct loader *loader, struct part_report *report, struct loader *told,
		      struct loader *rest)
{
	*report = (struct part_report){0};
	*told = load_inner(loader);
	report->executions = load_number(loader);
	report->transitions = load_number(loader);
	report->longest = load_number(loader);
	report->longest_trace = load_number(loader);
	report->forbade = load_bool(loader);
	report->reached = load_bool(loader);
	if (!load_lists(loader, report))
		return false;
	*rest = load_inner(loader);
	return !loader->failed && loader->left == 0 && report->classes_length == report->executions;
}

static bool load_execution(struct loader loader, struct part_execution *execution, struct trace *trace)
{
	struct wire_plan plan;
	if (!wire_get_plan(&loader, &plan))
		return false;
	execution->policy = plan.plan.policy;
	execution->policy.profile = NULL;
	wire_plan_release(&plan);
	execution->took = load_number(&loader);
	execution->uncontrolled = load_text(&loader);
	execution->heard = load_bool(&loader);
	execution->from = load_number(&loader);
	execution->fed = load_bool(&loader);
	execution->diverged = load_bool(&loader);
	if (wire_get_trace(&loader, trace) && loader.left == 0)
		return true;
	free(execution->uncontrolled);
	execution->uncontrolled = NULL;
	return false;
}

bool part_report_next(struct loader *told, bool failing, struct part_execution *execution,
		      struct trace *trace)
{
	*execution = (struct part_execution){0};
	while (told->left > 0 && !told->failed) {
		execution->fails = load_bool(told);
		const struct loader inner = load_inner(told);
		if (failing && !execution->fails)
			continue;
		if (!told->failed && load_execution(inner, execution, trace))
			return true;
		load_refuse(told);
	}
	return false;
}
