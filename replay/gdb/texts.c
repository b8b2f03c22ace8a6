/* Threads, objects and the schedule as lists. */
#include "replay/gdb/texts.h"
#include "replay/gdb/state.h"
#include "replay/text/words.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/model.h>
#include <fmc/supervisor/shown.h>

#include <inttypes.h>
#include <string.h>

#define MARK	"=> "
#define NO_MARK "   "

/* A list in which the columns, all but the last, are as wide as they have to be. */
#define COLUMNS_MOST 3
struct columns {
	struct text cells[COLUMNS_MOST];
	size_t widths[COLUMNS_MOST];
};

static size_t width_of(const struct text *cell)
{
	return shown_columns(text_string(cell), cell->length);
}

static void clear_cells(struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS_MOST; i++)
		text_clear(&columns->cells[i]);
}

static void measure_cells(struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS_MOST; i++)
		if (columns->widths[i] < width_of(&columns->cells[i]))
			columns->widths[i] = width_of(&columns->cells[i]);
}

static void add_cells(struct columns *columns, struct text *text)
{
	size_t last = COLUMNS_MOST - 1;
	while (last > 0 && columns->cells[last].length == 0)
		last--;
	for (size_t i = 0; i <= last; i++) {
		const struct text *cell = &columns->cells[i];
		text_add(text, text_string(cell), cell->length);
		if (i < last)
			text_printf(text, "%*s", (int)(columns->widths[i] - width_of(cell) + 2), "");
	}
	text_add(text, "\n", 1);
}

static void release_cells(struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS_MOST; i++)
		text_release(&columns->cells[i]);
}

/* It could go on by itself, and those that it has kept waiting go first. */
static bool held_by_fairness(const struct timeline *timeline, uint32_t thread)
{
	const struct trace *trace = &timeline_finding(timeline)->trace;
	size_t part = timeline_position(timeline).part;
	if (gdb_state_inside(timeline) || part == 0 || part > trace->length)
		return false;
	const uint64_t *enabled = trace_enabled(trace, part - 1);
	const uint64_t *schedulable = trace_schedulable(trace, part - 1);
	return enabled && schedulable && thread < trace->set_words * 64 && bitset_has(enabled, thread) &&
	       !bitset_has(schedulable, thread);
}

static void fill_thread(struct timeline *timeline, uint32_t thread, struct columns *columns)
{
	bool at_end = timeline_position(timeline).part > timeline_length(timeline);
	bool next = !at_end && thread == timeline_current(timeline);
	clear_cells(columns);
	text_printf(&columns->cells[0], "%s", next ? MARK : NO_MARK);
	gdb_state_label(timeline, thread, &columns->cells[0]);
	text_add(&columns->cells[0], " ", 1);
	text_add_escaped(&columns->cells[0], timeline_name(timeline, thread));
	gdb_state_thread(timeline, thread, &columns->cells[1]);
	if (held_by_fairness(timeline, thread))
		text_printf(&columns->cells[1], ", but others have waited longer");
	gdb_state_own_place(timeline, thread, &columns->cells[2]);
}

void gdb_text_threads(struct timeline *timeline, struct text *text)
{
	struct columns columns = {0};
	uint32_t threads = timeline_threads(timeline);
	for (uint32_t t = 0; t < threads; t++) {
		fill_thread(timeline, t, &columns);
		measure_cells(&columns);
	}
	for (uint32_t t = 0; t < threads; t++) {
		fill_thread(timeline, t, &columns);
		add_cells(&columns, text);
	}
	release_cells(&columns);
}

/* Is it as it was when it was first seen? */
static bool is_new(const struct timeline *timeline, uint32_t object)
{
	const struct trace *trace = &timeline_finding(timeline)->trace;
	struct object_state now;
	model_object_state(timeline_model(timeline), object, &now);
	if (object >= trace->objects_length)
		return false;
	const struct object_state *first = &trace->objects[object];
	return now.owner == first->owner && now.count == first->count && now.destroyed == first->destroyed &&
	       now.sleepers == 0 &&
	       (now.class < CLASS_USER || memcmp(now.user, first->user, sizeof now.user) == 0);
}

/* "T2, T4 wait"; false: nobody does. */
static bool add_waiters(const struct timeline *timeline, uint32_t object, struct text *text)
{
	const struct model *model = timeline_model(timeline);
	uint32_t waiters = 0;
	for (uint32_t t = 0; t < model_threads(model); t++) {
		enum object_class class;
		uint32_t waited;
		model_waits_for(model, t, &class, &waited);
		if (class == CLASS_NONE || class == CLASS_THREAD || waited != object)
			continue;
		text_printf(text, "%s", waiters++ ? ", " : "");
		gdb_state_label(timeline, t, text);
	}
	if (waiters > 0)
		text_printf(text, waiters == 1 ? " waits" : " wait");
	return waiters > 0;
}

/* False: there is nothing about this one that has to be told. */
static bool fill_object(struct timeline *timeline, uint32_t object, struct columns *columns)
{
	enum object_class class = model_object_class(timeline_model(timeline), object);
	struct text *state = &columns->cells[2];
	struct text waiters = {0};
	clear_cells(columns);
	bool waited = add_waiters(timeline, object, &waiters);
	gdb_state_name(timeline, class, object, &columns->cells[0]);
	text_printf(&columns->cells[1], "%s", class_name(class));
	gdb_state_object(timeline, object, state);
	if (waited)
		text_printf(state, "%s%s", state->length ? "; " : "", text_string(&waiters));
	text_release(&waiters);
	return waited || !is_new(timeline, object);
}

void gdb_text_objects(struct timeline *timeline, bool all, struct text *text)
{
	struct columns columns = {0};
	const struct model *model = gdb_state_model(timeline);
	uint32_t objects = model ? model_objects(model) : 0, shown = 0;
	for (uint32_t o = 0; o < objects; o++)
		if (fill_object(timeline, o, &columns) || all)
			measure_cells(&columns);
	for (uint32_t o = 0; o < objects; o++) {
		if (!fill_object(timeline, o, &columns) && !all)
			continue;
		add_cells(&columns, text);
		shown++;
	}
	if (objects == 0)
		text_printf(text, "no object has been used yet\n");
	else if (shown == 0)
		text_printf(text,
			    "as they were at first, all of them (%" PRIu32 "); with 'all' they are listed\n",
			    objects);
	release_cells(&columns);
}

/* The last row: how it ends. */
static void add_ending(struct timeline *timeline, struct text *text)
{
	bool here = timeline_position(timeline).part > timeline_length(timeline);
	text_printf(text, here ? MARK : NO_MARK);
	words_ending(text, timeline_schedule(timeline));
	text_add(text, "\n", 1);
}

void gdb_text_schedule(struct timeline *timeline, size_t count, struct text *text)
{
	size_t part = timeline_position(timeline).part, rows = timeline_length(timeline) + 1;
	size_t here = part > 0 ? part - 1 : 0;
	if (count > rows)
		count = rows;
	/* The rows are transitions 0 to length - 1 and the end. */
	size_t first = here > count / 2 ? here - count / 2 : 0;
	if (first > rows - count)
		first = rows - count;
	for (size_t i = first; i < first + count && i < rows - 1; i++) {
		text_printf(text, part > 0 && i == here ? MARK : NO_MARK);
		gdb_state_line(timeline, i, text);
	}
	if (count > 0 && first + count == rows)
		add_ending(timeline, text);
}
