/* Threads and objects in words, where a timeline stands. */
#include "replay/gdb/state.h"
#include "replay/text/words.h"

#include <fmc/supervisor/model.h>
#include <fmc/supervisor/report.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

bool gdb_state_inside(const struct timeline *timeline)
{
	const struct position here = timeline_position(timeline);
	bool transition = here.part > 0 && here.part <= timeline_length(timeline);
	return transition && (here.steps > 0 || !here.steps_known);
}

size_t gdb_state_done(const struct timeline *timeline)
{
	size_t part = timeline_position(timeline).part;
	if (part == 0)
		return 0;
	return part - 1 + gdb_state_inside(timeline);
}

const struct model *gdb_state_model(const struct timeline *timeline)
{
	return timeline_threads(timeline) > 0 ? timeline_model(timeline) : NULL;
}

void gdb_state_name(const struct timeline *timeline, enum object_class class, uint32_t object,
		    struct text *text)
{
	char *name = report_object(timeline_finding(timeline), class, object);
	text_add_escaped(text, name ? name : "?");
	free(name);
}

/* As it would be said were this the end. */
static void add_state(const struct timeline *timeline, const struct thread_end *end, uint32_t thread,
		      struct text *text)
{
	struct finding view = *timeline_finding(timeline);
	struct thread_end *ends = calloc((size_t)thread + 1, sizeof *ends);
	if (!ends)
		return;
	ends[thread] = *end;
	view.trace.threads = ends;
	view.trace.threads_length = thread + 1;
	view.trace.end_thread = NO_THREAD;
	char *state = report_state(&view, thread);
	text_add_escaped(text, state ? state : "");
	free(state);
	free(ends);
}

static void add_before(const struct timeline *timeline, const struct op *op, struct text *text)
{
	text_printf(text, "before %s", op_name(op->kind));
	if (op->object == NO_OBJECT || op_class(op->kind) == CLASS_NONE)
		return;
	text_add(text, " ", 1);
	gdb_state_name(timeline, op_class(op->kind), op->object, text);
}

const char *gdb_state_beginning(const struct timeline *timeline)
{
	return timeline_schedule(timeline)->header.image ? "the saved state" : "the program's beginning";
}

/* Of a thread that is neither stopped before an operation nor gone. */
static void add_running(const struct timeline *timeline, struct text *text)
{
	size_t part = timeline_position(timeline).part;
	if (!gdb_state_inside(timeline)) {
		text_printf(text, "runs");
		return;
	}
	text_printf(text, "in the middle of transition %zu, ", part);
	words_cell(text, timeline_schedule(timeline), &timeline_schedule(timeline)->lines[part - 1], false);
}

/* What others don't see yet, though it does. */
static void add_waiting(const struct timeline *timeline, uint32_t thread, struct text *text)
{
	struct process_waiting waiting;
	uint32_t n = 0;
	for (; process_waiting_store(timeline_process(timeline), thread, n, &waiting); n++) {
		text_printf(text, n == 0 ? "; it has stored " : ", ");
		gdb_state_name(timeline, CLASS_MEMORY, waiting.object, text);
		text_printf(text, " = %" PRId64, waiting.value);
	}
	if (n > 0)
		text_printf(text, n == 1 ? ", which waits" : ", which wait");
}

void gdb_state_thread(const struct timeline *timeline, uint32_t thread, struct text *text)
{
	const struct model *model = gdb_state_model(timeline);
	size_t part = timeline_position(timeline).part;
	if (!model || thread >= model_threads(model) || part == 0) {
		text_printf(text, "at %s", gdb_state_beginning(timeline));
		return;
	}
	if (part > timeline_length(timeline)) {
		char *state = report_state(timeline_finding(timeline), thread);
		text_add_escaped(text, state ? state : "");
		free(state);
		return;
	}
	const struct thread_end end = execution_thread(model, thread, model_ready(model, thread));
	if (end.pending.kind == OP_NONE && !model_exited(model, thread))
		add_running(timeline, text);
	else if (end.pending.kind != OP_NONE && end.pending.kind != OP_THREAD_START && end.enabled)
		add_before(timeline, &end.pending, text);
	else
		add_state(timeline, &end, thread, text);
	if (model_enabled(model, thread) && !end.enabled)
		text_printf(text, ", may time out");
	add_waiting(timeline, thread, text);
}

void gdb_state_label(const struct timeline *timeline, uint32_t thread, struct text *text)
{
	words_label(text, timeline_schedule(timeline), thread);
}

bool gdb_state_acts_on(const struct schedule_line *line, uint32_t object)
{
	return (line->object_number == object && op_class(line->kind) != CLASS_THREAD) ||
	       (line->object2_number == object && op_class2(line->kind) != CLASS_THREAD);
}

size_t gdb_state_last(const struct timeline *timeline, size_t end, gdb_state_test *test, uint32_t thread,
		      uint32_t object)
{
	const struct schedule *schedule = timeline_schedule(timeline);
	for (size_t i = end < schedule->length ? end : schedule->length; i-- > 0;)
		if (test(&schedule->lines[i], thread, object))
			return i;
	return SIZE_MAX;
}

void gdb_state_place(const struct schedule_line *line, struct text *text)
{
	if (!line->file)
		return;
	text_printf(text, " (");
	words_place(text, line);
	text_printf(text, ")");
}

