/*
 * Locks of files as the kernel has them, and who waits for those that belong to processes: fcntl(2), F_SETLKW. Such a wait that would never
 * end is refused (EDEADLK), by the kernel's own rule (posix_locks_deadlock() of its fs/locks.c). It doesn't know who waits, as threads that
 * would are stopped before the call: so the rule is followed here.
 */
#include "supervisor/process/kernel_objects.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* "1: POSIX  ADVISORY  WRITE 4711 00:1f:42 0 EOF" in /proc/locks. */
struct lock {
	char kind[8], type[8];
	long pid;
	unsigned high, low;
	uint64_t inode;
	struct lock_range range;
};

static uint64_t end_of(const char *text)
{
	return strcmp(text, "EOF") == 0 ? INT64_MAX : strtoull(text, NULL, 10);
}

/* False: it is one that is waited for (an arrow). */
static bool parse(const char *line, struct lock *lock)
{
	char last[24];
	if (sscanf(line, "%*[^:]: %7s %*s %7s %ld %x:%x:%" SCNu64 " %" SCNu64 " %23s", lock->kind, lock->type,
		   &lock->pid, &lock->high, &lock->low, &lock->inode, &lock->range.first, last) != 8)
		return false;
	lock->range.last = end_of(last);
	lock->range.writes = strcmp(lock->type, "WRITE") == 0;
	return true;
}

struct lock_question {
	const struct process *process;
	const struct stat *file;
	const struct lock_wait *wait;
};
typedef bool about_lock(const struct lock_question *question, const struct lock *lock);

/* Is the answer yes for any lock? unknown: where they can't be read. */
static bool any_lock(about_lock *ask, const struct lock_question *question, bool unknown)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[160];
	struct lock lock;
	bool yes = !locks && unknown;
	while (locks && !yes && fgets(line, sizeof line, locks))
		yes = parse(line, &lock) && ask(question, &lock);
	if (locks)
		fclose(locks);
	return yes;
}

/* Is it one of those whose threads the model knows, or fmc, which takes their locks? */
static bool is_known(const struct process *process, pid_t pid)
{
	bool known = pid == target_pid(process->target) || pid == getpid();
	for (size_t i = 0; i < process->spaces_length; i++)
		known |= pid == target_pid(process->spaces[i].target);
	return known;
}

static bool is_of_others(const struct lock_question *question, const struct lock *lock)
{
	const struct stat *file = question->file;
	return lock->inode == file->st_ino && lock->high == major(file->st_dev) &&
	       lock->low == minor(file->st_dev) && lock->pid > 0 &&
	       !is_known(question->process, (pid_t)lock->pid);
}

bool kernel_others_lock(const struct process *process, const struct stat *file)
{
	return any_lock(is_of_others, &(struct lock_question){.process = process, .file = file}, true);
}

static bool is_of_present(const struct lock_question *question, const struct lock *lock)
{
	return strcmp(lock->kind, "POSIX") == 0 && lock->inode == question->file->st_ino &&
	       lock->pid == target_pid(question->process->target);
}

bool kernel_owns_lock(const struct process *process, const struct stat *file)
{
	return any_lock(is_of_present, &(struct lock_question){.process = process, .file = file}, false);
}

/* Is it the lock that is waited for, as it was or larger? Else who waits for it has been woken, and waits no more. */
static bool is_awaited(const struct lock_question *question, const struct lock *lock)
{
	const struct lock_wait *wait = question->wait;
	return strcmp(lock->kind, "POSIX") == 0 && lock->pid == wait->owner && lock->inode == wait->inode &&
	       lock->range.writes == wait->range.writes && lock->range.first <= wait->range.first &&
	       lock->range.last >= wait->range.last;
}

static bool waits(const struct process *process, uint32_t thread)
{
	const struct model *model = process->model->model;
	const struct op *op = model_pending(model, thread);
	const struct lock_wait *wait = &process->threads[thread].lock_wait;
	return !model_exited(model, thread) && op->kind == OP_FILE_LOCK_SET && op->arg == LOCK_OF_PROCESS &&
	       op->arg3 && wait->owner > 0 &&
	       any_lock(is_awaited, &(struct lock_question){.wait = wait}, true);
}

