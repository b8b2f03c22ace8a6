/* Which files a system call is about to change: they are kept as they are (kept_files.h) before it is made. */
#include "tracer/answers/answers.h"

#include <fmc/tracer/answers.h>
#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/kept_files.h>

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

/* Who is to know of each file. */
struct changes_to {
	void (*found)(void *context, const char *path, enum kept_part part);
	void *context;
};

/* Where a call's argument has no path, or its path begins in the working folder. */
#define NONE -1

/* How the last component of a path is taken where it is a link. */
enum follows { ITSELF, FOLLOWED, FOLLOWED_UNLESS /* its flags have AT_SYMLINK_NOFOLLOW */ };

/* The path in one argument, and the descriptor of the folder that it begins in, in another; without a path what the descriptor leads to. */
struct change {
	uint16_t call;
	int8_t folder, path, flags;
	uint8_t part, follows;
};

static const struct change changes[] = {
    {SYS_truncate, NONE, 0, NONE, KEPT_CONTENT, FOLLOWED},
    {SYS_rename, NONE, 0, NONE, KEPT_NAME, ITSELF},
    {SYS_rename, NONE, 1, NONE, KEPT_NAME, ITSELF},
    {SYS_renameat, 0, 1, NONE, KEPT_NAME, ITSELF},
    {SYS_renameat, 2, 3, NONE, KEPT_NAME, ITSELF},
    {SYS_renameat2, 0, 1, NONE, KEPT_NAME, ITSELF},
    {SYS_renameat2, 2, 3, NONE, KEPT_NAME, ITSELF},
    {SYS_mkdir, NONE, 0, NONE, KEPT_NAME, ITSELF},
    {SYS_mkdirat, 0, 1, NONE, KEPT_NAME, ITSELF},
    {SYS_rmdir, NONE, 0, NONE, KEPT_NAME, ITSELF},
    {SYS_unlink, NONE, 0, NONE, KEPT_NAME, ITSELF},
    {SYS_unlinkat, 0, 1, NONE, KEPT_NAME, ITSELF},
    /* It may be changed under its other name later. */
    {SYS_link, NONE, 0, NONE, KEPT_CONTENT, ITSELF},
    {SYS_linkat, 0, 1, NONE, KEPT_CONTENT, ITSELF},
    {SYS_link, NONE, 1, NONE, KEPT_NAME, ITSELF},
    {SYS_linkat, 2, 3, NONE, KEPT_NAME, ITSELF},
    {SYS_symlink, NONE, 1, NONE, KEPT_NAME, ITSELF},
    {SYS_symlinkat, 1, 2, NONE, KEPT_NAME, ITSELF},
    {SYS_mknod, NONE, 0, NONE, KEPT_NAME, ITSELF},
    {SYS_mknodat, 0, 1, NONE, KEPT_NAME, ITSELF},
    {SYS_chmod, NONE, 0, NONE, KEPT_METADATA, FOLLOWED},
    {SYS_fchmod, 0, NONE, NONE, KEPT_METADATA, FOLLOWED},
    {SYS_fchmodat, 0, 1, NONE, KEPT_METADATA, FOLLOWED},
    {CALL_FCHMODAT2, 0, 1, 3, KEPT_METADATA, FOLLOWED_UNLESS},
    {SYS_chown, NONE, 0, NONE, KEPT_METADATA, FOLLOWED},
    {SYS_lchown, NONE, 0, NONE, KEPT_METADATA, ITSELF},
    {SYS_fchown, 0, NONE, NONE, KEPT_METADATA, FOLLOWED},
    {SYS_fchownat, 0, 1, 4, KEPT_METADATA, FOLLOWED_UNLESS},
    {SYS_utime, NONE, 0, NONE, KEPT_METADATA, FOLLOWED},
    {SYS_utimes, NONE, 0, NONE, KEPT_METADATA, FOLLOWED},
    {SYS_futimesat, 0, 1, NONE, KEPT_METADATA, FOLLOWED},
    {SYS_utimensat, 0, 1, 3, KEPT_METADATA, FOLLOWED_UNLESS},
};

static uint64_t argument(const struct user_regs_struct *regs, int number)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8};
	return arguments[number];
}

/* A text in the memory of any process that fmc traces. */
static bool read_text(pid_t pid, uint64_t address, char *text, size_t room)
{
	for (size_t length = 0; length < room - 1;) {
		size_t part = 4096 - (address + length) % 4096;
		part = part < room - 1 - length ? part : room - 1 - length;
		const struct iovec here = {text + length, part};
		const struct iovec there = {(void *)(uintptr_t)(address + length), part};
		const ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
		if (got <= 0)
			return false;
		if (memchr(text + length, '\0', (size_t)got))
			return true;
		length += (size_t)got;
	}
	return false;
}

/* Where a path leads, as fmc can go there. */
static void seen_from_here(pid_t pid, int folder, const char *path, char full[2 * PATH_MAX])
{
	if (*path == '/')
		snprintf(full, 2 * PATH_MAX, "/proc/%d/root%s", pid, path);
	else if (folder == AT_FDCWD)
		snprintf(full, 2 * PATH_MAX, "/proc/%d/cwd/%s", pid, path);
	else
		snprintf(full, 2 * PATH_MAX, "/proc/%d/fd/%d%s%s", pid, folder, *path ? "/" : "", path);
}

