/* GDB's breakpoints and watchpoints. */
#include "replay/gdb/session.h"

#include <stdlib.h>

/* In the memory of who is selected. */
static struct gdb_set_point *find(const struct gdb_server *s, enum gdb_point point, uint64_t address,
				  uint64_t length)
{
	for (size_t i = 0; i < s->points_length; i++) {
		struct gdb_set_point *at = &s->points[i];
		if (at->memory == s->selected.memory && at->point == point && at->address == address &&
		    at->length == length)
			return at;
	}
	return NULL;
}

bool gdb_has_point(const struct gdb_server *s, enum gdb_point point, uint32_t memory, uint64_t address)
{
	for (size_t i = 0; i < s->points_length; i++) {
		const struct gdb_set_point *at = &s->points[i];
		if (at->point == point && at->memory == memory && at->address == address)
			return true;
	}
	return false;
}

static bool is_break(enum gdb_point point)
{
	return point == GDB_SOFTWARE_BREAK || point == GDB_HARDWARE_BREAK;
}

/* One that stops at the same address; the timeline knows only one kind, and doesn't count. */
static bool has_break(const struct gdb_server *s, uint32_t memory, uint64_t address)
{
	return gdb_has_point(s, GDB_SOFTWARE_BREAK, memory, address) ||
	       gdb_has_point(s, GDB_HARDWARE_BREAK, memory, address);
}

static enum timeline_access access_of(enum gdb_point point)
{
	return point == GDB_WRITE_WATCH ? TIMELINE_WRITE : TIMELINE_ACCESS;
}

static enum status set(struct gdb_server *s, const struct gdb_set_point *point)
{
	if (!is_break(point->point) && !s->can_watch)
		return STATUS_UNSUPPORTED;
	if (!is_break(point->point))
		return timeline_watch(s->timeline, point->address, point->length, access_of(point->point));
	return has_break(s, point->memory, point->address) ? STATUS_OK
							   : timeline_break(s->timeline, point->address);
}

/* Of a point that isn't in the list any more. */
static void take_away(struct gdb_server *s, const struct gdb_set_point *point)
{
	(void)timeline_show(s->timeline, point->memory); /* or it isn't there */
	if (!is_break(point->point))
		timeline_unwatch(s->timeline, point->address, point->length, access_of(point->point));
	else if (!has_break(s, point->memory, point->address))
		timeline_unbreak(s->timeline, point->address);
}

static bool make_room(struct gdb_server *s)
{
	if (s->points_length < s->points_room)
		return true;
	size_t room = s->points_room ? 2 * s->points_room : 16;
	struct gdb_set_point *points = reallocarray(s->points, room, sizeof *points);
	if (!points)
		return false;
	s->points = points;
	s->points_room = room;
	return true;
}

void gdb_answer_insert(struct gdb_server *s, const struct gdb_request *r)
{
	const struct gdb_set_point point = {
	    .memory = s->selected.memory, .point = r->point, .address = r->address, .length = r->length};
	struct gdb_set_point *known = find(s, r->point, r->address, r->length);
	if (r->point == GDB_READ_WATCH)
		return; /* isn't offered */
	if (known) {
		gdb_condition_set(known, r);
		gdb_reply(s, "OK");
		return;
	}
	enum status status = make_room(s) ? set(s, &point) : STATUS_NO_MEMORY;
	if (status) {
		gdb_refuse_because(s, status);
		return;
	}
	s->points[s->points_length] = point;
	gdb_condition_set(&s->points[s->points_length++], r);
	gdb_reply(s, "OK");
}

static void remove_point(struct gdb_server *s, struct gdb_set_point *at)
{
	struct gdb_set_point point = *at;
	*at = s->points[--s->points_length];
	take_away(s, &point);
	gdb_condition_clear(&point);
}

void gdb_answer_remove(struct gdb_server *s, const struct gdb_request *r)
{
	if (r->point == GDB_READ_WATCH)
		return;
	struct gdb_set_point *at = find(s, r->point, r->address, r->length);
	if (at)
		remove_point(s, at);
	gdb_reply(s, "OK");
}

void gdb_points_inherit(struct gdb_server *s, bool inherit)
{
	for (uint32_t m = 0; m < timeline_memories(s->timeline); m++) {
		const uint32_t origin = gdb_knows(s, m) ? NO_MEMORY : gdb_known_origin(s, m);
		const uint32_t shown = timeline_shown(s->timeline);
		(void)timeline_show(s->timeline, m); /* or it isn't there, and may be later */
		for (size_t i = 0; i < s->points_length; i++) {
			const struct gdb_set_point *at = &s->points[i];
			if (at->memory != origin || !is_break(at->point))
				continue;
			if (!inherit)
				timeline_unbreak(s->timeline, at->address);
			else if (timeline_break(s->timeline, at->address) != STATUS_OK)
				s->reply.failed = true;
		}
		(void)timeline_show(s->timeline, shown);
	}
}

void gdb_clear_points_in(struct gdb_server *s, uint32_t memory)
{
	for (size_t i = s->points_length; i-- > 0;)
		if (s->points[i].memory == memory)
			remove_point(s, &s->points[i]);
}

void gdb_clear_points(struct gdb_server *s)
{
	while (s->points_length > 0)
		remove_point(s, &s->points[s->points_length - 1]);
}
