/* System calls on locks of files, semaphores and queues, as operations on these. */
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/fdinfo.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Of commands of semctl() and msgctl(): no other command. */
#define WIDE_RECORDS 0x100

static bool is_followed(const struct process *process)
{
	return process->spaces_length > 1;
}

/*
 * Does the process change what others wait for, as it changes a lock of its own? Not if its only thread does: as it doesn't wait itself, no wait for
 * it leads any further.
 */
static uint64_t change_of_lock(const struct process *process, bool waits)
{
	uint32_t threads = 0;
	for (uint32_t t = 0; t < process->threads_length; t++)
		threads += process->threads[t].space == process->space;
	return waits || threads > 1 ? LOCK_OF_PROCESS : 1;
}

/* Any descriptor of the file will do to lose what belongs to the process. */
static bool owns_lock(const struct process *process, int descriptor)
{
	struct stat file;
	return is_followed(process) && channels_find_file(process, descriptor, &file) &&
	       kernel_owns_lock(process, &file);
}

/* Of what the descriptor leads to, and nothing that belongs to the process. */
static bool holds_lock(const struct process *process, int descriptor)
{
	char line[160];
	bool holds = false;
	FILE *file = fdinfo_open(target_pid(process->target), descriptor);
	while (file && !holds && fgets(line, sizeof line, file))
		holds = strncmp(line, "lock:", 5) == 0 && (strstr(line, "FLOCK") || strstr(line, "OFDLCK"));
	if (file)
		fclose(file);
	return holds;
}

static bool closes_on_exec(const struct process *process, int descriptor)
{
	unsigned flags = 0;
	return fdinfo_flags(target_pid(process->target), descriptor, &flags) && flags & O_CLOEXEC;
}

static bool knows_locks(const struct process *process)
{
	return shared_has(process->shared, process->shared_known, CLASS_FILE_LOCK, 0, process->transitions);
}

static bool set_file(const struct process *process, int descriptor, enum op_kind kind, bool never_waits,
		     struct kernel_call *call)
{
	struct stat file;
	if (!channels_find_file(process, descriptor, &file))
		return false;
	*call = (struct kernel_call){.class = CLASS_FILE_LOCK,
				     .kind = kind,
				     .used = descriptor,
				     .id = channels_file_id(process, &file),
				     .amount = 1,
				     .never_waits = never_waits,
				     .can_be_operation = !kernel_others_lock(process, &file)};
	return true;
}

static bool set_close(const struct process *process, int descriptor, struct kernel_call *call)
{
	const bool owns = knows_locks(process) && owns_lock(process, descriptor);
	if (!owns && !(knows_locks(process) && holds_lock(process, descriptor)))
		return false;
	const bool found = set_file(process, descriptor, OP_FILE_LOCK_CLOSE, true, call);
	call->amount = owns ? change_of_lock(process, false) : 1;
	return found;
}

static bool unlocks(const struct process *process, int descriptor, const void *context)
{
	(void)context;
	return closes_on_exec(process, descriptor) &&
	       (owns_lock(process, descriptor) || holds_lock(process, descriptor));
}

bool kernel_exec_unlocks(const struct process *process)
{
	return is_followed(process) && knows_locks(process) &&
	       uses_any_descriptor(process, -1, unlocks, NULL);
}

static bool lets_go(const struct process *process, uint64_t address)
{
	struct flock range;
	return target_read(process->target, address, &range, sizeof range) == STATUS_OK &&
	       range.l_type == F_UNLCK;
}

static bool set_range(const struct process *process, const struct user_regs_struct *regs,
		      struct kernel_call *call)
{
	const int command = (int)regs->rsi;
	const bool of_process = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
	/* A single process has them all. */
	if (of_process ? !is_followed(process)
		       : command != F_OFD_SETLK && command != F_OFD_SETLKW && command != F_OFD_GETLK)
		return false;
	const bool waits = (command == F_OFD_SETLKW || command == F_SETLKW) && !lets_go(process, regs->rdx);
	const bool found = set_file(process, (int)regs->rdi, OP_FILE_LOCK_SET, !waits, call);
	call->amount = command == F_OFD_GETLK || command == F_GETLK ? 0
		       : of_process				    ? change_of_lock(process, waits)
								    : 1;
	return found;
}

bool kernel_is_private_set(int set)
{
	struct semid_ds about;
	union {
		struct semid_ds *about;
	} argument = {&about};
	if (semctl(set, 0, IPC_STAT, argument) != 0)
		return errno == EINVAL || errno == EIDRM;
	return about.sem_perm.__key == IPC_PRIVATE;
}

bool kernel_is_private_queue(int queue)
{
	struct msqid_ds about;
	if (msgctl(queue, IPC_STAT, &about) != 0)
		return errno == EINVAL || errno == EIDRM;
	return about.msg_perm.__key == IPC_PRIVATE;
}

/* What the kernel takes back when its process ends, of several (SEM_UNDO). */
#define MOST_CHANGES 64
static bool is_undone(const struct process *process, const struct user_regs_struct *regs)
{
	struct sembuf changes[MOST_CHANGES];
	if (process->spaces_length == 0)
		return false;
	/* Of more than these it isn't known. */
	if (regs->rdx > MOST_CHANGES)
		return true;
	if (target_read(process->target, regs->rsi, changes, regs->rdx * sizeof *changes) != STATUS_OK)
		return false;
	for (size_t i = 0; i < regs->rdx; i++)
		if (changes[i].sem_flg & SEM_UNDO)
			return true;
	return false;
}

