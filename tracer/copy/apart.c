/* A process that goes on by itself, and changes no file that others have: those that it writes become files in memory. */
#include "tracer/copy/open_files.h"
#include "tracer/target/target.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmc/tracer/fdinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of files together so much is copied. */
#define MOST_BYTES ((off_t)16 << 20)

static void name_descriptor(char path[48], const struct target *target, int descriptor)
{
	snprintf(path, 48, "/proc/%d/fd/%d", target->pid, descriptor);
}

static int open_descriptor(const struct target *target, int descriptor, int flags)
{
	char path[48];
	name_descriptor(path, target, descriptor);
	return open(path, flags | O_CLOEXEC);
}

/* Another descriptor may go on in the same place of it, and what one writes another reads. */
static bool is_twice(const struct own_files *apart, const struct stat *file)
{
	for (size_t i = 0; i < apart->length; i++)
		if (apart->at[i].file.st_dev == file->st_dev && apart->at[i].file.st_ino == file->st_ino)
			return true;
	return false;
}

static bool take(const struct target *target, int descriptor, const struct stat *file, struct own_files *apart)
{
	struct fdinfo_number numbers[] = {{.name = "pos", .base = 10}, {.name = "flags", .base = 8}};
	if (apart->length == OWN_FILES || is_twice(apart, file) ||
	    !fdinfo_numbers(target->pid, descriptor, numbers, 2))
		return false;
	apart->at[apart->length++] = (struct own_file){.descriptor = descriptor,
							 .flags = (unsigned)numbers[1].value,
							 .place = (int64_t)numbers[0].value,
							 .file = *file};
	return true;
}

/* Regular files that it has open for writing, but for those that it has begun with. */
static bool find(const struct target *target, const struct inherited *inherited, struct own_files *apart)
{
	char path[48];
	off_t bytes = 0;
	snprintf(path, sizeof path, "/proc/%d/fd", target->pid);
	DIR *directory = opendir(path);
	bool good = directory != NULL;
	for (struct dirent *entry; good && (entry = readdir(directory)) != NULL;) {
		struct stat file, link;
		const int descriptor = atoi(entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		good = fstatat(dirfd(directory), entry->d_name, &file, 0) == 0 &&
		       fstatat(dirfd(directory), entry->d_name, &link, AT_SYMLINK_NOFOLLOW) == 0;
		if (!good || !S_ISREG(file.st_mode) || !(link.st_mode & S_IWUSR) ||
		    open_files_inherited(target, inherited, descriptor, &file))
			continue;
		bytes += file.st_size;
		good = bytes <= MOST_BYTES && take(target, descriptor, &file, apart);
	}
	if (directory)
		closedir(directory);
	return good;
}

static bool fill(int to, int from, off_t size)
{
	ssize_t part = 1;
	for (off_t done = 0; done < size && part > 0; done += part)
		part = sendfile(to, from, NULL, (size_t)(size - done));
	return part > 0;
}

/* False: there is no room, or fmc may not read it. */
static bool replace(struct tracee *tracee, const struct own_file *file)
{
	const int from = open_descriptor(tracee->target, file->descriptor, O_RDONLY);
	const bool made = from >= 0 && open_files_make(tracee, file->descriptor, file->flags) == STATUS_OK;
	const int to = made ? open_descriptor(tracee->target, file->descriptor, O_WRONLY) : -1;
	const uint64_t arguments[6] = {(uint64_t)file->descriptor, (uint64_t)file->place, SEEK_SET};
	int64_t place;
	const bool good = to >= 0 && fill(to, from, file->file.st_size) &&
			  tracee_syscall(tracee, SYS_lseek, arguments, &place) == STATUS_OK &&
			  place == file->place;
	if (to >= 0)
		close(to);
	if (from >= 0)
		close(from);
	return good;
}

enum status open_files_apart(struct target *target, const struct inherited *inherited, struct own_files *apart)
{
	apart->length = 0;
	if (!open_files_quiet(target) || !find(target, inherited, apart))
		return STATUS_UNSUPPORTED;
	for (size_t i = 0; i < apart->length; i++)
		if (!replace(target_tracee(target, 0), &apart->at[i]))
			return STATUS_UNSUPPORTED;
	return STATUS_OK;
}
