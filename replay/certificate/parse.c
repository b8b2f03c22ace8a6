/* Reading a certificate file: its header is a schedule's, the rest is taken apart line by line. */
#include "replay/certificate/format.h"

#include "replay/schedule/parser.h"
#include "replay/text/text.h"

#include <fmc/supervisor/dependence.h>
#include <fmc/tracer/array.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_SHOWN   1000
#define LARGEST_FILE ((size_t)1 << 32)

/* A word up to a blank; false: there is none, or it is longer than the buffer. */
static bool read_word(struct certificate_parser *p, char *word, size_t room)
{
	size_t length = 0;
	while (p->at + length < p->end && p->at[length] != ' ')
		length++;
	if (length == 0 || length >= room)
		return false;
	memcpy(word, p->at, length);
	word[length] = 0;
	p->at += length;
	return true;
}

static bool read_u32(struct certificate_parser *p, uint32_t *to)
{
	uint64_t number;
	if (!certificate_blank(p) || !certificate_number(p, UINT32_MAX, &number))
		return false;
	*to = (uint32_t)number;
	return true;
}

/* "-" or a number. */
static bool read_object(struct certificate_parser *p, uint32_t *object)
{
	*object = NO_OBJECT;
	if (p->at + 1 < p->end && p->at[0] == ' ' && p->at[1] == '-') {
		p->at += 2;
		return true;
	}
	return read_u32(p, object);
}

static bool read_i64(struct certificate_parser *p, int64_t *to)
{
	uint64_t number;
	if (!certificate_blank(p))
		return false;
	const bool negative = p->at < p->end && *p->at == '-';
	p->at += negative;
	if (!certificate_number(p, (uint64_t)INT64_MAX + negative, &number))
		return false;
	*to = (int64_t)(negative ? -number : number);
	return true;
}

/* "NUMBER KIND OBJECT OBJECT FLAGS ARG ARG ARG" */
static enum status read_op(struct certificate_parser *p)
{
	struct certificate *tree = &p->file->tree;
	struct op op = {0};
	uint64_t number;
	uint32_t flags = 0;
	char word[64] = "", shown[64];
	if (!certificate_number(p, UINT32_MAX, &number) || number != tree->ops_length ||
	    !certificate_blank(p) || !read_word(p, word, sizeof word))
		return certificate_fail(p, "expected operation %" PRIu32, tree->ops_length);
	const enum op_kind kind = op_by_name(word);
	if (kind == OP_KINDS || kind == OP_NONE)
		return certificate_fail(p, "unknown operation '%s'",
					source_excerpt(shown, word, strlen(word)));
	op.kind = (uint16_t)kind;
	if (!read_object(p, &op.object) || !read_object(p, &op.object2) || !read_u32(p, &flags) ||
	    flags > UINT16_MAX || !read_i64(p, &op.arg) || !read_i64(p, &op.arg2) || !read_i64(p, &op.arg3) ||
	    p->at < p->end)
		return certificate_fail(p, "expected objects, flags and arguments of an operation");
	op.flags = (uint16_t)flags;
	if (!ARRAY_GROW(tree->ops, tree->ops_length, tree->ops_room))
		return STATUS_NO_MEMORY;
	tree->ops[tree->ops_length++] = op;
	return STATUS_OK;
}

static bool read_user_state(struct certificate_parser *p, struct object_state *state)
{
	for (size_t w = 0; w < OBJECT_USER_BYTES / 8; w++) {
		char word[17], *end;
		if (!certificate_blank(p) || !read_word(p, word, sizeof word))
			return false;
		state->user[w] = strtoull(word, &end, 16);
		if (*end)
			return false;
	}
	return true;
}

