#include "breakpoints/python/python.h"
#include "breakpoints/waits/inspector.h"

#include <stdlib.h>
#include <string.h>

/* What was found, into an inspection. */

/* What the kernel calls the main thread is the interpreter's name. */
static bool set_name(struct python_thread *thread, bool main, struct inspected_thread *inspected)
{
	char *name = main && thread->known ? strdup("main") : thread->name;
	if (!name)
		return !main || !thread->known;
	if (!main)
		thread->name = NULL;
	free(inspected->name);
	inspected->name = name;
	return true;
}

static enum status tell_thread(struct python *python, uint32_t t, struct inspected_thread *inspected)
{
	struct python_thread *thread = &python->threads[t];
	struct python_wait *found = &python->waits[t];
	const bool whole = found->found;
	if (!set_name(thread, t == 0, inspected))
		return STATUS_NO_MEMORY;
	if (found->found) {
		wait_release(&inspected->wait);
		inspected->wait = found->wait;
		*found = (struct python_wait){0};
	}
	return thread->frames_length ? python_stack(python, t, whole, inspected) : STATUS_OK;
}

static enum status tell(struct python *python, struct inspection *inspection)
{
	enum status status = STATUS_OK;
	if (python->note[0]) {
		inspection->note = strdup(python->note);
		return inspection->note ? STATUS_OK : STATUS_NO_MEMORY;
	}
	for (uint32_t t = 0; python->threads && t < python->length && status == STATUS_OK; t++)
		status = tell_thread(python, t, &inspection->threads[t]);
	return status;
}

void python_keep(struct snapshot *snapshot)
{
	struct python python;
	if (python_look(&python, snapshot) == STATUS_OK)
		python_release(&python);
}

enum status python_inspect(struct snapshot *snapshot, struct inspection *inspection)
{
	struct python python;
	enum status status = python_look(&python, snapshot);
	if (status != STATUS_OK)
		return status;
	status = tell(&python, inspection);
	python_release(&python);
	return status;
}
