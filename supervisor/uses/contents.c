/* What is behind a descriptor is about to be used: one use of the descriptor, and one of what it leads to. */
#include "supervisor/uses/uses.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void descriptors_transfer(struct process *process, uint32_t thread, int descriptor)
{
	if (descriptor < 0)
		return;
	descriptors_used(process, thread, descriptor);
	uses_note(process, thread, CHANNEL_STATE, (uint64_t)descriptor, USE_DEPENDS);
}

/* Events of the kernel's, without an object of their own here. */
static bool is_event(const char *link)
{
	static const char *const kinds[] = {"anon_inode:[signalfd]", "anon_inode:[timerfd]",
					    "anon_inode:inotify", "anon_inode:[userfaultfd]"};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strncmp(link, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* What the descriptor leads to, of what has no kind of file: no other has to be asked. */
static void read_link(const struct process *process, int descriptor, const struct stat *file, char link[64])
{
	char path[48];
	*link = '\0';
	if (file->st_mode & S_IFMT)
		return;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	const ssize_t length = readlink(path, link, 63);
	link[length < 0 ? 0 : length] = '\0';
}

/* Calls on these can be operations. */
static bool is_shared_object(const struct stat *file, const char *link)
{
	return S_ISFIFO(file->st_mode) || S_ISSOCK(file->st_mode) ||
	       strcmp(link, "anon_inode:[eventfd]") == 0;
}

static void note_file(struct process *process, uint32_t thread, int descriptor, const struct stat *file,
		      uint8_t ways)
{
	const uint64_t id = channels_file_id(process, file);
	if (id == process->uses.followed_files[0] || id == process->uses.followed_files[1])
		return;
	/* Of two that write one comes later. */
	uses_note(process, thread, CHANNEL_CONTENT, id,
		  ways & USE_CHANGES ? USE_DEPENDS | USE_CHANGES : USE_DEPENDS);
	if (ways & USE_POSITION)
		uses_note(process, thread, CHANNEL_POSITION, (uint64_t)descriptor, ways & USE_DEPENDS);
}

/* What has no number of its own is told apart by its descriptor, until that is closed. */
void channels_note_descriptor(struct process *process, uint32_t thread, int descriptor, uint8_t ways)
{
	const unsigned memory = 1; /* /dev/null and the like */
	char link[64];
	struct stat file;
	descriptors_transfer(process, thread, descriptor);
	if (descriptor == process->uses.followed_end || !channels_find_file(process, descriptor, &file))
		return;
	const uint8_t depends = ways & USE_DEPENDS;
	read_link(process, descriptor, &file, link);
	const bool shared = is_shared_object(&file, link);
	if (shared && !process->uses.followed)
		kernel_use_note_descriptor(process, thread, descriptor);
	else if (is_event(link))
		uses_note(process, thread, CHANNEL_OTHER, (uint64_t)descriptor, depends);
	else if (S_ISREG(file.st_mode))
		note_file(process, thread, descriptor, &file, ways);
	else if (S_ISCHR(file.st_mode) && major(file.st_rdev) != memory)
		uses_note(process, thread, CHANNEL_OTHER, ~(uint64_t)0,
			  depends); /* both ends of a terminal */
}
