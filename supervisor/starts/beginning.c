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

/* The process is somebody else's now, and stands before this. */
static void give_away(struct process *process, const struct call *call)
{
	struct beginning *beginning = &process->beginning;
	memory_forget(process);
	process->target = NULL;
	process->spaces_length = 0;
	beginning->call = *call;
	beginning->output = process_output_mark(process);
}

/*
 * What it has changed of files is put back before the next execution, so that copies of it would have other files open than they find by name. It can be had
 * once, with files of its own in their places, by who doesn't find any by name.
 */
static bool lend(struct process *process)
{
	struct beginning *beginning = &process->beginning;
	const struct call call = process->threads[0].call;
	if (!beginning->wanted || beginning->lent)
		return false;
	beginning->wanted = false;
	struct target *target = process->target;
	if (origin_set_apart(process->origin, target, &beginning->apart) != STATUS_OK) {
		beginning->refused = true;
		return true;
	}
	give_away(process, &call);
	beginning->lent = target;
	return true;
}

bool beginning_keep(struct process *process, const struct outcome *first)
{
	struct beginning *beginning = &process->beginning;
	/* Others don't begin with the traps of a look. */
	if (process->looking.look)
		return false;
	/* Each time it may find other files, and what --before has done. */
	beginning->refused |=
	    shared_in_common(process->shared) || process->drive || process->spaces_length > 1;
	if (++beginning->starts < STARTS_BEFORE || beginning->refused || !process->controlled ||
	    process->options.pilot || process->find_places || process->capture < 0 ||
	    first->kind != OUTCOME_PENDING || first->next.kind != OP_THREAD_CREATE ||
	    process->objects_length > 0 || process->threads_length > 1)
		return false;
	if (files_changed(process))
		return lend(process);
	const struct call call = process->threads[0].call;
	if (origin_advance(process->origin, process->target) != STATUS_OK) {
		beginning->refused = true;
		return false;
	}
	give_away(process, &call);
	beginning->counting = process->counting;
	beginning->watches_channels = process->watches_channels;
	beginning->watches_standard = process->watches_standard;
	beginning->sent = process->sent;
	memcpy(beginning->uncontrolled, process->uncontrolled, sizeof beginning->uncontrolled);
	return true;
}

bool beginning_want(struct process *process)
{
	process->beginning.wanted = true;
	return process->beginning.lent != NULL;
}

struct target *beginning_take(struct process *process)
{
	struct target *lent = process->beginning.lent;
	process->beginning.lent = NULL;
	return lent;
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
	process->watches_standard = beginning->watches_standard;
	process->sent = beginning->sent;
	rounds_plant(process, process->threads[thread].tracee);
	look_begin(process);
	run_from_call(process, thread, &beginning->call, first);
}
