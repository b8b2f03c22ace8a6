#include "replay/schedule/parser.h"

#include "replay/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits on what a file may ask for; memory is taken only for what is there. */
#define LONGEST_LINE (1u << 20)

/*
 * The next line, without blanks around it, whatever its newline is. False at the end of the file and on a
 * failure, which is in *status.
 */
static bool next_line(struct parser *p, struct text *line, bool *newline, enum status *status)
{
	const char *start = p->at;
	*status = STATUS_OK;
	if (start == p->end)
		return false;
	const char *stop = memchr(start, '\n', (size_t)(p->end - start));
	*newline = stop;
	stop = stop ? stop : p->end;
	p->at = stop + *newline;
	p->source.line++;
	if (stop - start > LONGEST_LINE) {
		*status = parser_fail(p, "a line of more than %u bytes", LONGEST_LINE);
		return false;
	}
	while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
		stop--;
	while (start < stop && (*start == ' ' || *start == '\t'))
		start++;
	for (const char *c = start; c < stop; c++) {
		if (((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7f) {
			*status = parser_fail(p, "a control character (code %d) in the text", *c);
			return false;
		}
	}
	text_clear(line);
	text_add(line, start, (size_t)(stop - start));
	*status = line->failed ? STATUS_NO_MEMORY : STATUS_OK;
	return !line->failed;
}

static enum status first_line(struct parser *p, const char *line)
{
	static const char magic[] = "fmc-schedule";
	size_t word = sizeof magic - 1;
	char shown[64];
	if (strncmp(line, magic, word) != 0 || !strchr(" \t", line[word]))
		return parser_fail(p, "not a schedule: the first line isn't 'fmc-schedule 1'");
	const char *version = line + word + strspn(line + word, " \t");
	if (strcmp(version, "1") != 0)
		return parser_fail(p, "this fmc reads version 1 of the format, not '%s'",
				   source_excerpt(shown, version, strlen(version)));
	return STATUS_OK;
}

static enum status body_line(struct parser *p, const struct text *line)
{
	const char *at = text_string(line);
	if (p->stage == STAGE_DONE)
		return parser_fail(p, "more text after the full stop that ends the schedule");
	if (strcmp(at, ".") == 0) {
		p->stage = STAGE_DONE;
		return STATUS_OK;
	}
	if (p->schedule->length == p->length)
		return parser_fail(p, "more transitions than the %llu of the header's 'length'",
				   (unsigned long long)p->length);
	return parser_body_line(p, at, at + line->length);
}

static enum status one_line(struct parser *p, const struct text *line)
{
	const char *at = text_string(line);
	if (p->stage == STAGE_MAGIC) {
		p->stage = STAGE_HEADER;
		return first_line(p, at);
	}
	if (at[0] == '#')
		return STATUS_OK;
	if (p->stage == STAGE_HEADER && at[0] != '\0' && strcmp(at, ".") != 0)
		return parser_header_line(p, at);
	if (p->stage == STAGE_HEADER) {
		p->stage = STAGE_BODY;
		if (!p->has_length)
			return parser_fail(p, "the header has no 'length'");
	}
	return at[0] == '\0' ? STATUS_OK : body_line(p, line);
}

/* The text has been read: is it all there? */
static enum status check_whole(struct parser *p)
{
	struct schedule *schedule = p->schedule;
	if (p->stage == STAGE_MAGIC) {
		p->source.line = 1;
		return parser_fail(p, "the file is empty");
	}
	if (!p->has_length)
		return parser_fail(p, "truncated: the file ends in its header");
	if (schedule->length < p->length)
		return parser_fail(p, "truncated: %zu of %llu transitions", schedule->length,
				   (unsigned long long)p->length);
	if (p->cut && p->stage != STAGE_DONE)
		return parser_fail(p, "truncated: the last line has no end");
	bool loop = end_reason_loops(schedule->end);
	if (!loop)
		schedule->loop_start = 0;
	if (schedule->loop_start > schedule->length)
		return parser_fail(p, "'loop' is after the last transition");
	return STATUS_OK;
}

enum status schedule_parse(struct schedule *schedule, const char *text, size_t size, const char *name,
			   char why[256])
{
	struct parser p = {
	    .schedule = schedule, .at = text, .end = text + size, .source = {.name = name, .why = why}};
	struct text line = {0};
	enum status status = STATUS_OK;
	schedule_init(schedule);
	why[0] = '\0';
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		p.at += 3; /* the byte order mark that some editors add */
	bool newline = true;
	while (status == STATUS_OK && next_line(&p, &line, &newline, &status)) {
		status = one_line(&p, &line);
		p.cut = !newline && line.length > 0 && line.data[0] != '#';
	}
	text_release(&line);
	if (status == STATUS_OK)
		status = check_whole(&p);
	if (status == STATUS_NO_MEMORY)
		snprintf(why, 256, "%.200s: no memory", name);
	if (status != STATUS_OK)
		schedule_release(schedule);
	return status;
}
