/* Places in the program at which somebody sees every thread that comes there. */
#include "supervisor/accesses/accesses.h"

#include <fmc/breakpoints/marks.h>

#include <stdio.h>

void process_mark(struct process *process, const struct process_marks *marks)
{
	process->marks = *marks;
	process->marked = NULL;
	process->marked_length = 0;
}

static bool find(struct process *process, struct outcome *first)
{
	char why[256];
	if (process->marked ||
	    process->marks.find(process->marks.context, &process->marked, &process->marked_length, why))
		return true;
	run_failed(first, END_ERROR, STATUS_NOT_FOUND, why);
	return false;
}

static bool plant_one(struct process *process, struct tracee *tracee, size_t i, struct outcome *first)
{
	char text[120];
	if (i < MARKS_MOST &&
	    entries_mark(process->entries, tracee, (uint32_t)i, process->marked[i]) == STATUS_OK)
		return true;
	snprintf(text, sizeof text,
		 "a trap can't be set at the instruction at %#lx: try the line before or after",
		 (unsigned long)process->marked[i]);
	run_failed(first, END_ERROR, STATUS_NOT_FOUND, text);
	return false;
}

bool marks_plant(struct process *process, struct tracee *tracee, struct outcome *first)
{
	if (!process->marks.find)
		return true;
	if (!find(process, first))
		return false;
	for (size_t i = 0; i < process->marked_length; i++)
		if (!plant_one(process, tracee, i, first))
			return false;
	return true;
}

void marks_restore(struct process *process, struct tracee *tracee)
{
	/* A death is told by the next wait. */
	for (size_t i = 0; i < process->marked_length; i++)
		(void)entries_restore_mark(process->entries, tracee->target, (uint32_t)i);
}

bool marks_on_arrival(struct run *run, uint32_t i)
{
	struct process *process = run->process;
	int number = 0;
	if (run->own_calls)
		return false;
	look_round(process, run->thread, process->marked[i]);
	if (process->marks.arrive(process->marks.context, run->thread, i, &number, run->outcome->message))
		return false;
	struct user_regs_struct *regs = tracee_change_regs(run_self(run)->tracee);
	if (regs)
		regs->rip = process->marked[i];
	run_end_process(run, END_VIOLATED, number);
	return true;
}
