#include "supervisor/process_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Objects of the kernel by which threads of one process can wait for each other: pipes, event counters, pairs of sockets, semaphores
 * and queues of System V and POSIX, locks of files. Their calls are no operations where they don't wait, so that threads aren't
 * switched there and a search misses what depends on it: the verdict has to name them. It does where two threads use the same one, and
 * one of the uses could wait for the other: not for output, nor for what one thread uses alone.
 *
 * Calls that make such objects stop the thread. Only when there is one the calls that transfer do as well, which cost a stop each.
 */

static const char *const texts[] = {
    [CHANNEL_PIPE] = "pipes by which threads may wait for each other",
    [CHANNEL_EVENTFD] = "eventfds by which threads may wait for each other",
    [CHANNEL_SOCKET] = "sockets by which threads may wait for each other",
    [CHANNEL_OTHER] = "descriptors of events by which threads may wait for each other",
    [CHANNEL_SEMAPHORE] = "semop: threads may wait for each other",
    [CHANNEL_QUEUE] = "message queues by which threads may wait for each other",
    [CHANNEL_LOCK] = "file locks by which threads may wait for each other",
};

static void remark(struct process *process, enum channel_kind kind)
{
	process_remark(process, texts[kind]);
}

static void note_use(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id,
		     bool waits)
{
	for (size_t i = 0; i < process->channels_length; i++) {
		struct channel_use *use = &process->channels[i];
		if (use->kind != kind || use->id != id)
			continue;
		use->shared |= use->thread != thread;
		use->waits |= waits;
		if (use->shared && use->waits)
			remark(process, kind);
		return;
	}
	/* Of so many one may be shared. */
	if (process->channels_length == CHANNELS_ROOM)
		return remark(process, kind);
	process->channels[process->channels_length++] =
	    (struct channel_use){.kind = kind, .id = id, .thread = thread, .waits = waits};
}

static enum channel_kind kind_of(const char *link)
{
	static const struct {
		const char *beginning;
		enum channel_kind kind;
	} kinds[] = {{"pipe:", CHANNEL_PIPE},
		     {"socket:", CHANNEL_SOCKET},
		     {"anon_inode:[eventfd]", CHANNEL_EVENTFD},
		     {"anon_inode:[signalfd]", CHANNEL_OTHER},
		     {"anon_inode:[timerfd]", CHANNEL_OTHER},
		     {"anon_inode:inotify", CHANNEL_OTHER},
		     {"anon_inode:[userfaultfd]", CHANNEL_OTHER}};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strncmp(link, kinds[i].beginning, strlen(kinds[i].beginning)) == 0)
			return kinds[i].kind;
	return CHANNEL_NONE;
}

/* Both ends of a pair of sockets count as one, as do all pairs; of what has no number of its own each descriptor is one. */
static void note_descriptor(struct process *process, uint32_t thread, int descriptor, bool waits)
{
	char path[48], link[64];
	unsigned long long id = 0;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	const ssize_t length = readlink(path, link, sizeof link - 1);
	if (length < 0)
		return;
	link[length] = '\0';
	const enum channel_kind kind = kind_of(link);
	if (kind == CHANNEL_NONE)
		return;
	if (kind == CHANNEL_PIPE)
		(void)sscanf(link, "pipe:[%llu]", &id);
	else if (kind != CHANNEL_SOCKET)
		id = (unsigned long long)descriptor;
	note_use(process, thread, kind, id, waits);
}

/* Two descriptors of one file lock the same. */
static void note_lock(struct process *process, uint32_t thread, int descriptor)
{
	char path[48];
	struct stat file;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	if (stat(path, &file) == 0)
		note_use(process, thread, CHANNEL_LOCK, file.st_ino, true);
}

static bool locks_file(int command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

void channels_watch(struct process *process, uint32_t thread)
{
	struct tracee *tracee = process->threads[thread].tracee;
	if (!process->has_channels || process->watches_channels || !tracee)
		return;
	process->watches_channels = true;
	/* What isn't seen may be. */
	if (target_watch_transfers(tracee) != STATUS_OK)
		process_remark(process, "pipes and the like, which fmc can't watch");
}

/* From the second thread on: the thread stands before a call that uses such an object. */
static void note_call(struct process *process, uint32_t thread, long number,
		      const struct user_regs_struct *regs)
{
	const int first = (int)regs->rdi;
	switch (number) {
	case SYS_read:
	case SYS_readv:
	case SYS_preadv2:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
		note_descriptor(process, thread, first, true);
		break;
	case SYS_write:
	case SYS_writev:
	case SYS_pwritev2:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_vmsplice:
		note_descriptor(process, thread, first, false);
		break;
	case SYS_splice:
		note_descriptor(process, thread, first, true);
		note_descriptor(process, thread, (int)regs->rdx, false);
		break;
	case SYS_semop:
	case SYS_semtimedop:
		note_use(process, thread, CHANNEL_SEMAPHORE, regs->rdi, true);
		break;
	case SYS_msgsnd:
	case SYS_msgrcv:
		note_use(process, thread, CHANNEL_QUEUE, regs->rdi, number == SYS_msgrcv);
		break;
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
		/* Apart from those of System V. */
		note_use(process, thread, CHANNEL_QUEUE, ~regs->rdi, number == SYS_mq_timedreceive);
		break;
	case SYS_flock:
		note_lock(process, thread, first);
		break;
	case SYS_fcntl:
		if (locks_file((int)regs->rsi))
			note_lock(process, thread, first);
		break;
	default:
		break;
	}
}

void channels_note(struct process *process, uint32_t thread, long number)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	switch (number) {
	case SYS_pipe:
	case SYS_pipe2:
	case SYS_eventfd:
	case SYS_eventfd2:
	case SYS_socketpair:
	case SYS_signalfd:
	case SYS_signalfd4:
	case SYS_timerfd_create:
	case SYS_inotify_init:
	case SYS_inotify_init1:
	case SYS_userfaultfd:
		process->has_channels = true;
		if (process->threaded)
			channels_watch(process, thread);
		break;
	default:
		if (process->threaded && regs)
			note_call(process, thread, number, regs);
	}
}
