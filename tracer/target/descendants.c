#include "tracer/target/target.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/stat_line.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

/*
 * Processes that the target has made, their threads, and what they make in turn: not supervised, but traced, because the
 * kernel attaches the children of tracees as well, and because the filter that they have inherited stops them. They are only
 * ever let go on.
 */

static struct descendant *find(const struct target *target, pid_t pid)
{
	for (size_t i = 0; i < target->descendants_length; i++)
		if (target->descendants[i].pid == pid)
			return &target->descendants[i];
	return NULL;
}

enum status descendants_add(struct target *target, pid_t pid, unsigned flags)
{
	const bool shares_memory = flags & DESCENDANT_SHARES_MEMORY, child = flags & DESCENDANT_CHILD;
	struct descendant *known = find(target, pid);
	if (known) {
		known->shares_memory = shares_memory;
		return STATUS_OK;
	}
	if (!ARRAY_GROW(target->descendants, target->descendants_length, target->descendants_room))
		return STATUS_NO_MEMORY;
	target->descendants[target->descendants_length++] =
	    (struct descendant){.pid = pid,
				.shares_memory = shares_memory,
				.child = child,
				.number = child ? target->world.children++ : 0};
	return STATUS_OK;
}

/* The target collects its own children, and may ask for them now. */
static void bury(struct target *target, struct descendant *descendant)
{
	if (descendant->child)
		target->ended[target->ended_count++ % ENDED_ROOM] = descendant->pid;
	if (descendant->child && descendant->number < 64)
		target->world.ended |= UINT64_C(1) << descendant->number;
	*descendant = target->descendants[--target->descendants_length];
}

void descendants_forget(struct target *target, pid_t pid)
{
	struct descendant *descendant = find(target, pid);
	if (descendant)
		*descendant = target->descendants[--target->descendants_length];
}

/* Its child is listed before its own end can come: it may have no other relatives here. */
static void note_child(struct target *target, pid_t parent, bool shares_memory)
{
	unsigned long pid = 0;
	if (ptrace(PTRACE_GETEVENTMSG, parent, NULL, &pid) == 0 && wait_is_ours((pid_t)pid))
		(void)descendants_add(target, (pid_t)pid, shares_memory ? DESCENDANT_SHARES_MEMORY : 0);
}

/* A process over the target's memory meets the target's traps. */
static bool passes_trap(struct target *target, pid_t pid)
{
	struct tracee guest = {.target = target, .tid = pid, .life = TRACEE_STOPPED};
	const struct user_regs_struct *regs = tracee_regs(&guest);
	if (!target->pass_trap || !regs ||
	    !target->pass_trap(target->pass_trap_context, &guest, regs->rip - 1))
		return false;
	(void)registers_write_back(&guest); /* a death is told by the next wait */
	return true;
}

bool descendants_is_newborn(const struct target *target, pid_t pid, int status)
{
	char path[32], line[128];
	int group = 0, parent = 0;
	if (!WIFSTOPPED(status) || (unsigned)status >> 16 != PTRACE_EVENT_STOP || find(target, pid))
		return false;
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof line, file)) {
		sscanf(line, "Tgid: %d", &group);
		if (sscanf(line, "PPid: %d", &parent) == 1)
			break;
	}
	fclose(file);
	return group == target->pid || (group == pid && parent == target->pid);
}

/* Its end is seen at its own place among what the threads do. One that runs in the target's memory (vfork) keeps a thread waiting. */
static bool is_held(const struct target *target, const struct descendant *descendant)
{
	return descendant->child && !descendant->shares_memory && target->may_exit &&
	       !target->may_exit(target->may_exit_context, descendant->number);
}

/* False: it stays where it exits. */
static bool may_go_on(const struct target *target, struct descendant *descendant, unsigned event)
{
	if (!descendant || event != PTRACE_EVENT_EXIT)
		return true;
	descendant->stage = is_held(target, descendant) ? CHILD_HELD : CHILD_EXITS;
	return descendant->stage == CHILD_EXITS;
}

