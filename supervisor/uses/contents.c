/* What is behind a descriptor is about to be used: one use of the descriptor, and one of what it leads to. */
#include "supervisor/uses/uses.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* One that is open and was closed has been made anew by somebody: that is a beginning. */
void descriptors_open(struct process *process, uint32_t thread, int descriptor, uint8_t ways)
{
	struct stat file;
	if (descriptor < 0)
		return;
	if (uses_ways(&process->uses, CHANNEL_DESCRIPTOR, (uint64_t)descriptor) & USE_CHANGES &&
	    channels_find_file(process, descriptor, &file))
		uses_end(&process->uses, CHANNEL_DESCRIPTOR, (uint64_t)descriptor);
	uses_note(process, thread, CHANNEL_DESCRIPTOR, (uint64_t)descriptor, ways);
}

void descriptors_used(struct process *process, uint32_t thread, int descriptor)
{
	descriptors_open(process, thread, descriptor, USE_DEPENDS);
}

static enum channel_kind kind_of(const char *link)
{
	static const struct {
		const char *beginning;
		enum channel_kind kind;
	} kinds[] = {{"socket:", CHANNEL_SOCKET},
		     {"anon_inode:[eventfd]", CHANNEL_EVENTFD},
		     {"anon_inode:[signalfd]", CHANNEL_OTHER},
		     {"anon_inode:[timerfd]", CHANNEL_OTHER},
		     {"anon_inode:inotify", CHANNEL_OTHER},
		     {"anon_inode:[userfaultfd]", CHANNEL_OTHER}};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strncmp(link, kinds[i].beginning, strlen(kinds[i].beginning)) == 0)
			return kinds[i].kind;
	return CHANNEL_NONE;
}

/* Both ends of a pair of sockets are one, and so are all sockets that weren't seen as they were made. */
static uint64_t pair_of(const struct uses *uses, uint64_t number)
{
	for (uint32_t i = 0; i < uses->pairs_length; i++)
		if (uses->pairs[i].one == number || uses->pairs[i].other == number)
			return i + 1;
	return 0;
}

static void note_file(struct process *process, uint32_t thread, int descriptor, const struct stat *file,
		      uint8_t ways)
{
	uses_note(process, thread, CHANNEL_CONTENT, channels_file_id(file),
		  ways & (USE_DEPENDS | USE_CHANGES));
	if (ways & USE_POSITION)
		uses_note(process, thread, CHANNEL_POSITION, (uint64_t)descriptor, ways & USE_DEPENDS);
}

/* What has no number of its own is told apart by its descriptor, until that is closed. */
void channels_note_descriptor(struct process *process, uint32_t thread, int descriptor, uint8_t ways)
{
	const unsigned memory = 1; /* /dev/null and the like */
	char path[48], link[64];
	struct stat file;
	descriptors_used(process, thread, descriptor);
	if (!channels_find_file(process, descriptor, &file))
		return;
	const uint8_t depends = ways & USE_DEPENDS;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	const ssize_t length = readlink(path, link, sizeof link - 1);
	link[length < 0 ? 0 : length] = '\0';
	const enum channel_kind kind = kind_of(link);
	if (S_ISFIFO(file.st_mode))
		uses_note(process, thread, CHANNEL_PIPE, channels_file_id(&file), depends);
	else if (kind == CHANNEL_SOCKET)
		uses_note(process, thread, kind, pair_of(&process->uses, file.st_ino), depends);
	else if (kind != CHANNEL_NONE)
		uses_note(process, thread, kind, (uint64_t)descriptor, depends);
	else if (S_ISREG(file.st_mode))
		note_file(process, thread, descriptor, &file, ways);
	else if (S_ISCHR(file.st_mode) && major(file.st_rdev) != memory)
		uses_note(process, thread, CHANNEL_OTHER, ~(uint64_t)0,
			  depends); /* both ends of a terminal */
}
