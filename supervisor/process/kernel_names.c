/* Where names of files are that threads meet at, and what is there, as a digest. */
#include "supervisor/process/kernel_objects.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As long as the folder is the same, the name in it is, too. */
struct kernel_place {
	uint64_t id;
	struct stat folder;
	char *path, *name;
};

static const struct kernel_place *place_of(const struct process *process, uint64_t id)
{
	for (uint32_t i = 0; i < process->kernel_places_length; i++)
		if (process->kernel_places[i].id == id)
			return &process->kernel_places[i];
	return NULL;
}

bool kernel_name_known(const struct process *process, uint64_t id)
{
	return place_of(process, id) != NULL;
}

/* As the program sees it, which may have folders of its own. */
static int open_folder(const struct process *process, const char *path)
{
	char full[PATH_MAX + 32];
	snprintf(full, sizeof full, "/proc/%d/root%s", target_pid(process->target), path);
	return open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
}

static void release(struct kernel_place *place)
{
	free(place->path);
	free(place->name);
}

void kernel_name_place(struct process *process, uint64_t id, const char *folder, const char *name)
{
	struct kernel_place place = {.id = id, .path = strdup(folder), .name = strdup(name)};
	const int at = open_folder(process, folder);
	const bool found = at >= 0 && fstat(at, &place.folder) == 0;
	if (at >= 0)
		close(at);
	struct kernel_place *more = NULL;
	if (found && place.path && place.name && process->kernel_places_length < KERNEL_MOST)
		more = reallocarray(process->kernel_places, process->kernel_places_length + 1, sizeof *more);
	if (!more)
		return release(&place);
	process->kernel_places = more;
	more[process->kernel_places_length++] = place;
}

void kernel_names_release(struct process *process)
{
	for (uint32_t i = 0; i < process->kernel_places_length; i++)
		release(&process->kernel_places[i]);
	free(process->kernel_places);
	process->kernel_places = NULL;
	process->kernel_places_length = 0;
}

/* The names in a folder, in no order. */
static bool add_folder(int at, const char *name, uint64_t *digest)
{
	const int own = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *folder = own < 0 ? NULL : fdopendir(own);
	uint64_t sum = 0;
	if (!folder) {
		if (own >= 0)
			close(own);
		return false;
	}
	for (const struct dirent *entry; (entry = readdir(folder));)
		sum += kernel_mix(UINT64_C(0xcbf29ce484222325), entry->d_name, strlen(entry->d_name));
	closedir(folder);
	*digest = kernel_mix(*digest, &sum, sizeof sum);
	return true;
}

static bool add_link(int at, const char *name, uint64_t *digest)
{
	char target[PATH_MAX];
	const ssize_t length = readlinkat(at, name, target, sizeof target);
	if (length >= 0)
		*digest = kernel_mix(*digest, target, (size_t)length);
	return length >= 0;
}

#define MOST_BYTES (1u << 20)
static bool add_file(int at, const char *name, uint64_t *digest)
{
	const int file = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char bytes[4096];
	ssize_t length = -1;
	size_t all = 0;
	while (file >= 0 && all < MOST_BYTES && (length = read(file, bytes, sizeof bytes)) > 0) {
		*digest = kernel_mix(*digest, bytes, (size_t)length);
		all += (size_t)length;
	}
	if (file >= 0)
		close(file);
	return length == 0;
}

static bool add_contents(int at, const char *name, const struct stat *file, uint64_t *digest)
{
	switch (file->st_mode & S_IFMT) {
	case S_IFDIR:
		return add_folder(at, name, digest);
	case S_IFLNK:
		return add_link(at, name, digest);
	case S_IFREG:
		return file->st_size == 0 || add_file(at, name, digest);
	default:
		return true;
	}
}

/* Which file it is, by the first of these names that it has. */
static uint64_t first_name(const struct process *process, const struct kernel_place *place,
			   const struct stat *file)
{
	for (const struct kernel_place *other = process->kernel_places; other < place; other++) {
		struct stat its;
		const int at = open_folder(process, other->path);
		const bool same = at >= 0 && fstatat(at, other->name, &its, AT_SYMLINK_NOFOLLOW) == 0 &&
				  its.st_ino == file->st_ino && its.st_dev == file->st_dev;
		if (at >= 0)
			close(at);
		if (same)
			return other->id;
	}
	return place->id;
}

static bool look(const struct process *process, const struct kernel_place *place, int at, uint64_t *digest)
{
	struct stat folder, file;
	if (fstat(at, &folder) != 0 || folder.st_ino != place->folder.st_ino ||
	    folder.st_dev != place->folder.st_dev)
		return false;
	if (fstatat(at, place->name, &file, AT_SYMLINK_NOFOLLOW) != 0)
		return true;
	const uint64_t about[] = {place->id,
				  file.st_mode,
				  file.st_uid,
				  file.st_gid,
				  file.st_size,
				  file.st_nlink,
				  first_name(process, place, &file)};
	*digest = kernel_mix(*digest, about, sizeof about);
	return add_contents(at, place->name, &file, digest);
}

bool kernel_name_digest(const struct process *process, uint64_t id, uint64_t *digest)
{
	const struct kernel_place *place = place_of(process, id);
	const int at = place ? open_folder(process, place->path) : -1;
	const bool told = at >= 0 && look(process, place, at, digest);
	if (at >= 0)
		close(at);
	return told;
}