static bool set_semaphores(const struct process *process, const struct user_regs_struct *regs, long number,
			   struct kernel_call *call)
{
	const int set = (int)regs->rdi, command = (int)regs->rdx & ~WIDE_RECORDS;
	const bool control = number == SYS_semctl, timed = number == SYS_semtimedop && regs->r10;
	const bool counts = control && (command == GETNCNT || command == GETZCNT);
	const bool changes = command == SETVAL || command == SETALL || command == IPC_RMID;
	*call = (struct kernel_call){.class = CLASS_SEMSET,
				     .kind = control ? OP_SEMSET_CONTROL : OP_SEMSET_CHANGE,
				     .id = (uint64_t)set,
				     .amount = !control || changes,
				     .never_waits = control,
				     .others = !kernel_is_private_set(set),
				     .can_be_operation =
					 !timed && !counts && (control || !is_undone(process, regs))};
	return true;
}

static bool set_messages(const struct user_regs_struct *regs, long number, struct kernel_call *call)
{
	const int queue = (int)regs->rdi, command = (int)regs->rsi & ~WIDE_RECORDS;
	*call =
	    (struct kernel_call){.class = CLASS_QUEUE,
				 .kind = number == SYS_msgctl	? OP_QUEUE_CONTROL
					 : number == SYS_msgsnd ? OP_QUEUE_SEND
								: OP_QUEUE_RECEIVE,
				 .id = (uint64_t)queue,
				 .amount = number != SYS_msgctl || command == IPC_SET || command == IPC_RMID,
				 .never_waits = number == SYS_msgctl,
				 .others = !kernel_is_private_queue(queue),
				 .can_be_operation = true};
	return true;
}

/* Does it ask for a signal, or a thread, that is to tell of a message? These come from the kernel. */
static bool asks_to_be_told(const struct process *process, const struct user_regs_struct *regs, long number)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	return number == SYS_mq_notify && regs->rsi &&
	       (target_read(process->target, regs->rsi, &event, sizeof event) != STATUS_OK ||
		event.sigev_notify != SIGEV_NONE);
}

/* Of POSIX, of which others have the name as long as it has one. */
static bool set_letters(const struct process *process, const struct user_regs_struct *regs, long number,
			struct kernel_call *call)
{
	struct stat file;
	const bool timed = (number == SYS_mq_timedsend || number == SYS_mq_timedreceive) && regs->r8;
	if (!channels_find_file(process, (int)regs->rdi, &file))
		return false;
	*call = (struct kernel_call){.class = CLASS_QUEUE,
				     .kind = number == SYS_mq_timedsend	     ? OP_QUEUE_SEND
					     : number == SYS_mq_timedreceive ? OP_QUEUE_RECEIVE
									     : OP_QUEUE_CONTROL,
				     .used = (int)regs->rdi,
				     .id = channels_file_id(process, &file) | UINT64_C(1) << 63,
				     .amount = number != SYS_mq_getsetattr,
				     .never_waits = number == SYS_mq_getsetattr || number == SYS_mq_notify,
				     .others = file.st_nlink > 0 || asks_to_be_told(process, regs, number),
				     .can_be_operation = !timed};
	return true;
}

/* Such a queue is a regular file by its mode. */
bool kernel_call_decode_letters(const struct process *process, int descriptor, struct kernel_call *call)
{
	const long queues = 0x19800202; /* MQUEUE_MAGIC of the kernel's ipc/mqueue.c */
	const struct user_regs_struct asks = {.rdi = (unsigned long)descriptor};
	char path[48];
	struct statfs system;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	return statfs(path, &system) == 0 && system.f_type == queues &&
	       set_letters(process, &asks, SYS_mq_getsetattr, call);
}

static bool decode(const struct process *process, const struct user_regs_struct *regs, long number,
		   struct kernel_call *call)
{
	switch (number) {
	case SYS_flock:
		return set_file(process, (int)regs->rdi, OP_FILE_LOCK_SET,
				regs->rsi & LOCK_NB || (int)regs->rsi == LOCK_UN, call);
	case SYS_fcntl:
		return set_range(process, regs, call);
	case SYS_close:
	case SYS_dup2:
	case SYS_dup3:
		return set_close(process, (int)(number == SYS_close ? regs->rdi : regs->rsi), call);
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_semctl:
		return set_semaphores(process, regs, number, call);
	case SYS_msgsnd:
	case SYS_msgrcv:
	case SYS_msgctl:
		return set_messages(regs, number, call);
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
	case SYS_mq_getsetattr:
	case SYS_mq_notify:
		return set_letters(process, regs, number, call);
	default:
		return false;
	}
}

bool kernel_call_decode_other(const struct process *process, const struct user_regs_struct *regs, long number,
			      struct kernel_call *call)
{
	if (!decode(process, regs, number, call) && !kernel_call_decode_fifo(process, regs, number, call) &&
	    !kernel_call_decode_file(process, regs, number, call))
		return false;
	call->can_be_operation &= kernel_call_has_own(process);
	return true;
}
