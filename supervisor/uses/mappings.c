#include "supervisor/uses/uses.h"

#include <fmc/tracer/maps.h>

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Memory that isn't what it looks like. Code that is made while the program runs isn't in any file: its accesses and its atomic
 * instructions are no operations and aren't watched. What is mapped as shared memory has further addresses, here or in another
 * process, and accesses to those don't meet.
 */

static const char made_code[] = "code that is made at run time", shared_memory[] = "shared memory";

static void tell(struct process *process, struct tracee *tracee, const char *what)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	char text[256], at[PLACE_ROOM];
	process_describe_place(process, tracee, regs ? regs->rip : 0, at);
	snprintf(text, sizeof text, "%s%s", what, at);
	process->shares_memory |= what == shared_memory;
	if (what == made_code)
		process_remark_copied(process, text);
	else
		process_remark(process, text);
}

/* Named semaphores, which have operations of their own, are files there that libc maps. */
static bool is_semaphore(const char *path)
{
	return strncmp(path, "/dev/shm/sem.", strlen("/dev/shm/sem.")) == 0;
}

/* Could the file be written through this descriptor? The link to it has the permissions that it was opened with. */
static bool can_write(const struct process *process, int descriptor)
{
	char path[48], file[64];
	struct stat link;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	const ssize_t length = readlink(path, file, sizeof file - 1);
	file[length < 0 ? 0 : length] = '\0';
	return length > 0 && lstat(path, &link) == 0 && link.st_mode & S_IWUSR && !is_semaphore(file);
}

static void note_map(struct process *process, struct tracee *tracee, const struct user_regs_struct *regs)
{
	const uint64_t protection = regs->rdx, flags = regs->r10;
	const bool file = !(flags & MAP_ANONYMOUS), shared = flags & MAP_SHARED;
	/* A library's code is as it is in the file. */
	if (protection & PROT_EXEC && (!file || shared || protection & PROT_WRITE))
		tell(process, tracee, made_code);
	if (file && shared && can_write(process, (int)regs->r8))
		tell(process, tracee, shared_memory);
}

void mappings_note(struct process *process, struct tracee *tracee, long number)
{
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	if (!regs)
		return;
	if (number == SYS_mmap)
		note_map(process, tracee, regs);
	else
		tell(process, tracee,
		     number == SYS_mprotect || number == SYS_pkey_mprotect ? made_code : shared_memory);
}

/* The kernel's [vdso], which has lost its name in a process that was saved. */
static bool is_image(const struct process *process, uint64_t address)
{
	char magic[SELFMAG];
	return target_read(process->target, address, magic, sizeof magic) == STATUS_OK &&
	       memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* The kernel's own, such as [vdso], have names without a file. */
static bool has_made_code(const struct process *process)
{
	struct maps maps;
	bool found = false;
	if (maps_of(target_pid(process->target), &maps) != STATUS_OK)
		return false;
	for (size_t i = 0; i < maps.length && !found; i++) {
		const struct snapshot_mapping *at = &maps.at[i];
		found = at->executable && (at->writable || (at->inode == 0 && !at->path)) &&
			!target_is_own(process->target, at->low) && !is_image(process, at->low);
	}
	maps_release(&maps);
	return found;
}

struct mapped {
	const struct stat *file;
	const char *path;
};

/* The device that maps tell of needn't be that of stat() (overlayfs); then the path has to be the same. */
static bool has_mapped(pid_t pid, const void *context)
{
	const struct mapped *mapped = context;
	struct maps maps;
	bool found = false;
	if (maps_of(pid, &maps) != STATUS_OK)
		return false;
	for (size_t i = 0; i < maps.length && !found; i++) {
		const struct snapshot_mapping *at = &maps.at[i];
		found =
		    at->inode == mapped->file->st_ino &&
		    (at->device == mapped->file->st_dev || (at->path && strcmp(at->path, mapped->path) == 0));
	}
	maps_release(&maps);
	return found;
}

bool mappings_have(const struct process *process, const char *link, const struct stat *file)
{
	char path[512];
	const ssize_t length = readlink(link, path, sizeof path - 1);
	path[length < 0 ? 0 : length] = '\0';
	return uses_any_process(process, has_mapped, &(struct mapped){file, path});
}

/* The name that it was mapped by may be gone and another one be there, as with sem_open(). Who may not ask has to take the path for it. */
static bool has_link(pid_t pid, const struct snapshot_mapping *at)
{
	char path[80];
	struct stat file;
	snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, at->low, at->high);
	return stat(path, &file) == 0 ? file.st_nlink > 0 : !strstr(at->path, " (deleted)");
}

/*
 * Memory that is shared by a name others can map as well: a file that has one, or what System V has by a key. Only who has been given it has what was
 * made without one, or has lost it. To look at a mapped library is to look at what stays.
 */
static bool has_name(pid_t pid, const struct snapshot_mapping *at)
{
	unsigned key = 0;
	if (!at->shared || !at->readable || !at->path)
		return false;
	if (sscanf(at->path, "/SYSV%8x", &key) == 1)
		return key != IPC_PRIVATE;
	return at->path[0] == '/' && !maps_of_system(at->path) && has_link(pid, at);
}

static bool shares_by_name(pid_t pid, const void *context)
{
	struct maps maps;
	bool found = false;
	(void)context;
	if (maps_of(pid, &maps) != STATUS_OK)
		return false;
	for (size_t i = 0; i < maps.length && !found; i++)
		found = has_name(pid, &maps.at[i]);
	maps_release(&maps);
	return found;
}

bool mappings_have_names(const struct process *process)
{
	return uses_any_process(process, shares_by_name, NULL);
}

bool mappings_have_name_at(const struct process *process, uint64_t address)
{
	const pid_t pid = target_pid(process->target);
	struct maps maps;
	bool found = false;
	if (maps_of(pid, &maps) != STATUS_OK)
		return false;
	for (size_t i = 0; i < maps.length && !found; i++)
		found = maps.at[i].low <= address && address < maps.at[i].high && has_name(pid, &maps.at[i]);
	maps_release(&maps);
	return found;
}

void mappings_begin(struct process *process)
{
	if (!process->options.note_unseen)
		return;
	if (!process->looked_for_code)
		process->has_made_code = has_made_code(process);
	process->looked_for_code = true;
	if (process->has_made_code)
		process_remark_copied(process, made_code);
}
