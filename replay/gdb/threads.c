/* Threads as GDB lists them. */
#include "replay/gdb/session.h"
#include "replay/gdb/state.h"
#include "replay/packets/hex.h"

#include <inttypes.h>
#include <string.h>

void gdb_add_thread(const struct gdb_server *s, struct text *text, struct gdb_who who)
{
	if (s->processes)
		text_printf(text, "p%" PRIx32 ".", who.memory + 1);
	text_printf(text, "%" PRIx32, who.thread + 1);
}

/* So many threads go into one packet. */
#define LISTED_AT_ONCE 500

static void add_state(const struct gdb_server *s, struct gdb_who who, struct text *state)
{
	if (who.thread >= timeline_threads(s->timeline))
		text_printf(state, "hasn't been created");
	else if (!timeline_alive(s->timeline, who.thread))
		text_printf(state, "has exited");
	else if (gdb_is_there(s, who))
		gdb_state_thread(s->timeline, who.thread, state);
	else
		text_printf(state, timeline_memory_of(s->timeline, who.thread) > who.memory
				       ? "has become another program"
				       : "hasn't become this program");
}

void gdb_answer_select(struct gdb_server *s, const struct gdb_request *r)
{
	struct gdb_who who;
	if (!gdb_find(s, r->thread, &who)) {
		gdb_refuse(s);
		return;
	}
	if (r->operation == 'g')
		s->selected = who;
	else
		s->resumed = r->thread;
	gdb_reply(s, "OK");
}

void gdb_answer_alive(struct gdb_server *s, const struct gdb_request *r)
{
	struct gdb_who who;
	if (gdb_find(s, r->thread, &who))
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
	gdb_make_list(s);
	gdb_answer_threads_more(s, r);
}

void gdb_answer_threads_more(struct gdb_server *s, const struct gdb_request *r)
{
	unsigned told = 0;
	(void)r;
	for (; s->listed < s->list_length && told < LISTED_AT_ONCE; s->listed++) {
		text_printf(&s->reply, "%s", told++ ? "," : "m");
		gdb_add_thread(s, &s->reply, s->list[s->listed]);
	}
	if (told == 0)
		gdb_reply(s, "l");
}

void gdb_answer_thread_text(struct gdb_server *s, const struct gdb_request *r)
{
	struct gdb_who who;
	struct text state = {0};
	if (!gdb_find(s, r->thread, &who)) {
		gdb_refuse(s);
		return;
	}
	add_state(s, who, &state);
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

static void add_thread(struct gdb_server *s, struct text *xml, struct gdb_who who)
{
	struct text name = {0}, state = {0};
	gdb_state_label(s->timeline, who.thread, &name);
	text_add(&name, " ", 1);
	text_add_escaped(&name, timeline_name(s->timeline, who.thread));
	add_state(s, who, &state);
	text_printf(xml, "<thread id=\"");
	gdb_add_thread(s, xml, who);
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
	gdb_make_list(s);
	text_printf(xml, "<?xml version=\"1.0\"?><threads>");
	for (size_t i = 0; i < s->list_length; i++)
		add_thread(s, xml, s->list[i]);
	text_printf(xml, "</threads>");
}

void gdb_answer_tls(struct gdb_server *s, const struct gdb_request *r)
{
	struct gdb_who who;
	uint64_t address;
	enum status status = STATUS_NOT_FOUND;
	if (gdb_find(s, r->thread, &who) && timeline_show(s->timeline, who.memory) && gdb_is_there(s, who))
		status = gdb_tls_address(&s->tls, s->timeline, who.thread, r->link_map, r->address, &address);
	if (status == STATUS_OK)
		text_printf(&s->reply, "%" PRIx64, address);
	else if (status == STATUS_NOT_FOUND)
		gdb_refuse(s);
	else if (status == STATUS_UNSUPPORTED)
		gdb_reply(s, "E.the C library doesn't tell where its thread-local variables are");
	else
		gdb_refuse_because(s, status);
}
