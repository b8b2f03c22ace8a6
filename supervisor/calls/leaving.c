/*
 * A process that exits closes its descriptors. Where others have the same pipe, socket or lock they may wait for that: so each such descriptor is closed by an
 * operation, before the exit.
 */
#include "supervisor/before/before.h"
#include "supervisor/calls/calls.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

/* The process's next descriptor from this one on; -1: there is none. */
static int next_descriptor(const struct process *process, int from)
{
	char path[48];
	int next = INT_MAX;
	snprintf(path, sizeof path, "/proc/%d/fd", target_pid(process->target));
	DIR *folder = opendir(path);
	for (const struct dirent *entry; folder && (entry = readdir(folder));) {
		const int descriptor = entry->d_name[0] == '.' ? -1 : atoi(entry->d_name);
		if (descriptor >= from && descriptor < next)
			next = descriptor;
	}
	if (folder)
		closedir(folder);
	return next == INT_MAX ? -1 : next;
}

bool leaving_stops(struct run *run, const struct call *exit)
{
	struct process_thread *self = run_self(run);
	const struct process *process = run->process;
	/* While others of its threads go on they have the descriptors, too. */
	const bool looks =
	    process->spaces_length > 1 && process->kernel_length > 0 && spaces_alive(process) == 1;
	self->leaving.descriptor = looks ? next_descriptor(process, 0) : -1;
	self->leaving.exit = *exit;
	while (self->leaving.descriptor >= 0) {
		struct call call = *exit;
		call.op.kind = OP_NONE;
		self->leaving.closes = kernel_closes(run, self->leaving.descriptor, &call);
		if (kernel_learned(run))
			return true;
		if (self->leaving.closes)
			return run_stop_before(run, &call);
		self->leaving.descriptor = next_descriptor(process, self->leaving.descriptor + 1);
	}
	return run_stop_before(run, exit);
}

void leaving_close(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	const uint64_t arguments[6] = {(uint64_t)self->leaving.descriptor};
	const struct call exit = self->leaving.exit;
	int64_t result;
	self->leaving.closes = false;
	if (tracee_syscall(self->tracee, SYS_close, arguments, &result) != STATUS_OK)
		run_fail(&run, END_ERROR, STATUS_GONE, "lost a process at its end");
	else
		leaving_stops(&run, &exit);
}
