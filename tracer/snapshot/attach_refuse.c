#include "tracer/snapshot/attach.h"

#include <fmc/tracer/stat_line.h>

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which processes can be looked at; one line that says what to do for those that can't. */


__attribute__((format(printf, 3, 4))) static enum status refuse(struct attach *attach, enum status status,
								const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(attach->why, WHY_ROOM, format, arguments);
	va_end(arguments);
	return status;
}

static long number_of(const char *status, const char *name)
{
	const char *value = proc_field(status, name);
	return value ? strtol(value, NULL, 10) : 0;
}

/* The name of a process, for people; what a terminal would take for more than text is a question mark. */
static const char *name_of(pid_t pid, char name[64])
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/comm", pid);
	const ssize_t length = proc_text(AT_FDCWD, path, name, 64);
	name[length > 0 ? length - 1 : 0] = 0;
	for (char *at = name; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	return name;
}

static const char *user_of(uid_t user, char name[64])
{
	const struct passwd *entry = getpwuid(user);
	if (entry)
		snprintf(name, 64, "%s", entry->pw_name);
	else
		snprintf(name, 64, "with the number %u", user);
	return name;
}

/* Yama's setting; 0 also where there is none. */
static int ptrace_scope(void)
{
	char text[16];
	return proc_text(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof text) > 0 ? atoi(text)
												: 0;
}

static enum status refuse_for_yama(struct attach *attach, int scope, const char *name)
{
	const pid_t pid = attach->pid;
	if (scope == 3)
		return refuse(attach, STATUS_DENIED,
			      "this system lets nobody look at process %d (%s): kernel.yama.ptrace_scope is "
			      "3, which only a restart "
			      "of the machine changes",
			      pid, name);
	if (scope == 2)
		return refuse(attach, STATUS_DENIED,
			      "this system lets only its administrator look at process %d (%s), as "
			      "kernel.yama.ptrace_scope is 2: "
			      "use sudo",
			      pid, name);
	return refuse(attach, STATUS_DENIED,
		      "this system lets only its parents look at process %d (%s), as "
		      "kernel.yama.ptrace_scope is 1: use sudo, or "
		      "type: sudo sysctl kernel.yama.ptrace_scope=0",
		      pid, name);
}

static enum status refuse_traced(struct attach *attach, pid_t tracer)
{
	char name[64], other[64];
	return refuse(attach, STATUS_DENIED,
		      "process %d (%s) is traced already, by process %d (%s): end that first", attach->pid,
		      name_of(attach->pid, name), tracer, name_of(tracer, other));
}

pid_t attach_tracer(const struct attach *attach, pid_t tid)
{
	char path[48], text[4096];
	snprintf(path, sizeof path, "task/%d/status", tid);
	return proc_text(attach->folder, path, text, sizeof text) > 0 ? (pid_t)number_of(text, "TracerPid")
								      : 0;
}

/* The tracer of one of the threads, other than fmc; 0: none. */
static pid_t tracer_of(const struct attach *attach)
{
	pid_t tracer = attach_tracer(attach, attach->pid);
	for (size_t i = 0; i < attach->length && (!tracer || tracer == gettid()); i++)
		tracer = attach_tracer(attach, attach->at[i].thread.tid);
	return tracer == gettid() ? 0 : tracer;
}

static enum status refuse_for_permission(struct attach *attach)
{
	char name[64], user[64], text[4096];
	struct stat memory;
	const pid_t pid = attach->pid;
	name_of(pid, name);
	if (proc_text(attach->folder, "status", text, sizeof text) <= 0)
		return refuse(attach, STATUS_NOT_FOUND, "process %d has ended meanwhile", pid);
	const uid_t owner = (uid_t)number_of(text, "Uid");
	if (geteuid() != 0 && owner != geteuid())
		return refuse(attach, STATUS_DENIED, "process %d (%s) belongs to user %s: use sudo", pid,
			      name, user_of(owner, user));
	const int scope = ptrace_scope();
	if (scope == 3 || (scope && geteuid() != 0))
		return refuse_for_yama(attach, scope, name);
	/* One that has: its files belong to root, though not its folder. */
	if (geteuid() != 0 && fstatat(attach->folder, "mem", &memory, 0) == 0 && memory.st_uid != owner)
		return refuse(
		    attach, STATUS_DENIED,
		    "process %d (%s) has protected itself, or has got more rights than its user: use sudo",
		    pid, name);
	if (geteuid() != 0)
		return refuse(attach, STATUS_DENIED, "not permitted to look at process %d (%s): use sudo",
			      pid, name);
	return refuse(attach, STATUS_DENIED,
		      "not permitted to look at process %d (%s), though by root: CAP_SYS_PTRACE is missing, "
		      "in a container start "
		      "that with --cap-add=SYS_PTRACE",
		      pid, name);
}

enum status attach_refused(struct attach *attach, int error)
{
	if (error == EPERM || error == EACCES || error == ENOSYS) {
		const pid_t tracer = tracer_of(attach);
		return tracer ? refuse_traced(attach, tracer) : refuse_for_permission(attach);
	}
	return refuse(attach, error == ENOMEM ? STATUS_NO_MEMORY : STATUS_DENIED,
		      "process %d can't be looked at: %s", attach->pid, strerror(error));
}

