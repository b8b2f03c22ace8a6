#ifndef FMC_SUPERVISOR_CLI_OUTPUT_TERMINAL_H
#define FMC_SUPERVISOR_CLI_OUTPUT_TERMINAL_H

#include <stdio.h>

/* Columns of the terminal that this stream goes to; 0 if it goes to none, or its size isn't known. */
unsigned terminal_width(FILE *stream);

/* The same, and where there is none, as many as a report for a file has. */
unsigned terminal_width_or_default(FILE *stream);

#endif
