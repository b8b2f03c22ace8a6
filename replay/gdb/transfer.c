/* Documents that GDB reads in parts. */
#include "replay/gdb/process.h"
#include "replay/gdb/session.h"

#include <string.h>

/* The inferior that the annex names in hex digits, or if it doesn't the selected one. False: it isn't there. */
static bool show_named(struct gdb_server *s, const struct gdb_request *r)
{
	uint32_t number = 0;
	for (size_t i = 0; i < r->data_length && text_hex_digit((char)r->data[i]) >= 0; i++)
		number = number << 4 | (uint32_t)text_hex_digit((char)r->data[i]);
	return timeline_show(s->timeline, number > 0 ? number - 1 : s->selected.memory);
}

/* All of a document; false if there is none of that name. */
static bool make(struct gdb_server *s, const struct gdb_request *r, struct text *document)
{
	siginfo_t signal;
	switch (r->object) {
	case GDB_OBJECT_FEATURES:
		if (r->data_length != strlen("target.xml") ||
		    memcmp(r->data, "target.xml", r->data_length) != 0)
			return false;
		gdb_registers_describe(&s->layout, document);
		return true;
	case GDB_OBJECT_THREADS:
		gdb_thread_list(s, document);
		return true;
	case GDB_OBJECT_AUXV:
		gdb_process_auxv(s->timeline, document);
		return document->length > 0;
	case GDB_OBJECT_EXEC_FILE:
		if (!show_named(s, r))
			return false;
		gdb_process_file(s->timeline, document);
		return document->length > 0;
	case GDB_OBJECT_SIGINFO:
		if (!gdb_is_there(s, s->selected) ||
		    !timeline_signal_info(s->timeline, s->selected.thread, &signal))
			return false;
		text_add(document, (const char *)&signal, sizeof signal);
		return true;
	}
	return false;
}

void gdb_answer_transfer(struct gdb_server *s, const struct gdb_request *r)
{
	struct text document = {0};
	if (!make(s, r, &document) || document.failed)
		gdb_refuse(s);
	else {
		size_t begin = r->address < document.length ? (size_t)r->address : document.length;
		size_t left = document.length - begin, part = left;
		if (part > r->length)
			part = (size_t)r->length;
		if (part > GDB_PAYLOAD - 1)
			part = GDB_PAYLOAD - 1;
		text_add(&s->reply, part < left ? "m" : "l", 1);
		text_add(&s->reply, text_string(&document) + begin, part);
	}
	text_release(&document);
}
