#include "breakpoints/python/python.h"
#include "breakpoints/waits/inspector.h"

#include <stdlib.h>
#include <string.h>

/* So much is read at most: more than a whole process needs, and less than a loop. */
#define READS_MOST	 200000
#define READS_PER_THREAD 4000

static bool look_at_all(struct python *python)
{
	python->waits = calloc(python->length + 1, sizeof(*python->waits));
	if (!python->waits || !python_threads(python))
		return false;
	for (size_t i = 0; i < python->length; i++)
		if (!python_wait(python, (uint32_t)i))
			return false;
	return true;
}

enum status python_look(struct python *python, struct snapshot *snapshot)
{
	*python = (struct python){.snapshot = snapshot, .length = snapshot_threads(snapshot)};
	python->reads_left = READS_MOST + READS_PER_THREAD * python->length;
	if (!python_find(python) || look_at_all(python))
		return STATUS_OK;
	python_release(python);
	return STATUS_NO_MEMORY;
}

void python_release(struct python *python)
{
	for (size_t i = 0; python->waits && i < python->length; i++)
		wait_release(&python->waits[i].wait);
	free(python->waits);
	python_threads_free(python);
	python_codes_free(python);
	python_variables_free(python);
	*python = (struct python){0};
}
