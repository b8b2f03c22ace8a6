/* A text in the making. */
#include "breakpoints/names/name.h"

#include <stdarg.h>
#include <stdio.h>

void text_append(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(text->at + text->length, text->room - text->length, format, arguments);
	va_end(arguments);
	if (n > 0)
		text->length +=
		    (size_t)n < text->room - text->length ? (size_t)n : text->room - text->length - 1;
}
