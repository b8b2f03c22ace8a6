#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/paths.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/fdinfo.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

/*
 * Names of files that threads make, remove and look for: lock files, links, directories, renamed files. A name counts by the folder
 * that it is in, however the path leads there; those of the folders that it leads through are looked for, too.
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
    {SYS_chdir, NO_FOLDER, 0, LOOKS},
    {SYS_chroot, NO_FOLDER, 0, LOOKS},
    {SYS_chmod, NO_FOLDER, 0, LOOKS},
    {SYS_fchmodat, 0, 1, LOOKS},
    {CALL_FCHMODAT2, 0, 1, LOOKS},
    {SYS_chown, NO_FOLDER, 0, LOOKS},
    {SYS_lchown, NO_FOLDER, 0, LOOKS},
    {SYS_fchownat, 0, 1, LOOKS},
    {SYS_utime, NO_FOLDER, 0, LOOKS},
    {SYS_utimes, NO_FOLDER, 0, LOOKS},
    {SYS_futimesat, 0, 1, LOOKS},
    {SYS_utimensat, 0, 1, LOOKS},
    {SYS_statfs, NO_FOLDER, 0, LOOKS},
    {SYS_getxattr, NO_FOLDER, 0, LOOKS},
    {SYS_lgetxattr, NO_FOLDER, 0, LOOKS},
    {SYS_listxattr, NO_FOLDER, 0, LOOKS},
    {SYS_llistxattr, NO_FOLDER, 0, LOOKS},
    {SYS_setxattr, NO_FOLDER, 0, LOOKS},
    {SYS_lsetxattr, NO_FOLDER, 0, LOOKS},
    {SYS_removexattr, NO_FOLDER, 0, LOOKS},
    {SYS_lremovexattr, NO_FOLDER, 0, LOOKS},
    {SYS_execve, NO_FOLDER, 0, LOOKS},
    {SYS_execveat, 0, 1, LOOKS},
    {SYS_inotify_add_watch, NO_FOLDER, 1, LOOKS},
    {SYS_name_to_handle_at, 0, 1, LOOKS},
    {SYS_bind, NO_FOLDER, 1, MAKES},
    {SYS_connect, NO_FOLDER, 1, LOOKS},
};

static uint64_t argument(const struct user_regs_struct *regs, uint8_t number)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10};
	return arguments[number];
}

/* Where the path begins; 0: there is none. In an address of a socket it may end with the address, or with a zero. */
static uint64_t path_of(const struct process *process, const struct user_regs_struct *regs,
			const struct named *named)
{
	const uint64_t at = argument(regs, named->path), before = offsetof(struct sockaddr_un, sun_path);
	struct {
		struct sockaddr_un name;
		char end;
	} read = {.name = {.sun_family = AF_UNSPEC}};
	if (named->call != SYS_bind && named->call != SYS_connect)
		return at;
	if (regs->rdx <= before || regs->rdx > sizeof read.name ||
	    target_read(process->target, at, &read, regs->rdx) != STATUS_OK)
		return 0;
	if (!memchr(read.name.sun_path, 0, regs->rdx - before))
		(void)target_read(process->target, at, &read, regs->rdx + 1);
	const bool ends =
	    strnlen(read.name.sun_path, sizeof read.name.sun_path) <= regs->rdx - before && !read.end;
	return read.name.sun_family == AF_UNIX && read.name.sun_path[0] && ends ? at + before : 0;
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
	       number == SYS_mknod || number == SYS_mknodat || number == SYS_bind;
}

/* What there is by this name may be asked for its size, its mode and so on. */
static bool asks(long number)
{
	return number == SYS_stat || number == SYS_lstat || number == SYS_newfstatat || number == SYS_statx;
}

/* A symbolic link that the path ends with is what such a call is about, or in its way. */
static bool follows(const struct named *named, int flags)
{
	if (named->effect != LOOKS || flags & O_NOFOLLOW || (flags & O_CREAT && flags & O_EXCL))
		return false;
	switch (named->call) {
	case SYS_lstat:
	case SYS_link:
	case SYS_readlink:
	case SYS_readlinkat:
	case SYS_lchown:
	case SYS_lgetxattr:
	case SYS_llistxattr:
	case SYS_lsetxattr:
	case SYS_lremovexattr:
		return false;
	default:
		return true;
	}
}

