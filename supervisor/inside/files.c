/*
 * Files that the program opens, and has closed when the execution is over: the kernel answers, as in an execution by stops. What it has
 * open at the beginning is there in all executions, so that the kernel is told nothing that would change it: where the program reads next is a number
 * here, and what it closes is laid aside, so that what is opened next can have its number. A descriptor is used by the thread that has opened it, or by one that is
 * alone, and so is a file that is opened anew: where others use it, too, calls on it may be operations, or the supervisor say that the search doesn't know
 * of them.
 */
#include "supervisor/inside/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define XFS_MAGIC  0x58465342
#define F2FS_MAGIC 0xf2f52010
#define BLOCK	   512 /* of st_blocks */

static struct {
	bool open;
	uint32_t thread;
} files[AGENT_FILES];
static uint32_t files_open;

/* What was open at the beginning has been laid aside by this number, 0: not yet; and it isn't there by its own just now. */
static struct {
	int64_t number;
	uint64_t flags; /* FD_CLOEXEC */
	bool gone;
} aside[AGENT_FILES];

/* Which thread has opened what, while there were others: agent.now.opened of them. */
#define OPENED_MOST 256
static struct {
	uint64_t device, inode;
	uint32_t thread;
} opened[OPENED_MOST];

static int64_t ask(const struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	return own_call(number, context->rdi, context->rsi, context->rdx, context->r10, context->r8,
			context->r9);
}

static bool pass(struct agent_thread *thread, long number)
{
	thread->context.rax = (uint64_t)ask(thread, number);
	return false;
}

static uint32_t number_of(const struct agent_thread *thread)
{
	return (uint32_t)(thread - agent.threads);
}

/* Has the thread opened it in this execution, so that it is nobody else's? */
static bool is_own(const struct agent_thread *thread, uint64_t descriptor)
{
	return (uint32_t)descriptor < AGENT_FILES && files[(uint32_t)descriptor].open &&
	       (files[(uint32_t)descriptor].thread == number_of(thread) || is_alone(thread));
}

static void close_one(uint32_t descriptor)
{
	own_call(SYS_close, descriptor, 0, 0, 0, 0, 0);
	written_closed(descriptor);
	files[descriptor].open = false;
	files_open--;
	agent.now.closed[descriptor] = aside[descriptor].gone;
}

/* False: it stays where it is, and no other can have its number. */
static bool lay_aside(uint32_t descriptor)
{
	if (written_is(descriptor))
		return false;
	if (!aside[descriptor].number) {
		const int64_t number =
		    own_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, AGENT_OWN_NUMBERS, 0, 0, 0);
		if (number < 0)
			return false;
		aside[descriptor].number = number;
		aside[descriptor].flags = (uint64_t)own_call(SYS_fcntl, descriptor, F_GETFD, 0, 0, 0, 0);
	}
	own_call(SYS_close, descriptor, 0, 0, 0, 0, 0);
	return aside[descriptor].gone = true;
}

static void take_back(uint32_t descriptor)
{
	own_call(SYS_dup3, (uint64_t)aside[descriptor].number, descriptor,
		 aside[descriptor].flags & FD_CLOEXEC ? O_CLOEXEC : 0, 0, 0, 0);
	aside[descriptor].gone = false;
}

void files_return(const bool closed[AGENT_FILES])
{
	for (uint32_t i = 0; i < AGENT_FILES; i++)
		if (closed[i] && !aside[i].gone)
			(void)lay_aside(i);
}

bool files_any(void)
{
	return files_open > 0 || written_any();
}

void files_close(void)
{
	for (uint32_t i = 0; i < AGENT_FILES && files_open > 0; i++)
		if (files[i].open)
			close_one(i);
	for (uint32_t i = 0; i < AGENT_FILES; i++)
		if (aside[i].gone) {
			take_back(i);
			agent.now.closed[i] = false;
		}
	written_put_back();
}

