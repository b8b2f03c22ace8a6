/* The plug-in that is in use, and whether it has failed. */
#include "breakpoints/op/plugin.h"

#include <stdarg.h>
#include <stdio.h>

static struct plugin plugin;
static char failure[256];

struct plugin *plugin_table(void)
{
	return &plugin;
}

const char *plugin_failure(void)
{
	return *failure ? failure : NULL;
}

void plugin_blame(const char *format, ...)
{
	va_list arguments;
	if (*failure)
		return;
	va_start(arguments, format);
	int length = snprintf(failure, sizeof(failure), "%.100s: ", plugin.name ? plugin.name : "plug-in");
	vsnprintf(failure + length, sizeof(failure) - (size_t)length, format, arguments);
	va_end(arguments);
}

void plugin_forgive(void)
{
	*failure = '\0';
}
