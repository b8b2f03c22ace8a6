/* What is in the memory of the process, as digests. */
#include "supervisor/process/process.h"

/* Of what executions are copied from now. */
static struct contents_source *source_of(struct process *process)
{
	const uint64_t number = origin_source(process->origin);
	if (process->contents_source && contents_source_number(process->contents_source) == number)
		return process->contents_source;
	contents_source_free(process->contents_source);
	process->contents_source = number ? contents_source_new(number) : NULL;
	return process->contents_source;
}

void memory_begin(struct process *process)
{
	memory_forget(process);
	struct contents_source *source = source_of(process);
	if (source && contents_source_wants(source))
		process->contents = contents_new(process->target, source, true);
}

void memory_forget(struct process *process)
{
	contents_free(process->contents);
	process->contents = NULL;
}

void memory_release(struct process *process)
{
	memory_forget(process);
	contents_source_free(process->contents_source);
	process->contents_source = NULL;
}

struct contents *memory_contents(struct process *process)
{
	if (!process->contents && process->target)
		process->contents = contents_new(process->target, process->contents_source, false);
	return process->contents;
}

bool memory_digest(struct process *process, uint64_t digest[2])
{
	struct contents *contents = memory_contents(process);
	return contents && contents_digest(contents, digest) == STATUS_OK;
}
