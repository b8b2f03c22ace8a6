/*
 * Files that go while the program runs. The kernel gives the number of one to the next that is made, and what has been done with the
 * first one says nothing of the second: with the number they are told apart by how many files have had it before.
 */
#include "supervisor/uses/uses.h"

#include <fmc/tracer/array.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_GONE 65536

struct gone_file {
	uint64_t number; /* of file and device */
	uint64_t times;	 /* so many of this number are gone */
};

static uint64_t number_of(const struct stat *file)
{
	return file->st_ino ^ (uint64_t)file->st_dev << 40;
}

/* Where it is, or would be. */
static size_t place_of(const struct uses *uses, uint64_t number)
{
	size_t low = 0, high = uses->gone_length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (uses->gone[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t channels_file_id(const struct process *process, const struct stat *file)
{
	const struct uses *uses = &process->uses;
	const uint64_t number = number_of(file);
	const size_t place = place_of(uses, number);
	if (place == uses->gone_length || uses->gone[place].number != number)
		return number;
	return number ^ uses->gone[place].times * UINT64_C(0x9e3779b97f4a7c15) >> 1;
}

/* Of too many one may be taken for another one: then they are used by one thread more. */
static void add(struct uses *uses, uint64_t number)
{
	const size_t place = place_of(uses, number);
	if (place < uses->gone_length && uses->gone[place].number == number) {
		uses->gone[place].times++;
		return;
	}
	if (uses->gone_length == MOST_GONE || !ARRAY_GROW(uses->gone, uses->gone_length, uses->gone_room))
		return;
	memmove(&uses->gone[place + 1], &uses->gone[place],
		(uses->gone_length++ - place) * sizeof *uses->gone);
	uses->gone[place] = (struct gone_file){.number = number, .times = 1};
}

/* Has the process a descriptor of the file? */
static bool has_open(pid_t pid, const void *context)
{
	const struct stat *file = context;
	char path[48];
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/fd", pid);
	DIR *folder = opendir(path);
	for (const struct dirent *entry; folder && !found && (entry = readdir(folder));) {
		struct stat its;
		found = entry->d_name[0] != '.' && fstatat(dirfd(folder), entry->d_name, &its, 0) == 0 &&
			its.st_ino == file->st_ino && its.st_dev == file->st_dev;
	}
	if (folder)
		closedir(folder);
	return found;
}

static void leave(struct process *process, int file)
{
	struct uses *uses = &process->uses;
	if (file < 0)
		return;
	if (uses->leaving)
		close(uses->leaving - 1);
	uses->leaving = file + 1;
}

/* As long as fmc has it open nobody gets its number. */
void files_may_go(struct process *process, const char *path)
{
	leave(process, open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

void files_may_go_by(struct process *process, int descriptor)
{
	char path[48];
	struct stat file;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	if (stat(path, &file) == 0 && file.st_nlink == 0 && (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode)))
		leave(process, open(path, O_PATH | O_CLOEXEC));
}

void files_settle(struct process *process)
{
	struct uses *uses = &process->uses;
	const int leaving = uses->leaving - 1;
	char path[32];
	struct stat file;
	if (leaving < 0)
		return;
	uses->leaving = 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", leaving);
	if (fstat(leaving, &file) == 0 && file.st_nlink == 0 && !spaces_unfollowed(process) &&
	    !uses_any_process(process, has_open, &file) && !mappings_have(process, path, &file)) {
		kernel_use_end(process, CLASS_FILE, channels_file_id(process, &file));
		kernel_use_end(process, CLASS_FILE_LOCK, channels_file_id(process, &file));
		add(uses, number_of(&file));
	}
	close(leaving);
}

void gone_begin(struct uses *uses)
{
	if (uses->leaving)
		close(uses->leaving - 1);
	uses->leaving = 0;
	uses->gone_length = 0;
}

void gone_release(struct uses *uses)
{
	gone_begin(uses);
	free(uses->gone);
}
