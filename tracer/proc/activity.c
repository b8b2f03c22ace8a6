#include <fmc/tracer/activity.h>
#include <fmc/tracer/array.h>
#include <fmc/tracer/stat_line.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIGNAL_BIT(signal) (UINT64_C(1) << ((signal)-1))

/* The thread library's own, for cancellation and set*id(); and what a thread gets by its own doing, not while it waits. */
#define UNCOUNTED                                                                                            \
	(SIGNAL_BIT(32) | SIGNAL_BIT(33) | SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) |   \
	 SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSYS) | SIGNAL_BIT(SIGABRT) |               \
	 SIGNAL_BIT(SIGPIPE))

/* The text of a small file in /proc; false if it can't be read. */
static bool read_text(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = 0;
	return length > 0;
}

static void read_state(struct activity *a, const char *folder)
{
	char path[80];
	struct stat_line line;
	snprintf(path, sizeof path, "%s/%d/stat", folder, (int)a->tid);
	if (stat_line_at(AT_FDCWD, path, &line))
		a->state = line.state;
}

/* How often it has left a processor, where it isn't counted how often it came to one. */
static uint64_t read_switches(const struct activity *a, const char *folder)
{
	char path[80], text[8192];
	uint64_t voluntary, forced;
	snprintf(path, sizeof path, "%s/%d/status", folder, (int)a->tid);
	const char *line =
	    read_text(path, text, sizeof text) ? strstr(text, "\nvoluntary_ctxt_switches:") : NULL;
	if (!line ||
	    sscanf(line, "\nvoluntary_ctxt_switches: %" SCNu64 " nonvoluntary_ctxt_switches: %" SCNu64,
		   &voluntary, &forced) != 2)
		return 0;
	return voluntary + forced;
}

static void read_times(struct activity *a, const char *folder)
{
	char path[80], text[128];
	snprintf(path, sizeof path, "%s/%d/schedstat", folder, (int)a->tid);
	if (!read_text(path, text, sizeof text) ||
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &a->cpu_ns, &a->queued_ns, &a->runs) != 3)
		a->cpu_ns = a->queued_ns = a->runs = 0;
	if (a->runs == 0)
		a->runs = read_switches(a, folder);
}

/*
 * "202 0x7f.. 0x80 ...": empty where fmc isn't permitted to see it. The kernel waits until the thread is off its processor before
 * it tells a call, and says "running" if it sleeps no more then.
 */
static void read_syscall(struct activity *a, const char *folder)
{
	char path[80], text[256];
	snprintf(path, sizeof path, "%s/%d/syscall", folder, (int)a->tid);
	uint64_t *to = a->arguments;
	const int fields =
	    read_text(path, text, sizeof text)
		? sscanf(text,
			 "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
			 " %" SCNx64 " %" SCNx64,
			 &a->syscall, &to[0], &to[1], &to[2], &to[3], &to[4], &to[5], &a->stack, &a->place)
		: 0;
	a->asleep = fields == 9;
	if (fields != 9)
		a->syscall = -1;
}

/* The counts come first and last: if they differ, what was read in between is of no moment. */
static void read_task(struct activity *a, const char *folder)
{
	read_times(a, folder);
	const uint64_t runs = a->runs;
	read_state(a, folder);
	read_syscall(a, folder);
	read_times(a, folder);
	a->asleep = a->asleep && runs == a->runs && runs != 0;
}

static int compare(const void *a, const void *b)
{
	const struct activity *one = a, *other = b;
	return (one->tid > other->tid) - (one->tid < other->tid);
}

static bool add(struct activity **list, size_t *length, size_t *room, pid_t tid)
{
	if (!ARRAY_GROW(*list, *length, *room))
		return false;
	(*list)[(*length)++] = (struct activity){.tid = tid, .syscall = -1};
	return true;
}

enum status activity_read(pid_t pid, struct activity **list, size_t *length)
{
	char folder[40];
	snprintf(folder, sizeof folder, "/proc/%d/task", (int)pid);
	*list = NULL;
	*length = 0;
	DIR *dir = opendir(folder);
	if (!dir)
		return STATUS_NOT_FOUND;
	size_t room = 0;
	bool good = true;
	const struct dirent *entry;
	while (good && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			good = add(list, length, &room, (pid_t)atoi(entry->d_name));
	closedir(dir);
	if (!good) {
		free(*list);
		*list = NULL;
		*length = 0;
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < *length; i++)
		read_task(&(*list)[i], folder);
	if (*length > 0)
		qsort(*list, *length, sizeof **list, compare);
	return *length ? STATUS_OK : STATUS_NOT_FOUND;
}

const struct activity *activity_find(const struct activity *list, size_t length, pid_t tid)
{
	const struct activity key = {.tid = tid};
	return length ? bsearch(&key, list, length, sizeof *list, compare) : NULL;
}

bool activity_slept(const struct activity *before, const struct activity *after)
{
	return before->tid == after->tid && before->asleep && after->asleep && before->runs == after->runs &&
	       before->syscall == after->syscall && before->stack == after->stack &&
	       before->place == after->place &&
	       memcmp(before->arguments, after->arguments, sizeof before->arguments) == 0;
}

bool activity_handlers(pid_t pid)
{
	char path[40], text[8192];
	uint64_t caught;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	const char *line = read_text(path, text, sizeof text) ? strstr(text, "\nSigCgt:") : NULL;
	if (!line || sscanf(line, "\nSigCgt: %" SCNx64, &caught) != 1)
		return true;
	return (caught & ~UNCOUNTED) != 0;
}
