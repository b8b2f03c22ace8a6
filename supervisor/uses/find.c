/* The files behind descriptors of the program, and the paths that it names. */
#include "supervisor/process/kernel_objects.h"
#include "supervisor/uses/uses.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool channels_find_file(const struct process *process, int descriptor, struct stat *file)
{
	char path[48];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	return stat(path, file) == 0;
}

bool uses_any_descriptor(const struct process *process, int but, about_descriptor *ask, const void *context)
{
	char path[48];
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/fd", target_pid(process->target));
	DIR *folder = opendir(path);
	for (const struct dirent *entry; folder && !found && (entry = readdir(folder));) {
		const int descriptor = entry->d_name[0] == '.' ? but : atoi(entry->d_name);
		found = descriptor != but && ask(process, descriptor, context);
	}
	if (folder)
		closedir(folder);
	return found;
}

bool uses_any_process(const struct process *process, about_process *ask, const void *context)
{
	bool found = process->spaces_length == 0 && ask(target_pid(process->target), context);
	for (uint32_t i = 0; i < process->spaces_length && !found; i++)
		found = !process->spaces[i].over && ask(target_pid(process->spaces[i].target), context);
	return found;
}

bool files_read_text(const struct process *process, uint64_t address, char *path, size_t room)
{
	const uint64_t page = 4096, step = 256;
	for (size_t length = 0, size; length < room; length += size) {
		const size_t left = page - (address + length) % page, most = left < step ? left : step;
		size = most < room - length ? most : room - length;
		if (target_read(process->target, address + length, path + length, size) != STATUS_OK)
			return false;
		if (memchr(path + length, 0, size))
			return true;
	}
	return false;
}

bool files_read_path(const struct process *process, uint64_t address, char path[PATH_ROOM])
{
	return files_read_text(process, address, path, PATH_ROOM);
}

bool descriptors_asked_by_libc(const struct process *process, const struct user_regs_struct *regs)
{
	uint64_t caller;
	return target_read(process->target, regs->rsp, &caller, sizeof caller) == STATUS_OK &&
	       entries_is_libc(process->entries, caller);
}

/* Standard input, output, errors and what fmc was started with are the caller's affair; of pipes, pairs of sockets and files all calls are seen. */
static bool is_inherited(const struct process *process, int descriptor, const void *context)
{
	char path[48];
	struct stat file, callers;
	struct kernel_end end;
	(void)context;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	if (descriptor <= 2 || stat(path, &file) != 0 || S_ISCHR(file.st_mode))
		return false;
	if (fstat(descriptor, &callers) == 0 && callers.st_ino == file.st_ino &&
	    callers.st_dev == file.st_dev)
		return false;
	if (kernel_look(process, descriptor, &end))
		return end.named;
	return !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode);
}

bool channels_inherited(const struct process *process)
{
	return uses_any_descriptor(process, -1, is_inherited, NULL);
}
