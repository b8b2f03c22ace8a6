#include "tracer/proc/proc.h"
#include "tracer/subject/subject.h"
#include "tracer/target/tracee.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process of fmc's own as a subject: all of it stands, and nobody has to be stopped. */

static bool open_folders(struct subject *subject)
{
	char path[64];
	struct subject_process *process = &subject->process;
	snprintf(path, sizeof path, "/proc/%d", (int)subject->pid);
	process->folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process->folder < 0)
		return false;
	process->memory = openat(process->folder, "mem", O_RDONLY | O_CLOEXEC);
	process->root = openat(process->folder, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return process->memory >= 0 && process->root >= 0;
}

static enum status read_about(struct subject *subject)
{
	char path[PATH_MAX];
	size_t length;
	const ssize_t size = readlinkat(subject->process.folder, "exe", path, sizeof path - 1);
	path[size > 0 ? size : 0] = 0;
	subject->program = strdup(path);
	char *maps = proc_all(subject->process.folder, "maps", &length);
	if (!maps)
		return STATUS_GONE;
	const enum status status = maps_parse(maps, &subject->maps);
	return status == STATUS_OK && !subject->program ? STATUS_NO_MEMORY : status;
}

/* Those that are gone, or just being born, have no registers. */
static enum status take_threads(struct subject *subject, struct target *target)
{
	const uint32_t length = target_tracees(target);
	subject->threads = calloc(length + 1, sizeof *subject->threads);
	if (!subject->threads)
		return STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < length; i++) {
		struct tracee *tracee = target_tracee(target, i);
		const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
		if (!regs)
			continue;
		struct subject_thread *thread = &subject->threads[subject->threads_length++];
		*thread = (struct subject_thread){.tid = tracee->tid, .regs = *regs, .syscall = NO_SYSCALL};
		thread->number = task_number(subject->process.folder, tracee->tid);
		task_describe(subject->process.folder, tracee->tid, thread);
	}
	return STATUS_OK;
}

enum status subject_of_target(struct target *target, struct subject **subject)
{
	struct subject *made = subject_new(&subject_live);
	*subject = NULL;
	if (!made)
		return STATUS_NO_MEMORY;
	made->pid = target_pid(target);
	enum status status = open_folders(made) ? read_about(made) : STATUS_GONE;
	if (status == STATUS_OK)
		status = take_threads(made, target);
	made->process.standing = true;
	if (status == STATUS_OK)
		*subject = made;
	else
		subject_free(made);
	return status;
}
