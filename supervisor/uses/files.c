#include "supervisor/uses/uses.h"

#include <fmc/tracer/answers.h>
#include <fmc/tracer/kept_files.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Files that the program writes and reads: unless they are put back, what an execution reads is what earlier ones have left, so that
 * no two need be alike. One that an execution has emptied or made before it reads it is its own. Random bytes of devices are fmc's.
 */
#define FILES_MOST 256

struct process_file {
	char path[PATH_ROOM]; /* as the program calls it */
	bool written;	      /* in some execution */
	bool read;	      /* in this one, what was there before */
	bool fresh;	      /* in this one it has nothing of before */
};

/* What the kernel and devices have to say isn't kept in a file. */
static bool is_kept(const char *path)
{
	return strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/dev/", 5) != 0 &&
	       strncmp(path, "/sys/", 5) != 0;
}

/* /proc/self/mem */
static bool is_memory(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strncmp(path, "/proc/", 6) == 0 && strcmp(slash, "/mem") == 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool begins_with_one_of(const char *path, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (strncmp(path, *beginnings, strlen(*beginnings)) == 0)
			return true;
	return false;
}

/* Is this the path of the folder of this name, with or without a slash behind? */
static bool is_folder(const char *path, const char *name)
{
	const size_t length = strlen(name);
	return strncmp(path, name, length) == 0 && path[length + (path[length] == '/')] == '\0';
}

/* What the kernel says of a process, or of the machine, and is another thing each time. */
static bool says_something_else(const char *path)
{
	static const char *const of_machine[] = {"uptime",    "loadavg",    "stat",	"meminfo",
						 "vmstat",    "interrupts", "softirqs", "schedstat",
						 "diskstats", "buddyinfo",  "zoneinfo", "slabinfo",
						 "pressure/", "net/",	    NULL};
	static const char *const of_process[] = {"stat",   "smaps", "io",      "sched",	    "syscall",
						 "wchan",  "stack", "pagemap", "numa_maps", "fdinfo/",
						 "timers", "net/",  NULL};
	unsigned task = 0;
	int self = 0;
	if (is_folder(path, "/proc"))
		return true;
	if (strncmp(path, "/proc/", 6) != 0)
		return false;
	path += 6;
	(void)sscanf(path, "self/%n", &self);
	if (!self)
		(void)sscanf(path, "thread-self/%n", &self);
	if (!self)
		(void)sscanf(path, "%*u/%n", &self);
	if (!self)
		return begins_with_one_of(path, of_machine);
	path += self;
	self = 0;
	if (is_folder(path, "task"))
		return true;
	if (sscanf(path, "task/%u/%n", &task, &self) == 1)
		path += self;
	return begins_with_one_of(path, of_process);
}

static struct process_file *find(struct process *process, const char *path)
{
	for (size_t i = 0; i < process->files_length; i++)
		if (strcmp(process->files[i].path, path) == 0)
			return &process->files[i];
	return NULL;
}

/* NULL without memory, and for one too many. */
static struct process_file *find_or_add(struct process *process, const char *path)
{
	struct process_file *known = find(process, path);
	if (known)
		return known;
	struct process_file *files =
	    process->files_length == FILES_MOST
		? NULL
		: reallocarray(process->files, process->files_length + 1, sizeof *process->files);
	if (!files)
		return NULL;
	process->files = files;
	known = &files[process->files_length++];
	*known = (struct process_file){.written = false};
	strcpy(known->path, path);
	return known;
}

static void tell(struct process *process, struct tracee *tracee, const char *path)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	char text[256], at[PLACE_ROOM];
	process_describe_place(process, tracee, regs ? regs->rip : 0, at);
	snprintf(text, sizeof text, "the file %.60s, which it reads and also writes%s", last_part(path), at);
	process_remark(process, text);
}

static void note_changing(struct process *process, struct tracee *tracee, const char *path)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	char at[PLACE_ROOM];
	if (*process->changing)
		return;
	process_describe_place(process, tracee, regs ? regs->rip : 0, at);
	snprintf(process->changing, sizeof process->changing, "%.60s%s", path, at);
}

/* What is written there is read once. */
static bool is_fifo(const struct process *process, const char *path)
{
	char full[PATH_ROOM + 48];
	struct stat file;
	snprintf(full, sizeof full, "/proc/%d/%s/%s", target_pid(process->target),
		 *path == '/' ? "root" : "cwd", path);
	return stat(full, &file) == 0 && S_ISFIFO(file.st_mode);
}

