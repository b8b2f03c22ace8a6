/*
 * FIFOs with names: open(2) of one end waits for that of the other one, fifo(7), and counts as its end meanwhile.
 *
 * A thread that waits there waits in the model, before its call, so fmc has that end open in its place: who opens the other end finds it, and who
 * has waited is met from then on, even if the other end is closed before its turn. Its call is made when it can't wait any more: where nobody is left
 * at the other end, fmc has that one open while the call is made. Nothing else of the program's runs then.
 */
#include "supervisor/process/kernel_objects.h"

#include <fmc/tracer/kept_files.h>
#include <fmc/tracer/ready.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool read_path(const struct process *process, uint64_t address, char path[PATH_MAX])
{
	for (size_t length = 0; length < PATH_MAX;) {
		size_t part = 256 - (address + length) % 256;
		part = part < PATH_MAX - length ? part : PATH_MAX - length;
		if (target_read(process->target, address + length, path + length, part) != STATUS_OK)
			return false;
		if (memchr(path + length, '\0', part))
			return true;
		length += part;
	}
	return false;
}

/* The flags of the call, and where its path is and begins; false: it opens nothing. */
static bool read_call(const struct process *process, const struct user_regs_struct *regs, uint64_t *flags,
		      uint64_t *path, int *folder)
{
	*folder = AT_FDCWD;
	*path = regs->rdi;
	switch ((long)regs->orig_rax) {
	case SYS_creat:
		*flags = O_CREAT | O_WRONLY | O_TRUNC;
		return true;
	case SYS_open:
		*flags = regs->rsi;
		return true;
	case SYS_openat:
		*flags = regs->rdx;
		break;
	case SYS_openat2:
		if (target_read(process->target, regs->rdx, flags, sizeof *flags) != STATUS_OK)
			return false;
		break;
	default:
		return false;
	}
	*folder = (int)regs->rdi;
	*path = regs->rsi;
	return true;
}

/* Descriptors of the process that have names there are others to fmc. */
static bool is_of_kernel(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

bool kernel_find_fifo(const struct process *process, const struct user_regs_struct *regs,
		      struct fifo_call *call)
{
	char path[PATH_MAX];
	struct stat file;
	uint64_t flags = 0, at;
	int folder;
	const int pid = target_pid(process->target);
	if (!read_call(process, regs, &flags, &at, &folder) || flags & (O_PATH | O_DIRECTORY) ||
	    (flags & O_CREAT && flags & O_EXCL) || !read_path(process, at, path) || !*path ||
	    is_of_kernel(path))
		return false;
	if (*path == '/')
		snprintf(call->path, sizeof call->path, "/proc/%d/root%s", pid, path);
	else if (folder == AT_FDCWD)
		snprintf(call->path, sizeof call->path, "/proc/%d/cwd/%s", pid, path);
	else
		snprintf(call->path, sizeof call->path, "/proc/%d/fd/%d/%s", pid, folder, path);
	if ((flags & O_NOFOLLOW ? lstat : stat)(call->path, &file) != 0 || !S_ISFIFO(file.st_mode))
		return false;
	call->flags = (int)flags;
	call->id = file.st_ino ^ (uint64_t)file.st_dev << 40;
	return true;
}

/* Where it leads to, without links. */
static bool is_made(const struct process *process, const char *link)
{
	const struct kept_files *kept = process->options.program.kept_files;
	char path[PATH_MAX];
	const ssize_t length = kept ? readlink(link, path, sizeof path - 1) : -1;
	path[length < 0 ? 0 : length] = '\0';
	return length > 0 && kept_files_made(kept, path);
}

bool kernel_made_fifo(const struct process *process, int descriptor)
{
	char link[48];
	snprintf(link, sizeof link, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	return is_made(process, link);
}

bool kernel_made_fifo_at(const struct process *process, const struct fifo_call *call)
{
	char link[48];
	const int at = open(call->path, O_PATH | O_CLOEXEC);
	snprintf(link, sizeof link, "/proc/self/fd/%d", at);
	const bool made = at >= 0 && is_made(process, link);
	if (at >= 0)
		close(at);
	return made;
}

void kernel_call_fifo(struct process *process, uint32_t fifo, uint32_t pipe, bool others)
{
	process->objects[fifo].kernel.others = process->objects[pipe].kernel.others = others;
	process->objects[pipe].kernel.named = true;
}

static void let_go(struct process_thread *self)
{
	if (self->opening.holds)
		close(self->opening.held);
	self->opening = (struct opening){.holds = false};
}

static void hold(struct process_thread *self, const struct fifo_call *call, int held)
{
	self->opening = (struct opening){
	    .holds = true,
	    .held = held,
	    .id = call->id,
	    .writes = (call->flags & O_ACCMODE) == O_WRONLY,
	};
}

/* Has it fallen asleep in its call, which nothing has ended since? Meanwhile it may be about to take a signal, which ends it only if nobody has come. */
static bool waits(const struct process *process, uint32_t thread)
{
	const struct model *model = process->model->model;
	const struct op *op = model_pending(model, thread);
	if (op->kind == OP_SIGNAL_TAKE)
		op = model_under(model, thread);
	return !model_exited(model, thread) &&
	       (process->threads[thread].opening.met || (op->kind == OP_FIFO_OPEN && op->arg3 != 0));
}

void kernel_settle_fifos(struct process *process, uint32_t thread)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (t != thread && process->threads[t].opening.holds && !waits(process, t))
			let_go(&process->threads[t]);
}

void kernel_release_fifos(struct process *process)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		let_go(&process->threads[t]);
}

