#include "tracer/belongings.h"
#include "tracer/private.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* /dev/null, /dev/zero, /dev/urandom and the like: nothing there is anybody's. */
#define MEMORY_DEVICES 1

static FILE *open_proc(const struct target *target, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", target->pid, name);
	return fopen(path, "re");
}

/* Position and flags of a descriptor. */
static bool read_fdinfo(const struct target *target, int descriptor, int64_t *position, unsigned *flags)
{
	char name[32];
	long long pos;
	snprintf(name, sizeof name, "fdinfo/%d", descriptor);
	FILE *file = open_proc(target, name);
	if (!file)
		return false;
	bool ok = fscanf(file, "pos: %lld flags: %o", &pos, flags) == 2;
	fclose(file);
	*position = pos;
	return ok;
}

static bool take_position(const struct target *target, int descriptor, struct belongings *belongings)
{
	int64_t position;
	unsigned flags;
	if (!read_fdinfo(target, descriptor, &position, &flags) || (flags & O_ACCMODE) != O_RDONLY ||
	    belongings->length == POSITIONS_MOST)
		return false;
	belongings->at[belongings->length].descriptor = descriptor;
	belongings->at[belongings->length++].position = position;
	return true;
}

static bool is_file(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Had the process this file open under this number when it began? */
static bool is_inherited(const struct target *before, int descriptor, const struct stat *file)
{
	char path[48];
	struct stat inherited;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", before->pid, descriptor);
	return stat(path, &inherited) == 0 && is_file(file, &inherited);
}

static bool take_descriptor(const struct target *target, int descriptor, const struct stat *file,
			    struct belongings *belongings)
{
	if (S_ISREG(file->st_mode) || S_ISDIR(file->st_mode))
		return take_position(target, descriptor, belongings);
	return S_ISCHR(file->st_mode) && major(file->st_rdev) == MEMORY_DEVICES;
}

static bool take_descriptors(const struct target *target, const struct target *before,
			     const struct stat *output, struct belongings *belongings)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/fd", target->pid);
	DIR *directory = opendir(path);
	bool ok = directory != NULL;
	struct dirent *entry;
	while (ok && (entry = readdir(directory)) != NULL) {
		struct stat file;
		if (entry->d_name[0] == '.')
			continue;
		int descriptor = atoi(entry->d_name);
		ok = fstatat(dirfd(directory), entry->d_name, &file, 0) == 0 &&
		     ((output && is_file(&file, output)) ||
		      take_descriptor(target, descriptor, &file, belongings) ||
		      is_inherited(before, descriptor, &file));
	}
	if (directory)
		closedir(directory);
	return ok;
}

static bool shares_memory(const struct target *target)
{
	char line[512], mode[8];
	bool shared = false;
	FILE *maps = open_proc(target, "maps");
	if (!maps)
		return true;
	while (!shared && fgets(line, sizeof line, maps))
		shared = sscanf(line, "%*s %7s", mode) == 1 && mode[1] == 'w' && mode[3] == 's';
	fclose(maps);
	return shared;
}

static bool has_pending_signals(const struct target *target)
{
	char line[128];
	unsigned long long set;
	bool pending = false;
	FILE *status = open_proc(target, "status");
	if (!status)
		return true;
	while (!pending && fgets(line, sizeof line, status))
		pending =
		    (sscanf(line, "SigPnd: %llx", &set) == 1 || sscanf(line, "ShdPnd: %llx", &set) == 1) &&
		    set != 0;
	fclose(status);
	return pending;
}

enum status belongings_take(const struct target *target, const struct target *before, int output,
			    struct belongings *belongings)
{
	struct stat file;
	belongings->length = 0;
	bool known = output >= 0 && fstat(output, &file) == 0;
	bool alone = target->tracees_length == 1 && target->bystanders_length == 0 &&
		     target->tracees[0]->deferred_signal == 0;
	return alone && !has_pending_signals(target) && !shares_memory(target) &&
		       take_descriptors(target, before, known ? &file : NULL, belongings)
		   ? STATUS_OK
		   : STATUS_UNSUPPORTED;
}

enum status belongings_restore(const struct belongings *belongings, struct tracee *copy)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < belongings->length && status == STATUS_OK; i++) {
		int64_t result;
		const uint64_t arguments[6] = {(uint64_t)belongings->at[i].descriptor,
					       (uint64_t)belongings->at[i].position, SEEK_SET};
		status = tracee_syscall(copy, SYS_lseek, arguments, &result);
	}
	return status;
}
