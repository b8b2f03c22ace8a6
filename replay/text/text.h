#ifndef FMC_REPLAY_TEXT_TEXT_H
#define FMC_REPLAY_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A growing line of text, and the quoting of schedule files (fmc-sched(5), "Words"). Once memory has run out
 * `failed` is set, the text stays a valid string and further additions do nothing: check once at the end.
 */
struct text {
	char *data; /* NULL while nothing was added; else ends in zero */
	size_t length, room;
	bool failed;
};

void text_release(struct text *text);
void text_clear(struct text *text);
/* The string; never NULL, valid until the next change. */
const char *text_string(const struct text *text);

void text_add(struct text *text, const char *bytes, size_t length);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Everything that isn't printable, and the backslash, as an escape: for people and terminals. */
void text_add_escaped(struct text *text, const char *string);
/* One word of a body line: bare where it can be, else in quotes. */
void text_add_word(struct text *text, const char *string);
/* The value of a header line, up to the line's end: as it is where it can be, else in quotes. */
void text_add_value(struct text *text, const char *string);

/*
 * Read a quoted string: *at is at the opening quote and is moved after the closing one. The result is to be
 * freed. On failure NULL; *error says why, or is NULL without memory.
 */
char *text_unquote(const char **at, const char *end, const char **error);

/* The value of a hex digit, -1 if it is none. */
int text_hex_digit(char c);

/* Cut to so many columns, the last one becoming an ellipsis. */
void text_cut(struct text *text, size_t columns);

#endif
