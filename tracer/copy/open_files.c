#include "tracer/copy/open_files.h"
#include "tracer/target/target.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmc/tracer/fdinfo.h>
#include <fmc/tracer/origin.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
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
	struct fdinfo_number numbers[] = {{.name = "pos", .base = 10}, {.name = "flags", .base = 8}};
	if (!fdinfo_numbers(target->pid, descriptor, numbers, 2))
		return false;
	*position = (int64_t)numbers[0].value;
	*flags = (unsigned)numbers[1].value;
	return true;
}

static bool take_position(const struct target *target, int descriptor, struct open_files *open_files)
{
	char path[48];
	struct stat link;
	int64_t position;
	unsigned flags;
	/* The link itself tells whether it is open for writing, cheaper than what follows. */
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target->pid, descriptor);
	if (lstat(path, &link) != 0 || link.st_mode & S_IWUSR)
		return false;
	if (!read_fdinfo(target, descriptor, &position, &flags) || (flags & O_ACCMODE) != O_RDONLY ||
	    open_files->length == POSITIONS_MOST)
		return false;
	open_files->at[open_files->length].descriptor = descriptor;
	open_files->at[open_files->length].flags = flags;
	open_files->at[open_files->length].own = false;
	open_files->at[open_files->length++].position = position;
	return true;
}

static bool is_file(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* The descriptor of fmc's own that a launched process has as `descriptor`. */
static int launched_from(const struct program *program, int descriptor)
{
	const int redirected[] = {program->input, program->output, program->error};
	return descriptor < 3 && redirected[descriptor] >= 0 ? redirected[descriptor] : descriptor;
}

/* All event counters and the like are one file to stat(). */
static bool has_still(const struct target *target, const struct inherited *inherited, int descriptor)
{
	const pid_t from = inherited->before ? inherited->before->pid : getpid();
	const int number = inherited->before ? descriptor : launched_from(inherited->program, descriptor);
	return syscall(SYS_kcmp, target->pid, from, KCMP_FILE, descriptor, number) == 0;
}

/* Had the process this file open under this number when it began? */
bool open_files_inherited(const struct target *target, const struct inherited *inherited, int descriptor,
			  const struct stat *file)
{
	char path[48];
	struct stat then;
	if (!(file->st_mode & S_IFMT))
		return has_still(target, inherited, descriptor);
	if (inherited->before)
		snprintf(path, sizeof path, "/proc/%d/fd/%d", inherited->before->pid, descriptor);
	else
		snprintf(path, sizeof path, "/proc/self/fd/%d",
			 launched_from(inherited->program, descriptor));
	return stat(path, &then) == 0 && is_file(file, &then);
}

static bool take_descriptor(const struct target *target, int descriptor, const struct stat *file,
			    struct open_files *open_files)
{
	if (S_ISREG(file->st_mode) || S_ISDIR(file->st_mode))
		return take_position(target, descriptor, open_files);
	return S_ISCHR(file->st_mode) && major(file->st_rdev) == MEMORY_DEVICES;
}

static bool take_descriptors(const struct target *target, const struct inherited *inherited,
			     const struct channels *channels, struct open_files *open_files)
{
	char path[32];
	struct stat output;
	const int descriptor_of_output = inherited->program->output;
	const bool writes = descriptor_of_output >= 0 && fstat(descriptor_of_output, &output) == 0;
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
		     (channels_end(channels, descriptor) || (writes && is_file(&file, &output)) ||
		      take_descriptor(target, descriptor, &file, open_files) ||
		      open_files_inherited(target, inherited, descriptor, &file));
	}
	if (directory)
		closedir(directory);
	return ok;
}

/* A line of maps: memory that is written to, and is shared with others than fmc. */
static bool is_shared(const struct target *target, const char *line)
{
	char mode[8];
	unsigned long long low;
	return sscanf(line, "%llx-%*s %7s", &low, mode) == 2 && mode[1] == 'w' && mode[3] == 's' &&
	       !target_is_own(target, low);
}

static bool shares_memory(const struct target *target)
{
	char line[512];
	bool shared = false;
	FILE *maps = open_proc(target, "maps");
	if (!maps)
		return true;
	while (!shared && fgets(line, sizeof line, maps))
		shared = is_shared(target, line);
	fclose(maps);
	return shared;
}

static bool has_pending_signal(const struct tracee *tracee, uint32_t queue)
{
	struct __ptrace_peeksiginfo_args one = {.flags = queue, .nr = 1};
	siginfo_t info;
	return ptrace(PTRACE_PEEKSIGINFO, tracee->tid, &one, &info) != 0;
}

/* Signals on their way to one of the threads, or to whichever takes them. */
static bool has_pending_signals(const struct target *target)
{
	if (has_pending_signal(target->tracees[0], PTRACE_PEEKSIGINFO_SHARED))
		return true;
	for (uint32_t i = 0; i < target->tracees_length; i++) {
		const struct tracee *tracee = target->tracees[i];
		if (tracee->life != TRACEE_DEAD && (tracee->deferred_signal || has_pending_signal(tracee, 0)))
			return true;
	}
	return false;
}

