#include "supervisor/uses/uses.h"

#include <fmc/tracer/answers.h>

#include <stdio.h>

/*
 * Instructions that ask the processor what differs from run to run are answered by breakpoints/. From when there are too many the
 * processor answers: the rest of the execution isn't repeatable, which the verdict has to say.
 */

static void tell(struct process *process, struct tracee *tracee, const struct call *call)
{
	char text[256], at[PLACE_ROOM];
	process_describe_place(process, tracee, call->entry + 1, at);
	snprintf(text, sizeof text, "%s, which it reads more than %d times%s",
		 entries_describe_answered(process->entries, call), ANSWERS_MOST, at);
	process_remark(process, text);
}

void process_tell_unanswered(struct process *process)
{
	char text[128];
	snprintf(text, sizeof text,
		 "the processor's counter of time, which libraries read more than %d times before main()",
		 ANSWERS_EARLY);
	if (entries_given_up(process->target))
		process_remark_copied(process, text);
}

enum status process_pass_answered(struct process *process, uint32_t thread, const struct call *call,
				  bool *performed)
{
	struct tracee *tracee = process->threads[thread].tracee;
	*performed = true;
	enum status status = entries_pass(process->entries, tracee, call->entry);
	if (status == STATUS_OK && entries_given_up(process->target))
		tell(process, tracee, call);
	return status;
}