/* "NUMBER CLASS TYPE OWNER COUNT WAKEUP SPURIOUS [WORDS]" */
static enum status read_state(struct certificate_parser *p)
{
	struct certificate *tree = &p->file->tree;
	struct object_state state = {0};
	uint64_t number;
	char word[64] = "", shown[64];
	if (!certificate_number(p, UINT32_MAX, &number) || number != tree->states_length ||
	    !certificate_blank(p) || !read_word(p, word, sizeof word))
		return certificate_fail(p, "expected object %" PRIu32, tree->states_length);
	state.class = class_by_name(word);
	if (state.class == CLASSES || state.class < CLASS_MUTEX)
		return certificate_fail(p, "unknown class of objects '%s'",
					source_excerpt(shown, word, strlen(word)));
	if (!read_u32(p, &state.type) || !read_object(p, &state.owner) || !read_u32(p, &state.count) ||
	    !read_u32(p, &state.wakeup) || !read_u32(p, &state.spurious) ||
	    (state.class >= CLASS_USER && !read_user_state(p, &state)) || p->at < p->end)
		return certificate_fail(p, "expected the state of an object");
	if (!ARRAY_GROW(tree->states, tree->states_length, tree->states_room))
		return STATUS_NO_MEMORY;
	tree->states[tree->states_length++] = state;
	return STATUS_OK;
}

/* "NUMBER DIGEST" */
static enum status read_met(struct certificate_parser *p)
{
	struct certificate *tree = &p->file->tree;
	struct certificate_met met;
	uint64_t number;
	if (!certificate_number(p, UINT32_MAX, &number) || number != tree->met_length ||
	    !certificate_blank(p) || p->end - p->at != 32 || !certificate_hex(p, &met.digest[0]) ||
	    !certificate_hex(p, &met.digest[1]) || p->at < p->end)
		return certificate_fail(p, "expected state %" PRIu32 " and its digest", tree->met_length);
	if (!ARRAY_GROW(tree->met, tree->met_length, tree->met_room))
		return STATUS_NO_MEMORY;
	tree->met[tree->met_length++] = met;
	return STATUS_OK;
}

static enum status read_method(struct certificate_parser *p)
{
	struct certificate *tree = &p->file->tree;
	tree->method = certificate_method_by_name(p->at, (size_t)(p->end - p->at));
	p->has_method = tree->method < CERTIFICATE_METHODS;
	return p->has_method ? STATUS_OK
			     : certificate_fail(p, "expected reversal, every, bound, delays or conservative");
}

static enum status read_yes(struct certificate_parser *p, bool *to)
{
	*to = p->end - p->at == 3 && memcmp(p->at, "yes", 3) == 0;
	return *to ? STATUS_OK : certificate_fail(p, "expected yes");
}

static enum status read_count(struct certificate_parser *p, uint64_t most, uint64_t *to)
{
	return certificate_number(p, most, to) && p->at == p->end ? STATUS_OK
								  : certificate_fail(p, "expected a number");
}

/* A value as it is, or between quotes; NULL after a failure, which is in *status. */
static char *read_text(struct certificate_parser *p, enum status *status)
{
	const char *error = NULL;
	*status = STATUS_NO_MEMORY;
	char *text = p->at < p->end && *p->at == '"' ? text_unquote(&p->at, p->end, &error)
						     : strndup(p->at, (size_t)(p->end - p->at));
	if (!text && error)
		*status = certificate_fail(p, "%s", error);
	if (text)
		*status = STATUS_OK;
	return text;
}

static enum status read_shown(struct certificate_parser *p)
{
	struct certificate_file *file = p->file;
	enum status status;
	size_t length = 0;
	while (file->shown && file->shown[length])
		length++;
	if (length == MOST_SHOWN)
		return certificate_fail(p, "more than %d lines of one kind", MOST_SHOWN);
	char **longer = reallocarray(file->shown, length + 2, sizeof *longer);
	if (!longer)
		return STATUS_NO_MEMORY;
	file->shown = longer;
	longer[length] = longer[length + 1] = NULL;
	longer[length] = read_text(p, &status);
	return status;
}

