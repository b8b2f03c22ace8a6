#include "tracer/foreign/jump_stubs_code.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * The guardian waits for the end of fmc (its end of a pipe is closed then) or of the process. If something is planted then,
 * it takes it out as fmc would have done. There is no hurry: the process runs rightly with it.
 */

#define TRIES	 100
#define PAUSE_NS 20000000
#define ASK_MS	 500

static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT, SIGPIPE,
				      SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM};
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
}

/* A reader of fmc's output mustn't wait for the guardian, too. */
static void close_files(int kept)
{
	const int null = open("/dev/null", O_RDWR);
	for (int file = 0; null >= 0 && file <= 2; file++)
		dup2(null, file);
	if (dup2(kept, 3) == 3)
		syscall(SYS_close_range, 4u, ~0u, 0u);
}

/* In a process of its own, whose end lets the threads go. */
static bool attempt(const struct jump_stubs *jumps, pid_t pid)
{
	int status = 0;
	const pid_t helper = fork();
	if (helper == 0) {
		struct foreign *foreign;
		char why[256];
		struct jump_stubs *mine = malloc(sizeof *mine);
		if (!mine)
			_exit(EXIT_FAILURE);
		*mine = *jumps;
		enum status result = foreign_new(pid, &foreign, why);
		if (result == STATUS_OK)
			result = foreign_open(foreign, why);
		if (result == STATUS_OK)
			result = jump_stubs_remove(mine, foreign);
		if (foreign)
			foreign_release(foreign);
		_exit(result == STATUS_OK || result == STATUS_NOT_FOUND ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	return helper > 0 && waitpid(helper, &status, 0) == helper && status == 0;
}

static bool clean(const struct jump_stubs *jumps, pid_t pid)
{
	for (int tries = 0; tries < TRIES; tries++) {
		if (attempt(jumps, pid))
			return true;
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
	return false;
}

/* Has this process a jump of ours? */
static bool has_jump(const struct jump_stubs *jumps, pid_t pid)
{
	char path[32];
	uint8_t now[JUMP_BYTES];
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	const int memory = open(path, O_RDONLY | O_CLOEXEC);
	for (uint32_t i = 0; memory >= 0 && i < jumps->stubs_length && !found; i++)
		found = jumps->stubs[i].used &&
			pread(memory, now, sizeof now, (off_t)jumps->stubs[i].entry) == sizeof now &&
			memcmp(now, jumps->stubs[i].jump, sizeof now) == 0;
	if (memory >= 0)
		close(memory);
	return found;
}

static bool same_program(pid_t pid, const struct stat *program)
{
	char path[32];
	struct stat other;
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	return stat(path, &other) == 0 && other.st_dev == program->st_dev && other.st_ino == program->st_ino;
}

/* Those that the process has forked since, and that fmc hasn't come to see. */
static void clean_children(const struct jump_stubs *jumps, const struct stat *program)
{
	DIR *processes = opendir("/proc");
	if (!processes)
		return;
	for (struct dirent *entry; (entry = readdir(processes));) {
		const pid_t pid = atoi(entry->d_name);
		if (pid > 0 && pid != jumps->pid && same_program(pid, program) && has_jump(jumps, pid))
			clean(jumps, pid);
	}
	closedir(processes);
}

static void guard(int end, struct jump_stubs *jumps)
{
	char path[32];
	struct stat program = {0};
	struct pollfd watched[2] = {
	    {.fd = end, .events = POLLIN},
	    {.fd = (int)syscall(SYS_pidfd_open, jumps->pid, 0), .events = POLLIN},
	};
	snprintf(path, sizeof path, "/proc/%d/exe", jumps->pid);
	stat(path, &program);
	/*
	 * fmc writes nothing: what can be read is the end. Now and then it is asked anew, as the kernel doesn't always tell of the
	 * end of a process whose threads were traced.
	 */
	while (poll(watched, 2, ASK_MS) <= 0)
		;
	if (!watched[0].revents || !atomic_load(&jumps->planted))
		return;
	clean(jumps, jumps->pid);
	clean_children(jumps, &program);
}

static void become_guardian(int end, int ready, struct jump_stubs *jumps)
{
	setsid();
	prctl(PR_SET_NAME, "fmc-guardian");
	ignore_signals();
	if (write(ready, "r", 1) != 1)
		_exit(EXIT_FAILURE);
	close_files(end);
	guard(3, jumps);
	_exit(EXIT_SUCCESS);
}

/* The guardian has to be there before anything is written that it would take out. */
static bool wait_until_ready(int ready)
{
	char byte;
	ssize_t length;
	do
		length = read(ready, &byte, 1);
	while (length < 0 && errno == EINTR);
	return length == 1;
}

static void close_pipe(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

enum status guardian_start(struct guardian *guardian, struct jump_stubs *jumps)
{
	int ends[2], ready[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return STATUS_SYSTEM;
	if (pipe2(ready, O_CLOEXEC) != 0) {
		close_pipe(ends);
		return STATUS_SYSTEM;
	}
	const pid_t pid = fork();
	if (pid == 0)
		become_guardian(ends[0], ready[1], jumps);
	close(ready[1]);
	const bool started = pid > 0 && wait_until_ready(ready[0]);
	close(ready[0]);
	close(ends[0]);
	*guardian = (struct guardian){pid, ends[1]};
	if (started)
		return STATUS_OK;
	close(ends[1]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return STATUS_SYSTEM;
}

void guardian_end(struct guardian *guardian)
{
	close(guardian->end);
	while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
