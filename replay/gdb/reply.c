/* What GDB is answered, and what it shows. */
#include "replay/gdb/session.h"
#include "replay/packets/hex.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So much text goes into one packet for the console. */
#define CONSOLE_PART (GDB_PAYLOAD / 2 - 1)

void gdb_reply(struct gdb_server *s, const char *text)
{
	text_clear(&s->reply);
	text_add(&s->reply, text, strlen(text));
}

void gdb_refuse(struct gdb_server *s)
{
	gdb_reply(s, "E01");
}

void gdb_refuse_because(struct gdb_server *s, enum status status)
{
	text_clear(&s->reply);
	text_printf(&s->reply, "E.%s", status_text(status));
}

void gdb_console(struct gdb_server *s, const char *text, size_t length)
{
	struct text packet = {0};
	while (length > 0) {
		size_t part = length < CONSOLE_PART ? length : CONSOLE_PART;
		text_clear(&packet);
		text_add(&packet, "O", 1);
		gdb_hex_add(&packet, text, part);
		if (!packet.failed)
			gdb_frame_send(&s->frame, packet.data, packet.length);
		text += part;
		length -= part;
	}
	text_release(&packet);
}

void gdb_console_line(struct gdb_server *s, const char *format, ...)
{
	va_list arguments;
	char *text;
	struct text line = {0};
	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	text_printf(&line, "fmc: %s\n", text);
	gdb_console(s, text_string(&line), line.length);
	text_release(&line);
	free(text);
}

void gdb_console_output(struct gdb_server *s)
{
	size_t length = 0;
	char *output = timeline_output(s->timeline, &length);
	if (output)
		gdb_console(s, output, length);
	free(output);
}
