/* Threads that have been killed, let go from where they stand and waited for until each is gone. */
#include "tracer/target/target.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* A killed thread may still show stops that were under way; each is passed until its death arrives. */
static void reap(pid_t tid)
{
	for (;;) {
		int status;
		if (!wait_for_thread(tid, &status) || WIFEXITED(status) || WIFSIGNALED(status))
			return;
		resume_by_tid(tid, 0);
	}
}

/*
 * The process has been killed from outside while all of it was stopped. The kernel reports the leader's death after those of all
 * others, which have to be waited for here: no one else does now.
 */
void reap_after_leader(struct target *target, const struct tracee *tracee)
{
	if (!tracee || tracee->tid != target->pid || !tracee_is_zombie(tracee))
		return;
	for (uint32_t i = 0; i < target->tracees_length; i++) {
		if (target->tracees[i] == tracee || target->tracees[i]->life == TRACEE_DEAD)
			continue;
		resume_by_tid(target->tracees[i]->tid, 0);
		reap(target->tracees[i]->tid);
		target_forget_early(target, target->tracees[i]->tid);
		tracee_enter(target->tracees[i], TRACEE_DEAD);
	}
}

/* Is a thread running that may have made another one whose birth hasn't been reported yet? A stopped one can't. */
static bool may_have_created(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_RUNNING || target->tracees[i]->life == TRACEE_BORN)
			return true;
	return false;
}

/* Drop PTRACE_O_TRACEEXIT, so that stopped threads die of SIGKILL without an exit stop. */
static void expect_no_exits(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_STOPPED)
			ptrace(PTRACE_SETOPTIONS, target->tracees[i]->tid, NULL, (void *)PTRACE_O_EXITKILL);
}

/*
 * A thread in PTRACE_EVENT_EXIT ignores SIGKILL: continue it, also where that stop hasn't been asked for yet and is kept early.
 */
static void release_exiting(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_EXITING)
			resume_by_tid(target->tracees[i]->tid, 0);
	for (size_t i = 0; i < target->early_length; i++)
		if (WIFSTOPPED(target->early[i].status))
			resume_by_tid(target->early[i].tid, 0);
}

/*
 * Threads of a killed process that aren't in the table: one whose creation was under way when the process was killed, and hasn't been
 * reported, is traced and stands at its exit until it is let go. After the SIGKILL no further one can come.
 */
static void reap_others(pid_t pid)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return;
	for (struct dirent *entry; (entry = readdir(tasks));) {
		pid_t tid = atoi(entry->d_name);
		if (tid > 0 && tid != pid)
			reap(tid);
	}
	closedir(tasks);
}

void target_kill(struct target *target)
{
	if (!target)
		return;
	tick_stop(target);
	bool others = may_have_created(target);
	expect_no_exits(target);
	if (!target->gone)
		kill(target->pid, SIGKILL);
	release_exiting(target);
	/* From the youngest to the leader, whose death the kernel reports last: waitpid() for it would hang until then. */
	for (uint32_t i = target->tracees_length; i-- > 0;) {
		struct tracee *tracee = target->tracees[i];
		if (tracee->life == TRACEE_DEAD)
			continue;
		if (others && tracee->tid == target->pid)
			reap_others(target->pid);
		reap(tracee->tid);
	}
	for (size_t i = 0; i < target->descendants_length; i++) {
		kill(target->descendants[i].pid, SIGKILL);
		descendants_release(&target->descendants[i]);
		reap_others(target->descendants[i].pid);
		reap(target->descendants[i].pid);
	}
	made_remove(target);
	target_free(target);
}