static void note(struct process *process, struct tracee *tracee, const char *path, int flags)
{
	const bool writes = (flags & O_ACCMODE) != O_RDONLY, reads = (flags & O_ACCMODE) != O_WRONLY;
	struct process_file *file = find_or_add(process, path);
	if (!file)
		return;
	file->fresh |= writes && (flags & O_TRUNC || (flags & O_CREAT && flags & O_EXCL));
	file->written |= writes;
	file->read |= reads && !file->fresh;
	const struct kept_files *kept = process->options.program.kept_files;
	if (file->written && file->read && (!kept || kept_files_missed(kept)))
		tell(process, tracee, path);
}

void files_opened(struct process *process, struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	char path[PATH_ROOM];
	if (!regs)
		return;
	const bool at = (long)regs->orig_rax == SYS_openat;
	const int flags = (int)(at ? regs->rdx : regs->rsi);
	if (!files_read_path(process, at ? regs->rsi : regs->rdi, path))
		return;
	const bool random = strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
	if (random && !target_open_random(tracee))
		process_remark(process, "random bytes of a device");
	if (is_memory(path))
		uses_remark(process, CHANNEL_MEMORY);
	if (says_something_else(path))
		note_changing(process, tracee, path);
	/* Most are read alone, and those of libraries are many. */
	if (!is_kept(path))
		return;
	if (is_fifo(process, path))
		process->has_common = true;
	else if ((flags & O_ACCMODE) != O_RDONLY || find(process, path))
		note(process, tracee, path, flags);
}

/* A link to a descriptor of the process's own that has a number of the kernel's instead of a path: "pipe:[4026]". */
static bool is_numbered(const struct process *process, const char *path)
{
	char name[48], to[16] = "";
	unsigned descriptor;
	if (sscanf(path, "/proc/self/fd/%u", &descriptor) != 1 &&
	    sscanf(path, "/proc/thread-self/fd/%u", &descriptor) != 1 &&
	    sscanf(path, "/dev/fd/%u", &descriptor) != 1)
		return false;
	snprintf(name, sizeof name, "/proc/%d/fd/%u", target_pid(process->target), descriptor);
	return readlink(name, to, sizeof to - 1) > 0 &&
	       (strncmp(to, "pipe:[", 6) == 0 || strncmp(to, "socket:[", 8) == 0);
}

void files_link_read(struct process *process, struct tracee *tracee, long number)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	char path[PATH_ROOM];
	if (!regs || !files_read_path(process, number == SYS_readlinkat ? regs->rsi : regs->rdi, path))
		return;
	if (strcmp(path, "/proc/self") == 0 || strcmp(path, "/proc/thread-self") == 0 ||
	    is_numbered(process, path))
		note_changing(process, tracee, path);
}

/* A file that has been written may have been opened by another path: the last part of both says enough to look at. */
static const struct process_file *find_opened(const struct process *process, int descriptor)
{
	char name[48], path[PATH_ROOM];
	snprintf(name, sizeof name, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	const ssize_t length = readlink(name, path, sizeof path - 1);
	if (length <= 0)
		return NULL;
	path[length] = '\0';
	for (size_t i = 0; i < process->files_length; i++)
		if (process->files[i].written &&
		    strcmp(last_part(process->files[i].path), last_part(path)) == 0)
			return &process->files[i];
	return NULL;
}

static const struct process_file *find_asked(struct process *process, const struct user_regs_struct *regs,
					     long number)
{
	char path[PATH_ROOM] = "";
	const bool first = number == SYS_stat || number == SYS_lstat;
	bool itself = number == SYS_fstat;
	if (!itself && !files_read_path(process, first ? regs->rdi : regs->rsi, path))
		return NULL;
	itself |= !*path;
	if (itself && descriptors_asked_by_libc(process, regs))
		return NULL;
	return itself ? find_opened(process, (int)regs->rdi) : find(process, path);
}

void files_looked_at(struct process *process, struct tracee *tracee, long number)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	char at[PLACE_ROOM];
	/* It tells why one execution isn't like another. */
	if (!regs || *process->looked || !process->options.outside_ms)
		return;
	const struct process_file *file = find_asked(process, regs, number);
	if (!file || !file->written)
		return;
	process_describe_place(process, tracee, regs->rip, at);
	snprintf(process->looked, sizeof process->looked, "what stat() says of the file %.60s%s",
		 last_part(file->path), at);
}

const char *process_changing(const struct process *process)
{
	return *process->changing ? process->changing : process->looked;
}

void files_begin(struct process *process)
{
	process->changing[0] = process->looked[0] = '\0';
	for (size_t i = 0; i < process->files_length; i++)
		process->files[i].read = process->files[i].fresh = false;
}
