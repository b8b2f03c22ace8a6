#include "replay/text/text.h"

#include <fmc/supervisor/shown.h>

#include <stdarg.h>
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
	size_t left = strlen(string);
	while (left > 0) {
		size_t length = shown_character(string, left);
		left -= length ? length : 1;
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
	for (size_t left = strlen(string); left > 0;) {
		size_t length = shown_character(string, left);
		if (length == 0)
			return false;
		string += length;
		left -= length;
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

/* The character that an escape means, *at after its backslash; -1 if there is no such escape. */
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

void text_cut(struct text *text, size_t columns)
{
	if (columns == 0 || shown_columns(text_string(text), text->length) <= columns)
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
