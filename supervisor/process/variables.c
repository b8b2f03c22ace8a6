/* Which variables of its environment a program asks for. */
#include "supervisor/process/process.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 256

static bool is_known(const struct process *process, const char *name)
{
	for (size_t i = 0; i < process->variables_length; i++)
		if (strcmp(process->variables[i], name) == 0)
			return true;
	return false;
}

/* A name up to a page's end may have no page after it. */
static bool read_name(const struct target *target, uint64_t address, char name[LONGEST_NAME])
{
	size_t length = 0;
	while (length < LONGEST_NAME && target_read(target, address + length, name + length, 1) == STATUS_OK)
		if (!name[length++])
			return true;
	return false;
}

void variables_note(struct process *process, uint64_t address)
{
	char name[LONGEST_NAME];
	if (!read_name(process->target, address, name) || is_known(process, name))
		return;
	if (!ARRAY_ONE_MORE(process->variables, process->variables_length))
		return;
	process->variables[process->variables_length] = strdup(name);
	process->variables_length += process->variables[process->variables_length] != NULL;
}

void variables_free(struct process *process)
{
	for (size_t i = 0; i < process->variables_length; i++)
		free(process->variables[i]);
	free(process->variables);
}

char *const *process_variables(const struct process *process, size_t *length)
{
	*length = process->variables_length;
	return process->variables;
}
