/* Locks of files are for one execution at a time. */
#include "supervisor/process/kernel_objects.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/answers.h>
#include <fmc/tracer/clock.h>
#include <fmc/tracer/kept_files.h>

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/*
 * Executions that run beside each other, by --jobs or several fmc, lock the same files. Would one wait for another's lock, or two for each
 * other's, none would be like the next. So the first that locks a file binds a socket to a name among the abstract ones (unix(7)), which
 * the kernel gives back at the latest with the process, and the others wait for that name until the execution has ended. It is one name for
 * all files: with one for each, two executions could wait for each other's.
 */
#define TURN_NAME "fmc file locks of %u"

/*
 * So it is with files that the program changes, which are put back when the execution has ended: another one is not to see them meanwhile.
 * The first one waits before the first change, later ones at their start. It is a name for each working folder.
 */
#define FILES_NAME "fmc files of %u in %lx:%lx"

/* In place of a descriptor. */
enum { NO_TURN = -1, TURN_IN_VAIN = -2 };

static int take(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", name);
	const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
	const int turn = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (turn >= 0 && bind(turn, (const struct sockaddr *)&address, size) != 0) {
		close(turn);
		return -1;
	}
	return turn;
}

#define MS UINT64_C(1000000)

/* false: waited in vain, or interrupted. */
static bool pass(uint64_t end)
{
	const struct timespec moment = {.tv_nsec = MS};
	if (clock_now() >= end || tracer_interrupted())
		return false;
	(void)nanosleep(&moment, NULL); /* each stop of a thread may interrupt it (SIGCHLD) */
	return true;
}

/* Several may be waiting, in no order; and somebody may walk through an execution for hours. */
#define TURNS_MS 20000

static int wait_for_name(const char *name)
{
	const uint64_t end = clock_now() + TURNS_MS * MS;
	int turn = take(name);
	while (turn < 0 && pass(end))
		turn = take(name);
	return turn;
}

static void wait_for_turn(struct process *process)
{
	char name[sizeof TURN_NAME + 16];
	if (process->locks_turn >= 0 || process->locks_in_vain)
		return;
	snprintf(name, sizeof name, TURN_NAME, getuid());
	process->locks_turn = wait_for_name(name);
	process->locks_in_vain = process->locks_turn < 0;
}

static void wait_for_files(struct process *process)
{
	const struct program *program = &process->options.program;
	char name[sizeof FILES_NAME + 48];
	struct stat folder;
	if (process->files_turn != NO_TURN ||
	    stat(program->directory ? program->directory : ".", &folder) != 0)
		return;
	snprintf(name, sizeof name, FILES_NAME, getuid(), (unsigned long)folder.st_dev,
		 (unsigned long)folder.st_ino);
	const int turn = wait_for_name(name);
	process->files_turn = turn >= 0 ? turn : TURN_IN_VAIN;
}

void file_turns_begin(struct process *process)
{
	const struct kept_files *files = process->options.program.kept_files;
	if (files && kept_files_any(files))
		wait_for_files(process);
}

static void wait_for_file(struct process *process, const struct stat *file)
{
	const uint64_t end = clock_now() + (uint64_t)process->options.outside_ms * MS;
	while (!process->locks_in_vain && kernel_others_lock(process, file))
		process->locks_in_vain = !pass(end);
}

static bool locks(long number, const struct user_regs_struct *regs)
{
	if (number == SYS_flock)
		return (int)regs->rsi != LOCK_UN;
	return number == SYS_fcntl && (regs->rsi == F_SETLK || regs->rsi == F_SETLKW ||
				       regs->rsi == F_OFD_SETLK || regs->rsi == F_OFD_SETLKW);
}

void file_turns_wait(struct process *process, struct tracee *tracee, const struct user_regs_struct *regs,
		     long number)
{
	struct stat file;
	if (process->options.program.kept_files && process->files_turn == NO_TURN &&
	    tracee_changes_files(tracee))
		wait_for_files(process);
	/* A program that is run once meets others at its locks, as it would without fmc. */
	if (!process->options.outside_ms || !process->threaded || !locks(number, regs) ||
	    !channels_find_file(process, (int)regs->rdi, &file))
		return;
	wait_for_turn(process);
	wait_for_file(process, &file);
}

void file_turns_end(struct process *process)
{
	if (process->locks_turn >= 0)
		close(process->locks_turn);
	if (process->files_turn >= 0)
		close(process->files_turn);
	process->locks_turn = process->files_turn = NO_TURN;
}
