#include <fmc/breakpoints/place.h>
#include <fmc/replay/schedule.h>
#include <fmc/tracer/assert.h>

#include "replay/text/words.h"

#include <stdlib.h>
#include <string.h>

void schedule_init(struct schedule *schedule)
{
	*schedule = (struct schedule){0};
	schedule->header.fair_k = 1;
	schedule->end_thread = NO_THREAD;
}

void list_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

char **list_copy(char *const *list)
{
	size_t length = 0;
	while (list && list[length])
		length++;
	char **copy = calloc(length + 1, sizeof *copy);
	for (size_t i = 0; copy && i < length; i++) {
		copy[i] = strdup(list[i]);
		if (copy[i])
			continue;
		list_free(copy);
		return NULL;
	}
	return copy;
}

char **schedule_modules(struct places *places)
{
	const char *path;
	char id[65];
	size_t length = 0;
	while (places_module(places, length, &path, id))
		length++;
	char **list = calloc(length + 1, sizeof *list);
	for (size_t i = 0; list && i < length; i++) {
		if (!places_module(places, i, &path, id) || !path)
			path = "?";
		if (asprintf(&list[i], "%s %s", *id ? id : "none", path) >= 0)
			continue;
		list[i] = NULL;
		list_free(list);
		return NULL;
	}
	return list;
}

static void release_header(struct schedule_header *header)
{
	free(header->program);
	list_free(header->arguments);
	free(header->directory);
	list_free(header->modules);
	list_free(header->environment);
	free(header->input);
	free(header->origin);
	free(header->waking);
	free(header->outcome);
	free(header->outcome_part);
	free(header->outcome_first);
	free(header->expected);
	list_free(header->properties);
	free(header->image);
	if (header->promoted)
		promoted_release(header->promoted);
	free(header->promoted);
	free(header->ops);
	free(header->arrivals);
	free(header->drive);
	free(header->ready);
	free(header->before);
	free(header->after);
	free(header->stop);
	list_free(header->kinds);
	free(header->strategy);
	list_free(header->unknown);
}

void schedule_release(struct schedule *schedule)
{
	release_header(&schedule->header);
	free(schedule->message);
	free(schedule->signature);
	for (size_t i = 0; i < schedule->threads; i++)
		free(schedule->thread_names[i]);
	free(schedule->thread_names);
	free(schedule->thread_processes);
	for (size_t i = 0; i < schedule->length; i++) {
		free(schedule->lines[i].object);
		free(schedule->lines[i].object2);
		free(schedule->lines[i].file);
		free(schedule->lines[i].function);
	}
	free(schedule->lines);
	schedule_init(schedule);
}

/* A copy of a string that may be NULL; *ok becomes false without memory. */
static char *copy(const char *string, bool *ok)
{
	char *new = string ? strdup(string) : NULL;
	if (string && !new)
		*ok = false;
	return new;
}

static const char *object_name(const struct finding *finding, enum object_class class, uint32_t object)
{
	return class == CLASS_THREAD || object >= finding->objects_length ? NULL : finding->objects[object];
}

static bool fill_line(struct schedule_line *line, const struct finding *finding, size_t i)
{
	const struct transition *transition = &finding->trace.at[i];
	enum op_kind kind = transition->op.kind;
	bool ok = true;
	*line = (struct schedule_line){
	    .step = transition_step(transition),
	    .ended = transition->ended,
	    .kind = kind,
	    .object_number = words_object(transition),
	    .object2_number = transition->op.object2,
	    .result = transition->result_valid ? transition->result : 0,
	    .result_valid = transition->result_valid,
	};
	line->object = copy(object_name(finding, op_class(kind), line->object_number), &ok);
	line->object2 = copy(object_name(finding, op_class2(kind), line->object2_number), &ok);
	if (i < finding->places_length) {
		const struct transition_place *place = &finding->places[i];
		line->file = copy(place->file, &ok);
		line->function = copy(place->function, &ok);
		line->source_line = place->file && place->line > 0 ? place->line : 0;
	}
	return ok;
}

static bool fill_body(struct schedule *schedule, const struct finding *finding)
{
	schedule->lines = calloc(finding->trace.length + 1, sizeof *schedule->lines);
	if (!schedule->lines)
		return false;
	for (size_t i = 0; i < finding->trace.length; i++) {
		schedule->length = i + 1;
		if (!fill_line(&schedule->lines[i], finding, i))
			return false;
	}
	return true;
}

static bool fill_threads(struct schedule *schedule, const struct finding *finding)
{
	bool ok = true;
	size_t threads = finding->trace.threads_length;
	if (threads < finding->threads_length)
		threads = finding->threads_length;
	schedule->thread_names = calloc(threads + 1, sizeof *schedule->thread_names);
	if (!schedule->thread_names)
		return false;
	schedule->threads = threads;
	if (trace_process_of(&finding->trace, 0)) {
		schedule->thread_processes = calloc(threads + 1, sizeof *schedule->thread_processes);
		for (uint32_t t = 0; schedule->thread_processes && t < finding->trace.threads_length; t++)
			schedule->thread_processes[t] = trace_process_of(&finding->trace, t);
		ok = schedule->thread_processes != NULL;
	}
	for (size_t i = 0; i < finding->threads_length; i++)
		schedule->thread_names[i] = copy(finding->threads[i].name, &ok);
	return ok;
}

static void release_body(struct schedule *schedule)
{
	struct schedule_header header = schedule->header;
	schedule->header = (struct schedule_header){0};
	schedule_release(schedule);
	schedule->header = header;
}

enum status schedule_from_finding(struct schedule *schedule, const struct finding *finding)
{
	bool ok = true;
	const struct trace *trace = &finding->trace;
	FMC_ASSERT(finding->kind < FINDING_KINDS);
	release_body(schedule);
	schedule->verdict = finding->kind;
	schedule->message = copy(finding->message, &ok);
	schedule->signature = copy(finding->signature, &ok);
	schedule->end = trace->end;
	schedule->end_value = trace->end_value;
	schedule->end_thread = trace->end_thread;
	if (end_reason_loops(trace->end))
		schedule->loop_start = trace->loop_start;
	ok = ok && fill_threads(schedule, finding) && fill_body(schedule, finding);
	if (!ok)
		release_body(schedule);
	return ok ? STATUS_OK : STATUS_NO_MEMORY;
}

struct step *schedule_steps(const struct schedule *schedule)
{
	struct step *steps = calloc(schedule->length + 1, sizeof *steps);
	for (size_t i = 0; steps && i < schedule->length; i++)
		steps[i] = schedule->lines[i].step;
	return steps;
}

bool schedule_ended(const struct schedule *schedule, uint64_t **ended)
{
	const size_t length = schedule->length;
	*ended = NULL;
	if (length == 0 || !schedule->lines[length - 1].ended)
		return true;
	*ended = calloc(length, sizeof **ended);
	for (size_t i = 0; *ended && i < length; i++)
		(*ended)[i] = schedule->lines[i].ended;
	return *ended;
}