/* The names that a call is about, one after another. */
struct looks {
	const struct named *named;
	size_t row;	  /* the next one */
	struct path path; /* to the name */
	int flags;	  /* of an open() */
	bool walks;
	bool changes, empties; /* what the call may do to this name */
	uint8_t ways;
};

static void set_effect(struct looks *looks)
{
	const struct named *named = looks->named;
	const bool last = looks->path.last;
	looks->ways = last ? ways_of(named, looks->flags, looks->path.exists) : USE_DEPENDS;
	looks->changes = last && (named->effect != LOOKS || looks->flags & (O_CREAT | O_TRUNC));
	looks->empties =
	    last && (looks->flags & O_TRUNC || named->call == SYS_creat || named->call == SYS_truncate);
}

/* The first one, or the next. */
static bool next_look(const struct process *process, const struct user_regs_struct *regs, long number,
		      struct looks *looks)
{
	while (!looks->walks || !path_next(&looks->path)) {
		while (looks->row < sizeof calls / sizeof calls[0] && calls[looks->row].call != number)
			looks->row++;
		if (looks->row == sizeof calls / sizeof calls[0])
			return false;
		const struct named *named = looks->named = &calls[looks->row++];
		const int from = named->folder == NO_FOLDER ? AT_FDCWD : (int)argument(regs, named->folder);
		looks->flags = open_flags(process, named->call, regs);
		const uint64_t path = path_of(process, regs, named);
		looks->walks =
		    path && path_begin(process, path, from, follows(named, looks->flags), &looks->path);
	}
	set_effect(looks);
	return true;
}

/*
 * What a call does when its turn has come hangs on what is there by then: it may make a file, or find it. What empties one changes more than its
 * name.
 */
static void set_call(const struct looks *looks, struct kernel_call *call)
{
	*call = (struct kernel_call){.class = CLASS_NAME,
				     .kind = looks->changes ? OP_NAME_CHANGE : OP_NAME_LOOK,
				     .descriptor = path_known_by(&looks->path),
				     .id = looks->path.id,
				     .amount = looks->changes,
				     .never_waits = true,
				     .can_be_operation = !looks->empties};
	snprintf(call->label, sizeof call->label, "%.*s", (int)sizeof call->label - 1,
		 looks->path.full + looks->path.folder);
}

/* Is the folder that the name is in watched? */
static bool is_told(const struct process *process, const struct looks *looks)
{
	char folder[WALK_ROOM];
	struct stat file;
	snprintf(folder, sizeof folder, "%.*s", (int)looks->path.folder, looks->path.full);
	return looks->changes && stat(folder, &file) == 0 && events_tell_names(process, &file);
}

/* An operation is about two names at most. */
static void add_second(const struct kernel_call *second, struct kernel_call *call)
{
	if (second->id == call->id) {
		call->kind = call->amount || second->amount ? OP_NAME_CHANGE : OP_NAME_LOOK;
		call->amount |= second->amount;
	} else if (!call->other) {
		call->other = second->id;
		memcpy(call->other_label, second->label, sizeof call->other_label);
		call->kind = OP_NAME_CHANGE;
		call->amount = true;
	}
	call->can_be_operation &= second->can_be_operation;
}

/* Those that threads share count. */
bool kernel_call_decode_name(const struct process *process, const struct user_regs_struct *regs, long number,
			     struct kernel_call *call)
{
	struct looks looks = {.row = 0};
	struct kernel_call one, events;
	bool found = false;
	if (!shared_has_class(process->shared, process->shared_known, CLASS_NAME))
		return false;
	if (events_decode_read(process, regs, number, call) ||
	    events_decode_close(process, regs, number, call))
		return true;
	events_set(&events);
	while (next_look(process, regs, number, &looks)) {
		set_call(&looks, &one);
		if (kernel_call_shared(process, &events) && is_told(process, &looks)) {
			*call = events;
			add_second(&one, call);
			return true;
		}
		if (!kernel_call_shared(process, &one))
			continue;
		if (found)
			add_second(&one, call);
		else
			*call = one;
		found = true;
	}
	return found;
}