/* Has one of the program's processes this end, or does a thread wait with it? */
static bool has_end(const struct process *process, uint64_t id, bool writes)
{
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct opening *opening = &process->threads[t].opening;
		if (opening->holds && opening->id == id && opening->writes == writes)
			return true;
	}
	return kernel_has_end(process, id, writes);
}

/* Who has left something for the reader may be somebody else. */
static bool has_writer(const struct process *process, const struct opening *opening)
{
	const enum writers writers = kernel_look_for_writers(opening->held);
	const uint32_t fifo =
	    writers == WRITERS_UNKNOWN ? kernel_find(process, CLASS_FIFO, opening->id) : NO_OBJECT;
	return writers == WRITERS_SOME || (fifo != NO_OBJECT && (process->objects[fifo].kernel.others ||
								 has_end(process, opening->id, true)));
}

/* Is somebody at the other end, or has been since the thread has begun to wait? */
static bool is_met(const struct process *process, const struct opening *opening)
{
	if (opening->met)
		return true;
	return opening->writes ? !(ready_now(opening->held, 0) & POLLERR) : has_writer(process, opening);
}

bool kernel_fifo_met(const struct process *process, uint32_t thread)
{
	const struct opening *opening = &process->threads[thread].opening;
	return opening->holds && is_met(process, opening);
}

/* An end that waits for nobody; -1: it can't be had. */
static int open_end(const struct fifo_call *call, int access)
{
	return open(call->path, access | O_NONBLOCK | O_CLOEXEC);
}

/* Without a reader it can only be had by way of one. */
static int open_writer(const struct fifo_call *call)
{
	const int both = open_end(call, O_RDWR), writer = both < 0 ? -1 : open_end(call, O_WRONLY);
	if (both >= 0)
		close(both);
	return writer;
}

static enum tried try_writer(struct process_thread *self, const struct fifo_call *call)
{
	int end = open_end(call, O_WRONLY);
	if (end < 0 && errno == ENXIO && call->flags & O_NONBLOCK)
		return TRIED_FAILS;
	const bool waits = end < 0 && errno == ENXIO;
	if (waits)
		end = open_writer(call);
	if (end < 0)
		return TRIED_GOES;
	hold(self, call, end);
	return waits ? TRIED_WAITS : TRIED_GOES;
}