static void add_frame_place(const struct thread_report *report, struct text *text)
{
	for (size_t i = 0; i < report->frames_length; i++) {
		const struct frame *frame = &report->frames[i];
		if (!frame->file)
			continue;
		text_add_escaped(text, frame->file);
		text_printf(text, ":%d", frame->line);
		return;
	}
}

void gdb_state_own_place(const struct timeline *timeline, uint32_t thread, struct text *text)
{
	const struct schedule *schedule = timeline_schedule(timeline);
	const struct finding *finding = timeline_finding(timeline);
	const struct model *model = gdb_state_model(timeline);
	size_t part = timeline_position(timeline).part;
	if (!model || model_exited(model, thread))
		return;
	for (size_t i = part > 0 ? part - 1 : 0; i < schedule->length; i++) {
		if (schedule->lines[i].step.thread != thread)
			continue;
		words_place(text, &schedule->lines[i]);
		return;
	}
	if (thread < finding->threads_length)
		add_frame_place(&finding->threads[thread], text);
}

/* Did this line make its thread the holder? */
static bool takes(const struct schedule_line *line, uint32_t thread, uint32_t object)
{
	if (line->step.thread != thread || !gdb_state_acts_on(line, object))
		return false;
	bool failed = line->result_valid && line->result != 0 && line->result != EOWNERDEAD;
	return op_takes(line->kind, failed);
}

static void add_holder(const struct timeline *timeline, uint32_t holder, uint32_t object, struct text *text)
{
	size_t i = gdb_state_last(timeline, gdb_state_done(timeline), takes, holder, object);
	text_printf(text, "held by ");
	gdb_state_label(timeline, holder, text);
	if (i == SIZE_MAX)
		return;
	text_printf(text, " since transition %zu", i + 1);
	gdb_state_place(&timeline_schedule(timeline)->lines[i], text);
}

static void add_once(const struct object_state *state, struct text *text)
{
	text_printf(text, state->count == ONCE_NEW    ? "not begun"
			  : state->count == ONCE_DONE ? "done"
						      : "running");
}

/* What is to be said of an object that nobody holds. */
static void add_free(const struct object_state *state, struct text *text)
{
	switch (state->class) {
	case CLASS_RWLOCK:
		if (state->count > 0)
			text_printf(text, state->count == 1 ? "1 thread reads" : "%" PRIu32 " threads read",
				    state->count);
		else
			text_printf(text, "free");
		break;
	case CLASS_SEM:
		text_printf(text, "value %" PRIu32, state->count);
		break;
	case CLASS_BARRIER:
		text_printf(text, "%" PRIu32 " of %" PRIu32 " have come", state->sleepers, state->count);
		break;
	case CLASS_ONCE:
		add_once(state, text);
		break;
	case CLASS_COND:
	case CLASS_FUTEX:
		/* Who waits there is told anyway. */
		text_printf(text, state->count == 0 ? "nobody waits" : "");
		break;
	case CLASS_PIPE:
	case CLASS_SOCKET:
		if (state->count == KERNEL_BYTES_UNKNOWN)
			text_printf(text, "%s to read%s",
				    state->standing & KERNEL_READS ? "something" : "nothing",
				    state->standing / KERNEL_FULL ? ", full" : "");
		else
			text_printf(text, "%" PRIu32 " %s to read%s", state->count,
				    state->count == 1 ? "byte" : "bytes",
				    state->standing / KERNEL_FULL ? ", full" : "");
		break;
	case CLASS_EVENTFD:
		text_printf(text, "value %" PRIu64, state->count | (uint64_t)state->standing << 32);
		break;
	case CLASS_MUTEX:
	case CLASS_SPIN:
		text_printf(text, "free");
		break;
	default:
		break;
	}
}

void gdb_state_object(const struct timeline *timeline, uint32_t object, struct text *text)
{
	const struct model *model = gdb_state_model(timeline);
	struct object_state state;
	model_object_state(model, object, &state);
	uint32_t holder = model_holder(model, object);
	if (state.destroyed)
		text_printf(text, "destroyed");
	else if (holder != NO_THREAD)
		add_holder(timeline, holder, object, text);
	else
		add_free(&state, text);
	if (state.class == CLASS_MUTEX && holder != NO_THREAD && state.count > 1)
		text_printf(text, ", locked %" PRIu32 " times", state.count);
}

/* Columns that the largest number of a transition takes. */
static int number_width(const struct timeline *timeline)
{
	int width = 1;
	for (size_t length = timeline_length(timeline); length >= 10; length /= 10)
		width++;
	return width;
}

void gdb_state_line(const struct timeline *timeline, size_t i, struct text *text)
{
	const struct schedule_line *line = &timeline_schedule(timeline)->lines[i];
	struct text label = {0};
	gdb_state_label(timeline, line->step.thread, &label);
	text_printf(text, "%*zu  %-4s ", number_width(timeline), i + 1, text_string(&label));
	text_release(&label);
	words_cell(text, timeline_schedule(timeline), line, true);
	if (line->file) {
		text_add(text, "  ", 2);
		words_place(text, line);
	}
	if (line->function) {
		text_add(text, "  ", 2);
		text_add_escaped(text, line->function);
	}
	text_add(text, "\n", 1);
}
