/* From a finding to a schedule file. */
#include "supervisor/cli/session/record.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/ops.h"

#include <fmc/breakpoints/place.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_strategy(const struct options *options, char text[32])
{
	if (options->automatic)
		snprintf(text, 32, "auto");
	else
		strategy_describe(&options->search, text);
}

char **record_modules(const struct session *session)
{
	return schedule_modules(process_places(session->process));
}

/* What came of it. False without memory. */
static bool record_outcome(struct schedule_header *header, const struct session *session,
			   const struct finding *finding)
{
	const struct ending_rule *rule = &session->endings;
	char digest[ENDING_DIGEST];
	ending_digest(finding->trace.outcome, digest);
	header->outcome = strdup(digest);
	header->outcome_part = rule->part ? strdup(rule->part) : NULL;
	header->outcome_first = rule->expected ? strdup(rule->expected_text) : NULL;
	return header->outcome && !header->outcome_part == !rule->part &&
	       !header->outcome_first == !rule->expected;
}

/* False without memory. */
static bool record_properties(struct schedule_header *header, const struct property_specs *specs)
{
	if (specs->length == 0)
		return true;
	header->properties = calloc(specs->length + 1, sizeof *header->properties);
	for (size_t i = 0; header->properties && i < specs->length; i++)
		if (!(header->properties[i] = property_spec_text(&specs->at[i])))
			return false;
	return header->properties;
}

static bool copy_text(char **to, const char *text)
{
	*to = text ? strdup(text) : NULL;
	return !text || *to;
}

/* False without memory. */
static bool record_driving(struct schedule_header *header, const struct driving *driving)
{
	const char *name = driving->stop ? sigabbrev_np(driving->stop) : NULL;
	char stop[32] = "none";
	if (name)
		snprintf(stop, sizeof stop, "SIG%s", name);
	return !driving->client ||
	       (copy_text(&header->drive, driving->client) && copy_text(&header->ready, driving->ready) &&
		copy_text(&header->before, driving->before) && copy_text(&header->after, driving->after) &&
		copy_text(&header->stop, stop));
}

bool record_header(struct schedule_header *header, const struct session *session, const struct launch *launch,
		   const struct options *options, const struct policy *policy, const char *strategy,
		   const struct knowledge *knowledge)
{
	bool copies = process_origin(session->process) == ORIGIN_COPY;
	header->program = strdup(launch->path);
	header->arguments = list_copy(launch->arguments);
	header->directory = strdup(launch->directory);
	header->modules = record_modules(session);
	header->environment = list_copy(launch->environment);
	header->input = strdup(launch->input_path ? launch->input_path : "none");
	header->fair_k = policy->fair_k;
	header->max_depth = policy->max_depth;
	header->ordered = policy->ordered;
	header->origin = strdup(copies ? "copy" : "exec");
	header->strategy = strdup(strategy);
	header->clock = (uint64_t)launch->start_time;
	header->loops = *process_loops(session->process);
	header->loops.length = knowledge->loops;
	header->shared = *process_shared(session->process);
	header->shared.length = knowledge->shared;
	header->atomics = options->atomics;
	header->tso = options->tso;
	header->follow = options->follow;
	if (options->promoted && options->promoted->length) {
		header->promoted = calloc(1, sizeof *header->promoted);
		if (!header->promoted || !promoted_add_all(header->promoted, options->promoted))
			return false;
	}
	char good_ends[GOOD_ENDS_TEXT];
	good_ends_text(&options->good_ends, good_ends);
	header->expected = *good_ends ? strdup(good_ends) : NULL;
	if (!record_properties(header, &options->properties))
		return false;
	if (!record_driving(header, &options->driving))
		return false;
	char arrivals[ARRIVALS_TEXT];
	arrivals_text(&options->arrivals, arrivals);
	header->arrivals = *arrivals ? strdup(arrivals) : NULL;
	if (*arrivals && !header->arrivals)
		return false;
	header->image = launch->image ? strdup(launch->image) : NULL;
	header->waking = *options->waking ? strdup(options->waking) : NULL;
	if ((*options->waking && !header->waking) || (*good_ends && !header->expected) ||
	    (launch->image && !header->image) || !ops_record(header))
		return false;
	return header->program && header->arguments && header->directory && header->modules &&
	       header->environment && header->input && header->origin && header->strategy;
}

/* PROGRAM.sched, in the present folder. */
static char *default_name(const struct launch *launch)
{
	const char *slash = strrchr(launch->arguments[0], '/');
	char *name;
	return asprintf(&name, "%s.sched", slash ? slash + 1 : launch->arguments[0]) < 0 ? NULL : name;
}

char *record_name(const struct launch *launch, const struct options *options, unsigned number)
{
	char *name = options->output ? strdup(options->output) : default_name(launch), *numbered = NULL;
	if (!name)
		return NULL;
	const size_t length = strlen(name);
	const bool has = length > 6 && strcmp(name + length - 6, ".sched") == 0;
	if (asprintf(&numbered, "%.*s.%u.sched", (int)(has ? length - 6 : length), name, number) < 0)
		numbered = NULL;
	free(name);
	return numbered;
}

static enum status save(const struct schedule *schedule, const struct launch *launch,
			const struct options *options, bool replace, char **written)
{
	char *name = options->output ? strdup(options->output) : default_name(launch);
	if (!name)
		return STATUS_NO_MEMORY;
	errno = 0;
	enum status status = schedule_save(schedule, name, !replace, written);
	if (status)
		say("%s: can't write the schedule: %s", name, errno ? strerror(errno) : status_text(status));
	free(name);
	return status;
}

enum status record_schedule(const struct finding *finding, const struct session *session,
			    const struct launch *launch, const struct options *options,
			    const struct policy *policy, const char *strategy, bool first, char **written)
{
	struct schedule schedule;
	*written = NULL;
	schedule_init(&schedule);
	enum status status = schedule_from_finding(&schedule, finding);
	if (!status && (!record_header(&schedule.header, session, launch, options, policy, strategy,
				       &finding->knowledge) ||
			(session->endings.on && !record_outcome(&schedule.header, session, finding))))
		status = STATUS_NO_MEMORY;
	if (status)
		say("can't make the schedule: %s", status_text(status));
	else
		status = save(&schedule, launch, options, first && options->output, written);
	schedule_release(&schedule);
	return status;
}
