#include "supervisor/uses/uses.h"

#include <stdio.h>
#include <string.h>

/*
 * Atomic instructions that are no operations, since nobody asked for it or nobody can tell what they access. Threads don't switch
 * there, which the verdict has to say once one has been performed.
 *
 * The C++ library counts references to its own objects by them (exceptions in flight, locales, strings). That matters where two
 * threads access one counter, so each of its accesses is looked at; what is too much to look at is said as well.
 */

static const char offer[] = ", which may be locks (--atomics switches threads there)";

bool unwatched_may_be_shared(struct unwatched *unwatched, uint32_t thread, uint64_t address)
{
	for (uint32_t i = 0; i < unwatched->length && i < UNWATCHED_ROOM; i++)
		if (unwatched->at[i].address == address)
			return unwatched->at[i].thread != thread;
	if (unwatched->length >= UNWATCHED_ROOM)
		return true;
	unwatched->at[unwatched->length].address = address;
	unwatched->at[unwatched->length++].thread = thread;
	return false;
}

void unwatched_tell(struct process *process, const struct call *call)
{
	char text[160], remark[256];
	entries_describe_unwatched(process->entries, call, text);
	snprintf(remark, sizeof remark, "%s%s", text, process->options.atomics ? "" : offer);
	process_remark(process, remark);
}

bool process_names_atomics(const char *uncontrolled)
{
	return strstr(uncontrolled, offer) != NULL;
}

enum status process_pass_unwatched(struct process *process, uint32_t thread, const struct call *call,
				   bool *performed)
{
	struct tracee *tracee = process->threads[thread].tracee;
	if (call->counts_references && !unwatched_may_be_shared(&process->unwatched, thread, call->object))
		return entries_step(process->entries, tracee, call->entry, performed);
	unwatched_tell(process, call);
	*performed = true;
	return entries_pass(process->entries, tracee, call->entry);
}
