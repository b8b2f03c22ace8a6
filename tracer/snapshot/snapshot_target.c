#include "tracer/proc/proc.h"
#include "tracer/snapshot/snapshot.h"
#include "tracer/tracee/tracee.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process of fmc's own as a snapshot: all of it stands, and nobody has to be stopped. */

static bool open_folders(struct snapshot *snapshot)
{
	char path[64];
	struct snapshot_process *process = &snapshot->process;
	snprintf(path, sizeof path, "/proc/%d", (int)snapshot->pid);
	process->folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process->folder < 0)
		return false;
	process->memory = openat(process->folder, "mem", O_RDONLY | O_CLOEXEC);
	process->root = openat(process->folder, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return process->memory >= 0 && process->root >= 0;
}

static enum status read_about(struct snapshot *snapshot)
{
	char path[PATH_MAX];
	size_t length;
	const ssize_t size = readlinkat(snapshot->process.folder, "exe", path, sizeof path - 1);
	path[size > 0 ? size : 0] = 0;
	snapshot->program = strdup(path);
	char *maps = proc_all(snapshot->process.folder, "maps", &length);
	if (!maps)
		return STATUS_GONE;
	const enum status status = maps_parse(maps, &snapshot->maps);
	return status == STATUS_OK && !snapshot->program ? STATUS_NO_MEMORY : status;
}

/* Those that are gone, or just being born, have no registers. */
static enum status take_threads(struct snapshot *snapshot, struct target *target)
{
	const uint32_t length = target_tracees(target);
	snapshot->threads = calloc(length + 1, sizeof *snapshot->threads);
	if (!snapshot->threads)
		return STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < length; i++) {
		struct tracee *tracee = target_tracee(target, i);
		const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
		if (!regs)
			continue;
		struct snapshot_thread *thread = &snapshot->threads[snapshot->threads_length++];
		*thread = (struct snapshot_thread){.tid = tracee->tid, .regs = *regs, .syscall = NO_SYSCALL};
		thread->number = task_number(snapshot->process.folder, tracee->tid);
		task_describe(snapshot->process.folder, tracee->tid, thread);
	}
	return STATUS_OK;
}

enum status snapshot_of_target(struct target *target, struct snapshot **snapshot)
{
	struct snapshot *made = snapshot_new(&snapshot_live);
	*snapshot = NULL;
	if (!made)
		return STATUS_NO_MEMORY;
	made->pid = target_pid(target);
	enum status status = open_folders(made) ? read_about(made) : STATUS_GONE;
	if (status == STATUS_OK)
		status = take_threads(made, target);
	made->process.standing = true;
	if (status == STATUS_OK)
		*snapshot = made;
	else
		snapshot_free(made);
	return status;
}