static bool sets_timer(pid_t pid)
{
	struct user_regs_struct regs;
	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0)
		return true;
	const long number = (long)regs.orig_rax;
	return number == SYS_alarm || number == SYS_setitimer || number == SYS_timer_create;
}

void descendants_serve(struct target *target, pid_t pid, int status)
{
	struct descendant *descendant = find(target, pid);
	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		if (descendant)
			bury(target, descendant);
		return;
	}
	const unsigned event = (unsigned)status >> 16;
	int signal = event ? 0 : WSTOPSIG(status);
	const bool shares_memory = descendant && descendant->shares_memory;
	switch (event) {
	case PTRACE_EVENT_STOP:
		/* Its first stop has come before its parent's, which tells of it. */
		if (!descendant)
			(void)descendants_add(target, pid, 0);
		signal = 0;
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		note_child(target, pid, shares_memory);
		break;
	case PTRACE_EVENT_SECCOMP:
		target->mapping_calls += shares_memory;
		if (descendant)
			descendant->has_timers |= sets_timer(pid);
		target->answers->before_childs_call(target, pid);
		break;
	case PTRACE_EVENT_EXEC:
		if (descendant)
			descendant->shares_memory = false;
		target->answers->at_exec(target, pid);
		break;
	default:
		if (signal == SIGTRAP && shares_memory && passes_trap(target, pid))
			signal = 0;
	}
	if (may_go_on(target, descendant, event))
		resume_by_tid(pid, signal);
}

void descendants_release(const struct descendant *descendant)
{
	if (descendant->stage == CHILD_HELD)
		resume_by_tid(descendant->pid, 0);
}

void target_on_child_exit(struct target *target, bool (*may_exit)(void *context, uint32_t child),
			  void *context)
{
	target->may_exit = may_exit;
	target->may_exit_context = context;
}

void target_let_children_exit(struct target *target)
{
	for (size_t i = 0; i < target->descendants_length; i++) {
		struct descendant *descendant = &target->descendants[i];
		if (descendant->stage != CHILD_HELD || is_held(target, descendant))
			continue;
		descendant->stage = CHILD_EXITS;
		resume_by_tid(descendant->pid, 0);
	}
}

uint64_t target_children_ended(const struct target *target)
{
	return target->world.ended;
}

bool target_children_due(const struct target *target, uint64_t which)
{
	for (size_t i = 0; i < target->descendants_length; i++) {
		const struct descendant *descendant = &target->descendants[i];
		if (!descendant->child)
			continue;
		if (descendant->stage == CHILD_EXITS ||
		    (descendant->number < 64 && which >> descendant->number & 1))
			return true;
	}
	return false;
}

size_t target_descendants(const struct target *target)
{
	return target->descendants_length;
}

/* Has it ended without having been collected? Its number may be somebody else's by now. */
static bool waits_to_be_collected(const struct target *target, pid_t pid)
{
	struct stat_line line;
	return stat_line_of(pid, &line) && line.state == 'Z' && (pid_t)line.field[STAT_PARENT] == target->pid;
}

bool descendants_uncollected(const struct target *target)
{
	for (size_t i = 0; i < ENDED_ROOM && i < target->ended_count; i++)
		if (waits_to_be_collected(target, target->ended[i]))
			return true;
	return false;
}

bool target_child_ended(const struct target *target, pid_t which)
{
	bool alive = false;
	for (size_t i = 0; i < target->descendants_length; i++)
		alive |= target->descendants[i].child && (which <= 0 || target->descendants[i].pid == which);
	if (!alive)
		return true;
	for (size_t i = 0; i < ENDED_ROOM && i < target->ended_count; i++)
		if (which <= 0 && waits_to_be_collected(target, target->ended[i]))
			return true;
	return false;
}
