/* Which other processes share a process's memory. */
#include "tracer/proc/proc.h"

#include <fmc/tracer/activity.h>
#include <fmc/tracer/pid_namespace.h>
#include <fmc/tracer/stat_line.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool text_of(pid_t pid, const char *file, char *text, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	return proc_text(AT_FDCWD, path, text, room) > 0;
}

/* Processes that share memory show the same sizes of it. */
static bool same_sizes(pid_t one, pid_t other)
{
	char sizes[2][128];
	return text_of(one, "statm", sizes[0], sizeof sizes[0]) &&
	       text_of(other, "statm", sizes[1], sizeof sizes[1]) && strcmp(sizes[0], sizes[1]) == 0;
}

/* 1: it has the same memory; 0: another one, or it is gone; -1: that can't be told. */
static int shares(pid_t pid, pid_t other)
{
	const long differs = syscall(SYS_kcmp, pid, other, KCMP_VM, 0, 0);
	if (differs >= 0)
		return differs == 0;
	return errno != ESRCH && same_sizes(pid, other) ? -1 : 0;
}

static bool has_ended(pid_t tid)
{
	struct stat_line line;
	return !stat_line_of(tid, &line) || stat_line_ended(&line);
}

/* One of its threads that lives: a main thread that has ended before others has no memory any more. 0: there is none. */
static pid_t living_thread(pid_t process)
{
	char path[32];
	pid_t found = has_ended(process) ? 0 : process;
	snprintf(path, sizeof path, "/proc/%d/task", (int)process);
	DIR *tasks = found ? NULL : opendir(path);
	for (struct dirent *entry; tasks && !found && (entry = readdir(tasks));)
		if (atoi(entry->d_name) > 0 && !has_ended(atoi(entry->d_name)))
			found = atoi(entry->d_name);
	if (tasks)
		closedir(tasks);
	return found;
}

/*
 * Memory is shared only with the process that made this one, until it executes a program of its own, and with those that it has made
 * itself. Those are all in its pid namespace or below; its maker may be above, and can't be seen then.
 */
static bool maker_is_hidden(pid_t pid)
{
	struct stat_line line;
	while (stat_line_of(pid, &line) && line.field[STAT_FLAGS] & STAT_FORKED_ONLY) {
		if (line.field[STAT_PARENT] == 0)
			return !in_first_pid_namespace();
		pid = (pid_t)line.field[STAT_PARENT];
	}
	return false;
}

/*
 * Where /proc hides the processes of others this user's are all that matter: a process that shares its memory with one of
 * another user isn't for this one to look at.
 */
pid_t activity_sharer(pid_t pid)
{
	pid_t found = maker_is_hidden(pid) ? -1 : 0;
	const pid_t own = living_thread(pid);
	DIR *processes = opendir("/proc");
	if (!processes)
		return -1;
	for (struct dirent *entry; found <= 0 && (entry = readdir(processes));) {
		const pid_t process = atoi(entry->d_name);
		const pid_t other = process > 0 && process != pid && own ? living_thread(process) : 0;
		const int shared = other ? shares(own, other) : 0;
		if (shared)
			found = shared > 0 ? process : -1;
	}
	closedir(processes);
	return found;
}
