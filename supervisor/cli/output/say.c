#include "supervisor/cli/output/say.h"
#include "supervisor/cli/output/exits.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fflush(stdout);
	fputs("fmc: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

int say_exit(enum status status)
{
	switch (status) {
	case STATUS_NO_MEMORY:
	case STATUS_BUG:
		return EXITS_SOFTWARE;
	case STATUS_MALFORMED:
	case STATUS_DIVERGED:
		return EXITS_DATA;
	case STATUS_INTERRUPTED:
		return EXITS_INTERRUPTED;
	default:
		return EXITS_UNAVAILABLE;
	}
}
