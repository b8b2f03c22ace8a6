#include "replay/schedule/parser.h"

#include "replay/text/words.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/*
 * One line of the body:
 *
 *     NUMBER THREAD OP [OBJECT [OBJECT]] [choice=CHOICE] [ended=CHILD,...] [= RESULT] [PLACE [FUNCTION]]
 *
 * A word is bare or begins with a quoted part. Each is known by its form, whatever is left out: an object
 * ends in #NUMBER or is a thread, a place ends in :LINE or is "-".
 */
struct word {
	char *quoted;	  /* what was in quotes; NULL if it is bare */
	const char *rest; /* what follows the quoted part; the whole word if it is bare */
	size_t length;	  /* of rest; 0 and not quoted: there is no word */
};

/* The line being read, and the word that is next. */
struct reader {
	struct parser *p;
	const char *at, *end;
	struct word word;
	enum status status;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool fail(struct reader *r, const char *reason)
{
	char shown[64];
	const char *bytes = r->word.quoted ? r->word.quoted : r->word.rest;
	size_t length = r->word.quoted ? strlen(r->word.quoted) : r->word.length;
	if (length == 0)
		r->status = parser_fail(r->p, "%s, but the line ends", reason);
	else
		r->status = parser_fail(r->p, "%s, not '%s'", reason, source_excerpt(shown, bytes, length));
	return false;
}

static bool present(const struct reader *r)
{
	return r->word.quoted || r->word.length > 0;
}

/* Go on to the next word. */
static bool next(struct reader *r)
{
	free(r->word.quoted);
	r->word.quoted = NULL;
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	if (r->at < r->end && *r->at == '"') {
		const char *error;
		r->word.quoted = text_unquote(&r->at, r->end, &error);
		if (!r->word.quoted) {
			r->status = error ? parser_fail(r->p, "%s", error) : STATUS_NO_MEMORY;
			return false;
		}
	}
	r->word.rest = r->at;
	while (r->at < r->end && !is_blank(*r->at)) {
		if (*r->at == '"' || *r->at == '\\') {
			r->status = parser_fail(r->p, "a quote or backslash in the middle of a word");
			return false;
		}
		r->at++;
	}
	r->word.length = (size_t)(r->at - r->word.rest);
	return true;
}

static bool is_bare(const struct reader *r)
{
	return !r->word.quoted && r->word.length > 0;
}

/* What the word names, before its suffix of so many bytes. */
static bool take_name(struct reader *r, size_t suffix, char **name)
{
	if (r->word.quoted) {
		*name = r->word.quoted;
		r->word.quoted = NULL;
		return true;
	}
	*name = strndup(r->word.rest, r->word.length - suffix);
	if (!*name)
		r->status = STATUS_NO_MEMORY;
	return *name;
}

/* The separator if the word's suffix begins with it, NULL otherwise. */
static const char *separator(const struct reader *r, char c)
{
	const char *found = r->word.length ? memrchr(r->word.rest, c, r->word.length) : NULL;
	return r->word.quoted && found != r->word.rest ? NULL : found;
}

static bool read_number(struct reader *r)
{
	uint64_t number;
	char shown[64];
	uint64_t expected = r->p->schedule->length + 1;
	if (!is_bare(r) || !words_read_number(r->word.rest, r->word.length, UINT64_MAX, &number))
		return fail(r, "expected the number of a transition");
	if (number != expected) {
		r->status = parser_fail(r->p, "transition %s where number %llu comes next",
					source_excerpt(shown, r->word.rest, r->word.length),
					(unsigned long long)expected);
		return false;
	}
	return next(r);
}

static bool read_thread(struct reader *r, struct schedule_line *line)
{
	if (!is_bare(r) ||
	    !words_read_label(r->p->schedule, r->word.rest, r->word.length, &line->step.thread) ||
	    line->step.thread >= SCHEDULE_THREADS)
		return fail(r, "expected a thread from T1 to T4096");
	return next(r);
}

static bool read_op(struct reader *r, struct schedule_line *line)
{
	char name[64] = "";
	if (is_bare(r) && r->word.length < sizeof name)
		memcpy(name, r->word.rest, r->word.length);
	line->kind = op_by_name(name);
	if (name[0] == '\0' || line->kind == OP_KINDS)
		return fail(r, "expected an operation");
	return next(r);
}

/* An object if the word has the form of one. */
static bool read_object(struct reader *r, enum object_class class, char **name, uint32_t *number)
{
	const char *mark = separator(r, '#');
	uint64_t value;
	if (class == CLASS_THREAD && is_bare(r) &&
	    words_read_label(r->p->schedule, r->word.rest, r->word.length, number))
		return next(r);
	if (!mark)
		return true;
	size_t suffix = (size_t)(r->word.rest + r->word.length - mark);
	if (suffix == 2 && mark[1] == '?')
		*number = NO_OBJECT;
	else if (words_read_number(mark + 1, suffix - 1, NO_OBJECT - 1, &value))
		*number = (uint32_t)value;
	else
		return fail(r, "expected the number of an object after its '#'");
	if (class == CLASS_THREAD && *number != NO_OBJECT)
		return fail(r, "expected a thread");
	if ((r->word.quoted || mark != r->word.rest) && !take_name(r, suffix, name))
		return false;
	return next(r);
}

static bool has_key(const struct reader *r, const char *key, size_t length)
{
	return is_bare(r) && r->word.length >= length && memcmp(r->word.rest, key, length) == 0;
}

static bool read_choice(struct reader *r, struct schedule_line *line)
{
	static const char key[] = "choice=";
	size_t length = sizeof key - 1;
	line->step.choice = line->kind == OP_MEMORY_FLUSH ? CHOICE_FLUSH : CHOICE_DEFAULT;
	if (!has_key(r, key, length))
		return true;
	if (!words_read_choice(r->word.rest + length, r->word.length - length, &line->step.choice))
		return fail(r, "expected choice=timeout, choice=spurious, choice=flush or choice=NUMBER");
	return next(r);
}

static bool read_ended(struct reader *r, struct schedule_line *line)
{
	static const char key[] = "ended=";
	const size_t length = sizeof key - 1;
	if (!has_key(r, key, length))
		return true;
	const char *at = r->word.rest + length, *end = r->word.rest + r->word.length;
	for (; at <= end; at++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const size_t digits = (size_t)((comma ? comma : end) - at);
		uint64_t child;
		if (!words_read_number(at, digits, 64, &child) || child == 0)
			return fail(r, "expected ended= and numbers of child processes from 1 to 64");
		line->ended |= UINT64_C(1) << (child - 1);
		at += digits;
	}
	return next(r);
}

/* "= 0", or "=0" as a hand may write it. */
static bool read_result(struct reader *r, struct schedule_line *line)
{
	size_t sign = 1;
	if (!is_bare(r) || r->word.rest[0] != '=')
		return true;
	if (r->word.length == 1) {
		if (!next(r))
			return false;
		sign = 0;
	}
	if (!is_bare(r) || !words_read_result(r->word.rest + sign, r->word.length - sign, &line->result))
		return fail(r, "expected a result: a number or the name of an error");
	line->result_valid = true;
	return next(r);
}

static bool read_place(struct reader *r, struct schedule_line *line)
{
	uint64_t number;
	const char *colon = separator(r, ':');
	if (!present(r))
		return true;
	if (is_bare(r) && r->word.length == 1 && r->word.rest[0] == '-')
		return next(r);
	size_t suffix = colon ? (size_t)(r->word.rest + r->word.length - colon) : 0;
	if (suffix < 2 || !words_read_number(colon + 1, suffix - 1, INT32_MAX, &number) ||
	    (!r->word.quoted && colon == r->word.rest))
		return fail(
		    r, "expected an object (NAME#NUMBER), choice=, ended=, = RESULT or a place (FILE:LINE)");
	line->source_line = (int)number;
	return take_name(r, suffix, &line->file) && next(r);
}

static bool read_function(struct reader *r, struct schedule_line *line)
{
	if (!present(r))
		return true;
	if (r->word.quoted && r->word.length > 0)
		return fail(r, "expected a blank after the closing quote");
	if (!take_name(r, 0, &line->function) || !next(r))
		return false;
	return !present(r) || fail(r, "expected the end of the line");
}

static bool read_line(struct reader *r, struct schedule_line *line)
{
	if (!next(r) || !read_number(r) || !read_thread(r, line) || !read_op(r, line) ||
	    !read_object(r, op_class(line->kind), &line->object, &line->object_number) ||
	    !read_object(r, op_class2(line->kind), &line->object2, &line->object2_number))
		return false;
	return read_choice(r, line) && read_ended(r, line) && read_result(r, line) && read_place(r, line) &&
	       read_function(r, line);
}

static struct schedule_line *add_line(struct parser *p)
{
	struct schedule *schedule = p->schedule;
	if (!ARRAY_GROW(schedule->lines, schedule->length, p->room))
		return NULL;
	struct schedule_line *line = &schedule->lines[schedule->length];
	*line = (struct schedule_line){
	    .object_number = NO_OBJECT, .object2_number = NO_OBJECT, .line = p->source.line};
	if (schedule->length > 0)
		line->ended = line[-1].ended;
	return line;
}

enum status parser_body_line(struct parser *p, const char *at, const char *end)
{
	struct reader r = {.p = p, .at = at, .end = end, .status = STATUS_OK};
	struct schedule_line *line = add_line(p);
	if (!line)
		return STATUS_NO_MEMORY;
	bool ok = read_line(&r, line);
	free(r.word.quoted);
	p->schedule->length++; /* also a line half read, so that it is released */
	return ok ? STATUS_OK : r.status;
}
