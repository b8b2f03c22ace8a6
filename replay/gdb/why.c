/* Why a thread can't go on. */
#include "replay/gdb/state.h"
#include "replay/gdb/texts.h"
#include "replay/text/words.h"

#include <fmc/supervisor/model.h>

#include <inttypes.h>
#include <stdlib.h>

#define INDENT "    "

/* So many of the last transitions on an object are shown. */
#define SHOWN 5

/* One question: where it is asked, and the threads that the answer has come by. */
struct why {
	struct timeline *timeline;
	const struct model *model;
	size_t done; /* transitions that have begun */
	uint32_t *chain;
	uint32_t length;
	struct text *text;
};

static const struct schedule_line *line_at(const struct why *w, size_t i)
{
	return &timeline_schedule(w->timeline)->lines[i];
}

static bool is_of(const struct schedule_line *line, uint32_t thread, uint32_t object)
{
	(void)object;
	return line->step.thread == thread;
}

static bool is_on(const struct schedule_line *line, uint32_t thread, uint32_t object)
{
	(void)thread;
	return gdb_state_acts_on(line, object);
}

static bool is_running(const struct model *model, uint32_t thread)
{
	return model_pending(model, thread)->kind == OP_NONE && !model_exited(model, thread);
}

static bool is_blocked(const struct model *model, uint32_t thread)
{
	return model_pending(model, thread)->kind != OP_NONE && !model_ready(model, thread);
}

/* Does this let threads go on that wait for the object? */
static bool lets_go(const struct schedule_line *line, uint32_t thread, uint32_t object)
{
	(void)thread;
	if (!gdb_state_acts_on(line, object))
		return false;
	switch (line->kind) {
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
	case OP_SEM_POST:
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
	case OP_FUTEX_WAKE_OP:
		return true;
	default:
		return false;
	}
}

/* ", in transition 12 (philosophers.c:34)": its next one in this schedule. */
static void add_next(struct why *w, uint32_t thread)
{
	const struct schedule *schedule = timeline_schedule(w->timeline);
	size_t i = w->done;
	while (i < schedule->length && schedule->lines[i].step.thread != thread)
		i++;
	if (i == schedule->length) {
		text_printf(w->text, "; this schedule ends before it does");
		return;
	}
	text_printf(w->text, ", in transition %zu", i + 1);
	gdb_state_place(&schedule->lines[i], w->text);
}

/* Of a thread that isn't blocked: what else it does. */
static void add_going(struct why *w, uint32_t thread)
{
	struct text *text = w->text;
	gdb_state_label(w->timeline, thread, text);
	text_add(text, " ", 1);
	if (model_exited(w->model, thread)) {
		size_t last = gdb_state_last(w->timeline, w->done, is_of, thread, NO_OBJECT);
		text_printf(text, "has exited");
		if (last != SIZE_MAX)
			text_printf(text, ", in transition %zu", last + 1);
	} else if (is_running(w->model, thread) || timeline_position(w->timeline).part == 0) {
		text_printf(text, "isn't blocked: ");
		gdb_state_thread(w->timeline, thread, text);
	} else {
		text_printf(text, "isn't blocked: it can go on with %s",
			    op_name(model_pending(w->model, thread)->kind));
		const struct op *op = model_pending(w->model, thread);
		if (op->object != NO_OBJECT && op_class(op->kind) != CLASS_NONE) {
			text_add(text, " ", 1);
			gdb_state_name(w->timeline, op_class(op->kind), op->object, text);
		}
		add_next(w, thread);
	}
	text_add(text, "\n", 1);
}

/* The threads that might still let another go on: those that can go on themselves. */
static void add_able(struct why *w, const char *what)
{
	uint32_t able = 0;
	text_printf(w->text, INDENT);
	for (uint32_t t = 0; t < model_threads(w->model); t++)
		if (model_ready(w->model, t) || is_running(w->model, t)) {
			text_printf(w->text, able++ ? ", " : "");
			gdb_state_label(w->timeline, t, w->text);
		}
	if (able == 0)
		text_printf(w->text, "nobody is left who could %s it: no thread can go on\n", what);
	else
		text_printf(w->text, " can go on and might still %s it\n", what);
}

/* A condition variable, semaphore or futex: the last time that somebody was let go, and whether it may happen again. */
static void add_giving(struct why *w, uint32_t thread, uint32_t object, const char *what, const char *done)
{
	struct text *text = w->text;
	size_t since = gdb_state_last(w->timeline, w->done, is_of, thread, NO_OBJECT);
	size_t last = gdb_state_last(w->timeline, w->done, lets_go, NO_THREAD, object);
	text_printf(text, INDENT);
	if (last == SIZE_MAX) {
		text_printf(text, "nobody has %s it so far\n", done);
	} else {
		text_printf(text, "it was last %s in transition %zu by ", done, last + 1);
		gdb_state_label(w->timeline, line_at(w, last)->step.thread, text);
		gdb_state_place(line_at(w, last), text);
		if (since != SIZE_MAX && last < since) {
			text_printf(text, ", before ");
			gdb_state_label(w->timeline, thread, text);
			text_printf(text, " waited in transition %zu", since + 1);
		}
		text_add(text, "\n", 1);
	}
	add_able(w, what);
}

