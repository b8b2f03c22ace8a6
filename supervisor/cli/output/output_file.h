#ifndef FMC_SUPERVISOR_CLI_OUTPUT_OUTPUT_FILE_H
#define FMC_SUPERVISOR_CLI_OUTPUT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Files of results: at any time such a file is the old one or the new one, whole. "-" is standard output; what isn't a regular file
 * (a device, a FIFO) is written to.
 */

/* Can it be written, as far as can be told now? Nothing is changed. False after a line on standard error. */
bool output_file_check(const char *path);

/* False after a line on standard error; the old file is then as it was. */
bool output_file_write(const char *path, const char *bytes, size_t length);

#endif
