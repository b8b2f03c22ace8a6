#include "breakpoints/reach/reach.h"

#include <fmc/tracer/pid_namespace.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The end of child processes. */

/* Whose end is waited for: a process, those of a group, or any. */
struct awaited {
	enum { AWAITS_ANY, AWAITS_PROCESS, AWAITS_GROUP, AWAITS_UNKNOWN } kind;
	pid_t number;
};

static struct awaited group_of(pid_t group)
{
	return (struct awaited){.kind = AWAITS_GROUP, .number = group};
}

static pid_t own_group(const struct reached *reached)
{
	char status[4096];
	return text_of(snapshot_pid(reached->snapshot), "status", status, sizeof status)
		   ? (pid_t)status_number(status, "NSpgid")
		   : 0;
}

static struct awaited awaited_of(const struct reached *reached)
{
	const struct snapshot_thread *thread = reached->thread;
	if (thread->syscall == SYS_waitid) {
		const pid_t number = (pid_t)thread->arguments[1];
		switch (thread->arguments[0]) {
		case P_ALL:
			return (struct awaited){.kind = AWAITS_ANY};
		case P_PID:
			return (struct awaited){.kind = AWAITS_PROCESS, .number = number};
		case P_PGID:
			return group_of(number ? number : own_group(reached));
		default:
			return (struct awaited){.kind = AWAITS_UNKNOWN};
		}
	}
	const pid_t number = (pid_t)thread->arguments[0];
	if (thread->syscall != SYS_wait4)
		return (struct awaited){.kind = AWAITS_UNKNOWN};
	if (number > 0)
		return (struct awaited){.kind = AWAITS_PROCESS, .number = number};
	return number == -1  ? (struct awaited){.kind = AWAITS_ANY}
	       : number == 0 ? group_of(own_group(reached))
			     : group_of(-number);
}

static bool is_awaited(const struct awaited *awaited, pid_t pid, const char *status)
{
	switch (awaited->kind) {
	case AWAITS_ANY:
		return true;
	case AWAITS_PROCESS:
		return awaited->number == pid;
	case AWAITS_GROUP:
		return awaited->number == (pid_t)status_number(status, "NSpgid");
	default:
		return false;
	}
}

/* A child that has ended wakes its parent; one that is traced may be waited for by its tracer, which it needn't be a child of. */
static bool add_child(const struct reached *reached, const struct awaited *awaited, pid_t pid, bool *closed)
{
	char status[4096];
	const pid_t parent = snapshot_pid(reached->snapshot);
	if (!text_of(pid, "status", status, sizeof status))
		return true;
	const char *state = strstr(status, "\nState:\t");
	const bool ended = state && strchr("ZX", state[8]) && status_number(status, "Threads") <= 1;
	const bool traced = status_number(status, "TracerPid") == parent;
	const bool child = status_number(status, "PPid") == parent && is_awaited(awaited, pid, status);
	if (traced || (child && ended))
		*closed = false;
	return !child || ended || reach_add(reached, pid);
}

/* The first process of a machine, or a container, gets children of others. */
static bool can_be_closed(const struct reached *reached, const struct awaited *awaited)
{
	return awaited->kind != AWAITS_UNKNOWN && snapshot_thread(reached->snapshot, 0)->number != 1 &&
	       proc_shows_all();
}

bool reach_child(const struct reached *reached)
{
	const struct awaited awaited = awaited_of(reached);
	const struct snapshot_thread *first = snapshot_thread(reached->snapshot, 0);
	DIR *processes = opendir("/proc");
	bool closed = processes && can_be_closed(reached, &awaited), memory = true;
	/* Its numbers are those that are seen here, or mean nothing. */
	if (first->tid != first->number && awaited.kind != AWAITS_ANY)
		closed = false;
	for (struct dirent *entry; memory && processes && (entry = readdir(processes));)
		if (isdigit((unsigned char)entry->d_name[0]))
			memory = add_child(reached, &awaited, (pid_t)atoi(entry->d_name), &closed);
	if (processes)
		closedir(processes);
	/* Its other threads may make children that end. */
	reached->wait->reach.own = awaited.kind != AWAITS_PROCESS;
	reached->wait->reach.closed = closed && reached->wait->reach.length > 0;
	return memory;
}
