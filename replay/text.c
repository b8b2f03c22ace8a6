#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

void text_release(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

void text_clear(struct text *text)
{
	text->length = 0;
	if (text->data)
		text->data[0] = '\0';
}

const char *text_string(const struct text *text)
{
	return text->data ? text->data : "";
}

static bool make_room(struct text *text, size_t more)
{
	if (text->failed)
		return false;
	if (text->room - text->length > more)
		return true;
	size_t room = (text->length + more + 1) * 2;
	char *data = realloc(text->data, room);
	if (!data) {
		text->failed = true;
		return false;
	}
	text->data = data;
	text->room = room;
	return true;
}

void text_add(struct text *text, const char *bytes, size_t length)
{
	if (!make_room(text, length))
		return;
	memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0 || !make_room(text, (size_t)length))
		return;
	va_start(arguments, format);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
	va_end(arguments);
	text->length += (size_t)length;
}

/* Length of the well-formed UTF-8 sequence at s (Unicode 15, table 3-7), 0 if there is none. */
static size_t decode(const unsigned char *s, uint32_t *point)
{
	size_t length = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (length == 0)
		return 0;
	*point = s[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (s[i] & 0x3f);
	}
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	bool surrogate = *point >= 0xd800 && *point < 0xe000;
	return *point < lowest[length] || *point > 0x10ffff || surrogate ? 0 : length;
}

/*
 * Bytes of the printable character at s, 0 if it has to be escaped. Invisible characters and those that turn
 * the direction of writing are escaped: they make a line look different from what it says.
 */
static size_t printable(const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	uint32_t point = 0;
	size_t length = decode(s, &point);
	bool hidden = point < 0xa1 || point == 0xad || (point >= 0x2000 && point <= 0x200f) ||
		      (point >= 0x2028 && point <= 0x202f) || (point >= 0x205f && point <= 0x206f) ||
		      point == 0x3000 || point == 0x61c || point == 0xfeff ||
		      (point >= 0xfff0 && point <= 0xfffb) || (point & 0xfffe) == 0xfffe || point >= 0xe0000;
	return hidden ? 0 : length;
}

static void add_escape(struct text *text, unsigned char c)
{
	switch (c) {
	case '\n':
		text_add(text, "\\n", 2);
		break;
	case '\t':
		text_add(text, "\\t", 2);
		break;
	case '\r':
		text_add(text, "\\r", 2);
		break;
	case '\\':
		text_add(text, "\\\\", 2);
		break;
	case '"':
		text_add(text, "\\\"", 2);
		break;
	default:
		text_printf(text, "\\x%02x", c);
	}
}

static void add_characters(struct text *text, const char *string, bool quote)
{
	while (*string) {
		size_t length = printable(string);
		if (length == 0 || *string == '\\' || (quote && *string == '"'))
			add_escape(text, (unsigned char)*string++);
		else {
			text_add(text, string, length);
			string += length;
		}
	}
}

void text_add_escaped(struct text *text, const char *string)
{
	add_characters(text, string, false);
}

static void add_quoted(struct text *text, const char *string)
{
	text_add(text, "\"", 1);
	add_characters(text, string, true);
	text_add(text, "\"", 1);
}

static bool all_printable(const char *string)
{
	while (*string) {
		size_t length = printable(string);
		if (length == 0)
			return false;
		string += length;
	}
	return true;
}

void text_add_word(struct text *text, const char *string)
{
	if (*string && all_printable(string) && !strpbrk(string, " \"\\#="))
		text_add(text, string, strlen(string));
	else
		add_quoted(text, string);
}

void text_add_value(struct text *text, const char *string)
{
	size_t length = strlen(string);
	if (length > 0 && all_printable(string) && string[0] != '"' && string[0] != ' ' &&
	    string[length - 1] != ' ')
		text_add(text, string, length);
	else
		add_quoted(text, string);
}

int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The character that an escape means, *at behind its backslash; -1 if there is no such escape. */
static int read_escape(const char **at, const char *end)
{
	if (*at == end)
		return -1;
	switch (*(*at)++) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case '\\':
		return '\\';
	case '"':
		return '"';
	case 'x':
		break;
	default:
		return -1;
	}
	if (end - *at < 2 || text_hex_digit((*at)[0]) < 0 || text_hex_digit((*at)[1]) < 0)
		return -1;
	int c = text_hex_digit((*at)[0]) * 16 + text_hex_digit((*at)[1]);
	*at += 2;
	return c == 0 ? -1 : c;
}

char *text_unquote(const char **at, const char *end, const char **error)
{
	char *string = malloc((size_t)(end - *at) + 1), *to = string;
	*error = NULL;
	if (!string)
		return NULL;
	for (++*at; *at < end && **at != '"';) {
		int c = (unsigned char)*(*at)++;
		if (c == '\\')
			c = read_escape(at, end);
		if (c < 0) {
			*error = "bad escape in a quoted word";
			free(string);
			return NULL;
		}
		*to++ = (char)c;
	}
	if (*at == end) {
		*error = "quote without its closing quote";
		free(string);
		return NULL;
	}
	++*at;
	*to++ = '\0';
	char *fitted = realloc(string, (size_t)(to - string));
	return fitted ? fitted : string;
}

size_t text_columns(const char *string, size_t length)
{
	size_t columns = 0;
	for (size_t i = 0; i < length; i++)
		columns += ((unsigned char)string[i] & 0xc0) != 0x80;
	return columns;
}

void text_cut(struct text *text, size_t columns)
{
	if (columns == 0 || text_columns(text_string(text), text->length) <= columns)
		return;
	size_t keep = 0, seen = 0;
	while (seen < columns) {
		seen += ((unsigned char)text->data[keep] & 0xc0) != 0x80;
		if (seen < columns)
			keep++;
	}
	text->length = keep;
	text->data[keep] = '\0';
	text_add(text, ELLIPSIS, strlen(ELLIPSIS));
}
