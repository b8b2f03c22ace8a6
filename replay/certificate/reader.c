/* What is read from a line, and what is said of one that can't be. */
#include "replay/certificate/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_NAME 100 /* of a file in a message: the reason has to fit too */

enum status certificate_fail(struct certificate_parser *p, const char *format, ...)
{
	char reason[256];
	va_list arguments;
	const size_t length = strlen(p->name);
	const char *name = length > LONGEST_NAME ? p->name + length - LONGEST_NAME : p->name;
	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	snprintf(p->why, 256, "%s%s:%u: %.130s", name == p->name ? "" : "...", name, p->line, reason);
	return STATUS_MALFORMED;
}

bool certificate_number(struct certificate_parser *p, uint64_t most, uint64_t *number)
{
	const char *first = p->at;
	uint64_t value = 0;
	for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
		const unsigned digit = (unsigned)(*p->at - '0');
		if (value > (most - digit) / 10 && value * 10 + digit > most)
			return false;
		value = value * 10 + digit;
	}
	*number = value;
	return p->at > first && p->at - first < 20 && value <= most;
}

bool certificate_blank(struct certificate_parser *p)
{
	const char *first = p->at;
	while (p->at < p->end && *p->at == ' ')
		p->at++;
	return p->at > first;
}
