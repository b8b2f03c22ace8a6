/* Text of a program's own making, made harmless. */
#include <fmc/supervisor/shown.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

/* Bytes of the well-formed UTF-8 sequence at s that isn't ASCII (Unicode 15, table 3-7), 0 if there is none. */
static size_t decode(const unsigned char *s, size_t left, uint32_t *point)
{
	size_t length = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (length == 0 || length > left)
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

/* Invisible characters and those that turn the direction of writing make a line look different from what it says. */
static bool is_hidden(uint32_t point)
{
	return point < 0xa1 || point == 0xad || (point >= 0x2000 && point <= 0x200f) ||
	       (point >= 0x2028 && point <= 0x202f) || (point >= 0x205f && point <= 0x206f) ||
	       point == 0x3000 || point == 0x61c || point == 0xfeff || (point >= 0xfff0 && point <= 0xfffb) ||
	       (point & 0xfffe) == 0xfffe || point >= 0xe0000;
}

size_t shown_character(const char *at, size_t left)
{
	const unsigned char *s = (const unsigned char *)at;
	uint32_t point = 0;
	if (left == 0)
		return 0;
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	size_t length = decode(s, left, &point);
	return is_hidden(point) ? 0 : length;
}

size_t shown_columns(const char *text, size_t length)
{
	size_t columns = 0;
	for (size_t i = 0; i < length; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

/* A piece of text as it is shown: a character, or the escape of a byte. */
struct piece {
	size_t bytes, columns;
	bool printable;
};

static struct piece piece_at(const char *at, size_t left)
{
	size_t length = shown_character(at, left);
	if (length == 0 && *at == '\t')
		return (struct piece){1, 1, true};
	return length ? (struct piece){length, 1, true} : (struct piece){1, 4, false};
}

static void print_piece(const struct piece *piece, const char *at, FILE *stream)
{
	if (piece->printable)
		fwrite(at, 1, piece->bytes, stream);
	else
		fprintf(stream, "\\x%02x", (unsigned char)*at);
}

void shown_print(const char *text, size_t length, FILE *stream)
{
	for (size_t i = 0; i < length;) {
		struct piece piece = piece_at(text + i, length - i);
		print_piece(&piece, text + i, stream);
		i += piece.bytes;
	}
}

static size_t columns_of(const char *text, size_t length)
{
	size_t columns = 0;
	for (size_t i = 0; i < length;) {
		struct piece piece = piece_at(text + i, length - i);
		columns += piece.columns;
		i += piece.bytes;
	}
	return columns;
}

/* Print the columns from `from` up to `to`, whole pieces only; the columns printed. */
static size_t print_part(const char *text, size_t length, size_t from, size_t to, FILE *stream)
{
	size_t at = 0, printed = 0;
	for (size_t i = 0; i < length;) {
		struct piece piece = piece_at(text + i, length - i);
		if (at >= from && at + piece.columns <= to) {
			print_piece(&piece, text + i, stream);
			printed += piece.columns;
		}
		at += piece.columns;
		i += piece.bytes;
	}
	return printed;
}

/* With `tail` of the columns for its end. */
static size_t print_within(const char *text, size_t length, size_t columns, size_t tail, FILE *stream)
{
	size_t all = columns_of(text, length);
	if (all <= columns)
		return print_part(text, length, 0, all, stream);
	size_t printed = print_part(text, length, 0, columns - 1 - tail, stream);
	fputs(ELLIPSIS, stream);
	return printed + 1 + print_part(text, length, all - tail, all, stream);
}

size_t shown_print_line(const char *line, size_t length, size_t columns, FILE *stream)
{
	return print_within(line, length, columns, 0, stream);
}

size_t shown_print_name(const char *name, size_t columns, FILE *stream)
{
	return print_within(name, strlen(name), columns, columns / 2, stream);
}
