/* What minimising came to, in words for people. No sentence here claims more than was run. */
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/output/terminal.h"
#include "supervisor/cli/verdict/explain.h"
#include "supervisor/cli/verdict/simplify.h"

#include <fmc/replay/schedule.h>
#include <fmc/supervisor/report.h>

#include <inttypes.h>
#include <stdlib.h>

/* Transitions shown beside each other: before the critical one, and from it on. */
#define BEFORE 2
#define AFTER  6

static void print_size(const struct minimize_size *size, FILE *stream)
{
	fprintf(stream, "%zu transition%s, %zu switch%s, %" PRIu32 " preemption%s", size->transitions,
		plural(size->transitions), size->switches, size->switches == 1 ? "" : "es", size->preemptions,
		plural(size->preemptions));
}

static bool same_size(const struct minimize_size *a, const struct minimize_size *b)
{
	return a->transitions == b->transitions && a->switches == b->switches &&
	       a->preemptions == b->preemptions;
}

static void print_sizes(const struct simplified *s, FILE *stream)
{
	const struct minimized *r = &s->result;
	if (same_size(&r->before, &r->after)) {
		fputs("Minimising found nothing shorter than ", stream);
		print_size(&r->after, stream);
	} else {
		fputs("Minimised to ", stream);
		print_size(&r->after, stream);
		fputs("\nfrom ", stream);
		print_size(&r->before, stream);
	}
	fprintf(stream, "; %" PRIu64 " execution%s, %.1f seconds%s.\n", r->executions, plural(r->executions),
		s->seconds, r->cut ? ", cut by its budget" : "");
	if (r->minimal && r->deviations > 0)
		fprintf(stream,
			"It differs from the default schedule in %zu decision%s; leaving out any one "
			"of them doesn't help.\n",
			r->deviations, plural(r->deviations));
	else if (r->minimal)
		fputs("The default schedule fails so.\n", stream);
}

static void print_bound(const struct minimized *r, const struct options *options, FILE *stream)
{
	const bool shorter = r->least_transitions && r->after.transitions < r->fewest_preemptions.transitions;
	uint32_t most = shorter ? r->fewest_preemptions.preemptions : r->after.preemptions;
	if (most > 0 && r->least_preemptions == most)
		fprintf(stream,
			"%" PRIu32 " preemption%s: fewest possible. All %sexecutions with fewer%s%s were run "
			"and don't fail so.\n",
			most, plural(most), r->policy.fair_k ? "fair " : "",
			r->policy.ordered ? ", time-outs firing in order," : "",
			options->restricted ? " under these rules of waking" : "");
	else if (most > 0)
		fputs("Whether it fails with fewer preemptions isn't known.\n", stream);
}

/* Of --depth: the fewest transitions, which aren't the fewest preemptions. */
static void print_depth(const struct minimized *r, const struct options *options, FILE *stream)
{
	const size_t most = r->after.transitions;
	if (!options->shortest)
		return;
	if (r->least_transitions == 0) {
		fputs("The fewest transitions mean nothing here: it goes round in a loop.\n", stream);
		return;
	}
	if (r->least_transitions == most)
		fprintf(stream,
			"%zu transitions: fewest possible. All %sexecutions with fewer%s were run and don't "
			"fail so.\n",
			most, r->policy.fair_k ? "fair " : "",
			options->restricted ? " under these rules of waking" : "");
	else
		fprintf(stream,
			"Whether it fails with fewer than %zu transitions isn't known; with fewer than %zu "
			"it doesn't.\n",
			most, r->least_transitions);
	if (most < r->fewest_preemptions.transitions) {
		fputs("With the fewest preemptions that were found it takes ", stream);
		print_size(&r->fewest_preemptions, stream);
		fputs(".\n", stream);
	}
}

/* "transition 8, T2 mutex_lock forks[1]" */
static void print_transition(const struct finding *finding, size_t i, FILE *stream)
{
	const struct transition *transition = &finding->trace.at[i];
	enum object_class class = op_class(transition->op.kind);
	uint32_t object = class == CLASS_THREAD && transition->created != NO_THREAD ? transition->created
										    : transition->op.object;
	char *name =
	    class != CLASS_NONE && object != NO_OBJECT ? report_object(finding, class, object) : NULL;
	char label[THREAD_LABEL_ROOM];
	fprintf(stream, "transition %zu, %s %s%s%s", i + 1,
		report_label(&finding->trace, transition->thread, label), op_name(transition->op.kind),
		name ? " " : "", name ? name : "");
	free(name);
}

static void print_critical(const struct reported *reported, FILE *stream)
{
	const struct minimized *r = &reported->simplified->result;
	if (!r->critical_known) {
		if (r->never_good)
			fputs("No execution ends well: all orders were run.\n", stream);
		return;
	}
	fputs("Critical: ", stream);
	print_transition(&reported->finding, r->critical, stream);
	fputs(". Before it the program can still end well", stream);
	if (r->critical_proven && r->critical + 1 == r->trace.length)
		fputs(", after it\nit has failed.\n", stream);
	else if (r->critical_proven)
		fprintf(stream, ", after it\nit can't: every order of what could follow was tried%s.\n",
			r->policy.ordered ? ", time-outs firing in theirs" : "");
	else
		fprintf(stream, ";\nno execution that went on after it did. Not all that can were run.\n");
}

static void print_beside(const struct reported *reported, const struct options *options, FILE *stream)
{
	const struct simplified *s = reported->simplified;
	struct schedule failing, passing;
	size_t critical = s->result.critical;
	if (!s->passing.trace.length)
		return;
	schedule_init(&failing);
	schedule_init(&passing);
	if (schedule_from_finding(&failing, &reported->finding) == STATUS_OK &&
	    schedule_from_finding(&passing, &s->passing) == STATUS_OK) {
		size_t first = critical > BEFORE ? critical - BEFORE : 0;
		const struct show_options show = {terminal_width_or_default(stream),
						  options_colours(options, fileno(stream)), first,
						  critical + AFTER - first};
		fputs("The nearest execution that ends well, beside it:\n", stream);
		schedule_show_pair(&failing, &passing, critical, &show, stream);
	}
	schedule_release(&failing);
	schedule_release(&passing);
}

void simplified_print(const struct reported *reported, const struct options *options, FILE *stream)
{
	const struct simplified *s = reported->simplified;
	if (!s || !s->replaced)
		return;
	fputc('\n', stream);
	print_sizes(s, stream);
	print_bound(&s->result, options, stream);
	print_depth(&s->result, options, stream);
	print_critical(reported, stream);
	print_beside(reported, options, stream);
}
