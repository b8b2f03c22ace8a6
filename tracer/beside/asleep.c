/*
 * Commands that wait, as they do most of the time: to see that they still do takes a few short reads for each thread. A thread that goes on is first told as
 * running, then runs, which is counted; and no thread or process is made but by one that runs.
 */
#include "tracer/beside/state.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_files(const struct sleeper_beside *sleeper)
{
	const int files[] = {sleeper->runs, sleeper->call, sleeper->state};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (files[i] >= 0)
			close(files[i]);
}

void asleep_forget(struct beside *beside)
{
	for (size_t i = 0; i < beside->sleepers_length; i++)
		close_files(&beside->sleepers[i]);
	beside->sleepers_length = 0;
}

static int open_file(pid_t pid, pid_t tid, const char *name)
{
	char path[96];
	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_text(int file, char text[SLEEPER_TEXT])
{
	const ssize_t length = pread(file, text, SLEEPER_TEXT - 1, 0);
	text[length > 0 ? length : 0] = 0;
	return length > 0;
}

/* "4711 (name) S ...": one that is about to be put on a processor is R before its call is over. */
static bool is_asleep(const struct sleeper_beside *sleeper)
{
	char text[SLEEPER_TEXT];
	const char *name = read_text(sleeper->state, text) ? strrchr(text, ')') : NULL;
	return name && name[1] == ' ' && name[2] == 'S';
}

/* Its part of beside_rest()'s turns; 0: it isn't asleep, or the kernel doesn't count how often it runs. */
static uint64_t keep_one(struct beside *beside, pid_t pid, pid_t tid)
{
	if (beside->sleepers_length == SLEEPERS_BESIDE)
		return 0;
	struct sleeper_beside *new = &beside->sleepers[beside->sleepers_length++];
	uint64_t runs = 0;
	new->runs = open_file(pid, tid, "schedstat");
	new->call = open_file(pid, tid, "syscall");
	new->state = open_file(pid, tid, "stat");
	if (!read_text(new->runs, new->runs_text) || !read_text(new->call, new->call_text) ||
	    !is_asleep(new) || sscanf(new->runs_text, "%*u %*u %" SCNu64, &runs) != 1)
		return 0;
	return runs ? runs + (uint64_t)tid : 0;
}

/* The same of all threads. */
static uint64_t keep_all(struct beside *beside, pid_t pid)
{
	char folder[40];
	uint64_t turns = 0, one = 1;
	snprintf(folder, sizeof folder, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(folder);
	for (const struct dirent *entry; dir && one && (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		one = keep_one(beside, pid, (pid_t)atoi(entry->d_name));
		turns += one;
	}
	if (dir)
		closedir(dir);
	return one ? turns : 0;
}

void asleep_keep(struct beside *beside, const pid_t *family, size_t length, uint64_t turns)
{
	uint64_t kept = 0;
	asleep_forget(beside);
	for (size_t i = 0; i < length; i++) {
		const uint64_t its = keep_all(beside, family[i]);
		kept += its;
		if (!its)
			break;
	}
	beside->turns = turns;
	/* One that has run since the look has more. */
	if (kept != turns)
		asleep_forget(beside);
}

bool asleep_still(struct beside *beside)
{
	char text[SLEEPER_TEXT];
	for (size_t i = 0; i < beside->sleepers_length; i++) {
		const struct sleeper_beside *sleeper = &beside->sleepers[i];
		if (!is_asleep(sleeper) || !read_text(sleeper->call, text) ||
		    strcmp(text, sleeper->call_text) != 0 || !read_text(sleeper->runs, text) ||
		    strcmp(text, sleeper->runs_text) != 0)
			return false;
	}
	return beside->sleepers_length > 0;
}
