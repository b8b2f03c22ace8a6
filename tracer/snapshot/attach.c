#include "tracer/snapshot/attach.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/clock.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STOP_MOST_NS UINT64_C(3000000000) /* it takes to stop all threads, when they come and go */
#define NICENESS     (-5)
#define TRIES_MOST   5 /* at a process that replaces its program */

static bool is_known(const struct attach *attach, pid_t tid)
{
	for (size_t i = 0; i < attach->length; i++)
		if (attach->at[i].thread.tid == tid && attach->at[i].life != ATTACH_GONE)
			return true;
	return false;
}

static enum status add_thread(struct attach *attach, pid_t tid)
{
	if (!ARRAY_GROW(attach->at, attach->length, attach->room))
		return attach_no_memory(attach);
	struct attached *attached = &attach->at[attach->length];
	*attached = (struct attached){.thread = {.tid = tid, .number = tid, .syscall = NO_SYSCALL}};
	if (!task_describe(attach->folder, tid, &attached->thread))
		return STATUS_OK;
	const char state = attached->thread.state;
	if (state == 'X' || (state == 'Z' && tid != attach->pid))
		return STATUS_OK;
	if (attach->numbers_differ)
		attached->thread.number = task_number(attach->folder, tid);
	attach->length++;
	return STATUS_OK;
}

/* Add the threads that aren't known yet. */
static enum status list_threads(struct attach *attach)
{
	const int fd = openat(attach->folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
	enum status status = STATUS_OK;
	if (!tasks && fd >= 0)
		close(fd);
	if (!tasks)
		return errno == ENOMEM ? attach_no_memory(attach) : attach_ended(attach);
	/* The order hardly changes from one time to the next. */
	size_t next = 0;
	for (struct dirent *entry; status == STATUS_OK && (entry = readdir(tasks));) {
		const pid_t tid = (pid_t)atoi(entry->d_name);
		if (tid <= 0)
			continue;
		if (next < attach->length && attach->at[next].thread.tid == tid &&
		    attach->at[next].life != ATTACH_GONE)
			next++;
		else if (!is_known(attach, tid))
			status = add_thread(attach, tid);
	}
	closedir(tasks);
	return status;
}

static bool has_new(const struct attach *attach)
{
	for (size_t i = 0; i < attach->length; i++)
		if (attach->at[i].life == ATTACH_NEW)
			return true;
	return false;
}

static enum status too_fast(struct attach *attach)
{
	snprintf(attach->why, WHY_ROOM,
		 "process %d can't be brought to a stand, so fast do its threads come and go: try again",
		 attach->pid);
	return STATUS_DENIED;
}

/* Until there are no threads but those that stand or are asleep. */
static enum status stop_threads(struct attach *attach)
{
	enum status status = STATUS_OK;
	const uint64_t start = clock_now();
	do {
		if (clock_now() - start > STOP_MOST_NS)
			return too_fast(attach);
		for (size_t i = 0; i < attach->length && status == STATUS_OK; i++)
			if (attach->at[i].life == ATTACH_NEW)
				status = attach_ask(attach, &attach->at[i]);
		if (status == STATUS_OK)
			status = attach_wait(attach);
		if (status == STATUS_OK)
			status = list_threads(attach);
	} while (status == STATUS_OK && has_new(attach));
	return status;
}

/*
 * Before others that want the processor, where that is permitted: threads stand and wait for it. Not so much before them that
 * the threads, on their way to a stop, would wait for it to sleep.
 */
static void go_first(void)
{
	if (getpriority(PRIO_PROCESS, 0) > NICENESS)
		setpriority(PRIO_PROCESS, 0, NICENESS);
}

/* The tracing thread. Whatever it still has seized when it ends, the kernel lets go. */
static void *look(void *argument)
{
	struct attach *attach = argument;
	go_first();
	const uint64_t start = clock_now();
	attach->snapshot->process.standing = true;
	attach->status = stop_threads(attach);
	if (attach->status == STATUS_OK)
		attach->status = attach_copy(attach);
	attach->snapshot->process.standing = false;
	attach_release(attach);
	attach->snapshot->still_ns = clock_now() - start;
	return NULL;
}

/* No signal comes in between; a Ctrl-Z, for one, would leave the process standing. */
static enum status look_undisturbed(struct attach *attach)
{
	pthread_t thread;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int error = pthread_create(&thread, NULL, look, attach);
	if (error == 0)
		pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error ? attach_no_memory(attach) : attach->status;
}

static enum status read_program(struct attach *attach)
{
	char path[PATH_MAX];
	struct snapshot *snapshot = attach->snapshot;
	const ssize_t length = readlinkat(attach->folder, "exe", path, sizeof path - 1);
	path[length > 0 ? length : 0] = 0;
	free(snapshot->program);
	snapshot->program = strdup(path);
	free(snapshot->auxiliary);
	size_t size = 0;
	snapshot->auxiliary = (uint64_t *)(void *)proc_all(attach->folder, "auxv", &size);
	snapshot->auxiliary_length = size / sizeof *snapshot->auxiliary;
	return snapshot->program && snapshot->auxiliary ? STATUS_OK : attach_ended(attach);
}

static enum status try_once(struct attach *attach)
{
	struct snapshot *snapshot = attach->snapshot;
	attach->length = 0;
	attach->ended = false;
	enum status status = attach_permit(attach);
	if (status == STATUS_OK)
		status = read_program(attach);
	if (status != STATUS_OK)
		return status;
	snapshot->pid = attach->pid;
	snapshot->process.root = openat(attach->folder, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	attach->pidfd = (int)syscall(SYS_pidfd_open, attach->pid, 0);
	status = list_threads(attach);
	if (status == STATUS_OK) {
		attach_watch_running(attach);
		status = look_undisturbed(attach);
	}
	if (attach->pidfd >= 0)
		close(attach->pidfd);
	return status;
}

enum status snapshot_take(pid_t pid, void (*standing)(void *context, struct snapshot *snapshot),
			  void *context, struct snapshot **snapshot, char why[WHY_ROOM])
{
	struct attach attach = {.pid = pid, .standing = standing, .context = context, .why = why};
	enum status status = STATUS_GONE;
	*why = 0;
	*snapshot = NULL;
	for (int i = 0; i < TRIES_MOST && status == STATUS_GONE; i++) {
		snapshot_free(attach.snapshot);
		attach.snapshot = snapshot_new(&snapshot_live);
		if (!attach.snapshot)
			return attach_no_memory(&attach);
		status = try_once(&attach);
	}
	free(attach.at);
	if (status == STATUS_GONE)
		status = attach_ended(&attach);
	if (status == STATUS_INTERRUPTED)
		snprintf(why, WHY_ROOM, "interrupted");
	if (status == STATUS_OK)
		*snapshot = attach.snapshot;
	else
		snapshot_free(attach.snapshot);
	return status;
}
