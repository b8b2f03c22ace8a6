/* Where in the source a failure is. */
#include <fmc/supervisor/report.h>

const struct frame *report_own_frame(const struct finding *finding, uint32_t thread)
{
	if (thread >= finding->threads_length)
		return NULL;
	const struct thread_report *report = &finding->threads[thread];
	for (size_t i = 0; i < report->frames_length; i++)
		if (report->frames[i].file && !report->frames[i].library)
			return &report->frames[i];
	for (size_t i = 0; i < report->frames_length; i++)
		if (report->frames[i].file)
			return &report->frames[i];
	for (size_t i = 0; i < report->frames_length; i++)
		if (report->frames[i].function)
			return &report->frames[i];
	return NULL;
}

/* The thread that the failure is about. */
static uint32_t thread_of(const struct finding *finding)
{
	const struct trace *trace = &finding->trace;
	uint32_t waiting = NO_THREAD;
	if (finding->kind == FINDING_LIVELOCK && trace->loop_start < trace->length)
		return trace->at[trace->loop_start].thread;
	if (finding->kind != FINDING_DEADLOCK)
		return trace->end_thread;
	for (uint32_t t = 0; t < trace->threads_length; t++) {
		if (trace_in_circle(trace, t))
			return t;
		if (waiting == NO_THREAD && trace->threads[t].pending.kind != OP_NONE)
			waiting = t;
	}
	return waiting;
}

bool report_place(const struct finding *finding, struct report_place *place)
{
	*place = (struct report_place){.thread = thread_of(finding)};
	const struct frame *frame = report_own_frame(finding, place->thread);
	if (frame && frame->file) {
		place->file = frame->file;
		place->source = frame->source;
		place->line = frame->line;
		return true;
	}
	for (size_t i = finding->places_length; i-- > 0;) {
		const struct transition_place *last = &finding->places[i];
		if (!last->file)
			continue;
		*place =
		    (struct report_place){finding->trace.at[i].thread, last->file, last->source, last->line};
		return true;
	}
	return false;
}
