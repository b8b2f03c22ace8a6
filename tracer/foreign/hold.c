#include "tracer/answers/answers.h"
#include "tracer/foreign/foreign.h"
#include "tracer/proc/proc.h"
#include "tracer/snapshot/attach.h"

#include <fmc/tracer/call_traits.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Taking hold of a foreign process, and letting its threads run. */

#define STOP_MS	    1000 /* for all threads to stop */
#define TRANSFER_MS 2000 /* for transfers to end that must not be cut short */

/* The threads that /proc lists, each given to `visit` until one says that this is enough. */
static bool each_thread(pid_t pid, bool (*visit)(void *context, pid_t tid), void *context)
{
	char path[32];
	bool more = true;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return true;
	for (struct dirent *entry; more && (entry = readdir(tasks));)
		if (atoi(entry->d_name) > 0)
			more = visit(context, atoi(entry->d_name));
	closedir(tasks);
	return more;
}

static bool not_transferring(void *context, pid_t tid)
{
	struct task_call call;
	const struct foreign *foreign = context;
	return !task_call(foreign->folder, tid, &call) || call.running ||
	       !call_is_halved(call.number, call.arguments);
}

/* A write to a full pipe, say, would come back with what it has written by then. Mostly it is over soon. */
static bool transfers_over(struct foreign *foreign)
{
	for (int waited = 0; !each_thread(foreign->target->pid, not_transferring, foreign); waited++) {
		if (waited == TRANSFER_MS)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return true;
}

/* The number of the thread that traces it, 0: none; -1 if it has ended. */
static int tracer_of(pid_t pid, pid_t tid)
{
	char path[64], line[128], state = 'X';
	int tracer = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "State: %c", &state) != 1 && sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (file)
		fclose(file);
	return state == 'X' || state == 'Z' ? -1 : tracer;
}

struct seizing {
	struct foreign *foreign;
	size_t added;
	int error;
	bool again;
};

/* It couldn't be seized: because it has ended, or is traced already, made by a thread that is. */
static int refused(const struct seizing *seizing, pid_t tid, int error, bool *again)
{
	const int tracer = error == ESRCH ? -1 : tracer_of(seizing->foreign->target->pid, tid);
	if (tracer == 0 && seizing->foreign->target->tracees_length > 0)
		*again = true; /* it was another's a moment ago */
	else if (tracer >= 0 && tracer != gettid())
		return error;
	return 0;
}

static bool seize(void *context, pid_t tid)
{
	struct seizing *seizing = context;
	if (target_by_tid(seizing->foreign->target, tid))
		return true;
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(long)FOREIGN_OPTIONS) != 0) {
		seizing->error = refused(seizing, tid, errno, &seizing->again);
		return !seizing->error;
	}
	seizing->added++;
	if (!foreign_add(seizing->foreign, tid))
		seizing->error = ENOMEM;
	return !seizing->error;
}

static enum status seize_all(struct foreign *foreign)
{
	struct seizing seizing = {.foreign = foreign};
	do {
		seizing.added = 0;
		seizing.again = false;
		each_thread(foreign->target->pid, seize, &seizing);
	} while ((seizing.added || seizing.again) && !seizing.error);
	if (seizing.error == EPERM || seizing.error == EACCES)
		return STATUS_DENIED;
	if (seizing.error)
		return seizing.error == ENOMEM ? STATUS_NO_MEMORY : STATUS_NOT_FOUND;
	return foreign->target->tracees_length ? STATUS_OK : STATUS_NOT_FOUND;
}

static enum status refuse(enum status status, pid_t pid, char why[256])
{
	switch (status) {
	case STATUS_OK:
		break;
	case STATUS_NOT_FOUND:
	case STATUS_GONE:
		snprintf(why, 256, "there is no process %d (any more)", pid);
		return STATUS_NOT_FOUND;
	case STATUS_DENIED:
		snprintf(why, 256, "process %d: the system doesn't permit tracing it", pid);
		break;
	case STATUS_TIMEOUT:
		snprintf(why, 256, "process %d: one of its threads can't be stopped now, try again", pid);
		break;
	default:
		snprintf(why, 256, "process %d: %s", pid, status_text(status));
		break;
	}
	return status;
}

enum status foreign_new(pid_t pid, struct foreign **foreign, char why[256])
{
	struct foreign *new = calloc(1, sizeof *new);
	enum status status = new && (new->target = target_new(pid, &answers)) ? STATUS_OK : STATUS_NO_MEMORY;
	char path[32];
	*foreign = NULL;
	snprintf(path, sizeof path, "/proc/%d", pid);
	if (new)
		new->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (status == STATUS_OK && new->folder < 0)
		status = STATUS_NOT_FOUND;
	if (status == STATUS_OK)
		status = target_open_memory(new->target);
	if (status == STATUS_OK)
		*foreign = new;
	else
		foreign_free(new);
	return refuse(status, pid, why);
}

enum status foreign_open(struct foreign *foreign, char why[256])
{
	const pid_t pid = foreign->target->pid;
	if (!transfers_over(foreign)) {
		snprintf(why, 256,
			 "process %d: one of its threads is in the middle of a transfer that must not be cut "
			 "short, try again",
			 pid);
		return STATUS_TIMEOUT;
	}
	enum status status = seize_all(foreign);
	if (status == STATUS_OK)
		status = foreign_stop(foreign, true, STOP_MS);
	return refuse(status, pid, why);
}

void foreign_free(struct foreign *foreign)
{
	if (!foreign)
		return;
	if (foreign->folder >= 0)
		close(foreign->folder);
	if (foreign->target)
		target_free(foreign->target);
	free(foreign->threads);
	free(foreign);
}
