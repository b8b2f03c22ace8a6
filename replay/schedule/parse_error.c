/* Why a file is no schedule. */
#include "replay/schedule/parser.h"
#include "replay/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_NAME  100 /* of a file in a message: the reason has to fit too */
#define LONGEST_SHOWN 32

enum status parser_fail(struct parser *p, const char *format, ...)
{
	char reason[256];
	va_list arguments;
	size_t length = strlen(p->name);
	const char *name = length > LONGEST_NAME ? p->name + length - LONGEST_NAME : p->name;
	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	snprintf(p->why, 256, "%s%s:%u: %.130s", name == p->name ? "" : "...", name, p->line, reason);
	return STATUS_MALFORMED;
}

const char *parser_excerpt(char buffer[64], const char *bytes, size_t length)
{
	char part[LONGEST_SHOWN + 1] = "";
	struct text text = {0};
	memcpy(part, bytes, length < LONGEST_SHOWN ? length : LONGEST_SHOWN);
	text_add_escaped(&text, part);
	if (length > LONGEST_SHOWN)
		text_add(&text, "...", 3);
	text_cut(&text, LONGEST_SHOWN);
	snprintf(buffer, 64, "%s", text_string(&text));
	text_release(&text);
	return buffer;
}
