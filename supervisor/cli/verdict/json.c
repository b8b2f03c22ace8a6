/* The verdict as JSON. Fields are an interface, listed in fmc-check(1). */
#include "supervisor/cli/verdict/json.h"
#include "supervisor/cli/output/json_parts.h"
#include "supervisor/cli/verdict/outcomes.h"
#include "supervisor/cli/verdict/races.h"
#include "supervisor/cli/verdict/share.h"
#include "supervisor/cli/verdict/simplify.h"
#include "supervisor/cli/verdict/warnings.h"
#include <fmc/supervisor/report.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static json_t *threads_json(const struct finding *finding)
{
	json_t *list = json_array();
	for (size_t t = 0; t < finding->threads_length; t++) {
		const struct thread_report *thread = &finding->threads[t];
		json_t *holds = json_array();
		for (size_t i = 0; i < thread->holds_length; i++)
			if (thread->holds[i] < finding->objects_length) {
				char *name = report_object(finding, CLASS_MUTEX, thread->holds[i]);
				json_array_append_new(holds, json_text(name));
				free(name);
			}
		json_t *described =
		    json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "thread", json_text(thread->label), "name",
			      json_text(thread->name), "state", json_text(thread->state), "place",
			      json_first_place(thread->frames, thread->frames_length), "holds", holds,
			      "stack", json_stack(thread->frames, thread->frames_length));
		const uint32_t process = trace_process_of(&finding->trace, (uint32_t)t);
		if (process)
			json_object_set_new(described, "process", json_integer(process));
		json_array_append_new(list, described);
	}
	return list;
}

static json_t *size_json(const struct minimize_size *size)
{
	return json_pack("{s:I, s:I, s:I}", "transitions", (json_int_t)size->transitions, "switches",
			 (json_int_t)size->switches, "preemptions", (json_int_t)size->preemptions);
}

/* Transitions are counted from 1, as in schedules. */
static json_t *critical_json(const struct minimized *result)
{
	if (!result->critical_known)
		return json_null();
	return json_pack("{s:I, s:b}", "transition", (json_int_t)result->critical + 1, "proven",
			 (int)result->critical_proven);
}

/* What a search for the fewest transitions came to. */
static json_t *depth_json(const struct minimized *result)
{
	if (result->least_transitions == 0)
		return json_null();
	return json_pack("{s:I, s:b, s:o}", "least_transitions", (json_int_t)result->least_transitions,
			 "certified", result->least_transitions == result->after.transitions,
			 "fewest_preemptions", size_json(&result->fewest_preemptions));
}

static json_t *minimized_json(const struct reported *reported)
{
	const struct simplified *s = reported->simplified;
	if (!s || !s->replaced)
		return json_null();
	const struct minimized *r = &s->result;
	return json_pack(
	    "{s:o, s:o, s:o, s:b, s:I, s:b, s:I, s:b, s:o}", "depth", depth_json(r), "before",
	    size_json(&r->before), "after", size_json(&r->after), "minimal", (int)r->minimal,
	    "least_preemptions", (json_int_t)r->least_preemptions, "certified",
	    r->least_preemptions == (r->least_transitions ? r->fewest_preemptions : r->after).preemptions,
	    "executions", (json_int_t)r->executions, "cut", (int)r->cut, "critical", critical_json(r));
}

/* Where a time-out fires while others could go on, which --timeouts ordered has none of. */
static json_t *early_json(const struct trace *trace)
{
	const size_t i = trace_early(trace);
	return i < trace->length ? json_integer((json_int_t)i + 1) : json_null();
}

static json_t *finding_json(const struct reported *reported, const struct race_list *races)
{
	const struct finding *f = &reported->finding;
	return json_pack("{s:s, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
			 finding_kind_name(f->kind), "message", json_text(f->message), "schedule",
			 json_text(reported->schedule), "count", (json_int_t)reported->count, "transitions",
			 (json_int_t)f->trace.length, "preemptions", (json_int_t)f->trace.preemptions,
			 "early_timeout", early_json(&f->trace), "signature", json_text(f->signature),
			 "output", json_text(f->output), "client_output", json_text(f->client_output),
			 "threads", threads_json(f), "minimized", minimized_json(reported), "race",
			 race_story_json(races, reported));
}

