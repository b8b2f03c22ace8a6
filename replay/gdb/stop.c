/* Why and where a movement has stopped, as GDB wants to know it. */
#include "replay/gdb/session.h"
#include "replay/packets/signal.h"
#include "replay/text/words.h"

#include <inttypes.h>

static void stopped(struct gdb_server *s, uint8_t signal, uint32_t thread)
{
	/* GDB takes who stopped for selected. */
	gdb_select(s, thread);
	text_printf(&s->reply, "T%02xthread:", signal);
	gdb_add_thread(s, &s->reply, s->selected);
	text_printf(&s->reply, ";");
}

static void at_breakpoint(struct gdb_server *s, const struct move *move)
{
	stopped(s, GDB_SIGNAL_TRAP, move->thread);
	/* GDB resumes for ever at what it is told to be a breakpoint of its own, and isn't. */
	if (gdb_has_point(s, GDB_SOFTWARE_BREAK, s->selected.memory, move->address))
		text_printf(&s->reply, "swbreak:;");
	else if (gdb_has_point(s, GDB_HARDWARE_BREAK, s->selected.memory, move->address))
		text_printf(&s->reply, "hwbreak:;");
}

static void at_watchpoint(struct gdb_server *s, const struct move *move)
{
	stopped(s, GDB_SIGNAL_TRAP, move->thread);
	if (gdb_has_point(s, GDB_WRITE_WATCH, s->selected.memory, move->address))
		text_printf(&s->reply, "watch:%" PRIx64 ";", move->address);
	else if (gdb_has_point(s, GDB_ACCESS_WATCH, s->selected.memory, move->address))
		text_printf(&s->reply, "awatch:%" PRIx64 ";", move->address);
}

/* The signal that ended the program, the first time that one comes to the end; else 0. */
static int fatal_signal(const struct gdb_server *s)
{
	const struct trace *trace = &timeline_finding(s->timeline)->trace;
	if (trace->end != END_SIGNAL || s->last.end == MOVE_END)
		return 0;
	bool known = s->last.end == MOVE_SIGNAL && s->last.signal == trace->end_value;
	return known ? 0 : trace->end_value;
}

static void tell_end(struct gdb_server *s)
{
	const struct finding *finding = timeline_finding(s->timeline);
	const struct trace *trace = &finding->trace;
	struct text end = {0};
	words_end(&end, NULL, trace->end, trace->end_value, trace->end_thread);
	gdb_console_line(s, "the end: %s",
			 finding->kind == FINDING_NONE ? text_string(&end) : finding->message);
	text_release(&end);
}

static void at_end(struct gdb_server *s, const struct move *move)
{
	int signal = fatal_signal(s);
	if (s->last.end != MOVE_END)
		tell_end(s);
	stopped(s, signal ? gdb_signal_number(signal) : GDB_SIGNAL_TRAP, move->thread);
	if (!signal)
		text_printf(&s->reply, "replaylog:end;");
}

/* Can this thread be looked at? */
static bool can_be_seen(const struct gdb_server *s, uint32_t thread)
{
	struct user_regs_struct registers;
	return timeline_alive(s->timeline, thread) &&
	       timeline_registers(s->timeline, thread, &registers) == STATUS_OK;
}

/* The process is gone, or so it must look. */
static void lost(struct gdb_server *s)
{
	s->ended = true;
	text_clear(&s->reply);
	text_printf(&s->reply, "X%02x;process:%" PRIx32, GDB_SIGNAL_KILL, s->selected.memory + 1);
}

static void has_failed(struct gdb_server *s, const struct move *move)
{
	uint32_t thread = timeline_current(s->timeline);
	gdb_console_line(s, "%s", *move->why ? move->why : status_text(move->status));
	if (can_be_seen(s, thread))
		stopped(s, GDB_SIGNAL_TRAP, thread);
	else
		lost(s);
}

/* The reason of a stop of a thread that is there. */
static void tell_reason(struct gdb_server *s, const struct move *move)
{
	switch (move->end) {
	case MOVE_BREAKPOINT:
		at_breakpoint(s, move);
		break;
	case MOVE_WATCHPOINT:
		at_watchpoint(s, move);
		break;
	case MOVE_SIGNAL:
		stopped(s, gdb_signal_number(move->signal), move->thread);
		break;
	case MOVE_BEGIN:
		stopped(s, GDB_SIGNAL_TRAP, move->thread);
		text_printf(&s->reply, "replaylog:begin;");
		break;
	case MOVE_END:
		at_end(s, move);
		break;
	case MOVE_INTERRUPTED:
		stopped(s, GDB_SIGNAL_INT, move->thread);
		break;
	default:
		stopped(s, GDB_SIGNAL_TRAP, move->thread);
		break;
	}
}

/*
 * Somebody has killed the process, and what the timeline says of the stop is about that. It is made again where it
 * stopped before.
 */
static void killed(struct gdb_server *s)
{
	struct move move;
	timeline_goto(s->timeline, s->part, &move);
	if (move.end == MOVE_FAILED || !can_be_seen(s, move.thread)) {
		gdb_console_line(s, "the program's process has been killed");
		lost(s);
		return;
	}
	gdb_console_line(
	    s, "the program's process has been killed; here is another one, before transition %zu", s->part);
	stopped(s, GDB_SIGNAL_TRAP, move.thread);
}

const char gdb_another_sight[] =
    "this place isn't as it was before: the program doesn't do the same each time";

void gdb_stop(struct gdb_server *s, const struct move *move)
{
	gdb_console_output(s);
	text_clear(&s->reply);
	if (move->end != MOVE_FAILED && *move->why)
		gdb_console_line(s, "%s", move->why);
	if (move->end != MOVE_FAILED && !timeline_visit(s->timeline))
		gdb_console_line(s, "%s", gdb_another_sight);
	if (move->end == MOVE_FAILED)
		has_failed(s, move);
	else if (can_be_seen(s, move->thread))
		tell_reason(s, move);
	else
		killed(s);
	s->part = timeline_position(s->timeline).part;
	s->last = *move;
}

void gdb_stands(struct gdb_server *s)
{
	const struct move here = {.end = MOVE_DONE, .thread = timeline_current(s->timeline)};
	text_clear(&s->reply);
	tell_reason(s, &here);
	s->part = timeline_position(s->timeline).part;
	s->last = here;
}