static enum status read_conditions(struct certificate_parser *p)
{
	enum status status;
	free(p->file->conditions);
	p->file->conditions = read_text(p, &status);
	return status;
}

static enum status read_bound(struct certificate_parser *p)
{
	uint64_t bound = 0;
	const enum status status = read_count(p, UINT32_MAX, &bound);
	p->file->tree.bound = (uint32_t)bound;
	return status;
}

static enum status dispatch(struct certificate_parser *p, const char *key)
{
	struct certificate_file *file = p->file;
	char shown[64];
	if (strcmp(key, "run") == 0)
		return certificate_run(p);
	if (strcmp(key, "op") == 0)
		return read_op(p);
	if (strcmp(key, "object") == 0)
		return read_state(p);
	if (strcmp(key, "state") == 0)
		return read_met(p);
	if (strcmp(key, "method") == 0)
		return read_method(p);
	if (strcmp(key, "bound") == 0)
		return read_bound(p);
	if (strcmp(key, "memory-seen") == 0)
		return read_yes(p, &file->tree.sees_memory);
	if (strcmp(key, "ends-count") == 0)
		return read_yes(p, &file->tree.ends_count);
	if (strcmp(key, "found") == 0)
		return read_yes(p, &file->tree.found);
	if (strcmp(key, "shown") == 0)
		return read_shown(p);
	if (strcmp(key, "conditions") == 0)
		return read_conditions(p);
	if (strcmp(key, "executions") == 0)
		return read_count(p, UINT64_MAX, &file->executions);
	if (strcmp(key, "repeated") == 0)
		return read_count(p, UINT64_MAX, &file->tree.redundant);
	if (strcmp(key, "begin") == 0)
		return certificate_begin(p);
	if (strcmp(key, "root") == 0)
		return certificate_root(p);
	return certificate_fail(p, "unknown key '%s'", source_excerpt(shown, key, strlen(key)));
}

static enum status read_line(struct certificate_parser *p)
{
	char key[32];
	if (!read_word(p, key, sizeof key))
		return certificate_fail(p, "expected a line with a key");
	(void)certificate_blank(p);
	return dispatch(p, key);
}

/* The next line of the text from `at` on; what comes after it. */
static const char *take_line(struct certificate_parser *p, const char *at, const char *end)
{
	const char *stop = memchr(at, '\n', (size_t)(end - at));
	p->at = at;
	p->end = stop ? stop : end;
	p->source.line++;
	return stop ? stop + 1 : end;
}

/* The header as that of a schedule, in which the lines have the same numbers. `body` is where it ends. */
static enum status read_header(struct certificate_parser *p, const char *text, const char *body)
{
	static const char magic[] = "fmc-schedule 1", end[] = FORMAT_NO_BODY "\n.\n";
	const char *first = memchr(text, '\n', (size_t)(body - text));
	struct text schedule = {0};
	text_add(&schedule, magic, sizeof magic - 1);
	text_add(&schedule, first, (size_t)(body - first));
	text_add(&schedule, end, sizeof end - 1);
	enum status status = schedule.failed ? STATUS_NO_MEMORY
					     : schedule_parse(&p->file->schedule, schedule.data,
							      schedule.length, p->source.name, p->source.why);
	text_release(&schedule);
	p->file->tree.fair_k = p->file->schedule.header.fair_k;
	p->file->tree.max_depth = p->file->schedule.header.max_depth;
	return status;
}

static enum status read_magic(struct certificate_parser *p, const char *text, const char *end)
{
	static const char magic[] = FORMAT_MAGIC " 1\n", any[] = FORMAT_MAGIC " ";
	p->source.line = 1;
	if ((size_t)(end - text) >= sizeof magic - 1 && memcmp(text, magic, sizeof magic - 1) == 0)
		return STATUS_OK;
	if ((size_t)(end - text) >= sizeof any - 1 && memcmp(text, any, sizeof any - 1) == 0)
		return certificate_fail(p, "this fmc reads version 1 of the format, not another");
	return certificate_fail(p, "not a certificate: the first line isn't '" FORMAT_MAGIC " 1'");
}

