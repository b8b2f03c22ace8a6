/* Movements that GDB asks for, on the timeline. */
#include "replay/gdb/session.h"

void gdb_answer_why(struct gdb_server *s, const struct gdb_request *r)
{
	(void)r;
	if (s->ended)
		gdb_reply(s, "W00;process:1");
	else
		gdb_stands(s);
}

/* What thread t, as counted in the timeline, shall do. */
static const struct gdb_action *action_of(const struct gdb_server *s, const struct gdb_request *r,
					  uint32_t thread)
{
	const int32_t inferior = (int32_t)timeline_memory_of(s->timeline, thread) + 1;
	for (size_t i = 0; i < r->actions.length; i++)
		if (gdb_thread_matches(r->actions.at[i].thread, inferior, (int32_t)thread + 1))
			return &r->actions.at[i];
	return NULL;
}

static bool is_step(const struct gdb_action *action)
{
	return action && (action->kind == GDB_ACTION_STEP || action->kind == GDB_ACTION_RANGE);
}

/* The thread to be stepped: the selected one if that is what it shall do, else the first other one. */
static const struct gdb_action *find_step(const struct gdb_server *s, const struct gdb_request *r,
					  uint32_t *thread)
{
	*thread =
	    r->actions.plain && s->resumed.thread > 0 ? (uint32_t)s->resumed.thread - 1 : s->selected.thread;
	const struct gdb_action *action = action_of(s, r, *thread);
	if (is_step(action) && timeline_alive(s->timeline, *thread))
		return action;
	for (*thread = 0; *thread < timeline_threads(s->timeline); ++*thread) {
		action = action_of(s, r, *thread);
		if (is_step(action) && timeline_alive(s->timeline, *thread))
			return action;
	}
	return NULL;
}

/* Is one to be stepped that is listed without being there? */
static bool steps_absent(const struct gdb_server *s, const struct gdb_request *r)
{
	for (size_t i = 0; i < r->actions.length; i++) {
		const struct gdb_action *action = &r->actions.at[i];
		struct gdb_who who;
		if (is_step(action) && action->thread.thread > 0 && gdb_find(s, action->thread, &who) &&
		    !gdb_is_there(s, who))
			return true;
	}
	return false;
}

/* The thread that stands elsewhere in the changed copy, because GDB calls a function or jumps; false: none. */
static bool find_diverted(const struct gdb_server *s, uint32_t *thread)
{
	if (!timeline_changed(s->timeline))
		return false;
	for (*thread = 0; *thread < timeline_threads(s->timeline); ++*thread)
		if (timeline_alive(s->timeline, *thread) && timeline_diverted(s->timeline, *thread))
			return true;
	return false;
}

static void run_copy(struct gdb_server *s, uint32_t thread, bool step)
{
	struct move move;
	timeline_run_copy(s->timeline, thread, step, &move);
	if (move.end != MOVE_END) {
		gdb_stop(s, &move);
		return;
	}
	gdb_console_line(s, "the changed copy of the process has ended; here is again what the schedule has");
	timeline_drop_changes(s->timeline);
	move.end = MOVE_DONE;
	move.thread = thread;
	gdb_stop(s, &move);
}

void gdb_answer_resume(struct gdb_server *s, const struct gdb_request *r)
{
	struct move move;
	uint32_t thread;
	const struct gdb_action *step = find_step(s, r, &thread);
	s->resync = false;
	if (steps_absent(s, r)) {
		gdb_reply(s, "E.this thread isn't there");
		return;
	}
	uint32_t diverted;
	if (find_diverted(s, &diverted)) {
		run_copy(s, diverted, step && thread == diverted);
		return;
	}
	gdb_drop_changes(s);
	gdb_conditions_use(s);
	gdb_points_inherit(s, true);
	if (step)
		timeline_step(s->timeline, thread, step->low, step->high, &move);
	else
		timeline_continue(s->timeline, &move);
	gdb_points_inherit(s, false);
	gdb_stop(s, &move);
}

void gdb_answer_reverse_continue(struct gdb_server *s, const struct gdb_request *r)
{
	struct move move;
	(void)r;
	if (s->resync) {
		gdb_stop_here(s);
		return;
	}
	gdb_drop_changes(s);
	gdb_conditions_use(s);
	gdb_points_inherit(s, true);
	timeline_reverse_continue(s->timeline, &move);
	gdb_points_inherit(s, false);
	gdb_stop(s, &move);
}

void gdb_answer_reverse_step(struct gdb_server *s, const struct gdb_request *r)
{
	struct move move;
	struct gdb_who who = s->selected;
	(void)r;
	/* Meanwhile others have been selected, to set breakpoints in their memory. */
	const bool found = s->resumed.thread <= 0 || gdb_find(s, s->resumed, &who);
	if (!found || !gdb_is_there(s, who)) {
		gdb_refuse(s);
		return;
	}
	gdb_drop_changes(s);
	timeline_reverse_step(s->timeline, who.thread, &move);
	gdb_stop(s, &move);
}

/* GDB's `run`: from the beginning. It has no ear for the console then. */
void gdb_answer_run(struct gdb_server *s, const struct gdb_request *r)
{
	struct move move;
	if (timeline_schedule(s->timeline)->header.follow) {
		s->say("several processes aren't run again: 'monitor goto begin' goes to their beginning");
		gdb_refuse(s);
		return;
	}
	timeline_goto(s->timeline, 0, &move);
	if (move.end == MOVE_FAILED) {
		s->say(*move.why ? move.why : status_text(move.status));
		gdb_refuse(s);
		return;
	}
	s->ended = false;
	gdb_answer_why(s, r);
}
