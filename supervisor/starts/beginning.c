/*
 * What all executions have in common: the way from the program's start to its first operation, the creation of a
 * thread. It is gone once; the process that has come there then serves as the origin of the others. A program
 * that reads its configuration or loads an interpreter first does so once, and the traps are planted once.
 */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/starts/starts.h"

#include <string.h>

/* The first execution may be the only one; what the second begins with can be kept. */
#define STARTS_BEFORE 2

bool beginning_keep(struct process *process, const struct outcome *first)
{
	struct beginning *beginning = &process->beginning;
	/* Others don't begin with the traps of a look. */
	if (process->looking.look)
		return false;
	/* Each time it may find other files, and what --before has done; and what it has changed of files is put back. */
	beginning->refused |= shared_in_common(process->shared) || process->drive || process->spaces_length > 1 ||
			      files_changed(process);
	if (++beginning->starts < STARTS_BEFORE || beginning->refused || !process->controlled ||
	    process->options.pilot || process->find_places || process->capture < 0 ||
	    first->kind != OUTCOME_PENDING || first->next.kind != OP_THREAD_CREATE ||
	    process->objects_length > 0 || process->threads_length > 1)
		return false;
	const struct call call = process->threads[0].call;
	if (origin_advance(process->origin, process->target) != STATUS_OK) {
		beginning->refused = true;
		return false;
	}
	memory_forget(process);
	process->target = NULL; /* the origin's now */
	process->spaces_length = 0;
	beginning->counting = process->counting;
	beginning->watches_channels = process->watches_channels;
	beginning->call = call;
	beginning->output = process_output_mark(process);
	memcpy(beginning->uncontrolled, process->uncontrolled, sizeof beginning->uncontrolled);
	return true;
}

bool beginning_known(const struct process *process)
{
	return origin_advanced(process->origin);
}

void beginning_restore(struct process *process, uint32_t thread, struct outcome *first)
{
	const struct beginning *beginning = &process->beginning;
	memcpy(process->uncontrolled, beginning->uncontrolled, sizeof process->uncontrolled);
	process->threaded = true;
	process->counting = beginning->counting;
	process->watches_channels = process->has_channels = beginning->watches_channels;
	rounds_plant(process, process->threads[thread].tracee);
	look_begin(process);
	run_from_call(process, thread, &beginning->call, first);
}
