/* What was done in a foreign process, and the finding that is made of it. */
#include "supervisor/foreign/foreign_run.h"

#include <fmc/supervisor/report.h>

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number_of(struct foreign_run *run, enum object_class class, uint64_t address)
{
	if (class == CLASS_NONE || !address)
		return NO_OBJECT;
	return class == CLASS_THREAD ? foreign_run_by_pthread(run, address)
				     : foreign_run_object(run, class, address);
}

struct op foreign_run_op(struct foreign_run *run, const struct call *call)
{
	struct op op = call->op;
	op.object = number_of(run, op_class(op.kind), op.kind == OP_THREAD_CREATE ? 0 : call->object);
	op.object2 = number_of(run, op_class2(op.kind), call->object2);
	return op;
}

bool foreign_run_record(struct foreign_run *run, uint32_t t, const struct op *op)
{
	run->threads[t].last = *op;
	const struct transition transition = {.thread = t,
					      .choice = CHOICE_DEFAULT,
					      .op = *op,
					      .created = NO_THREAD,
					      .objects = run->objects_length};
	return run->trace.length < FOREIGN_RUN_MOST && trace_push(&run->trace, &transition);
}

void foreign_run_deadlock(struct foreign_run *run, const char *message)
{
	free(run->message);
	run->message = message ? strdup(message) : NULL;
	run->trace.end = END_DEADLOCK;
}

static char *keep(const char *text, bool *ok)
{
	char *copy = text ? strdup(text) : NULL;
	*ok = *ok && (copy || !text);
	return copy;
}

static bool fill_threads(const struct foreign_run *run, struct finding *finding)
{
	bool ok = true;
	finding->threads = calloc(run->threads_length + 1, sizeof *finding->threads);
	if (!finding->threads)
		return false;
	finding->threads_length = run->threads_length;
	for (uint32_t i = 0; i < run->threads_length; i++) {
		const struct thread_end end = {.blocker = NO_THREAD, .blocked_object = NO_OBJECT};
		finding->threads[i].name = keep(run->threads[i].name, &ok);
		ok = ok && trace_push_thread(&finding->trace, &end);
	}
	return ok;
}

static bool fill_places(struct foreign_run *run, struct finding *finding)
{
	bool ok = true;
	finding->places = calloc(finding->trace.length + 1, sizeof *finding->places);
	if (!finding->places)
		return false;
	finding->places_length = finding->trace.length;
	for (size_t i = 0; i < finding->trace.length; i++) {
		struct place place;
		if (!finding->trace.at[i].op.place)
			continue;
		places_find(run->places, finding->trace.at[i].op.place, true, &place);
		finding->places[i] = (struct transition_place){
		    .function = keep(place.function, &ok), .file = keep(place.file, &ok), .line = place.line};
	}
	return ok;
}

static bool fill_objects(const struct foreign_run *run, struct finding *finding)
{
	bool ok = true;
	finding->objects = calloc(run->objects_length + 1, sizeof *finding->objects);
	finding->details = calloc(run->objects_length + 1, sizeof *finding->details);
	if (!finding->objects || !finding->details)
		return false;
	finding->objects_length = run->objects_length;
	for (uint32_t i = 0; i < run->objects_length; i++)
		finding->objects[i] = keep(run->objects[i].name, &ok);
	return ok;
}

static bool fill_crash(struct foreign_run *run, struct finding *finding)
{
	bool ok = true;
	struct thread_report *report = &finding->threads[run->fatal_thread];
	report->frames = calloc(run->frames_length + 1, sizeof *report->frames);
	if (!report->frames)
		return false;
	report->frames_length = run->frames_length;
	for (size_t i = 0; i < run->frames_length; i++) {
		struct place place;
		places_find(run->places, run->frames[i], i > 0, &place);
		report->frames[i] = (struct frame){.address = run->frames[i],
						   .function = keep(place.function, &ok),
						   .file = keep(place.file, &ok),
						   .line = place.line,
						   .module = keep(place.module, &ok),
						   .offset = place.offset};
	}
	return ok;
}

enum status foreign_run_finding(struct foreign_run *run, struct finding *finding)
{
	bool ok = trace_copy(&finding->trace, &run->trace);
	if (run->trace.end == END_NONE)
		finding->trace.end = END_INTERRUPTED;
	finding->kind = finding_classify(&finding->trace);
	if (finding->kind == FINDING_EXIT)
		finding->kind = FINDING_NONE; /* its own affair */
	ok = ok && fill_threads(run, finding) && fill_places(run, finding) && fill_objects(run, finding);
	if (ok && run->frames_length && finding->trace.end_thread < finding->threads_length)
		ok = fill_crash(run, finding);
	if (ok && finding->kind != FINDING_NONE) {
		finding->message = run->message ? keep(run->message, &ok) : report_message(finding);
		finding->signature = report_signature(finding);
		ok = ok && finding->message && finding->signature;
	}
	return ok ? STATUS_OK : STATUS_NO_MEMORY;
}
