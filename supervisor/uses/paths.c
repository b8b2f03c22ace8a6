#include "supervisor/uses/paths.h"
#include "supervisor/uses/uses.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MOST 40 /* as the kernel has it (path_resolution(7)) */
#define OF_DIGEST  UINT64_C(0xcbf29ce484222325)

static uint64_t mix(uint64_t digest, const char *from, const char *to)
{
	for (; from < to; from++)
		digest = (digest ^ (unsigned char)*from) * UINT64_C(0x100000001b3);
	return digest;
}

static bool is_of_kernel(const char *text)
{
	const bool device = strncmp(text, "/dev/", 5) == 0 && strncmp(text, "/dev/shm/", 9) != 0;
	return device || strncmp(text, "/proc/", 6) == 0;
}

/* Begins the walk at this text, the first `kept` bytes of `full` being the folder that a relative one begins in. */
static bool set_text(struct path *path, size_t kept, const char *text)
{
	const int pid = target_pid(path->process->target);
	char root[32];
	const size_t length = strlen(text);
	if (*text == '/') {
		kept = (size_t)snprintf(root, sizeof root, "/proc/%d/root", pid);
		memcpy(path->full, root, kept);
	}
	if (is_of_kernel(text) || kept + length >= sizeof path->full)
		return false;
	memcpy(path->full + kept, text, length + 1);
	path->end = kept;
	path->behind = path->full[kept];
	return true;
}

bool path_begin(const struct process *process, uint64_t address, int folder, bool follows, struct path *path)
{
	char text[PATH_MAX], from[48];
	const int pid = target_pid(process->target);
	if (!files_read_text(process, address, text, sizeof text) || !*text)
		return false;
	path->process = process;
	path->follows = follows;
	path->relative = *text != '/' && folder == AT_FDCWD;
	path->exists = path->last = false;
	path->links = 0;
	const int kept = folder == AT_FDCWD ? snprintf(from, sizeof from, "/proc/%d/cwd/", pid)
					    : snprintf(from, sizeof from, "/proc/%d/fd/%d/", pid, folder);
	memcpy(path->full, from, (size_t)kept);
	path->folder = 0;
	return set_text(path, (size_t)kept, text);
}

/* The path goes on at where the link leads to. */
static bool follow(struct path *path)
{
	char text[PATH_MAX], rest[WALK_ROOM];
	const ssize_t length = readlink(path->full, text, sizeof text - 1);
	path->full[path->end] = path->behind;
	const size_t more = strlen(path->full + path->end);
	if (length <= 0 || ++path->links > LINKS_MOST || (size_t)length + more >= sizeof rest)
		return false;
	memcpy(rest, text, (size_t)length);
	memcpy(rest + length, path->full + path->end, more + 1);
	return set_text(path, path->folder, rest);
}

/* From a name that has been looked at to what comes after it. */
static bool go_on(struct path *path)
{
	if (!path->folder)
		return true;
	if (!path->exists)
		return false;
	if (S_ISLNK(path->file.st_mode) && (!path->last || path->follows))
		return follow(path);
	path->full[path->end] = path->behind;
	return !path->last && S_ISDIR(path->file.st_mode);
}

/* The next name of the text, not "." or "..". */
static bool find_name(struct path *path)
{
	size_t begin, length;
	do {
		begin = path->end + strspn(path->full + path->end, "/");
		length = strcspn(path->full + begin, "/");
		path->end = begin + length;
	} while ((length == 1 && path->full[begin] == '.') ||
		 (length == 2 && path->full[begin] == '.' && path->full[begin + 1] == '.'));
	path->folder = begin;
	path->last = path->full[path->end + strspn(path->full + path->end, "/")] == '\0';
	return length > 0;
}

static bool look_at(struct path *path)
{
	struct stat folder;
	const char first = path->full[path->folder];
	path->full[path->folder] = '\0';
	const bool found = stat(path->full, &folder) == 0;
	path->full[path->folder] = first;
	path->behind = path->full[path->end];
	path->full[path->end] = '\0';
	if (!found)
		return false;
	path->exists = lstat(path->full, &path->file) == 0;
	path->folder_id = channels_file_id(path->process, &folder);
	path->id = mix(OF_DIGEST, (const char *)&path->folder_id,
		       (const char *)&path->folder_id + sizeof path->folder_id);
	path->id = mix(path->id, path->full + path->folder, path->full + path->end);
	return true;
}

bool path_next(struct path *path)
{
	return go_on(path) && find_name(path) && look_at(path);
}

void path_folder(const struct path *path, char folder[WALK_ROOM])
{
	char link[48];
	snprintf(folder, WALK_ROOM, "%.*s", (int)path->folder, path->full);
	const int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(link, sizeof link, "/proc/self/fd/%d", at);
	const ssize_t length = at < 0 ? 0 : readlink(link, folder, WALK_ROOM - 1);
	if (at >= 0)
		close(at);
	folder[length < 0 ? 0 : length] = '\0';
}

int path_known_by(const struct path *path)
{
	char folder[WALK_ROOM];
	path_folder(path, folder);
	uint64_t digest = mix(OF_DIGEST, folder, folder + strlen(folder));
	digest = mix(digest, path->full + path->folder, path->full + path->end);
	return (int)((digest ^ digest >> 32) & INT32_MAX) | 1;
}