static enum tried try_reader(const struct process *process, struct process_thread *self,
			     const struct fifo_call *call)
{
	const int end = open_end(call, O_RDONLY);
	if (end < 0)
		return TRIED_GOES;
	hold(self, call, end);
	return has_writer(process, &self->opening) ? TRIED_GOES : TRIED_WAITS;
}

enum tried kernel_try_fifo(struct process *process, uint32_t thread, const struct user_regs_struct *regs)
{
	struct process_thread *self = &process->threads[thread];
	struct fifo_call call;
	kernel_settle_fifos(process, NO_THREAD);
	if (!kernel_find_fifo(process, regs, &call)) {
		let_go(self);
		return TRIED_GOES;
	}
	if (self->opening.holds && self->opening.id == call.id)
		return is_met(process, &self->opening) ? TRIED_GOES : TRIED_WAITS;
	/* What it has waited for goes by another name by now, or by none. */
	if (self->opening.holds)
		process_remark(process, "FIFOs whose names change while they are opened");
	let_go(self);
	switch (call.flags & O_ACCMODE) {
	case O_RDONLY:
		return call.flags & O_NONBLOCK ? TRIED_GOES : try_reader(process, self, &call);
	case O_WRONLY:
		return try_writer(self, &call);
	default:
		return TRIED_GOES;
	}
}

bool kernel_fifo_waits(const struct process *process, uint32_t thread)
{
	const struct process_thread *self = &process->threads[thread];
	const struct user_regs_struct *regs = self->tracee ? tracee_regs(self->tracee) : NULL;
	struct fifo_call call;
	if (self->opening.holds)
		return !is_met(process, &self->opening);
	if (!regs || !kernel_find_fifo(process, regs, &call) || call.flags & (O_NONBLOCK | O_RDWR))
		return false;
	/* To ask by opening it would tell those who read there that somebody has written. */
	return !has_end(process, call.id, (call.flags & O_ACCMODE) != O_WRONLY);
}

/* Who waits at the other end has been met. */
static void meet(struct process *process, uint32_t thread, const struct fifo_call *call)
{
	const int access = call->flags & O_ACCMODE;
	for (uint32_t t = 0; t < process->threads_length; t++) {
		struct opening *other = &process->threads[t].opening;
		if (t != thread && other->holds && other->id == call->id)
			other->met |= access == O_RDWR || (access == O_WRONLY) != other->writes;
	}
}

/* So that the call doesn't wait; -1: it doesn't anyway. */
static int hold_other_end(const struct opening *opening, const struct fifo_call *call)
{
	if (!opening->holds)
		return -1;
	if (opening->writes)
		return open_end(call, O_RDONLY);
	return kernel_look_for_writers(opening->held) == WRITERS_SOME ? -1 : open_end(call, O_WRONLY);
}

bool kernel_open_fifo(struct process *process, uint32_t thread, int64_t *result)
{
	struct process_thread *self = &process->threads[thread];
	const struct user_regs_struct *regs = self->tracee ? tracee_regs(self->tracee) : NULL;
	struct fifo_call call;
	const bool found = regs && kernel_find_fifo(process, regs, &call);
	const bool held = self->opening.holds && self->opening.id == call.id;
	/* That of a thread which fmc can't stand for may wait. */
	if (!found || (!held && !(call.flags & (O_NONBLOCK | O_RDWR)))) {
		let_go(self);
		return false;
	}
	const uint64_t arguments[6] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	const int other = hold_other_end(&self->opening, &call);
	const bool made = tracee_syscall(self->tracee, (long)regs->orig_rax, arguments, result) == STATUS_OK;
	if (other >= 0)
		close(other);
	let_go(self);
	if (made && *result >= 0)
		meet(process, thread, &call);
	return made;
}
