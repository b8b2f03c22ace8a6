/* What all parts of the check share: its flaws, and room to try things. */
#include "supervisor/certificate/checker.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool checker_flaw(struct checker *ck, uint32_t node, const char *format, ...)
{
	struct certificate_report *report = ck->report;
	va_list arguments;
	if (*report->why)
		return false;
	report->line = ck->certificate->nodes[node].line;
	va_start(arguments, format);
	vsnprintf(report->why, sizeof report->why, format, arguments);
	va_end(arguments);
	return false;
}

bool checker_no_memory(struct checker *ck)
{
	ck->failed = true;
	return false;
}

struct state checker_try(struct checker *ck, uint32_t depth)
{
	const size_t bytes = ck->play.bytes;
	unsigned char *room = ck->states + (ck->depth_most + 1) * bytes;
	memcpy(room, ck->states + depth * bytes, bytes);
	return play_at(&ck->play, room);
}