static json_t *findings_json(const struct verdict *verdict)
{
	json_t *list = json_array();
	for (size_t i = 0; i < verdict->reported_length; i++)
		if (verdict->reported[i].finding.kind != FINDING_NONE)
			json_array_append_new(list, finding_json(&verdict->reported[i], verdict->races));
	return list;
}

static json_t *warning_json(const struct warning *warning, enum warning_kind kind)
{
	json_t *threads = json_array();
	for (size_t i = 0; i < warning->threads_length; i++) {
		const struct thread_report *thread = &warning->threads[i].report;
		json_array_append_new(
		    threads, json_pack("{s:o, s:o, s:o, s:o, s:o}", "thread", json_text(thread->label),
				       "name", json_text(thread->name), "state", json_text(thread->state),
				       "place", json_first_place(thread->frames, thread->frames_length),
				       "stack", json_stack(thread->frames, thread->frames_length)));
	}
	bool known = warning->transition != SIZE_MAX;
	return json_pack("{s:s, s:o, s:o, s:o}", "kind", warning_name(kind), "message",
			 json_text(warning->message), "transition",
			 known ? json_integer((json_int_t)warning->transition + 1) : json_null(), "threads",
			 threads);
}

static json_t *warnings_json(const struct verdict *verdict)
{
	json_t *list = json_array();
	for (enum warning_kind kind = 0; kind < WARNINGS; kind++)
		if (verdict->warnings[kind].message)
			json_array_append_new(list, warning_json(&verdict->warnings[kind], kind));
	return list;
}

/* Executions there are in all: a guess and its interval, each null where there is none. */
static json_t *estimate_json(const struct verdict *verdict)
{
	bool interval = verdict->estimate_high > verdict->estimate_low;
	return json_pack("{s:o, s:o, s:o, s:o}", "of",
			 *verdict->estimate_of ? json_string(verdict->estimate_of + 1) : json_null(),
			 "executions", verdict->estimate > 0 ? json_real(verdict->estimate) : json_null(),
			 "low", interval ? json_real(verdict->estimate_low) : json_null(), "high",
			 interval ? json_real(verdict->estimate_high) : json_null());
}

static json_t *variable_json(const struct memory_variable *variable)
{
	json_t *places = json_array(), *threads = json_array(), *accesses = json_array();
	for (size_t i = 0; i < variable->length; i++) {
		const struct memory_use *use = &variable->uses[i];
		json_t *thread = json_sprintf("T%u", use->thread + 1);
		if (i == 0 || strcmp(use->place, variable->uses[i - 1].place) != 0)
			json_array_append_new(places, json_text(use->place));
		json_array_append_new(
		    accesses, json_pack("{s:o, s:O}", "place", json_text(use->place), "thread", thread));
		bool known = false;
		for (size_t k = 0; k < i; k++)
			known |= variable->uses[k].thread == use->thread;
		if (!known)
			json_array_append(threads, thread);
		json_decref(thread);
	}
	return json_pack("{s:o, s:o, s:o, s:o}", "variable", json_text(variable->name), "places", places,
			 "threads", threads, "accesses", accesses);
}

static json_t *variables_json(const struct memory_seen *seen)
{
	json_t *list = json_array();
	for (size_t i = 0; i < seen->length; i++)
		json_array_append_new(list, variable_json(&seen->variables[i]));
	return list;
}

static json_t *only_if_json(const struct verdict *verdict)
{
	return verdict->conditional ? variables_json(&verdict->memory) : json_array();
}

/* How much of the executions' accesses to memory was looked at, in samples and as a whole. */
static json_t *memory_json(const struct verdict *verdict)
{
	return json_pack("{s:I, s:o, s:o, s:I, s:o, s:o}", "executions",
			 (json_int_t)verdict->memory.executions, "unordered",
			 variables_json(&verdict->memory), "not_looked_at", json_text(verdict->memory.unseen),
			 "watched_executions", (json_int_t)verdict->watched, "not_watched",
			 json_text(*verdict->unwatched ? verdict->unwatched : NULL), "not_compiled",
			 json_text(*verdict->uncompiled ? verdict->uncompiled : NULL));
}