/* What else than the name matters to the call, or is changed by it. */
static void note_around(struct process *process, uint32_t thread, const struct looks *looks)
{
	const struct path *path = &looks->path;
	if (path->relative)
		uses_note(process, thread, CHANNEL_FOLDER, 0, USE_DEPENDS);
	if (looks->ways & USE_CHANGES)
		uses_note(process, thread, CHANNEL_LISTING, path->folder_id, USE_CHANGES);
	if (takes_mask(looks->named->call, looks->flags))
		uses_note(process, thread, CHANNEL_UMASK, 0, USE_DEPENDS);
	if (!path->last || !path->exists || !asks(looks->named->call))
		return;
	const uint64_t file = channels_file_id(process, &path->file);
	uses_note(process, thread, CHANNEL_ATTRIBUTE, file, USE_DEPENDS);
	if (S_ISREG(path->file.st_mode))
		uses_note(process, thread, CHANNEL_CONTENT, file, USE_DEPENDS);
}

/* Is the name one of those that the operation is about? */
static bool is_of(const struct process *process, const struct op *op, uint64_t id)
{
	const uint32_t object = kernel_find(process, CLASS_NAME, id);
	return object != NO_OBJECT && (object == op->object || object == op->object2);
}

/* What is there is looked at again where states are compared. */
static void keep_place(struct process *process, const struct path *path)
{
	char folder[WALK_ROOM];
	if (kernel_name_known(process, path->id))
		return;
	path_folder(path, folder);
	if (*folder)
		kernel_name_place(process, path->id, folder, path->full + path->folder);
}

/* Where threads meet at a name calls on it are operations from now on; `op`: this one is about to be performed, NULL: it's none, or not yet. */
static void note_name(struct process *process, uint32_t thread, const struct looks *looks,
		      const struct op *op)
{
	const uint8_t ways = looks->ways | (looks->empties ? USE_OTHERWISE : 0);
	struct kernel_call call;
	if (!op && is_told(process, looks))
		events_learn(process);
	if (op && is_of(process, op, looks->path.id))
		keep_place(process, &looks->path);
	if (!op && looks->ways & USE_CHANGES &&
	    shared_has_class(process->shared, process->shared_known, CLASS_FIFO))
		unordered_change(process, thread, CHANNEL_NAME, looks->path.id);
	if (!looks->ways || !uses_meet(process, thread, CHANNEL_NAME, looks->path.id, ways) ||
	    (op && is_of(process, op, looks->path.id)))
		return;
	set_call(looks, &call);
	const bool otherwise = uses_ways(process, CHANNEL_NAME, looks->path.id) & USE_OTHERWISE;
	if (otherwise || op || (!kernel_call_shared(process, &call) && !kernel_use_learn(process, &call)))
		uses_remark(process, CHANNEL_NAME);
}

static void note(struct process *process, uint32_t thread, long number, const struct user_regs_struct *regs,
		 const struct op *op, bool now)
{
	struct looks looks = {.row = 0};
	while (next_look(process, regs, number, &looks)) {
		note_name(process, thread, &looks, op);
		note_around(process, thread, &looks);
		if (now && looks.named->effect == REMOVES && looks.path.last && looks.path.exists)
			files_may_go(process, looks.path.full);
	}
}

void names_note(struct process *process, uint32_t thread, long number, const struct user_regs_struct *regs,
		bool operation)
{
	note(process, thread, number, regs, NULL, !operation);
}

void names_note_otherwise(struct process *process, uint32_t thread, long number,
			  const struct user_regs_struct *regs)
{
	struct looks looks = {.row = 0};
	while (next_look(process, regs, number, &looks)) {
		unordered_use(process, thread, CHANNEL_NAME, looks.path.id);
		note_around(process, thread, &looks);
	}
}

void names_perform(struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	if (regs)
		note(process, thread, (long)regs->orig_rax, regs, op, true);
}

/* Does what becomes of a call that changes this name hang on whether it is there? */
static bool fails(const struct looks *looks)
{
	const bool exists = looks->path.exists;
	switch (looks->named->call) {
	case SYS_creat:
		return false;
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
		return exists && looks->flags & O_EXCL;
	case SYS_truncate:
		return !exists;
	case SYS_rename:
	case SYS_renameat:
	case SYS_renameat2:
		return !exists == (looks->named->effect == MAKES); /* the old name comes first */
	default:
		return exists == (looks->named->effect == MAKES);
	}
}

bool names_ask(const struct process *process, long number, const struct user_regs_struct *regs)
{
	struct looks looks = {.row = 0};
	while (next_look(process, regs, number, &looks)) {
		const bool looks_only = looks.path.last && !looks.changes;
		if (looks_only || (looks.path.last && fails(&looks)) ||
		    (!looks.path.last && !looks.path.exists))
			return true;
	}
	return false;
}
