#include "breakpoints/reach/reach.h"

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <string.h>

/* Who can end a wait, one process after the other. */

static bool is_known(const struct reach *reach, pid_t pid)
{
	for (size_t i = 0; i < reach->length; i++)
		if (reach->at[i].pid == pid)
			return true;
	return false;
}

/* Control characters aren't for a terminal. */
static void name_process(struct reaching *reaching)
{
	char text[64];
	text_of(reaching->pid, "comm", text, sizeof text);
	text[strcspn(text, "\n")] = 0;
	snprintf(reaching->name, sizeof reaching->name, "%.15s", text);
}

bool reach_add(const struct reached *reached, pid_t pid)
{
	struct reach *reach = &reached->wait->reach;
	if (pid == snapshot_pid(reached->snapshot)) {
		reach->own = true;
		return true;
	}
	if (is_known(reach, pid))
		return true;
	if (!ARRAY_ONE_MORE(reach->at, reach->length))
		return false;
	struct reaching *reaching = &reach->at[reach->length++];
	*reaching = (struct reaching){.pid = pid};
	name_process(reaching);
	return true;
}
