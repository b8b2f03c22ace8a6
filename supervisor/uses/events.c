/* What inotify(7) tells of: changes of names in folders that are watched, and of what files hold. */
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/fdinfo.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * It is one more name: all that is told of changes it, and so does who reads what there is of that; it is the same for all descriptors of
 * inotify. So the order of changes counts where it is told, and a read waits for them. Watches for other events aren't followed.
 */
#define EVENTS_ID      UINT64_MAX
#define EVENTS_READ_ID (UINT64_MAX - 1) /* the second one of an operation that reads */

static const char label[] = "inotify";

void events_set(struct kernel_call *call)
{
	*call = (struct kernel_call){.class = CLASS_NAME,
				     .kind = OP_NAME_CHANGE,
				     .descriptor = EVENTS_KNOWN_BY,
				     .id = EVENTS_ID,
				     .amount = true,
				     .never_waits = true,
				     .can_be_operation = true};
	memcpy(call->label, label, sizeof label);
}

void events_add(struct kernel_call *call)
{
	call->told = true;
	call->other = EVENTS_ID;
	memcpy(call->other_label, label, sizeof label);
}

bool events_shared(const struct process *process)
{
	struct kernel_call call;
	events_set(&call);
	return kernel_call_shared(process, &call);
}

void events_learn(struct process *process)
{
	struct kernel_call call;
	events_set(&call);
	if (!events_shared(process))
		(void)kernel_use_learn(process, &call);
}

/* What may be watched: a file, and the folder that it is in; NULL: whatever is. */
struct watched {
	const struct stat *file, *folder;
	uint64_t events; /* for one of these */
	bool others;	 /* it is watched for such as aren't followed */
};

static bool is_of(const struct stat *file, uint64_t inode, uint64_t device)
{
	/* The kernel's own number of a device has 20 bits for the minor. */
	return file && inode == file->st_ino && device >> 20 == major(file->st_dev) &&
	       (device & 0xfffff) == minor(file->st_dev);
}

static bool watches(const struct process *process, int descriptor, struct watched *watched)
{
	const uint64_t followed = IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
				  IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK | IN_ISDIR;
	const bool any = !watched->file && !watched->folder;
	const pid_t pid = target_pid(process->target);
	char line[256];
	bool watches = false;
	FILE *lines =
	    fdinfo_leads_to(pid, descriptor, "anon_inode:inotify") ? fdinfo_open(pid, descriptor) : NULL;
	while (lines && fgets(line, sizeof line, lines)) {
		uint64_t inode, device, mask;
		if (sscanf(line, "inotify wd:%*x ino:%" SCNx64 " sdev:%" SCNx64 " mask:%" SCNx64, &inode,
			   &device, &mask) != 3)
			continue;
		watched->others |= (mask & ~followed) != 0;
		watches |= mask & watched->events && (any || is_of(watched->file, inode, device) ||
						      is_of(watched->folder, inode, device));
	}
	if (lines)
		fclose(lines);
	return watches;
}

static bool is_watched(const struct process *process, int descriptor, const void *context)
{
	struct watched watched = *(const struct watched *)context;
	return watches(process, descriptor, &watched);
}

bool events_tell_names(const struct process *process, const struct stat *folder)
{
	const struct watched watched = {.folder = folder, .events = UINT64_MAX};
	return uses_any_descriptor(process, -1, is_watched, &watched);
}

/* Of the file behind this descriptor. */
static bool tell(const struct process *process, int descriptor, uint64_t events)
{
	char link[48], path[PATH_ROOM];
	struct stat file, folder;
	/* It is asked of each write. */
	if (!strstr(process->uncontrolled, EVENTS_OF_FILES) || descriptor < 0 ||
	    !channels_find_file(process, descriptor, &file) || !S_ISREG(file.st_mode))
		return false;
	snprintf(link, sizeof link, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	const ssize_t length = readlink(link, path, sizeof path - 1);
	path[length < 0 ? 0 : length] = '\0';
	char *slash = strrchr(path, '/');
	if (slash)
		slash[slash == path] = '\0';
	const struct watched watched = {
	    .file = &file, .folder = slash && stat(path, &folder) == 0 ? &folder : NULL, .events = events};
	return uses_any_descriptor(process, -1, is_watched, &watched);
}

bool events_tell_write(const struct process *process, int descriptor)
{
	return tell(process, descriptor, IN_MODIFY);
}

/* Which descriptor of a file that can be written it closes; -1: none. */
static int closes(const struct process *process, long number, const struct user_regs_struct *regs)
{
	struct kernel_end end = {.class = CLASS_NONE};
	if (number != SYS_close && number != SYS_dup2 && number != SYS_dup3)
		return -1;
	const int descriptor = (int)(number == SYS_close ? regs->rdi : regs->rsi);
	if (!tell(process, descriptor, IN_CLOSE_WRITE))
		return -1;
	kernel_look_closer(process, descriptor, &end);
	return end.writes ? descriptor : -1;
}

bool events_decode_close(const struct process *process, const struct user_regs_struct *regs, long number,
			 struct kernel_call *call)
{
	events_set(call);
	call->used = closes(process, number, regs);
	return call->used >= 0;
}

void events_note_close(struct process *process, long number, const struct user_regs_struct *regs)
{
	if (closes(process, number, regs) >= 0)
		events_learn(process);
}

bool events_decode_read(const struct process *process, const struct user_regs_struct *regs, long number,
			struct kernel_call *call)
{
	struct watched watched = {.events = UINT64_MAX};
	struct kernel_end end = {.blocking = true};
	events_set(call);
	if ((number != SYS_read && number != SYS_readv) || !events_shared(process) ||
	    !watches(process, (int)regs->rdi, &watched))
		return false;
	kernel_look_closer(process, (int)regs->rdi, &end);
	call->used = (int)regs->rdi;
	call->never_waits = !end.blocking;
	/* Who is run once, or has a client, may wait for what others change. */
	call->can_be_operation = !watched.others && process->options.outside_ms && !process->drive;
	call->other = EVENTS_READ_ID;
	memcpy(call->other_label, label, sizeof label);
	return true;
}