static unsigned count_lines(const char *text, const char *end)
{
	unsigned lines = 0;
	for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
		lines++;
	return lines;
}

/* The last line has a digest of all before it. *body_end gets where it begins. */
static enum status check_digest(struct certificate_parser *p, const char *text, const char *end, bool trust,
				const char **body_end)
{
	static const char key[] = "\n" FORMAT_DIGEST " ";
	const size_t whole = sizeof key - 1 + 32 + 1;
	uint64_t digest[2];
	char expected[33];
	p->source.line = count_lines(text, end);
	const char *line = (size_t)(end - text) > whole ? end - whole : NULL;
	if (!line || memcmp(line, key, sizeof key - 1) != 0 || end[-1] != '\n') {
		p->source.line += end > text && end[-1] != '\n';
		return certificate_fail(p, "truncated: the last line isn't its digest");
	}
	*body_end = line + 1;
	certificate_digest(text, (size_t)(*body_end - text), digest);
	snprintf(expected, sizeof expected, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
	memcpy(p->file->digest, digest, sizeof digest);
	if (!trust && memcmp(expected, line + sizeof key - 1, 32) != 0)
		return certificate_fail(p, "it has been changed: its content has another digest, %s",
					expected);
	return STATUS_OK;
}

static enum status read_body(struct certificate_parser *p, const char *at, const char *end)
{
	enum status status = STATUS_OK;
	while (at < end && status == STATUS_OK) {
		at = take_line(p, at, end);
		status = read_line(p);
	}
	if (!status && !p->has_method)
		return certificate_fail(p, "truncated: there is no 'method'");
	return status ? status : certificate_tree_end(p);
}

/* How many executions there are is said as well. */
static enum status check_count(struct certificate_parser *p)
{
	const struct certificate_file *file = p->file;
	const uint64_t here = file->tree.ends_length + file->tree.redundant;
	if (file->tree.redundant <= UINT64_MAX - file->tree.ends_length && file->executions == here)
		return STATUS_OK;
	return certificate_fail(p, "it has %" PRIu64 " executions, not %" PRIu64, here, file->executions);
}

static enum status parse(struct certificate_parser *p, const char *text, const char *end, bool trust)
{
	const char *body_end = end;
	enum status status = read_magic(p, text, end);
	if (!status)
		status = check_digest(p, text, end, trust, &body_end);
	if (status)
		return status;
	const char *body = memmem(text, (size_t)(body_end - text), "\n\n", 2);
	if (!body) {
		p->source.line = count_lines(text, body_end);
		return certificate_fail(p, "truncated: it ends in its header");
	}
	status = read_header(p, text, body + 1);
	p->source.line = count_lines(text, body + 2);
	if (!status)
		status = read_body(p, body + 2, body_end);
	return status ? status : check_count(p);
}

enum status certificate_file_parse(struct certificate_file *file, const char *text, size_t size,
				   const char *name, bool trust, char why[256])
{
	struct certificate_parser p = {.file = file, .source = {.name = name, .why = why}};
	certificate_file_init(file);
	why[0] = 0;
	const enum status status = parse(&p, text, text + size, trust);
	free(p.path);
	if (status == STATUS_NO_MEMORY)
		snprintf(why, 256, "%.200s: no memory", name);
	if (status)
		certificate_file_release(file);
	return status;
}

enum status certificate_file_load(struct certificate_file *file, const char *path, char why[256])
{
	size_t size = 0;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd >= 0 ? source_read(fd, LARGEST_FILE, &size) : NULL;
	const int error = errno;
	if (fd >= 0)
		close(fd);
	if (!text) {
		snprintf(why, 256, "%.180s: %.60s", path, strerror(error));
		return source_status(error);
	}
	const enum status status = certificate_file_parse(file, text, size, path, false, why);
	free(text);
	return status;
}
