#ifndef FMC_SUPERVISOR_SHOWN_H
#define FMC_SUPERVISOR_SHOWN_H

#include <stddef.h>
#include <stdio.h>

/*
 * Text of a program's own making (names, messages, output) as people may see it: it must not steer their terminal,
 * nor look like something else.
 */

/*
 * Bytes of the printable character at `at`, of which `left` bytes may be read; 0 if it has to be escaped: control
 * characters, bytes that aren't well-formed UTF-8 (Unicode 15, table 3-7), invisible characters and those that turn the
 * direction of writing.
 */
size_t shown_character(const char *at, size_t left);

/* Columns on a terminal: code points. A byte that is no UTF-8 counts as one. */
size_t shown_columns(const char *text, size_t length);

/* Print it, a byte that isn't printable as \xHH; tabs stay. */
void shown_print(const char *text, size_t length, FILE *stream);

/*
 * The same in at most `columns` columns (4 at least), those in excess left out and an ellipsis in their place. Of a line
 * the end, of a name the middle: that of a C++ or Rust function begins with where it is from and ends with what it is called.
 * Both return the columns that were used.
 */
#define SHOWN_NAME 72 /* columns of a name in a report */
size_t shown_print_line(const char *line, size_t length, size_t columns, FILE *stream);
size_t shown_print_name(const char *name, size_t columns, FILE *stream);

#endif
