/*
 * Numbers of descriptors. One that is closed leads to something else when it is opened again: a thread that goes on with the number is to
 * come after whoever has opened it, and before whoever closes it. And which number is given depends on those that others open or close at that
 * time, though few programs go by that.
 */
#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Numbers are those of one process. */
static uint64_t id_of(const struct process *process, int descriptor)
{
	return (uint32_t)descriptor | (uint64_t)process->space << 32;
}

void descriptors_used(struct process *process, uint32_t thread, int descriptor)
{
	if (descriptor >= 0)
		unordered_use(process, thread, CHANNEL_DESCRIPTOR, id_of(process, descriptor));
}

void descriptors_changed(struct process *process, uint32_t thread, int descriptor)
{
	if (descriptor < 0)
		return;
	unordered_change(process, thread, CHANNEL_DESCRIPTOR, id_of(process, descriptor));
	unordered_use(process, thread, CHANNEL_NUMBERS, process->space);
}

#define NUMBERS 1024 /* beyond which it isn't known which ones are free */

static void find_taken(const struct process *process, bool taken[NUMBERS])
{
	char path[48];
	memset(taken, 0, NUMBERS * sizeof *taken);
	snprintf(path, sizeof path, "/proc/%d/fd", target_pid(process->target));
	DIR *folder = opendir(path);
	for (const struct dirent *entry; folder && (entry = readdir(folder));) {
		const int number = entry->d_name[0] == '.' ? -1 : atoi(entry->d_name);
		if (number >= 0 && number < NUMBERS)
			taken[number] = true;
	}
	if (folder)
		closedir(folder);
}

/* The kernel gives the lowest numbers that are free. */
static void note_lowest(struct process *process, uint32_t thread, int from, int count)
{
	bool taken[NUMBERS];
	if (count == 0)
		return;
	unordered_change(process, thread, CHANNEL_NUMBERS, process->space);
	find_taken(process, taken);
	for (int number = from < 0 ? NUMBERS : from; number < NUMBERS && count > 0; number++)
		if (!taken[number]) {
			unordered_renew(process, thread, CHANNEL_DESCRIPTOR, id_of(process, number));
			count--;
		}
}

void descriptors_opened(struct process *process, uint32_t thread, long number,
			const struct user_regs_struct *regs)
{
	if (number == SYS_fcntl) {
		if (regs->rsi == F_DUPFD || regs->rsi == F_DUPFD_CLOEXEC)
			note_lowest(process, thread, (int)regs->rdx, 1);
	} else {
		note_lowest(process, thread, 0, call_traits(number)->opens);
	}
}
