#include "tracer/held/held.h"
#include "tracer/proc/births.h"
#include "tracer/snapshot/attach.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/call_traits.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All threads of a foreign process are stopped, and let go. */

/* A call with this result begins anew, unless a signal's handler runs first. */
#define ERESTARTNOHAND 514

/*
 * Where it stood. A call that has been cut short by stopping it, not by a signal, shall begin anew: the kernel does so for a result
 * that says it, unless a signal's handler runs first; then it is EINTR after all.
 */
static enum status note_place(const struct held *held, struct held_thread *thread)
{
	int signal;
	thread->number = task_number(held->folder, thread->tid);
	if (ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->regs) != 0 ||
	    ptrace(PTRACE_GETSIGMASK, thread->tid, (void *)sizeof thread->mask, &thread->mask) != 0)
		return STATUS_GONE;
	if ((int64_t)thread->regs.orig_rax < 0 || (int64_t)thread->regs.rax != -EINTR ||
	    thread->job_stopped || !call_traits((long)thread->regs.orig_rax)->cut ||
	    held_has_signals(thread, false, &signal))
		return STATUS_OK;
	thread->regs.rax = (unsigned long long)-ERESTARTNOHAND;
	return held_set_regs(thread, &thread->regs);
}

static enum status refuse(char why[256], pid_t tid, const char *because)
{
	snprintf(why, 256, "thread %d %s", tid, because);
	return STATUS_UNSUPPORTED;
}

/* PIPE_BUF: so much goes into a pipe at once or not at all; a thread that waits there has written nothing. */
static bool writes_at_once(const struct held *held, const struct task_call *call)
{
	char path[32], link[8] = "";
	snprintf(path, sizeof path, "fd/%d", (int)call->arguments[0]);
	return call->number == SYS_write && call->arguments[2] <= PIPE_BUF &&
	       readlinkat(held->folder, path, link, sizeof link - 1) > 0 && strncmp(link, "pipe:", 5) == 0;
}

/* A call that would return with a part done if it was stopped: it may be over soon. */
static bool is_halfway(const struct held *held, pid_t tid)
{
	struct task_call call;
	return task_call(held->folder, tid, &call) && !call.running &&
	       call_is_halved(call.number, call.arguments) && !writes_at_once(held, &call);
}

static enum status add_thread(struct held *held, struct attach *permission, pid_t tid)
{
	if (!ARRAY_GROW(held->threads, held->length, held->room))
		return STATUS_NO_MEMORY;
	if (is_halfway(held, tid))
		return refuse(permission->why, tid,
			      "is in the middle of sending or writing something: try again");
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0)
		return errno == ESRCH ? STATUS_GONE : attach_refused(permission, errno);
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	held->threads[held->length++] = (struct held_thread){.tid = tid};
	return STATUS_OK;
}

static bool is_known(const struct held *held, pid_t tid)
{
	for (uint32_t i = held->length; i-- > 0;)
		if (held->threads[i].tid == tid)
			return true;
	return false;
}

