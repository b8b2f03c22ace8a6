#include "supervisor/drive/drive.h"
#include "supervisor/run/run.h"

#include <stdio.h>
#include <string.h>

/* Where an execution stood when it was broken off, for people. */

/* "compute at comp.c:3", "compute of libm.so.6", "0x401136". */
static void describe_place(const struct place *place, char *text, size_t room)
{
	if (place->function && place->file && place->line)
		snprintf(text, room, "%.60s at %.60s:%d", place->function, place->file, place->line);
	else if (place->function)
		snprintf(text, room, "%.60s of %.60s", place->function,
			 place->module ? place->module : "no module");
	else if (place->module)
		snprintf(text, room, "%.60s+%#lx", place->module, (unsigned long)place->offset);
	else
		snprintf(text, room, "%#lx", (unsigned long)place->address);
}

/* Where the stopped thread is, as the program's people know it: the innermost frame of their own code. */
static void describe_position(struct process *process, struct tracee *tracee, uint64_t address, char *text,
			      size_t room)
{
	struct place place;
	char inside[60] = "", own[150];
	uint64_t frame = process_own_place(process, tracee, address);
	places_find(process->places, address, false, &place);
	if (frame != address && place.function)
		snprintf(inside, sizeof inside, "%.40s, called in ", place.function);
	if (frame != address)
		places_find(process->places, frame, true, &place);
	describe_place(&place, own, sizeof own);
	snprintf(text, room, "%s%s", inside, own);
}

/* As report_label(). */
static const char *label_of(const struct process *process, uint32_t thread, char label[24])
{
	const uint32_t space = process->threads[thread].space;
	uint32_t number = 0;
	for (uint32_t t = 0; t <= thread; t++)
		number += process->threads[t].space == space;
	if (process->spaces_length > 1)
		snprintf(label, 24, "T%u.%u", space + 1, number);
	else
		snprintf(label, 24, "T%u", thread + 1);
	return label;
}

/* On its way to its next operation: it runs, or sleeps in the kernel. */
static bool is_going(const struct tracee *tracee)
{
	return tracee->life == TRACEE_RUNNING;
}

static enum whereabouts find(struct process *process, uint32_t thread, char text[PROCESS_WHERE])
{
	struct tracee *tracee = process_tracee(process, thread);
	char position[210], label[24];
	snprintf(text, PROCESS_WHERE, "the program was being started or ended");
	if (!tracee)
		return WHERE_STANDS;
	spaces_enter(process, thread);
	bool going = is_going(tracee);
	bool waits = going && tracee_blocked_in(tracee, NULL) >= 0;
	if (going && (process->options.pilot || !process_stop_running(process, tracee)))
		return WHERE_STANDS;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return WHERE_STANDS;
	describe_position(process, tracee, entries_visible_pc(process->entries, regs->rip), position,
			  sizeof position);
	snprintf(text, PROCESS_WHERE, "%.12s %s in %s", label_of(process, thread, label),
		 waits	 ? "waits"
		 : going ? "computes"
			 : "was stopped",
		 position);
	return waits ? WHERE_WAITS : going ? WHERE_COMPUTES : WHERE_STANDS;
}

enum whereabouts process_where(struct process *process, uint32_t thread, char text[PROCESS_WHERE])
{
	const enum whereabouts where = find(process, thread, text);
	const size_t length = strlen(text);
	snprintf(text + length, PROCESS_WHERE - length, "%s", drive_where(process));
	return where;
}
