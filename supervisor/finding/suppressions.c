#include <fmc/supervisor/suppressions.h>
#include <fmc/tracer/array.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1 << 20) /* of a file */

static const char *const kinds[] = {[SUPPRESSION_RACE] = "race", [SUPPRESSION_RACE_TOP] = "race_top"};
#define KINDS (sizeof kinds / sizeof *kinds)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Part of a text. */
struct part {
	const char *at;
	size_t length;
};

static struct part trim(struct part part)
{
	while (part.length > 0 && is_blank(*part.at)) {
		part.at++;
		part.length--;
	}
	while (part.length > 0 && is_blank(part.at[part.length - 1]))
		part.length--;
	return part;
}

/* "deadlock" once, behind those that are there. */
static enum status add_other(struct suppressions *suppressions, struct part kind)
{
	const char *known = suppressions->others ? suppressions->others : "";
	char *longer;
	for (const char *at = known; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strncmp(at, kind.at, kind.length) == 0 && strchr(",", at[kind.length]))
			return STATUS_OK;
	if (asprintf(&longer, "%s%s%.*s", known, *known ? ", " : "", (int)kind.length, kind.at) < 0)
		return STATUS_NO_MEMORY;
	free(suppressions->others);
	suppressions->others = longer;
	return STATUS_OK;
}

static enum status add(struct suppressions *suppressions, struct part kind, struct part pattern)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (strlen(kinds[i]) != kind.length || memcmp(kinds[i], kind.at, kind.length) != 0)
			continue;
		char *copy = strndup(pattern.at, pattern.length);
		if (!copy || !ARRAY_ONE_MORE(suppressions->at, suppressions->length)) {
			free(copy);
			return STATUS_NO_MEMORY;
		}
		suppressions->at[suppressions->length++] =
		    (struct suppression){(enum suppression_kind)i, copy};
		return STATUS_OK;
	}
	return add_other(suppressions, kind);
}

/* What is wrong with the line; NULL: nothing. */
static const char *fault_of(struct part line, const char *colon)
{
	if (memchr(line.at, 0, line.length))
		return "it isn't text";
	if (!colon)
		return "there is no colon: KIND:PATTERN is expected, race:update_cache for one";
	for (const char *c = line.at; c < colon; c++)
		if (!(*c >= 'a' && *c <= 'z') && *c != '_')
			return "what stands before the colon is no kind of suppression";
	if (colon == line.at)
		return "nothing stands before the colon";
	if (colon + 1 == line.at + line.length)
		return "nothing stands behind the colon";
	return NULL;
}

static enum status parse_line(struct suppressions *suppressions, struct part line, size_t number,
			      char why[SUPPRESSIONS_WHY])
{
	line = trim(line);
	if (line.length == 0 || *line.at == '#')
		return STATUS_OK;
	const char *colon = memchr(line.at, ':', line.length), *fault = fault_of(line, colon);
	if (fault) {
		snprintf(why, SUPPRESSIONS_WHY, "line %zu: %s", number, fault);
		return STATUS_MALFORMED;
	}
	const struct part kind = {line.at, (size_t)(colon - line.at)};
	return add(suppressions, kind, (struct part){colon + 1, line.length - kind.length - 1});
}

enum status suppressions_parse(struct suppressions *suppressions, const char *text, size_t length,
			       char why[SUPPRESSIONS_WHY])
{
	enum status status = STATUS_OK;
	size_t number = 1;
	for (size_t at = 0; at < length && status == STATUS_OK; number++) {
		const char *end = memchr(text + at, '\n', length - at);
		const struct part line = {text + at, (end ? (size_t)(end - text) : length) - at};
		status = parse_line(suppressions, line, number, why);
		at += line.length + 1;
	}
	if (status == STATUS_NO_MEMORY)
		snprintf(why, SUPPRESSIONS_WHY, "%s", status_text(status));
	return status;
}

/* Reading a folder, for one, fails only now. */
static enum status parse_file(struct suppressions *suppressions, FILE *file, char why[SUPPRESSIONS_WHY])
{
	char *text = malloc(MOST_BYTES);
	enum status status = STATUS_NO_MEMORY;
	errno = 0;
	const size_t length = text ? fread(text, 1, MOST_BYTES, file) : 0;
	const int error = errno;
	if (ferror(file))
		status = STATUS_SYSTEM;
	else if (length == MOST_BYTES)
		status = STATUS_MALFORMED;
	else if (text)
		status = suppressions_parse(suppressions, text, length, why);
	if (status == STATUS_SYSTEM || status == STATUS_NO_MEMORY)
		snprintf(why, SUPPRESSIONS_WHY, "%s",
			 status == STATUS_SYSTEM ? strerror(error) : status_text(status));
	else if (length == MOST_BYTES)
		snprintf(why, SUPPRESSIONS_WHY, "it is too large");
	free(text);
	errno = error;
	return status;
}

enum status suppressions_read(struct suppressions *suppressions, const char *path, char why[SUPPRESSIONS_WHY])
{
	FILE *file = fopen(path, "re");
	if (!file) {
		snprintf(why, SUPPRESSIONS_WHY, "%s", strerror(errno));
		return STATUS_SYSTEM;
	}
	const enum status status = parse_file(suppressions, file, why);
	fclose(file);
	return status;
}

void suppressions_release(struct suppressions *suppressions)
{
	for (size_t i = 0; i < suppressions->length; i++)
		free(suppressions->at[i].pattern);
	free(suppressions->at);
	free(suppressions->others);
	*suppressions = (struct suppressions){0};
}

/* Where the name has what the pattern says up to its next * or its end; NULL: nowhere. */
static const char *find_piece(const char *name, struct part piece, bool here)
{
	if (here)
		return strncmp(name, piece.at, piece.length) == 0 ? name : NULL;
	return piece.length ? memmem(name, strlen(name), piece.at, piece.length) : name;
}

static bool ends_with(const char *name, struct part piece)
{
	const size_t length = strlen(name);
	return length >= piece.length && memcmp(name + length - piece.length, piece.at, piece.length) == 0;
}

static bool matches(const char *pattern, const char *name)
{
	bool here = *pattern == '^';
	pattern += here;
	size_t length = strlen(pattern);
	const bool anchored = length > 0 && pattern[length - 1] == '$';
	length -= anchored;
	for (const char *end = pattern + length; name;) {
		const char *star = memchr(pattern, '*', (size_t)(end - pattern));
		const struct part piece = {pattern, (size_t)((star ? star : end) - pattern)};
		if (!star && anchored)
			return here ? strlen(name) == piece.length && ends_with(name, piece)
				    : ends_with(name, piece);
		name = find_piece(name, piece, here);
		if (!star)
			return name != NULL;
		name = name ? name + piece.length : NULL;
		pattern = star + 1;
		here = false;
	}
	return false;
}

bool suppressions_match(const struct suppressions *suppressions, enum suppression_kind kind, const char *name)
{
	for (size_t i = 0; name && i < suppressions->length; i++)
		if (suppressions->at[i].kind == kind && matches(suppressions->at[i].pattern, name))
			return true;
	return false;
}
