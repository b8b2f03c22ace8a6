/* Where in the schedule GDB is, and going elsewhere. */
#include "replay/gdb/monitor.h"
#include "replay/gdb/state.h"
#include "replay/text/words.h"

#include <inttypes.h>
#include <string.h>

static void add_transition(struct text *text, const struct schedule *schedule,
			   const struct schedule_line *line)
{
	words_label(text, schedule, line->step.thread);
	text_printf(text, " %s", op_name(line->kind));
	words_objects(text, schedule, line);
	if (line->file) {
		text_add(text, "  ", 2);
		words_place(text, line);
	}
}

void gdb_position(struct gdb_server *s, struct text *text)
{
	const struct position position = timeline_position(s->timeline);
	const struct schedule *schedule = timeline_schedule(s->timeline);
	const struct finding *finding = timeline_finding(s->timeline);
	size_t length = timeline_length(s->timeline);
	if (position.part > length) {
		text_printf(text, "at the end, after transition %zu", length);
		if (finding->kind != FINDING_NONE) {
			text_printf(text, ": ");
			text_add_escaped(text, finding->message);
		}
	} else if (position.part == 0)
		text_printf(text, "%s %s, before transition 1 of %zu",
			    position.steps_known && position.steps == 0 ? "at" : "in",
			    gdb_state_beginning(s->timeline), length);
	else {
		if (!position.steps_known)
			text_printf(text, "in ");
		else if (position.steps > 0)
			text_printf(text, "%" PRIu64 " instructions into ", position.steps);
		else
			text_printf(text, "before ");
		text_printf(text, "transition %zu of %zu: ", position.part, length);
		if (position.part <= schedule->length)
			add_transition(text, schedule, &schedule->lines[position.part - 1]);
	}
	text_add(text, "\n", 1);
}

/* Tell the user that what was changed doesn't count. */
void gdb_drop_changes(struct gdb_server *s)
{
	if (!timeline_changed(s->timeline))
		return;
	gdb_console_line(
	    s, "your changes to memory and registers are dropped: the schedule goes on with what the "
	       "program had");
	timeline_drop_changes(s->timeline);
}

void gdb_moved(struct gdb_server *s)
{
	gdb_console_output(s);
	/* GDB goes by the thread that it has selected last and doesn't say so again. */
	if (!gdb_is_there(s, s->selected))
		gdb_select(s, timeline_current(s->timeline));
	memset(&s->last, 0, sizeof s->last);
}

void gdb_go(struct gdb_server *s, size_t part, struct text *text)
{
	struct move move;
	gdb_drop_changes(s);
	timeline_goto(s->timeline, part, &move);
	gdb_moved(s);
	if (move.end == MOVE_FAILED)
		text_printf(text, "%s\n", *move.why ? move.why : status_text(move.status));
	else if (move.end == MOVE_INTERRUPTED)
		text_printf(text, "interrupted\n");
	else if (!timeline_visit(s->timeline))
		text_printf(text, "%s\n", gdb_another_sight);
	gdb_position(s, text);
}
