/* Functions that a plug-in describes and the program doesn't have. */
#include "supervisor/lives/lives.h"

#include <stdio.h>

bool user_functions_missing(const struct process *process, char text[160])
{
	size_t length = 0, missing = 0;
	const char *name;
	*text = '\0';
	while ((name = entries_missing(process->entries, missing))) {
		if (length < 160)
			length +=
			    (size_t)snprintf(text + length, 160 - length, "%s%s", missing ? ", " : "", name);
		missing++;
	}
	return missing > 0 && missing == op_added();
}
