#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Names of files that threads make, remove and look for: lock files, links, directories, renamed files. A name counts by the folder
 * that it is in, however the path leads there.
 */

#define USE_OTHERWISE 64 /* by a call that does more than an operation on a name tells of */

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

/* A path in a call. */
struct look {
	char full[PATH_ROOM + 64]; /* as fmc can open it */
	size_t folder;		   /* so much of it is the folder's */
	uint64_t id, folder_id;
	int flags;
	bool exists, relative;
	struct stat file; /* what is there, if it exists */
	uint8_t ways;
};

/* False: it is none, or nothing that could change for others. */
static bool look_at(const struct process *process, const struct named *named,
		    const struct user_regs_struct *regs, struct look *look)
{
	if (!find_path(process, named, regs, look->full, &look->folder, &look->relative))
		return false;
	look->flags = open_flags(process, named->call, regs);
	look->exists = lstat(look->full, &look->file) == 0;
	look->ways = ways_of(named, look->flags, look->exists);
	return true;
}

/* The next row of this call's from i on; NULL: there is none. */
static const struct named *next_named(size_t *i, long number)
{
	while (*i < sizeof calls / sizeof calls[0])
		if (calls[(*i)++].call == number)
			return &calls[*i - 1];
	return NULL;
}

/* By its path, which is the same in all executions; never 0. */
static int known_by(const struct look *look)
{
	char folder[PATH_ROOM + 64], link[48];
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	snprintf(folder, sizeof folder, "%.*s", (int)look->folder, look->full);
	const int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(link, sizeof link, "/proc/self/fd/%d", at);
	const ssize_t length = at < 0 ? 0 : readlink(link, folder, sizeof folder - 1);
	for (ssize_t i = 0; i < length; i++)
		digest = mix(digest, (unsigned char)folder[i]);
	if (at >= 0)
		close(at);
	for (const char *name = look->full + look->folder; *name; name++)
		digest = mix(digest, (unsigned char)*name);
	return (int)((digest ^ digest >> 32) & INT32_MAX) | 1;
}

/*
 * What a call does when its turn has come hangs on what is there by then: it may make a file, or find it. What empties one changes more than its
 * name.
 */
static void set_call(const struct look *look, const struct named *named, const struct user_regs_struct *regs,
		     struct kernel_call *call)
{
	const bool changes = named->effect != LOOKS || look->flags & (O_CREAT | O_TRUNC);
	const bool empties = look->flags & O_TRUNC || named->call == SYS_creat || named->call == SYS_truncate;
	*call = (struct kernel_call){.class = CLASS_NAME,
				     .kind = changes ? OP_NAME_CHANGE : OP_NAME_LOOK,
				     .descriptor = known_by(look),
				     .id = look->id,
				     .amount = changes,
				     .name = argument(regs, named->path),
				     .ways = look->ways,
				     .never_waits = true,
				     .can_be_operation = !empties};
}

static bool is_shared(const struct process *process, const struct kernel_call *call)
{
	return shared_has(process->shared, process->shared_known, CLASS_NAME, call->descriptor,
			  process->transitions);
}

/* Of two names those count that threads share. */
static void add_second(const struct process *process, const struct kernel_call *second,
		       struct kernel_call *call)
{
	if (second->id == call->id || !is_shared(process, second))
		return;
	if (!is_shared(process, call)) {
		*call = *second;
		return;
	}
	call->other = second->id;
	call->other_name = second->name;
	call->kind = OP_NAME_CHANGE;
	call->amount = true;
	call->can_be_operation &= second->can_be_operation;
}

bool kernel_call_decode_name(const struct process *process, const struct user_regs_struct *regs, long number,
			     struct kernel_call *call)
{
	struct look look;
	bool found = false;
	const struct named *named;
	for (size_t i = 0; (named = next_named(&i, number));) {
		struct kernel_call one;
		if (!look_at(process, named, regs, &look) ||
		    !identify(process, look.full, look.folder, &look.id, &look.folder_id))
			continue;
		set_call(&look, named, regs, &one);
		if (found)
			add_second(process, &one, call);
		else
			*call = one;
		found = true;
	}
	return found;
}

/* What else than the name matters to the call, or is changed by it. */
static void note_around(struct process *process, uint32_t thread, const struct named *named,
			const struct look *look)
{
	if (look->ways & USE_CHANGES)
		uses_note(process, thread, CHANNEL_LISTING, look->folder_id, USE_CHANGES);
	if (takes_mask(named->call, look->flags))
		uses_note(process, thread, CHANNEL_UMASK, 0, USE_DEPENDS);
	if (!look->exists || !asks(named->call))
		return;
	const uint64_t file = channels_file_id(process, &look->file);
	uses_note(process, thread, CHANNEL_ATTRIBUTE, file, USE_DEPENDS);
	if (S_ISREG(look->file.st_mode))
		uses_note(process, thread, CHANNEL_CONTENT, file, USE_DEPENDS);
}

/* Where threads meet at a name calls on it are operations from now on. */
static void note_name(struct process *process, uint32_t thread, const struct kernel_call *call,
		      bool operation)
{
	const uint8_t ways = call->ways | (call->can_be_operation ? 0 : USE_OTHERWISE);
	if (!call->ways || !uses_meet(process, thread, CHANNEL_NAME, call->id, ways))
		return;
	const bool otherwise = uses_ways(process, CHANNEL_NAME, call->id) & USE_OTHERWISE;
	const bool known = operation && is_shared(process, call);
	if (otherwise || (!known && !kernel_use_learn(process, call)))
		uses_remark(process, CHANNEL_NAME);
}

void names_note(struct process *process, uint32_t thread, long number, const struct user_regs_struct *regs,
		bool operation)
{
	struct look look;
	const struct named *named;
	for (size_t i = 0; (named = next_named(&i, number));) {
		struct kernel_call call;
		if (!look_at(process, named, regs, &look))
			continue;
		if (look.relative)
			uses_note(process, thread, CHANNEL_FOLDER, 0, USE_DEPENDS);
		if (!identify(process, look.full, look.folder, &look.id, &look.folder_id))
			continue;
		set_call(&look, named, regs, &call);
		note_name(process, thread, &call, operation);
		note_around(process, thread, named, &look);
	}
	if (!operation)
		names_take_away(process, thread);
}

void names_take_away(struct process *process, uint32_t thread)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	struct look look;
	const struct named *named;
	for (size_t i = 0; regs && (named = next_named(&i, (long)regs->orig_rax));)
		if (named->effect == REMOVES && look_at(process, named, regs, &look) && look.exists)
			files_may_go(process, look.full);
}
