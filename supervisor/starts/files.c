/* Files that executions change are put back, so that each finds the same. */
#include "supervisor/starts/starts.h"

#include <fmc/tracer/kept_files.h>

#include <stdio.h>

bool files_keep(struct process *process)
{
	struct program *program = &process->options.program;
	const bool wanted = process->options.restores_files && !program->image;
	program->kept_files = wanted ? kept_files_new() : NULL;
	return program->kept_files || !wanted;
}

void files_put_back(struct process *process)
{
	if (process->options.program.kept_files)
		kept_files_restore(process->options.program.kept_files);
}

void files_tell(struct process *process)
{
	const struct kept_files *files = process->options.program.kept_files;
	const char *missed = files ? kept_files_missed(files) : NULL;
	char text[256];
	if (!missed)
		return;
	snprintf(text, sizeof text, "files that can't be put back after an execution: %.180s", missed);
	process_remark(process, text);
}

bool files_changed(const struct process *process)
{
	const struct kept_files *files = process->options.program.kept_files;
	return files && kept_files_changed(files);
}
