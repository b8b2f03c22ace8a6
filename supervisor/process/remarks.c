#include "supervisor/process/process.h"

#include <stdio.h>
#include <string.h>

/* Remarks: how the present transition is performed, and what happened that fmc doesn't control. */

void process_note(struct process *process, enum manner manner, int64_t result)
{
	process->performed = (struct performed){.manner = manner, .result = result};
}

void process_note_other(struct process *process, const char *what)
{
	process->performed = (struct performed){.manner = MANNER_OTHER, .what = what};
}

void process_remark_copied(struct process *process, const char *text)
{
	size_t length = strlen(process->uncontrolled);
	if (strstr(process->uncontrolled, text) || length + strlen(text) + 3 > sizeof process->uncontrolled)
		return;
	snprintf(process->uncontrolled + length, sizeof process->uncontrolled - length, "%s%s",
		 length ? "; " : "", text);
}

void process_remark(struct process *process, const char *text)
{
	process->strayed = true;
	process_remark_copied(process, text);
}
