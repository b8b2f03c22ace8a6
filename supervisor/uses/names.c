#include "supervisor/uses/uses.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * Names of files that threads make, remove and look for: lock files, links, directories, renamed files. A name counts by the folder
 * that it is in, however the path leads there.
 */

#define NO_FOLDER 7 /* the path is relative to the working directory */

enum effect_on_name { LOOKS, MAKES, REMOVES };

/* The path in one argument, and the descriptor of the folder that it begins in, in another. */
struct named {
	uint16_t call;
	uint8_t folder, path, effect;
};

static const struct named calls[] = {
    {SYS_creat, NO_FOLDER, 0, MAKES},
    {SYS_mkdir, NO_FOLDER, 0, MAKES},
    {SYS_mkdirat, 0, 1, MAKES},
    {SYS_rmdir, NO_FOLDER, 0, REMOVES},
    {SYS_unlink, NO_FOLDER, 0, REMOVES},
    {SYS_unlinkat, 0, 1, REMOVES},
    {SYS_mknod, NO_FOLDER, 0, MAKES},
    {SYS_mknodat, 0, 1, MAKES},
    {SYS_truncate, NO_FOLDER, 0, MAKES},
    {SYS_rename, NO_FOLDER, 0, MAKES},
    {SYS_rename, NO_FOLDER, 1, REMOVES},
    {SYS_renameat, 0, 1, MAKES},
    {SYS_renameat, 2, 3, REMOVES},
    {SYS_renameat2, 0, 1, MAKES},
    {SYS_renameat2, 2, 3, REMOVES},
    {SYS_link, NO_FOLDER, 0, LOOKS},
    {SYS_link, NO_FOLDER, 1, MAKES},
    {SYS_linkat, 0, 1, LOOKS},
    {SYS_linkat, 2, 3, MAKES},
    {SYS_symlink, NO_FOLDER, 1, MAKES},
    {SYS_symlinkat, 1, 2, MAKES},
    {SYS_stat, NO_FOLDER, 0, LOOKS},
    {SYS_lstat, NO_FOLDER, 0, LOOKS},
    {SYS_newfstatat, 0, 1, LOOKS},
    {SYS_statx, 0, 1, LOOKS},
    {SYS_access, NO_FOLDER, 0, LOOKS},
    {SYS_faccessat, 0, 1, LOOKS},
    {SYS_faccessat2, 0, 1, LOOKS},
    {SYS_readlink, NO_FOLDER, 0, LOOKS},
    {SYS_readlinkat, 0, 1, LOOKS},
    {SYS_open, NO_FOLDER, 0, LOOKS},
    {SYS_openat, 0, 1, LOOKS},
    {SYS_openat2, 0, 1, LOOKS},
};

static uint64_t argument(const struct user_regs_struct *regs, uint8_t number)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10};
	return arguments[number];
}

/* The flags of an open(), 0 of another call. */
static int open_flags(const struct process *process, long number, const struct user_regs_struct *regs)
{
	uint64_t flags = 0; /* what a struct open_how begins with */
	if (number == SYS_openat2)
		return target_read(process->target, regs->rdx, &flags, sizeof flags) == STATUS_OK ? (int)flags
												  : 0;
	return number == SYS_openat ? (int)regs->rdx : number == SYS_open ? (int)regs->rsi : 0;
}

/*
 * An open() may make the file, or empty it. One that makes it where it isn't there is the same to itself either way, but
 * not to others.
 */
static uint8_t ways_of(const struct named *named, int flags, bool exists)
{
	if (flags & O_CREAT && !(flags & (O_EXCL | O_TRUNC)))
		return exists ? 0 : USE_CHANGES;
	if (flags & O_TRUNC || flags & O_CREAT || named->effect != LOOKS)
		return USE_DEPENDS | USE_CHANGES;
	return USE_DEPENDS;
}

