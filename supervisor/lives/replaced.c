/*
 * Processes that become another program (exec): with process_options.follow that one's functions are operations like those of the first. Its memory is
 * all new, and so are its objects, but for those in files and in the kernel.
 */
#include "supervisor/lives/lives.h"
#include "supervisor/process/kernel_objects.h"

#include <stdio.h>

/* Its code is known from now on, and traps are in it. */
static bool plant(struct run *run, struct target *target)
{
	struct process *process = run->process;
	enum status status = entries_plant_first(process->entries, target);
	if (status == STATUS_OK && process->threaded)
		status = entries_plant_all(process->entries, target);
	if (status == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, status, "interrupted");
	/* Without a thread library threads are still seen as the kernel makes them. */
	return status != STATUS_OK && status != STATUS_NOT_FOUND &&
	       run_fail(run, END_ERROR, status, "can't plant traps in the program that a process has become");
}

/* The thread is the first one of the program that its process is now. */
static bool begin(struct run *run, uint32_t space, struct target *target, struct process_thread *thread)
{
	struct process *process = run->process;
	char why[256], text[320];
	const enum status status = target_run_up(target, why);
	if (status == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, status, "interrupted");
	snprintf(text, sizeof text, "--follow: %s", why);
	if (status != STATUS_OK)
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED, text);
	const uint32_t binary = binaries_of(process, target);
	if (binary == NO_BINARY)
		return run_fail(run, END_ERROR, STATUS_NO_MEMORY, "out of memory");
	spaces_become(process, space, binary);
	(void)places_update(process->binaries[binary].places, target); /* without them places are numbers */
	const struct user_regs_struct *regs = tracee_regs(thread->tracee);
	thread->pthread = regs ? regs->fs_base : 0;
	thread->tid_word = thread->tracee->clear_tid;
	process->beginning.refused = true;
	return false;
}

bool replaced_on_exec(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	struct process_thread *self = run_self(run);
	if (!process->options.follow)
		return run_fail(
		    run, END_UNSUPPORTED, STATUS_UNSUPPORTED,
		    "the program replaces itself by another (exec): run fmc on that one, or with --follow");
	if (spaces_alive(process) != 1 || stop->tracee != self->tracee || run->own_calls)
		return run_fail(
		    run, END_UNSUPPORTED, STATUS_UNSUPPORTED,
		    "a process with several threads becomes another program (exec), which --follow can't");
	if (begin(run, self->space, process->target, self) || plant(run, process->target))
		return true;
	kernel_look_again(process);
	kernel_disconnected(process);
	if (self->unlocks)
		kernel_unlocked(process);
	*self = (struct process_thread){.tracee = self->tracee,
					.space = self->space,
					.tid = self->tid,
					.pthread = self->pthread,
					.tid_word = self->tid_word};
	return run_resume(run, 0);
}

bool replaced_born(struct run *run, uint32_t space, struct process_thread *born)
{
	struct process *process = run->process;
	struct target *target = process->spaces[space].target;
	if (begin(run, space, target, born))
		return true;
	binaries_use(process, process->spaces[space].binary);
	const bool over = plant(run, target);
	binaries_use(process, process->spaces[process->space].binary);
	return over;
}