bool open_files_quiet(const struct target *target)
{
	return target->descendants_length == 0 && !descendants_uncollected(target) &&
	       !target->world.has_timers && !has_pending_signals(target) && !shares_memory(target);
}

enum status open_files_take(const struct target *target, const struct inherited *inherited,
			    const struct channels *channels, struct open_files *open_files)
{
	open_files->length = 0;
	return open_files_quiet(target) && take_descriptors(target, inherited, channels, open_files)
		   ? STATUS_OK
		   : STATUS_UNSUPPORTED;
}

/* `number` becomes what `from` is, which is closed. */
static enum status move_descriptor(struct tracee *copy, int64_t from, int number, unsigned flags)
{
	int64_t result;
	const uint64_t dup_arguments[6] = {(uint64_t)from, (uint64_t)number, flags & O_CLOEXEC};
	const uint64_t close_arguments[6] = {(uint64_t)from};
	enum status status = tracee_syscall(copy, SYS_dup3, dup_arguments, &result);
	return status == STATUS_OK ? tracee_syscall(copy, SYS_close, close_arguments, &result) : status;
}

static enum status open_anew(struct tracee *copy, int descriptor, unsigned flags)
{
	char path[32];
	int64_t opened;
	snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
	const uint64_t open_arguments[6] = {GADGET_SCRATCH, flags};
	enum status status = target_write(copy->target, GADGET_SCRATCH, path, sizeof path);
	if (status == STATUS_OK)
		status = tracee_syscall(copy, SYS_open, open_arguments, &opened);
	if (status != STATUS_OK || opened < 0)
		return status;
	return move_descriptor(copy, opened, descriptor, flags);
}

/* What the source has in its file, read from its beginning; the position there is nobody's. */
static enum status fill_own(struct tracee *copy, int64_t made, int descriptor, uint64_t size)
{
	const uint64_t seek_arguments[6] = {(uint64_t)descriptor, 0, SEEK_SET};
	int64_t result = 0;
	enum status status = tracee_syscall(copy, SYS_lseek, seek_arguments, &result);
	for (uint64_t done = 0; done < size && status == STATUS_OK && result >= 0; done += (uint64_t)result) {
		const uint64_t arguments[6] = {(uint64_t)made, (uint64_t)descriptor, 0, size - done};
		status = tracee_syscall(copy, SYS_sendfile, arguments, &result);
		if (result <= 0)
			return STATUS_SYSTEM;
	}
	return status;
}

/* A file in memory as the source's is, of which only the size counts where it can't be read. */
static enum status make_own(struct tracee *copy, int descriptor, unsigned flags, bool contents, uint64_t size)
{
	static const char name[] = "own";
	const uint64_t arguments[6] = {GADGET_SCRATCH, MFD_CLOEXEC};
	int64_t made = -1, result;
	enum status status = target_write(copy->target, GADGET_SCRATCH, name, sizeof name);
	if (status == STATUS_OK)
		status = tracee_syscall(copy, SYS_memfd_create, arguments, &made);
	if (status != STATUS_OK || made < 0)
		return status == STATUS_OK ? STATUS_SYSTEM : status;
	const uint64_t truncate_arguments[6] = {(uint64_t)made, size};
	const uint64_t flag_arguments[6] = {(uint64_t)made, F_SETFL, flags & (O_APPEND | O_NONBLOCK)};
	if (contents)
		status = fill_own(copy, made, descriptor, size);
	else
		status = tracee_syscall(copy, SYS_ftruncate, truncate_arguments, &result);
	if (status == STATUS_OK)
		status = tracee_syscall(copy, SYS_fcntl, flag_arguments, &result);
	return status == STATUS_OK ? move_descriptor(copy, made, descriptor, flags) : status;
}

enum status open_files_make(struct tracee *tracee, int descriptor, unsigned flags)
{
	return make_own(tracee, descriptor, flags, false, 0);
}

enum status open_files_separate(const struct open_files *open_files, struct tracee *copy)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < open_files->length && status == STATUS_OK; i++)
		status = open_files->at[i].own
			     ? make_own(copy, open_files->at[i].descriptor, open_files->at[i].flags,
					open_files->at[i].contents, open_files->at[i].size)
			     : open_anew(copy, open_files->at[i].descriptor, open_files->at[i].flags);
	return status;
}

enum status open_files_restore(const struct open_files *open_files, struct tracee *copy)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < open_files->length && status == STATUS_OK; i++) {
		int64_t result;
		const uint64_t arguments[6] = {(uint64_t)open_files->at[i].descriptor,
					       (uint64_t)open_files->at[i].position, SEEK_SET};
		status = tracee_syscall(copy, SYS_lseek, arguments, &result);
	}
	return status;
}
