#include "tracer/proc/other_processes.h"
#include "tracer/proc/proc.h"

#include <fmc/tracer/in_flight.h>
#include <fmc/tracer/pid_namespace.h>
#include <fmc/tracer/stat_line.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct visit {
	pid_t but;     /* the process that isn't looked at */
	uint64_t born; /* when it began, in ticks */
	other_processes_visitor *visit;
	void *context;
	bool over;
	bool hidden; /* something can't be looked at */
	bool flying; /* a message with descriptors has not been received */
};

/* Those that come and go meanwhile have nothing that nobody else has. */
static bool is_gone(int error)
{
	return error == ENOENT || error == ESRCH;
}

/* Of the process itself; the first process of all counts for none, since it is everybody's. */
static bool is_ancestor(const struct visit *visit, pid_t pid)
{
	struct stat_line line;
	for (pid_t at = visit->but; at > 1 && stat_line_of(at, &line); at = (pid_t)line.field[STAT_PARENT])
		if (at == pid)
			return true;
	return false;
}

/* Kernel threads and dead processes have nothing open; an older process that is no ancestor has neither left nor inherited anything. */
static bool is_excused(const struct visit *visit, pid_t pid, int process)
{
	struct stat_line line;
	if (!stat_line_at(process, "stat", &line))
		return is_gone(errno);
	return line.field[STAT_FLAGS] & STAT_KERNEL_THREAD || stat_line_ended(&line) ||
	       (line.field[STAT_STARTED] < visit->born && !is_ancestor(visit, pid));
}

/* A look has failed. */
static void miss(struct visit *visit, pid_t pid, int process)
{
	visit->hidden |= !is_gone(errno) && !is_excused(visit, pid, process);
}

static DIR *open_folder(int process, const char *name)
{
	const int folder = openat(process, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = folder >= 0 ? fdopendir(folder) : NULL;
	if (folder >= 0 && !directory)
		close(folder);
	return directory;
}

/* Of the process itself only what it has sent, or got, and nobody has received is of interest. */
static void visit_table(struct visit *visit, pid_t pid, int process, const char *name)
{
	char link[64];
	DIR *table = open_folder(process, name);
	if (!table) {
		miss(visit, pid, process);
		return;
	}
	for (struct dirent *entry; !visit->over && (entry = readdir(table));) {
		if (entry->d_name[0] == '.')
			continue;
		const ssize_t length = readlinkat(dirfd(table), entry->d_name, link, sizeof link - 1);
		if (length < 0) {
			miss(visit, pid, process);
			break;
		}
		link[length] = '\0';
		if (strncmp(link, "socket:", 7) == 0)
			visit->flying |= in_flight(process, name, entry->d_name);
		if (link[0] != '/' && pid != visit->but)
			visit->over = !visit->visit(visit->context, pid, atoi(entry->d_name), link);
	}
	closedir(table);
}

/* All threads of a process have one table, as a rule. */
static void visit_threads(struct visit *visit, pid_t pid, int process)
{
	char name[64];
	DIR *tasks = open_folder(process, "task");
	if (!tasks) {
		miss(visit, pid, process);
		return;
	}
	for (struct dirent *entry; !visit->over && (entry = readdir(tasks));) {
		const pid_t tid = atoi(entry->d_name);
		if (tid <= 0 || tid == pid)
			continue;
		const long differs = syscall(SYS_kcmp, pid, tid, KCMP_FILES, 0, 0);
		snprintf(name, sizeof name, "task/%d/fd", tid);
		if (differs > 0)
			visit_table(visit, tid, process, name);
		else if (differs < 0)
			miss(visit, pid, process);
	}
	closedir(tasks);
}

static void visit_process(struct visit *visit, pid_t pid)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	const int process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (process < 0) {
		visit->hidden |= !is_gone(errno);
		return;
	}
	visit_table(visit, pid, process, "fd");
	visit_threads(visit, pid, process);
	close(process);
}

static bool learn_birth(struct visit *visit)
{
	struct stat_line line;
	const bool known = stat_line_of(visit->but, &line);
	visit->born = known ? line.field[STAT_STARTED] : 0;
	return known;
}

/* fmc itself comes first: what it has started has inherited what it has, so that often nobody else needs to be asked. */
static bool visit_all(struct visit *visit)
{
	const pid_t own = getpid();
	visit->hidden = visit->flying = false;
	visit_process(visit, own);
	if (visit->over)
		return true;
	DIR *processes = opendir("/proc");
	visit->hidden |= !processes;
	for (struct dirent *entry;
	     processes && !visit->over && !visit->hidden && (entry = readdir(processes));)
		if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != own)
			visit_process(visit, atoi(entry->d_name));
	if (processes)
		closedir(processes);
	return visit->over || !(visit->hidden || visit->flying);
}

/*
 * What hides something is gone a moment later, as a rule: another process executes a program, or is about to receive a descriptor. On a
 * machine with much to do a browser takes half a second for the latter; what isn't permitted stays so. After each look the pause is
 * twice as long.
 */
#define LOOKS_AT_HIDDEN 4
#define LOOKS_AT_FLYING 9
#define FIRST_PAUSE_NS	5000000

bool other_processes_visit(pid_t pid, other_processes_visitor *visitor, void *context)
{
	struct visit visit = {.but = pid, .visit = visitor, .context = context};
	if (!proc_shows_all() || !learn_birth(&visit))
		return false;
	bool known = visit_all(&visit);
	for (long i = 1, pause = FIRST_PAUSE_NS;
	     !known && i < (visit.hidden ? LOOKS_AT_HIDDEN : LOOKS_AT_FLYING); i++, pause *= 2) {
		nanosleep(&(struct timespec){.tv_sec = pause / 1000000000, .tv_nsec = pause % 1000000000},
			  NULL);
		known = visit_all(&visit);
	}
	return known;
}
