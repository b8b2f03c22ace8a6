/* Which threads GDB hears of, and in which inferiors. */
#include "replay/gdb/session.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

static bool is_same(struct gdb_who a, struct gdb_who b)
{
	return a.thread == b.thread && a.memory == b.memory;
}

bool gdb_is_there(const struct gdb_server *s, struct gdb_who who)
{
	return who.thread < timeline_threads(s->timeline) && timeline_alive(s->timeline, who.thread) &&
	       timeline_memory_of(s->timeline, who.thread) == who.memory;
}

static bool is_kept(const struct gdb_server *s, struct gdb_who who)
{
	for (size_t i = 0; i < s->kept_length; i++)
		if (is_same(s->kept[i], who))
			return true;
	return false;
}

/* Somebody who is in this memory; false: nobody is. */
static bool find_in(const struct gdb_server *s, uint32_t memory, struct gdb_who *who)
{
	*who = (struct gdb_who){.memory = memory};
	for (; who->thread < timeline_threads(s->timeline); who->thread++)
		if (gdb_is_there(s, *who))
			return true;
	return false;
}

bool gdb_knows(const struct gdb_server *s, uint32_t memory)
{
	return memory < s->told_length && s->told[memory] > 0;
}

/* By whom an inferior is told that isn't there now. */
static bool find_told(const struct gdb_server *s, uint32_t memory, struct gdb_who *who)
{
	struct gdb_who other;
	if (!gdb_knows(s, memory) || find_in(s, memory, &other))
		return false;
	*who = (struct gdb_who){.thread = s->told[memory] - 1, .memory = memory};
	return true;
}

bool gdb_lists(const struct gdb_server *s, struct gdb_who who)
{
	struct gdb_who told;
	return gdb_is_there(s, who) || is_kept(s, who) ||
	       (find_told(s, who.memory, &told) && is_same(told, who));
}

uint32_t gdb_known_origin(const struct gdb_server *s, uint32_t memory)
{
	while (memory != NO_MEMORY && !gdb_knows(s, memory))
		memory = timeline_memory_copied(s->timeline, memory);
	return memory;
}

/* Without memory GDB is told, and it isn't noted. */
static void note_told(struct gdb_server *s, struct gdb_who who)
{
	if (who.memory >= s->told_length) {
		const size_t length = (size_t)who.memory + 16;
		uint32_t *told = reallocarray(s->told, length, sizeof *told);
		if (!told)
			return;
		for (size_t i = s->told_length; i < length; i++)
			told[i] = 0;
		s->told = told;
		s->told_length = length;
	}
	if (s->told[who.memory] == 0)
		s->told[who.memory] = who.thread + 1;
}

static void add(struct gdb_server *s, struct gdb_who who)
{
	if (!ARRAY_GROW(s->list, s->list_length, s->list_room))
		return;
	s->list[s->list_length++] = who;
	note_told(s, who);
}

void gdb_make_list(struct gdb_server *s)
{
	struct gdb_who who;
	s->list_length = s->listed = 0;
	for (uint32_t t = 0; !s->ended && t < timeline_threads(s->timeline); t++) {
		who = (struct gdb_who){t, timeline_memory_of(s->timeline, t)};
		if (gdb_is_there(s, who))
			add(s, who);
	}
	for (uint32_t m = 0; !s->ended && m < s->told_length; m++)
		if (find_told(s, m, &who) && !is_kept(s, who))
			add(s, who);
	for (size_t i = 0; !s->ended && i < s->kept_length; i++)
		if (!gdb_is_there(s, s->kept[i]))
			add(s, s->kept[i]);
}

bool gdb_let_go(struct gdb_server *s, uint32_t memory)
{
	if (memory < s->told_length)
		s->told[memory] = 0;
	for (size_t m = 0; m < s->told_length; m++)
		if (s->told[m] > 0)
			return false;
	return true;
}

bool gdb_find(const struct gdb_server *s, struct gdb_thread which, struct gdb_who *who)
{
	const bool process = which.process > 0;
	*who = s->selected;
	if (which.thread > 0) {
		who->thread = (uint32_t)which.thread - 1;
		who->memory =
		    process ? (uint32_t)which.process - 1 : timeline_memory_of(s->timeline, who->thread);
	} else if (process && s->selected.memory != (uint32_t)which.process - 1) {
		const uint32_t memory = (uint32_t)which.process - 1;
		return find_in(s, memory, who) || find_told(s, memory, who);
	}
	return gdb_lists(s, *who);
}

void gdb_select(struct gdb_server *s, uint32_t thread)
{
	s->selected = (struct gdb_who){thread, timeline_memory_of(s->timeline, thread)};
	if (gdb_is_there(s, s->selected))
		note_told(s, s->selected);
	(void)timeline_show(s->timeline, s->selected.memory); /* or it isn't there */
}