/* How the object stands that a thread waits for. */
static void add_object(struct why *w, uint32_t thread, enum object_class class, uint32_t object)
{
	switch (class) {
	case CLASS_NONE:
	case CLASS_THREAD:
		break;
	case CLASS_COND:
		add_giving(w, thread, object, "signal", "signalled");
		break;
	case CLASS_SEM:
		add_giving(w, thread, object, "post", "posted");
		break;
	case CLASS_FUTEX:
		add_giving(w, thread, object, "wake", "woken");
		break;
	default:
		text_printf(w->text, INDENT);
		gdb_state_name(w->timeline, class, object, w->text);
		text_printf(w->text, ": ");
		gdb_state_object(w->timeline, object, w->text);
		text_add(w->text, "\n", 1);
	}
}

/* "T2 waits for forks[1] held by T3, in mutex_lock (philosophers.c:35)" */
static void add_blocked(struct why *w, uint32_t thread)
{
	struct text place = {0};
	gdb_state_label(w->timeline, thread, w->text);
	text_add(w->text, " ", 1);
	gdb_state_thread(w->timeline, thread, w->text);
	gdb_state_own_place(w->timeline, thread, &place);
	if (place.length > 0)
		text_printf(w->text, " (%s)", text_string(&place));
	text_add(w->text, "\n", 1);
	text_release(&place);
}

/* The chain has come back to where it was: from that place on it is a cycle. */
static void add_cycle(struct why *w, uint32_t first)
{
	text_printf(w->text, "That is a cycle: ");
	for (uint32_t i = first; i < w->length; i++) {
		gdb_state_label(w->timeline, w->chain[i], w->text);
		text_printf(w->text, " -> ");
	}
	gdb_state_label(w->timeline, w->chain[first], w->text);
	text_add(w->text, "\n", 1);
}

/* From thread to thread until one isn't blocked, waits for nobody in particular, or was there before. */
static void follow(struct why *w, uint32_t thread)
{
	for (;;) {
		for (uint32_t i = 0; i < w->length; i++) {
			if (w->chain[i] != thread)
				continue;
			add_cycle(w, i);
			return;
		}
		if (!is_blocked(w->model, thread)) {
			add_going(w, thread);
			return;
		}
		enum object_class class;
		uint32_t object;
		uint32_t holder = model_waits_for(w->model, thread, &class, &object);
		w->chain[w->length++] = thread;
		add_blocked(w, thread);
		add_object(w, thread, class, object);
		if (holder == NO_THREAD)
			return;
		thread = holder;
	}
}

/* The last transitions on what the thread waits for, oldest first. */
static void add_history(struct why *w, uint32_t thread)
{
	enum object_class class;
	uint32_t object;
	size_t shown[SHOWN], length = 0;
	model_waits_for(w->model, thread, &class, &object);
	if (class == CLASS_NONE || class == CLASS_THREAD)
		return;
	size_t end = w->done;
	while (length < SHOWN) {
		end = gdb_state_last(w->timeline, end, is_on, NO_THREAD, object);
		if (end == SIZE_MAX)
			break;
		shown[length++] = end;
	}
	if (length == 0)
		return;
	text_printf(w->text, "Last transitions on ");
	gdb_state_name(w->timeline, class, object, w->text);
	text_printf(w->text, ":\n");
	while (length > 0) {
		text_printf(w->text, INDENT);
		gdb_state_line(w->timeline, shown[--length], w->text);
	}
}

void gdb_text_why(struct timeline *timeline, uint32_t thread, struct text *text)
{
	uint32_t threads = timeline_threads(timeline);
	struct why w = {.timeline = timeline,
			.model = gdb_state_model(timeline),
			.done = gdb_state_done(timeline),
			.text = text};
	if (thread >= threads) {
		gdb_state_label(timeline, thread, text);
		text_printf(text, " doesn't exist here; there %s ", threads == 1 ? "is only" : "are");
		gdb_state_label(timeline, 0, text);
		if (threads > 1) {
			text_printf(text, " to ");
			gdb_state_label(timeline, threads - 1, text);
		}
		text_add(text, "\n", 1);
		return;
	}
	w.chain = calloc(threads, sizeof *w.chain);
	if (!w.chain)
		return;
	follow(&w, thread);
	if (is_blocked(w.model, thread))
		add_history(&w, thread);
	free(w.chain);
}