static enum status open_folder(struct attach *attach)
{
	char path[32], text[4096];
	snprintf(path, sizeof path, "/proc/%d", attach->pid);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 && attach->pid > 0 && kill(attach->pid, 0) != 0 && errno == EPERM)
		return refuse(attach, STATUS_DENIED, "process %d belongs to another user: use sudo",
			      attach->pid);
	if (folder < 0)
		return refuse(attach, STATUS_NOT_FOUND, "there is no process %d", attach->pid);
	attach->folder = attach->snapshot->process.folder = folder;
	if (proc_text(folder, "status", text, sizeof text) <= 0)
		return refuse(attach, STATUS_NOT_FOUND, "process %d has ended meanwhile", attach->pid);
	const pid_t leader = (pid_t)number_of(text, "Tgid");
	if (leader == attach->pid || leader <= 0)
		return STATUS_OK;
	attach->pid = leader;
	close(folder);
	attach->folder = attach->snapshot->process.folder = -1;
	return open_folder(attach);
}

/* Of the flags of its main thread: is it one of the kernel's? */
static bool is_kernels(const struct attach *attach)
{
	struct stat_line line;
	return stat_line_at(attach->folder, "stat", &line) && line.field[STAT_FLAGS] & STAT_KERNEL_THREAD;
}

/* A leader that has ended before its threads is no zombie of a process. */
static bool has_other_threads(const char *status)
{
	return number_of(status, "Threads") > 1;
}

static bool is_64_bit(int folder)
{
	unsigned char identity[EI_NIDENT] = {0};
	const int exe = openat(folder, "exe", O_RDONLY | O_CLOEXEC);
	if (exe < 0)
		return true; /* not to be told from here */
	const ssize_t length = pread(exe, identity, sizeof identity, 0);
	close(exe);
	return length != EI_NIDENT || memcmp(identity, ELFMAG, SELFMAG) != 0 ||
	       identity[EI_CLASS] == ELFCLASS64;
}

static enum status check_kind(struct attach *attach, const char *status)
{
	char name[64], other[64];
	const pid_t pid = attach->pid, parent = (pid_t)number_of(status, "PPid");
	const char *state = proc_field(status, "State");
	name_of(pid, name);
	if (pid == getpid())
		return refuse(attach, STATUS_UNSUPPORTED, "process %d is fmc itself", pid);
	if (is_kernels(attach))
		return refuse(attach, STATUS_UNSUPPORTED,
			      "process %d (%s) is a thread of the kernel, not a program", pid, name);
	if (state && (*state == 'Z' || *state == 'X') && !has_other_threads(status))
		return refuse(attach, STATUS_UNSUPPORTED,
			      "process %d (%s) has ended and is a zombie until its parent, process %d (%s), "
			      "asks for its exit status",
			      pid, name, parent, name_of(parent, other));
	const pid_t tracer = (pid_t)number_of(status, "TracerPid");
	if (tracer)
		return refuse_traced(attach, tracer);
	if (!is_64_bit(attach->folder))
		return refuse(attach, STATUS_UNSUPPORTED,
			      "process %d (%s) is a 32-bit program: fmc knows x86-64 only", pid, name);
	return STATUS_OK;
}

/*
 * A leader that has ended has neither memory nor mappings any more. The folder of another thread has them, and lists all
 * threads just as well.
 */
static void leave_dead_leader(struct attach *attach)
{
	const int tasks = openat(attach->folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = tasks < 0 ? NULL : fdopendir(tasks);
	const struct dirent *entry;
	int folder = -1;
	while (dir && folder < 0 && (entry = readdir(dir)) != NULL) {
		char path[40];
		const pid_t tid = (pid_t)atoi(entry->d_name);
		const char state = tid > 0 ? task_state(attach->folder, tid) : 0;
		if (!state || state == 'Z' || state == 'X')
			continue;
		snprintf(path, sizeof path, "/proc/%d", (int)tid);
		folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	if (folder < 0)
		return;
	close(attach->folder);
	attach->folder = attach->snapshot->process.folder = folder;
}

enum status attach_permit(struct attach *attach)
{
	char text[4096];
	enum status status = open_folder(attach);
	if (status != STATUS_OK)
		return status;
	const ssize_t length = proc_text(attach->folder, "status", text, sizeof text);
	if (length <= 0)
		return refuse(attach, STATUS_NOT_FOUND, "process %d has ended meanwhile", attach->pid);
	status = check_kind(attach, text);
	if (status != STATUS_OK)
		return status;
	const char *state = proc_field(text, "State");
	if (state && *state == 'Z')
		leave_dead_leader(attach);
	const char *numbers = proc_field(text, "NSpid");
	attach->parent = number_of(text, "PPid") == getpid();
	attach->numbers_differ = numbers && strcspn(numbers, "\n") != strcspn(numbers, "\t\n");
	/* For this the same rights are needed as for seizing. */
	const int memory = openat(attach->folder, "mem", O_RDONLY | O_CLOEXEC);
	if (memory < 0 && errno != ESRCH && errno != ENOENT)
		return attach_refused(attach, errno);
	if (memory < 0)
		return refuse(attach, STATUS_NOT_FOUND, "process %d has ended meanwhile", attach->pid);
	attach->snapshot->process.memory = memory;
	return STATUS_OK;
}

enum status attach_no_memory(struct attach *attach)
{
	snprintf(attach->why, WHY_ROOM, "out of memory");
	return STATUS_NO_MEMORY;
}

enum status attach_ended(struct attach *attach)
{
	snprintf(attach->why, WHY_ROOM, "process %d has ended meanwhile", attach->pid);
	return STATUS_NOT_FOUND;
}
