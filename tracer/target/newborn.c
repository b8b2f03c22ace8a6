/* New threads and processes, which the event of whoever made them announces. */
#include "tracer/target/target.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

/*
 * The first stop of a thread that its creator's event has announced. The kernel orders the two in no way: the stop may have been
 * reported before that event.
 */
static void await_birth(struct target *target, struct tracee *child)
{
	int status;
	if (target_take_early(target, child->tid, &status) || wait_for_copy(child->tid))
		tracee_enter(child, TRACEE_STOPPED);
	else
		target_mark_dead(target, child);
}

enum status newborn_thread(struct target *target, struct tracee *tracee, struct stop *stop)
{
	unsigned long tid = 0;
	if (ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &tid) != 0)
		return STATUS_GONE;
	stop->kind = STOP_CLONE;
	stop->child = target_add(target, (pid_t)tid, TRACEE_BORN);
	if (!stop->child)
		return STATUS_NO_MEMORY;
	await_birth(target, stop->child);
	target->answers->at_birth(tracee, stop->child);
	signal_mask_inherit(tracee, stop->child);
	return STATUS_OK;
}

enum status newborn_process(struct target *target, struct tracee *tracee, struct stop *stop,
			    bool shares_memory)
{
	unsigned long pid = 0;
	int status = 0;
	if (ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &pid) != 0)
		return STATUS_GONE;
	if (!target_take_early(target, (pid_t)pid, &status))
		(void)wait_for_thread((pid_t)pid, &status);
	/* Killed at birth, it has been reaped: its number may soon be another process's. */
	const bool born = WIFSTOPPED(status);
	const unsigned how = DESCENDANT_CHILD | (shares_memory ? DESCENDANT_SHARES_MEMORY : 0);
	if (born && descendants_add(target, (pid_t)pid, how) != STATUS_OK)
		return STATUS_NO_MEMORY;
	stop->kind = STOP_FORK;
	stop->number = (long)pid;
	stop->value = shares_memory || !born;
	if (born && !shares_memory)
		signal_mask_forked(tracee, (pid_t)pid);
	if (born && shares_memory)
		resume_by_tid((pid_t)pid, 0);
	return STATUS_OK;
}

struct target *target_forked(const struct stop *stop)
{
	if (stop->kind != STOP_FORK || stop->value)
		return NULL;
	struct target *forked = target_new((pid_t)stop->number, stop->tracee->target->answers);
	if (!forked)
		return NULL;
	if (!target_add(forked, forked->pid, TRACEE_STOPPED) || target_open_memory(forked) != STATUS_OK) {
		target_free(forked);
		return NULL;
	}
	return forked;
}

void target_let_go(struct target *forked)
{
	resume_by_tid(forked->pid, 0);
	target_free(forked);
}
