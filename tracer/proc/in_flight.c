#include <fmc/tracer/in_flight.h>

#include "tracer/proc/proc.h"

#include <stdio.h>
#include <string.h>

bool in_flight(int process, const char *table, const char *number)
{
	char path[64], text[512];
	const char *line;
	unsigned count = 0;
	snprintf(path, sizeof path, "%.40sinfo/%.12s", table, number);
	return proc_text(process, path, text, sizeof text) > 0 &&
	       (line = strstr(text, "\nscm_fds:")) != NULL && sscanf(line, "\nscm_fds: %u", &count) == 1 &&
	       count > 0;
}