static json_t *states_json(const struct verdict *verdict)
{
	const struct states_count *count = &verdict->states;
	if (!verdict->states_wanted && !verdict->pruned)
		return json_null();
	return json_pack("{s:o, s:I, s:I, s:b, s:o, s:o}", "states",
			 verdict->states_wanted ? json_integer((json_int_t)count->states) : json_null(),
			 "executions", (json_int_t)count->executions, "quiet", (json_int_t)count->quiet,
			 "all_told", (int)!count->failed, "explored",
			 verdict->pruned ? json_integer((json_int_t)count->visited) : json_null(), "pruned",
			 verdict->pruned ? json_integer((json_int_t)count->pruned) : json_null());
}

static json_t *unreached_json(const struct verdict *verdict)
{
	json_t *list = json_array();
	for (size_t i = 0; verdict->properties && i < verdict->properties->length; i++) {
		const struct property_spec *spec = &verdict->properties->at[i];
		if (verdict_unreached(verdict, i))
			json_array_append_new(list, json_stringn(spec->place, spec->place_length));
	}
	return list;
}

static json_t *verdict_json(const struct verdict *verdict)
{
	json_t *because = json_array();
	for (size_t i = 0; i < verdict->reasons; i++)
		json_array_append_new(because, json_text(verdict->because[i]));
	char *conditions = verdict_conditions(verdict);
	json_t *json = json_pack(
	    "{s:s, s:s, s:b, s:b, s:o, s:o, s:I, s:o, s:I, s:o, s:I, s:I, s:I, s:I, s:f, s:o, s:f, s:s, s:o, "
	    "s:o, s:o, s:o, s:b, s:o, s:I, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "fmc", FMC_VERSION, "verdict",
	    verdict_failures(verdict) || verdict->races_failed ? "failure" : "none", "complete",
	    (int)verdict->complete, "reduced", (int)verdict->reduced, "conditions", json_text(conditions),
	    "incomplete_because", because, "executions", (json_int_t)verdict->executions, "assumed_exit",
	    verdict->assumed_exit ? json_integer(verdict->assumed_exit) : json_null(), "broken_off",
	    (json_int_t)verdict->broken_off, "broken_off_at",
	    verdict->broken_off ? json_text(verdict->broken_at) : json_null(), "earlier_executions",
	    (json_int_t)verdict->earlier, "transitions", (json_int_t)verdict->transitions, "unmodelled",
	    (json_int_t)verdict->unmodelled, "classes", (json_int_t)verdict->classes, "saturation",
	    verdict->saturation, "estimate", estimate_json(verdict), "seconds", verdict->seconds, "strategy",
	    verdict->strategy, "findings", findings_json(verdict), "warnings", warnings_json(verdict),
	    "complete_only_if", only_if_json(verdict), "memory", memory_json(verdict), "atomics",
	    (int)verdict->atomics, "switched_at", variables_json(&verdict->switched),
	    "executions_without_atomics", (json_int_t)verdict->before, "granularity",
	    verdict_granularity(verdict), "memory_model", verdict->tso ? "tso" : "sc", "watched",
	    (int)verdict->watched_all, "races", race_list_json(verdict->races), "outcomes",
	    outcomes_json(verdict->outcomes), "outcome_race", outcome_race_json(verdict->outcomes), "states",
	    states_json(verdict), "unreached", unreached_json(verdict), "shard", share_json(verdict->share));
	free(conditions);
	return json;
}

bool json_write(const struct verdict *verdict, const char *path)
{
	json_t *json = verdict_json(verdict);
	if (verdict->share)
		json_object_set_new(json_object_get(json, "shard"), "sum",
				    json_sprintf("%016" PRIx64, share_sum(json)));
	return json_save(json, path);
}
