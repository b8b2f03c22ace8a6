/* Threads as GDB lists them. */
#include "replay/gdb/session.h"
#include "replay/gdb/state.h"
#include "replay/packets/hex.h"

#include <inttypes.h>
#include <string.h>

void gdb_add_thread(const struct gdb_server *s, struct text *text, uint32_t thread)
{
	text_printf(text, s->processes ? "p1.%" PRIx32 : "%" PRIx32, thread + 1);
}

/* So many threads go into one packet. */
#define LISTED_AT_ONCE 500

static bool is_kept(const struct gdb_server *s, uint32_t thread)
{
	for (size_t i = 0; i < s->kept_length; i++)
		if (s->kept[i] == thread)
			return true;
	return false;
}

bool gdb_lists_thread(const struct gdb_server *s, uint32_t thread)
{
	return is_kept(s, thread) ||
	       (thread < timeline_threads(s->timeline) && timeline_alive(s->timeline, thread));
}

/* One more than the last that may be listed. */
static uint32_t threads_end(const struct gdb_server *s)
{
	uint32_t end = timeline_threads(s->timeline);
	for (size_t i = 0; i < s->kept_length; i++)
		if (s->kept[i] >= end)
			end = s->kept[i] + 1;
	return end;
}

static void add_state(const struct gdb_server *s, uint32_t thread, struct text *state)
{
	if (thread >= timeline_threads(s->timeline))
		text_printf(state, "hasn't been created");
	else if (!timeline_alive(s->timeline, thread))
		text_printf(state, "has exited");
	else
		gdb_state_thread(s->timeline, thread, state);
}

bool gdb_find_thread(const struct gdb_server *s, struct gdb_thread which, uint32_t *thread)
{
	*thread = which.thread > 0 ? (uint32_t)which.thread - 1 : s->selected;
	return which.process <= 1 && gdb_lists_thread(s, *thread);
}

void gdb_answer_select(struct gdb_server *s, const struct gdb_request *r)
{
	uint32_t thread;
	if (!gdb_find_thread(s, r->thread, &thread)) {
		gdb_refuse(s);
		return;
	}
	if (r->operation == 'g')
		s->selected = thread;
	else
		s->resumed = r->thread.thread;
	gdb_reply(s, "OK");
}

void gdb_answer_alive(struct gdb_server *s, const struct gdb_request *r)
{
	uint32_t thread;
	if (gdb_find_thread(s, r->thread, &thread))
		gdb_reply(s, "OK");
	else
		gdb_refuse(s);
}

void gdb_answer_current(struct gdb_server *s, const struct gdb_request *r)
{
	(void)r;
	text_printf(&s->reply, "QC");
	gdb_add_thread(s, &s->reply, s->selected);
}

void gdb_answer_threads(struct gdb_server *s, const struct gdb_request *r)
{
	s->listed = 0;
	gdb_answer_threads_more(s, r);
}

void gdb_answer_threads_more(struct gdb_server *s, const struct gdb_request *r)
{
	unsigned told = 0;
	(void)r;
	for (; !s->ended && s->listed < threads_end(s) && told < LISTED_AT_ONCE; s->listed++)
		if (gdb_lists_thread(s, s->listed)) {
			text_printf(&s->reply, "%s", told++ ? "," : "m");
			gdb_add_thread(s, &s->reply, s->listed);
		}
	if (told == 0)
		gdb_reply(s, "l");
}

void gdb_answer_thread_text(struct gdb_server *s, const struct gdb_request *r)
{
	uint32_t thread;
	struct text state = {0};
	if (!gdb_find_thread(s, r->thread, &thread)) {
		gdb_refuse(s);
		return;
	}
	add_state(s, thread, &state);
	gdb_hex_add(&s->reply, text_string(&state), state.length);
	text_release(&state);
}

static void add_xml(struct text *xml, const char *string)
{
	for (; *string; string++) {
		static const char special[] = "<>&\"'";
		if (strchr(special, *string))
			text_printf(xml, "&#%d;", *string);
		else
			text_add(xml, string, 1);
	}
}

static void add_thread(struct gdb_server *s, struct text *xml, uint32_t thread)
{
	struct text name = {0}, state = {0};
	text_printf(&name, "T%" PRIu32 " ", thread + 1);
	text_add_escaped(&name, timeline_name(s->timeline, thread));
	add_state(s, thread, &state);
	text_printf(xml, "<thread id=\"");
	gdb_add_thread(s, xml, thread);
	text_printf(xml, "\" name=\"");
	add_xml(xml, text_string(&name));
	text_printf(xml, "\">");
	add_xml(xml, text_string(&state));
	text_printf(xml, "</thread>");
	text_release(&name);
	text_release(&state);
}

void gdb_thread_list(struct gdb_server *s, struct text *xml)
{
	text_printf(xml, "<?xml version=\"1.0\"?><threads>");
	for (uint32_t t = 0; !s->ended && t < threads_end(s); t++)
		if (gdb_lists_thread(s, t))
			add_thread(s, xml, t);
	text_printf(xml, "</threads>");
}

void gdb_answer_tls(struct gdb_server *s, const struct gdb_request *r)
{
	uint32_t thread;
	uint64_t address;
	enum status status = STATUS_NOT_FOUND;
	if (gdb_find_thread(s, r->thread, &thread))
		status = gdb_tls_address(&s->tls, s->timeline, thread, r->link_map, r->address, &address);
	if (status == STATUS_OK)
		text_printf(&s->reply, "%" PRIx64, address);
	else if (status == STATUS_NOT_FOUND)
		gdb_refuse(s);
	else if (status == STATUS_UNSUPPORTED)
		gdb_reply(s, "E.the C library doesn't tell where its thread-local variables are");
	else
		gdb_refuse_because(s, status);
}