/* Seize those that aren't yet. *more: there were some. */
static enum status seize_others(struct held *held, struct attach *permission, bool *more)
{
	char path[32];
	enum status status = STATUS_OK;
	*more = false;
	snprintf(path, sizeof path, "/proc/%d/task", held->pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return STATUS_GONE;
	for (struct dirent *entry; status == STATUS_OK && (entry = readdir(tasks));) {
		const pid_t tid = atoi(entry->d_name);
		if (tid <= 0 || is_known(held, tid))
			continue;
		status = add_thread(held, permission, tid);
		*more |= status == STATUS_OK;
		if (status == STATUS_GONE && tid != held->pid)
			status = STATUS_OK; /* it has just ended */
	}
	closedir(tasks);
	return status;
}

static enum status stop_thread(const struct held *held, struct held_thread *thread)
{
	enum status status = held_await_rest(thread);
	if (status == STATUS_OK)
		status = note_place(held, thread);
	thread->standing = status == STATUS_OK;
	return status;
}

/* Wait for those from `first` on; the dead leave the table. */
static enum status stop_from(struct held *held, uint32_t first, char why[256])
{
	uint32_t kept = first;
	for (uint32_t i = first; i < held->length; i++) {
		struct held_thread *thread = &held->threads[i];
		const enum status status = stop_thread(held, thread);
		if (status == STATUS_TIMEOUT)
			return refuse(why, thread->tid,
				      "doesn't stop: it waits for a disk or another device");
		if (status == STATUS_OK)
			held->threads[kept++] = *thread;
		else if (thread->tid == held->pid)
			return STATUS_GONE;
	}
	held->length = kept;
	return STATUS_OK;
}

/* The main thread first, then by age. */
static enum status put_in_order(struct held *held)
{
	struct birth *births = calloc(held->length + 1, sizeof *births);
	struct held_thread *sorted = calloc(held->length + 1, sizeof *sorted);
	if (!births || !sorted) {
		free(births);
		free(sorted);
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < held->length; i++) {
		const pid_t tid = held->threads[i].tid;
		births[i] = (struct birth){tid, task_started(held->folder, tid), i};
	}
	births_order(births, held->length, held->pid, births_range());
	for (uint32_t i = 0; i < held->length; i++)
		sorted[i] = held->threads[births[i].index];
	const bool there = held->length && sorted[0].tid == held->pid;
	free(births);
	free(held->threads);
	held->threads = sorted;
	held->room = held->length + 1;
	return there ? STATUS_OK : STATUS_GONE;
}

/* Stopped threads make no further ones: when a look finds none, all are there. */
static enum status stop_all(struct held *held, struct attach *permission)
{
	bool more = true;
	enum status status = STATUS_OK;
	while (status == STATUS_OK && more) {
		const uint32_t known = held->length;
		status = seize_others(held, permission, &more);
		if (status == STATUS_OK)
			status = stop_from(held, known, permission->why);
	}
	return status == STATUS_OK ? put_in_order(held) : status;
}

static enum status open_process(struct held *held, struct attach *permission)
{
	held->snapshot = permission->snapshot = snapshot_new(&snapshot_live);
	if (!held->snapshot)
		return attach_no_memory(permission);
	const enum status status = attach_permit(permission);
	if (status != STATUS_OK)
		return status;
	held->pid = permission->pid;
	held->folder = permission->folder;
	held->memory = openat(held->folder, "mem", O_RDWR | O_CLOEXEC);
	return held->memory >= 0 ? STATUS_OK : attach_refused(permission, errno);
}

enum status held_take(pid_t pid, struct held **out, char why[256])
{
	struct attach permission = {.pid = pid, .why = why};
	*out = NULL;
	struct held *held = calloc(1, sizeof *held);
	if (!held)
		return attach_no_memory(&permission);
	held->memory = -1;
	enum status status = open_process(held, &permission);
	if (status == STATUS_OK)
		status = stop_all(held, &permission);
	if (status == STATUS_GONE)
		status = attach_ended(&permission);
	else if (status == STATUS_NO_MEMORY)
		status = attach_no_memory(&permission);
	if (status == STATUS_OK) {
		*out = held;
		return STATUS_OK;
	}
	held_release(held);
	return status;
}

uint64_t held_status(const struct held *held, const char *key, int base, uint64_t otherwise)
{
	char text[8192], *end;
	const char *value =
	    proc_text(held->folder, "status", text, sizeof text) > 0 ? proc_field(text, key) : NULL;
	const uint64_t number = value ? strtoull(value, &end, base) : 0;
	return value && end != value ? number : otherwise;
}

void held_release(struct held *held)
{
	if (!held)
		return;
	/*
	 * Only a thread that stands can be let go; one that waits for a device still is at the latest when fmc ends. The kernel
	 * keeps a process stopped that SIGSTOP has stopped.
	 */
	for (uint32_t i = 0; i < held->length; i++)
		if (held->threads[i].standing || stop_thread(held, &held->threads[i]) == STATUS_OK)
			ptrace(PTRACE_DETACH, held->threads[i].tid, NULL, NULL);
	if (held->memory >= 0)
		close(held->memory);
	snapshot_free(held->snapshot);
	free(held->threads);
	free(held);
}