/* What the kernel makes up as it is read, or a device has, isn't kept in a file. */
bool files_is_kept(int64_t descriptor)
{
	struct statfs system;
	if (own_call(SYS_fstatfs, (uint64_t)descriptor, (uint64_t)(uintptr_t)&system, 0, 0, 0, 0) != 0)
		return false;
	switch ((unsigned long)system.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_MAGIC:
	case F2FS_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
	case SQUASHFS_MAGIC:
	case ISOFS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

static bool begins(const char *path, const char *with)
{
	while (*with && *path == *with)
		path++, with++;
	return !*with;
}

/*
 * What the kernel makes up but always in the same way: the setting by which libc's malloc goes when it gives memory back, which nobody can use otherwise; and
 * which processors belong together.
 */
static bool is_constant(uint64_t at)
{
	static const char *const names[] = {"/cpumap", "/cpulist",  "/distance",
					    "/online", "/possible", "/present"};
	const char *path = (const char *)at, *last = path;
	for (const char *c = path; *c; c++)
		if (*c == '/')
			last = c;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(last, names[i]) == 0 && begins(path, "/sys/devices/system/"))
			return true;
	return strcmp(path, "/proc/sys/vm/overcommit_memory") == 0;
}

/* False: another thread has opened it, too. */
bool files_note(const struct agent_thread *thread, const struct stat *file)
{
	if (is_alone(thread))
		return true;
	for (uint32_t i = 0; i < agent.now.opened; i++)
		if (opened[i].inode == file->st_ino && opened[i].device == file->st_dev)
			return opened[i].thread == number_of(thread);
	if (agent.now.opened == OPENED_MOST)
		return false;
	opened[agent.now.opened].device = file->st_dev;
	opened[agent.now.opened].inode = file->st_ino;
	opened[agent.now.opened++].thread = number_of(thread);
	return true;
}

/* To open something else than a file or a folder may wait, or do something. */
static bool may_open(const struct agent_thread *thread, uint64_t folder, uint64_t path, uint64_t flags)
{
	struct stat found;
	const uint64_t itself = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
	/* What isn't there isn't opened either. */
	return own_call(SYS_newfstatat, folder, path, (uint64_t)(uintptr_t)&found, itself, 0, 0) != 0 ||
	       S_ISDIR(found.st_mode) ||
	       (S_ISREG(found.st_mode) && (is_constant(path) || files_note(thread, &found)));
}

/* What the kernel gives a number to next has that of one that it doesn't know to be closed. */
static bool has_closed(void)
{
	for (uint32_t i = 0; i < AGENT_FILES; i++)
		if (agent.now.closed[i] && !aside[i].gone)
			return true;
	return false;
}

static bool take_opened(const struct agent_thread *thread, int64_t descriptor)
{
	files[descriptor].open = true;
	files[descriptor].thread = number_of(thread);
	files_open++;
	agent.now.closed[descriptor] = false;
	return false;
}

/* To write it. */
static bool open_written(struct agent_thread *thread, long number, uint64_t folder, uint64_t path,
			 uint64_t flags, uint64_t mode)
{
	int64_t descriptor;
	if (!written_open(thread, folder, path, flags, mode, &descriptor))
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	thread->context.rax = (uint64_t)descriptor;
	return descriptor >= 0 && take_opened(thread, descriptor);
}

static bool open_file(struct agent_thread *thread, long number, uint64_t folder, uint64_t path,
		      uint64_t flags, uint64_t mode)
{
	const uint64_t allowed = O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	const bool here = (int)folder == AT_FDCWD || is_own(thread, folder);
	if (!REGION->opens || !here || has_closed() || !written_may_ask(thread, folder, path))
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	if (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
		return open_written(thread, number, folder, path, flags, mode);
	if (flags & ~allowed || !may_open(thread, folder, path, flags))
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	const int64_t descriptor = ask(thread, number);
	thread->context.rax = (uint64_t)descriptor;
	if (descriptor < 0)
		return false;
	if (descriptor >= AGENT_FILES || !(files_is_kept(descriptor) || is_constant(path))) {
		own_call(SYS_close, (uint64_t)descriptor, 0, 0, 0, 0, 0);
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	}
	return take_opened(thread, descriptor);
}

/* The thread that runs is in its last transition before this number. */
static uint32_t now(void)
{
	return (uint32_t)REGION->trace.length;
}

static void add_user(struct agent_users *users, uint32_t thread)
{
	uint32_t i = 0;
	while (i < users->length && users->at[i].thread != thread)
		i++;
	if (i == AGENT_USERS)
		users->more = true;
	else
		users->at[i] = (struct agent_use){thread, now()};
	if (i == users->length && i < AGENT_USERS)
		users->length++;
}

/* Does nobody else use it, as far as there have been others since the beginning? */
static bool is_users(const struct agent_thread *thread, uint32_t descriptor)
{
	struct agent_users *users = &agent.now.users[descriptor];
	if (is_alone(thread))
		users->length = users->more = 0;
	else
		add_user(users, number_of(thread));
	return users->length < 2;
}

bool files_is_written(const struct agent_thread *thread, uint64_t descriptor)
{
	const uint32_t number = (uint32_t)descriptor;
	if (!written_is(number) || !(files[number].open ? is_own(thread, number) : is_users(thread, number)))
		return false;
	written_use(number);
	return true;
}

bool files_is_first(const struct agent_thread *thread, uint64_t descriptor)
{
	const uint32_t number = (uint32_t)descriptor;
	struct stat file;
	return number < AGENT_FILES && agent.now.places[number] >= 0 && REGION->opens &&
	       is_users(thread, number) && files_is_kept(number) &&
	       own_call(SYS_fstat, number, (uint64_t)(uintptr_t)&file, 0, 0, 0, 0) == 0 &&
	       files_note(thread, &file);
}

/* Has it this file open to be read, by any descriptor? */
bool files_has_open(const struct stat *file)
{
	struct stat open;
	for (uint32_t i = 0; i < AGENT_FILES; i++)
		if ((files[i].open || agent.now.places[i] >= 0) &&
		    own_call(SYS_fstat, i, (uint64_t)(uintptr_t)&open, 0, 0, 0, 0) == 0 &&
		    open.st_ino == file->st_ino && open.st_dev == file->st_dev)
			return true;
	return false;
}

/* It can only be read, and where is said each time: it doesn't matter who else does so, but for who closes it. */
bool files_reads_anywhere(const struct agent_thread *thread, uint64_t descriptor)
{
	const uint32_t number = (uint32_t)descriptor;
	if (number >= AGENT_FILES || agent.now.places[number] < 0 || !REGION->opens || !files_is_kept(number))
		return false;
	(void)is_users(thread, number);
	return true;
}

bool files_is_threads(const struct agent_thread *thread, uint64_t descriptor)
{
	return is_own(thread, descriptor) || files_is_first(thread, descriptor);
}

bool files_is_output(const struct agent_thread *thread, uint64_t descriptor)
{
	if ((descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO) || !REGION->captured[descriptor] ||
	    agent.now.closed[descriptor] || aside[descriptor].gone)
		return false;
	(void)is_users(thread, (uint32_t)descriptor);
	return true;
}

/* One that was open at the beginning and that others have used, which is noted. False: it isn't that, or there are too many. */
static bool closes_after_others(const struct agent_thread *thread, uint64_t descriptor)
{
	const uint32_t number = (uint32_t)descriptor, self = number_of(thread);
	const struct agent_users *users = number < AGENT_FILES ? &agent.now.users[number] : NULL;
	if (!users || users->length == 0 || users->more || agent.now.closed[number] || is_alone(thread) ||
	    agent.now.closings_length + users->length > AGENT_CLOSINGS)
		return false;
	for (uint32_t i = 0; i < users->length; i++)
		if (users->at[i].thread != self)
			agent.now.closings[agent.now.closings_length++] =
			    (struct agent_closing){.use = users->at[i], .closing = {self, now()}};
	return true;
}

static bool close_file(struct agent_thread *thread)
{
	const uint64_t descriptor = (uint32_t)thread->context.rdi;
	if (descriptor > INT32_MAX) {
		thread->context.rax = (uint64_t)-EBADF;
		return false;
	}
	if (is_own(thread, descriptor)) {
		close_one((uint32_t)descriptor);
	} else if (closes_after_others(thread, descriptor) || files_is_first(thread, descriptor) ||
		   files_is_written(thread, descriptor) ||
		   (files_is_output(thread, descriptor) && is_users(thread, (uint32_t)descriptor))) {
		(void)lay_aside((uint32_t)descriptor);
		agent.now.places[descriptor] = -1;
		agent.now.closed[descriptor] = true;
	} else {
		return agent_refuse(AGENT_BY_CALL, SYS_close);
	}
	thread->context.rax = 0;
	return false;
}

/* As read(2), from where the program reads next. */
static bool read_first(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	int64_t *place = &agent.now.places[(uint32_t)context->rdi];
	const int64_t result =
	    own_call(SYS_pread64, context->rdi, context->rsi, context->rdx, (uint64_t)*place, 0, 0);
	*place += result > 0 ? result : 0;
	thread->context.rax = (uint64_t)result;
	return false;
}

static bool seek_first(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	int64_t *place = &agent.now.places[(uint32_t)context->rdi], to = (int64_t)context->rsi;
	const bool known = context->rdx == SEEK_SET || context->rdx == SEEK_CUR;
	if (!known || (context->rdx == SEEK_CUR && __builtin_add_overflow(to, *place, &to)) || to < 0)
		return agent_refuse(AGENT_BY_CALL, SYS_lseek);
	*place = to;
	thread->context.rax = (uint64_t)to;
	return false;
}

static bool use_first(struct agent_thread *thread, long number)
{
	switch (number) {
	case SYS_read:
		return read_first(thread);
	case SYS_lseek:
		return seek_first(thread);
	case SYS_fadvise64:
		return pass(thread, number);
	default:
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	}
}

/* Of output: as large as it would be, had it been written. */
static bool ask_output(struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	struct stat *told = (struct stat *)(number == SYS_fstat ? context->rsi : context->rdx);
	thread->context.rax = (uint64_t)ask(thread, number);
	if (context->rax != 0)
		return false;
	if (agent.now.told_length == AGENT_TOLD)
		return agent_refuse(AGENT_BY_ROOM, (uint64_t)number);
	agent.now.told[agent.now.told_length++] = (struct agent_range){
	    (uint64_t)(uintptr_t)&told->st_atim, (uint64_t)(uintptr_t)(&told->st_ctim + 1)};
	told->st_size = (off_t)(REGION->printed + agent.now.printed);
	told->st_blocks = (blkcnt_t)(((uint64_t)told->st_size + PAGE - 1) / PAGE * (PAGE / BLOCK));
	return false;
}

static bool ask_written(struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	struct stat *told = (struct stat *)(number == SYS_fstat ? context->rsi : context->rdx);
	thread->context.rax = (uint64_t)written_ask((uint32_t)context->rdi, told);
	return REGION->refusal != AGENT_NONE;
}

static bool ask_descriptor(struct agent_thread *thread, long number)
{
	const uint64_t descriptor = (uint32_t)thread->context.rdi;
	if (number != SYS_statx && files_is_written(thread, descriptor))
		return ask_written(thread, number);
	if (number != SYS_statx && files_is_output(thread, descriptor))
		return ask_output(thread, number);
	if (written_is(descriptor) || !files_is_threads(thread, descriptor))
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	return pass(thread, number);
}

/* What there is by a name: where nobody changes it that is the same in all executions, but for what the kernel tells of processes. */
static bool ask_name(struct agent_thread *thread, long number, uint64_t folder, uint64_t path)
{
	const bool here = (int)folder == AT_FDCWD || is_own(thread, folder);
	return REGION->opens && here && !begins((const char *)path, "/proc/") &&
		       written_may_ask(thread, folder, path)
		   ? pass(thread, number)
		   : agent_refuse(AGENT_BY_CALL, (uint64_t)number);
}

static bool ask_at(struct agent_thread *thread, long number, uint64_t flags)
{
	if (flags & AT_EMPTY_PATH && !*(const char *)thread->context.rsi)
		return ask_descriptor(thread, number);
	return ask_name(thread, number, thread->context.rdi, thread->context.rsi);
}

/* Of output: where it is written next, and that it is there for good. */
static bool use_output(struct agent_thread *thread, long number)
{
	struct agent_context *context = &thread->context;
	const bool asks = number == SYS_lseek && context->rsi == 0 &&
			  (context->rdx == SEEK_CUR || context->rdx == SEEK_END);
	if (!asks && number != SYS_fdatasync && number != SYS_fsync)
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	context->rax = asks ? REGION->printed + agent.now.printed : 0;
	return false;
}

static bool use_descriptor(struct agent_thread *thread, long number)
{
	if (files_is_output(thread, thread->context.rdi))
		return use_output(thread, number);
	if (number == SYS_pread64 && files_reads_anywhere(thread, thread->context.rdi))
		return pass(thread, number);
	if (files_is_first(thread, thread->context.rdi))
		return use_first(thread, number);
	if (!(is_own(thread, thread->context.rdi) || files_is_written(thread, thread->context.rdi)) ||
	    (number == SYS_getdents64 && agent.now.written_length > 0))
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	if ((number == SYS_read || number == SYS_pread64) && !written_reads(thread->context.rdi)) {
		thread->context.rax = (uint64_t)-EBADF;
		return false;
	}
	return pass(thread, number);
}

static bool write_file(struct agent_thread *thread, long number)
{
	return files_is_written(thread, thread->context.rdi) ? pass(thread, number)
							     : agent_refuse(AGENT_BY_CALL, (uint64_t)number);
}

bool files_answer(struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	switch (number) {
	case SYS_open:
		return open_file(thread, number, (uint64_t)AT_FDCWD, context->rdi, context->rsi,
				 context->rdx);
	case SYS_openat:
		return open_file(thread, number, context->rdi, context->rsi, context->rdx, context->r10);
	case SYS_close:
		return close_file(thread);
	case SYS_read:
	case SYS_pread64:
	case SYS_lseek:
	case SYS_fsync:
	case SYS_fdatasync:
	case SYS_getdents64:
	case SYS_fadvise64:
		return use_descriptor(thread, number);
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_ftruncate:
		return write_file(thread, number);
	case SYS_fstat:
		return ask_descriptor(thread, number);
	case SYS_newfstatat:
		return ask_at(thread, number, context->r10);
	case SYS_statx:
		return ask_at(thread, number, context->rdx);
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_readlinkat:
		return ask_name(thread, number, context->rdi, context->rsi);
	case SYS_stat:
	case SYS_lstat:
	case SYS_access:
	case SYS_readlink:
		return ask_name(thread, number, (uint64_t)AT_FDCWD, context->rdi);
	default:
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	}
}
