#include "tracer/proc/proc.h"

#include <fmc/tracer/stat_line.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t proc_text(int process, const char *file, char *text, size_t room)
{
	int fd = openat(process, file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t length = read(fd, text, room - 1);
	int error = errno;
	close(fd);
	errno = error;
	text[length > 0 ? length : 0] = 0;
	return length;
}

char *proc_all(int process, const char *file, size_t *length)
{
	int fd = openat(process, file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	size_t room = 1 << 16;
	ssize_t got = -1;
	char *text = malloc(room);
	*length = 0;
	while (text && (got = read(fd, text + *length, room - *length - 1)) > 0) {
		*length += (size_t)got;
		if (room - *length > 4096)
			continue;
		char *larger = realloc(text, room *= 2);
		if (!larger)
			free(text);
		text = larger;
	}
	close(fd);
	if (text && got < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[*length] = 0;
	return text;
}

const char *proc_field(const char *status, const char *name)
{
	const size_t length = strlen(name);
	for (const char *line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && line[length] == ':')
			return line + length + 1 + strspn(line + length + 1, "\t ");
	}
	return NULL;
}

static ssize_t task_text(int process, pid_t tid, const char *file, char *text, size_t room)
{
	char path[48];
	snprintf(path, sizeof path, "task/%d/%s", tid, file);
	return proc_text(process, path, text, room);
}

bool task_call(int process, pid_t tid, struct task_call *call)
{
	char text[256];
	*call = (struct task_call){.number = NO_SYSCALL};
	if (task_text(process, tid, "syscall", text, sizeof text) <= 0)
		return false;
	call->running = strncmp(text, "running", 7) == 0;
	if (call->running)
		return true;
	uint64_t *const arguments = call->arguments;
	const int fields = sscanf(text,
				  "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
				  " %" SCNx64 " %" SCNx64,
				  &call->number, &arguments[0], &arguments[1], &arguments[2], &arguments[3],
				  &arguments[4], &arguments[5], &call->sp, &call->pc);
	if (fields == 9)
		return true;
	/* Outside of system calls: -1, the stack pointer, the program counter. */
	call->number = NO_SYSCALL;
	call->sp = arguments[0];
	call->pc = arguments[1];
	memset(arguments, 0, sizeof call->arguments);
	return fields == 3;
}

static bool task_line(int process, pid_t tid, struct stat_line *line)
{
	char path[48];
	snprintf(path, sizeof path, "task/%d/stat", (int)tid);
	return stat_line_at(process, path, line);
}

char task_state(int process, pid_t tid)
{
	struct stat_line line;
	return task_line(process, tid, &line) ? line.state : 0;
}

/* In nanoseconds where the kernel keeps them, else from clock ticks. */
static uint64_t cpu_time(int process, pid_t tid, const struct stat_line *line)
{
	char text[128];
	uint64_t ns = 0;
	if (task_text(process, tid, "schedstat", text, sizeof text) > 0 &&
	    sscanf(text, "%" SCNu64, &ns) == 1 && ns)
		return ns;
	return (line->field[STAT_USER_TICKS] + line->field[STAT_SYSTEM_TICKS]) *
	       (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

bool task_describe(int process, pid_t tid, struct snapshot_thread *thread)
{
	struct stat_line line;
	const ssize_t length = task_text(process, tid, "comm", thread->name, sizeof thread->name);
	if (length <= 0 || !task_line(process, tid, &line))
		return false;
	thread->name[length - 1] = '\0';
	thread->state = line.state;
	thread->cpu_ns = cpu_time(process, tid, &line);
	thread->started = line.field[STAT_STARTED];
	return true;
}

uint64_t task_started(int process, pid_t tid)
{
	struct stat_line line;
	return task_line(process, tid, &line) ? line.field[STAT_STARTED] : 0;
}

uint64_t task_turns(int process, pid_t tid)
{
	char text[128];
	uint64_t turns = 0;
	if (task_text(process, tid, "schedstat", text, sizeof text) <= 0 ||
	    sscanf(text, "%*s %*s %" SCNu64, &turns) != 1)
		return 0;
	return turns;
}

pid_t task_number(int process, pid_t tid)
{
	char text[4096];
	if (task_text(process, tid, "status", text, sizeof text) <= 0)
		return tid;
	const char *numbers = proc_field(text, "NSpid");
	if (!numbers)
		return tid;
	/* The innermost namespace comes last. */
	pid_t number = tid;
	while (*numbers && *numbers != '\n') {
		char *end;
		const long next = strtol(numbers, &end, 10);
		if (end == numbers)
			break;
		number = (pid_t)next;
		numbers = end;
	}
	return number;
}
