#ifndef FMC_BREAKPOINTS_PYTHON_LINE_H
#define FMC_BREAKPOINTS_PYTHON_LINE_H

#include "breakpoints/python/layout.h"

#include <stddef.h>

/* The tables of a code object. Both are pure and read damaged tables without leaving them. */

/* The line of the instruction `at` (in bytes from the code's beginning); 0: it has none. */
int python_line(enum python_lines form, const uint8_t *table, size_t size, int first_line, int32_t at);

/*
 * How many values on its stack the code at instruction `at` (in bytes) has for certain, by its table of exceptions: that
 * many an exception would leave there. 0: not known.
 */
uint32_t python_depth(const uint8_t *table, size_t size, int32_t at);

#endif