/* What this process waits for; NULL: nothing. Of several threads of it that wait the kernel finds the last one. */
static const struct lock_wait *wait_of(const struct process *process, pid_t owner)
{
	const struct lock_wait *found = NULL;
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct process_thread *thread = &process->threads[t];
		const struct lock_wait *wait = &thread->lock_wait;
		if (thread->space < process->spaces_length &&
		    target_pid(process->spaces[thread->space].target) == owner &&
		    (!found || wait->since > found->since) && waits(process, t))
			found = wait;
	}
	return found;
}

/* The kernel follows so many waits that lead from one process to the next (MAX_DEADLK_ITERATIONS, and one more). */
#define MOST_WAITS 11

/* Would the present process wait for itself? */
static bool closes_circle(const struct process *process, const struct lock_wait *wait)
{
	for (int i = 0; i < MOST_WAITS; i++) {
		wait = wait->owner > 0 ? wait_of(process, wait->owner) : NULL;
		if (!wait)
			return false;
		if (wait->owner == target_pid(process->target))
			return true;
	}
	return false;
}

/*
 * F_GETLK by the thread itself, to which its process's own locks don't count: the first lock that is in the way, in the order in which the kernel
 * looks at them. F_UNLCK: none is.
 */
static bool ask_range(const struct process *process, struct tracee *tracee,
		      const struct user_regs_struct *regs, struct flock *range)
{
	const uint64_t at = (regs->rsp - FRAME_BELOW - sizeof *range) & ~UINT64_C(15);
	const uint64_t arguments[6] = {regs->rdi, F_GETLK, at};
	struct flock kept;
	int64_t result = -1;
	if (target_read(process->target, at, &kept, sizeof kept) != STATUS_OK ||
	    target_write(process->target, at, range, sizeof *range) != STATUS_OK)
		return false;
	const bool asked = tracee_syscall(tracee, SYS_fcntl, arguments, &result) == STATUS_OK &&
			   result == 0 && target_read(process->target, at, range, sizeof *range) == STATUS_OK;
	/* A death is told by the next wait. */
	(void)target_write(process->target, at, &kept, sizeof kept);
	return asked;
}

static struct lock_wait wait_for(const struct process *process, const struct stat *file,
				 const struct flock *range)
{
	return (struct lock_wait){
	    .owner = range->l_pid,
	    .inode = file->st_ino,
	    .range = {.writes = range->l_type == F_WRLCK,
		      .first = (uint64_t)range->l_start,
		      .last = range->l_len ? (uint64_t)(range->l_start + range->l_len - 1) : INT64_MAX},
	    .since = process->transitions,
	};
}

enum tried kernel_try_lock(struct process *process, uint32_t thread, const struct stat *file)
{
	struct process_thread *self = &process->threads[thread];
	const struct user_regs_struct *now = tracee_regs(self->tracee);
	struct flock range;
	if (!now)
		return TRIED_GOES;
	const struct user_regs_struct regs = *now;
	const int command = (int)regs.rsi;
	if (command == F_GETLK || target_read(process->target, regs.rdx, &range, sizeof range) != STATUS_OK ||
	    range.l_type == F_UNLCK || !ask_range(process, self->tracee, &regs, &range) ||
	    range.l_type == F_UNLCK)
		return TRIED_GOES;
	if (command == F_SETLK)
		return TRIED_FAILS;
	self->lock_wait = wait_for(process, file, &range);
	/* Who waits for a process by way of an open file's lock isn't known. */
	if (self->lock_wait.owner <= 0)
		process_remark(process, "locks of processes that wait for those of open files");
	self->refused = closes_circle(process, &self->lock_wait);
	return self->refused ? TRIED_FAILS : TRIED_WAITS;
}
