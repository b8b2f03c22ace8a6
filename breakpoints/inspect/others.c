#include "breakpoints/inspect/parts.h"

#include <fmc/tracer/activity.h>

#include <stdio.h>
#include <string.h>

/* What may end waits of a process besides its threads: processes that share its memory, and the kernel in its name. */

static bool has_requests(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot_mappings(snapshot); i++) {
		const char *path = snapshot_mapping(snapshot, i)->path;
		if (path &&
		    (strncmp(path, "anon_inode:[io_uring]", 21) == 0 || strncmp(path, "/[aio]", 6) == 0))
			return true;
	}
	return false;
}

void others_find(struct inspector *inspector)
{
	inspector->inspection->requests = has_requests(inspector->snapshot);
	if (!snapshot_is_core(inspector->snapshot))
		inspector->inspection->sharer = activity_sharer(snapshot_pid(inspector->snapshot));
}

/* Is that in memory, so that another process which shares it can change it? Ends of pipes and sockets are looked for in all processes anyway. */
static bool is_in_memory(enum wait_kind kind)
{
	return kind != WAIT_JOIN && kind != WAIT_PIPE && kind != WAIT_SOCKET;
}

enum status others_doubt(const struct inspector *inspector)
{
	char text[160] = "";
	for (size_t i = 0; i < inspector->inspection->length; i++) {
		struct wait *wait = &inspector->inspection->threads[i].wait;
		wait->certain = wait->certain &&
				!(inspector->inspection->sharer && is_in_memory(wait->kind)) &&
				!(inspector->inspection->requests && wait_is_requested(wait->kind));
	}
	if (inspector->inspection->sharer > 0)
		snprintf(text, sizeof text,
			 "Process %d has the same memory; what its threads hold or wake isn't seen.",
			 (int)inspector->inspection->sharer);
	else if (inspector->inspection->sharer < 0)
		snprintf(text, sizeof text,
			 "Another process may have the same memory; not all can be looked at.");
	else if (inspector->inspection->requests)
		snprintf(text, sizeof text,
			 "Its requests to the kernel (io_uring, aio), which may end waits, aren't seen.");
	if (!*text || inspector->inspection->note)
		return STATUS_OK;
	inspector->inspection->note = strdup(text);
	return inspector->inspection->note ? STATUS_OK : STATUS_NO_MEMORY;
}