/* The same without links, but perhaps of the last component, which needn't be there. False: there is no such folder. */
static bool without_links(char full[2 * PATH_MAX], bool followed, char path[PATH_MAX])
{
	if (followed && realpath(full, path))
		return true;
	size_t length = strlen(full);
	while (length > 1 && full[length - 1] == '/')
		full[--length] = '\0';
	char *slash = strrchr(full, '/'), folder[PATH_MAX];
	*slash = '\0';
	const int written =
	    realpath(full, folder) ? snprintf(path, PATH_MAX, "%s/%s", folder, slash + 1) : -1;
	*slash = '/';
	return written > 0 && written < PATH_MAX;
}

static bool is_files(const char *path)
{
	static const char *const others[] = {"/proc/", "/sys/", "/dev/"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(path, others[i], strlen(others[i])) == 0)
			return strncmp(path, "/dev/shm/", strlen("/dev/shm/")) == 0;
	return true;
}

static void announce(const struct changes_to *to, pid_t pid, int folder, const char *text, bool followed,
		     enum kept_part part)
{
	char full[2 * PATH_MAX], path[PATH_MAX];
	seen_from_here(pid, folder, text, full);
	if (without_links(full, followed, path) && is_files(path))
		to->found(to->context, path, part);
}

/* To read a file changes nothing. */
static bool opens_to_change(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
}

static void before_open(const struct changes_to *to, pid_t pid, int folder, uint64_t address, int flags)
{
	char text[PATH_MAX];
	if (opens_to_change(flags) && (flags & O_TMPFILE) != O_TMPFILE &&
	    read_text(pid, address, text, sizeof text))
		announce(to, pid, folder, text, !(flags & (O_NOFOLLOW | O_EXCL)), KEPT_CONTENT);
}

/* openat2() has its flags in memory. */
static void before_openat2(const struct changes_to *to, pid_t pid, const struct user_regs_struct *regs)
{
	uint64_t flags;
	const struct iovec here = {&flags, sizeof flags},
			   there = {(void *)(uintptr_t)regs->rdx, sizeof flags};
	if (process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof flags)
		before_open(to, pid, (int)regs->rdi, regs->rsi, (int)flags);
}

/* A socket of the unix kind gets a name among the files. */
static void before_bind(const struct changes_to *to, pid_t pid, const struct user_regs_struct *regs)
{
	struct sockaddr_un address = {0};
	const size_t size = regs->rdx < sizeof address ? (size_t)regs->rdx : sizeof address;
	const struct iovec here = {&address, size}, there = {(void *)(uintptr_t)regs->rsi, size};
	char text[sizeof address.sun_path + 1] = "";
	if (size <= offsetof(struct sockaddr_un, sun_path) ||
	    process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)size || address.sun_family != AF_UNIX)
		return;
	memcpy(text, address.sun_path, sizeof address.sun_path);
	if (*text)
		announce(to, pid, AT_FDCWD, text, false, KEPT_NAME);
}

static void before_change(const struct changes_to *to, pid_t pid, const struct user_regs_struct *regs,
			  const struct change *change)
{
	char text[PATH_MAX] = "";
	const int folder = change->folder == NONE ? AT_FDCWD : (int)argument(regs, change->folder);
	const bool unless =
	    change->follows == FOLLOWED_UNLESS && argument(regs, change->flags) & AT_SYMLINK_NOFOLLOW;
	/* utimensat() and others without a path are about the descriptor. */
	const uint64_t address = change->path == NONE ? 0 : argument(regs, change->path);
	if (address ? !read_text(pid, address, text, sizeof text) : folder == AT_FDCWD)
		return;
	announce(to, pid, folder, text, change->follows != ITSELF && !unless, (enum kept_part)change->part);
}

static void look_at(const struct changes_to *to, pid_t pid, const struct user_regs_struct *regs)
{
	const long number = (long)regs->orig_rax;
	switch (number) {
	case SYS_open:
		return before_open(to, pid, AT_FDCWD, regs->rdi, (int)regs->rsi);
	case SYS_openat:
		return before_open(to, pid, (int)regs->rdi, regs->rsi, (int)regs->rdx);
	case SYS_creat:
		return before_open(to, pid, AT_FDCWD, regs->rdi, O_CREAT | O_WRONLY | O_TRUNC);
	case SYS_openat2:
		return before_openat2(to, pid, regs);
	case SYS_bind:
		return before_bind(to, pid, regs);
	default:
		break;
	}
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		if (changes[i].call == number)
			before_change(to, pid, regs, &changes[i]);
}

static void keep(void *context, const char *path, enum kept_part part)
{
	kept_files_before(context, path, part);
}

void file_changes_keep(const struct target *target, pid_t pid, const struct user_regs_struct *regs)
{
	const struct changes_to to = {keep, target->kept_files};
	if (target->kept_files)
		look_at(&to, pid, regs);
}

static void see(void *context, const char *path, enum kept_part part)
{
	bool *any = context;
	(void)path;
	(void)part;
	*any = true;
}

bool tracee_changes_files(struct tracee *tracee)
{
	bool any = false;
	const struct changes_to to = {see, &any};
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (regs)
		look_at(&to, tracee->tid, regs);
	return any;
}
