#ifndef FMC_SUPERVISOR_CLI_OUTPUT_JSON_PARTS_H
#define FMC_SUPERVISOR_CLI_OUTPUT_JSON_PARTS_H

#include <fmc/breakpoints/frame.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Text of the target's making may be no UTF-8, which JSON can't hold: then each odd byte becomes '?'. NULL gives null. */
json_t *json_text(const char *string);

/* Where a person looks first, the innermost frame with a source line: "x.c:31", else "libc.so.6+0x8c370", else "0x4010a0". */
json_t *json_first_place(const struct frame *frames, size_t length);

/* A list of objects with place, function, file, line and module. */
json_t *json_stack(const struct frame *frames, size_t length);

/*
 * Write it to this file ("-": standard output); it is released in any case. False after a line on standard error when it can't
 * be written.
 */
bool json_save(json_t *json, const char *path);

#endif
