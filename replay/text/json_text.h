#ifndef FMC_REPLAY_TEXT_JSON_TEXT_H
#define FMC_REPLAY_TEXT_JSON_TEXT_H

#include <stdio.h>

/*
 * Write a string as JSON. What isn't printable is shown as text_add_escaped() does, so that the result is valid UTF-8 with
 * neither control characters nor any that turn the direction of writing; < > & are escapes, so that it may stand within a
 * script of HTML. NULL becomes null.
 */
void json_put_string(FILE *stream, const char *string);

/* The same for a string that has been escaped already. */
void json_put_escaped(FILE *stream, const char *escaped);

#endif