/* Does it take bits from the mask of new files? */
static bool takes_mask(long number, int flags)
{
	return flags & O_CREAT || number == SYS_creat || number == SYS_mkdir || number == SYS_mkdirat ||
	       number == SYS_mknod || number == SYS_mknodat;
}

/* What there is by this name may be asked for its size, its mode and so on. */
static bool asks(long number)
{
	return number == SYS_stat || number == SYS_lstat || number == SYS_newfstatat || number == SYS_statx;
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
	return (digest ^ value) * UINT64_C(0x100000001b3);
}

/* The path as fmc can open it, the length of the folder's part, and whether that begins in the working folder. False: nothing that could change for others. */
static bool find_path(const struct process *process, const struct named *named,
		      const struct user_regs_struct *regs, char full[PATH_ROOM + 64], size_t *folder,
		      bool *relative)
{
	char path[PATH_ROOM];
	const int pid = target_pid(process->target);
	const int from = named->folder == NO_FOLDER ? AT_FDCWD : (int)argument(regs, named->folder);
	if (!files_read_path(process, argument(regs, named->path), path))
		return false;
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const bool device = strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
	if (!*name || strncmp(path, "/proc/", 6) == 0 || device)
		return false;
	if (*path == '/')
		snprintf(full, PATH_ROOM + 64, "/proc/%d/root%s", pid, path);
	else if (from == AT_FDCWD)
		snprintf(full, PATH_ROOM + 64, "/proc/%d/cwd/%s", pid, path);
	else
		snprintf(full, PATH_ROOM + 64, "/proc/%d/fd/%d/%s", pid, from, path);
	*relative = *path != '/' && from == AT_FDCWD;
	*folder = strlen(full) - strlen(name);
	return true;
}

static bool identify(const struct process *process, const char *full, size_t folder, uint64_t *id,
		     uint64_t *folder_id)
{
	char path[PATH_ROOM + 64];
	struct stat found;
	snprintf(path, sizeof path, "%.*s", (int)folder, full);
	if (stat(path, &found) != 0)
		return false;
	*folder_id = channels_file_id(process, &found);
	*id = mix(UINT64_C(0xcbf29ce484222325), *folder_id);
	for (const char *at = full + folder; *at; at++)
		*id = mix(*id, (unsigned char)*at);
	return true;
}

/* What else than the name matters to the call, or is changed by it. */
static void note_around(struct process *process, uint32_t thread, const struct named *named, int flags,
			uint8_t ways, uint64_t folder, const struct stat *file)
{
	if (ways & USE_CHANGES)
		uses_note(process, thread, CHANNEL_LISTING, folder, USE_CHANGES);
	if (takes_mask(named->call, flags))
		uses_note(process, thread, CHANNEL_UMASK, 0, USE_DEPENDS);
	if (!file || !asks(named->call))
		return;
	uses_note(process, thread, CHANNEL_ATTRIBUTE, channels_file_id(process, file), USE_DEPENDS);
	if (S_ISREG(file->st_mode))
		uses_note(process, thread, CHANNEL_CONTENT, channels_file_id(process, file), USE_DEPENDS);
}

void names_note(struct process *process, uint32_t thread, long number, const struct user_regs_struct *regs)
{
	char full[PATH_ROOM + 64];
	struct stat file;
	uint64_t id, folder_id;
	size_t folder;
	bool relative;
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		const struct named *named = &calls[i];
		if (named->call != number || !find_path(process, named, regs, full, &folder, &relative))
			continue;
		if (relative)
			uses_note(process, thread, CHANNEL_FOLDER, 0, USE_DEPENDS);
		if (!identify(process, full, folder, &id, &folder_id))
			continue;
		const int flags = open_flags(process, number, regs);
		const bool exists = lstat(full, &file) == 0;
		const uint8_t ways = ways_of(named, flags, exists);
		if (ways)
			uses_note(process, thread, CHANNEL_NAME, id, ways);
		note_around(process, thread, named, flags, ways, folder_id, exists ? &file : NULL);
		if (named->effect == REMOVES && exists)
			files_may_go(process, full);
	}
}
