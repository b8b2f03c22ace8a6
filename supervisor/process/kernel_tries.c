/* Would a call on a lock of a file, a semaphore, a queue or a connection wait? Locks that belong to processes: file_locks.c. */
#include "supervisor/process/kernel_objects.h"

#include <fmc/tracer/ready.h>

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MSG_COPY
#define MSG_COPY 040000
#endif

static enum tried answer(bool waits, bool never)
{
	return !waits ? TRIED_GOES : never ? TRIED_FAILS : TRIED_WAITS;
}

/*
 * What has been opened is the same by fmc's descriptor: the lock is taken here, and the program's own call finds that it has it. One that
 * can't be had is lost, should it have been another one, as in the kernel.
 */
static enum tried try_flock(int copy, int operation)
{
	if ((operation & ~LOCK_NB) == LOCK_UN)
		return TRIED_GOES;
	const bool had = flock(copy, operation | LOCK_NB) == 0;
	return answer(!had && errno == EWOULDBLOCK, operation & LOCK_NB);
}

static enum tried try_range(const struct process *process, int copy, int command, uint64_t address)
{
	struct flock range;
	if (command == F_OFD_GETLK ||
	    target_read(process->target, address, &range, sizeof range) != STATUS_OK ||
	    range.l_type == F_UNLCK)
		return TRIED_GOES;
	const bool asked = fcntl(copy, F_OFD_GETLK, &range) == 0;
	return answer(asked && range.l_type != F_UNLCK, command == F_OFD_SETLK);
}

/* All changes together, or none. */
#define MOST_CHANGES 64
#define MOST_VALUES  256
static enum tried try_changes(const struct process *process, int set, uint64_t address, uint64_t length)
{
	struct sembuf changes[MOST_CHANGES];
	unsigned short values[MOST_VALUES];
	union semun {
		struct semid_ds *about;
		unsigned short *values;
	} argument;
	struct semid_ds about;
	argument.about = &about;
	if (length > MOST_CHANGES || semctl(set, 0, IPC_STAT, argument) != 0 ||
	    about.sem_nsems > MOST_VALUES ||
	    target_read(process->target, address, changes, length * sizeof *changes) != STATUS_OK)
		return TRIED_GOES;
	argument.values = values;
	if (semctl(set, 0, GETALL, argument) != 0)
		return TRIED_GOES;
	for (uint64_t i = 0; i < length; i++) {
		if (changes[i].sem_num >= about.sem_nsems)
			return TRIED_GOES;
		const int value = values[changes[i].sem_num] + changes[i].sem_op;
		if (value < 0 || (changes[i].sem_op == 0 && value != 0))
			return answer(true, changes[i].sem_flg & IPC_NOWAIT);
		values[changes[i].sem_num] = (unsigned short)value;
	}
	return TRIED_GOES;
}

static enum tried try_send(int queue, uint64_t bytes, int flags)
{
	struct msqid_ds about;
	if (msgctl(queue, IPC_STAT, &about) != 0)
		return TRIED_GOES;
	const bool full =
	    about.__msg_cbytes + bytes > about.msg_qbytes || about.msg_qnum + 1 > about.msg_qbytes;
	return answer(full && bytes <= about.msg_qbytes, flags & IPC_NOWAIT);
}

#define MESSAGE_BYTES 65536

/* Is there one of this type, by their order? */
static bool has_type(int queue, long type, bool but)
{
	struct {
		long type;
		char text[MESSAGE_BYTES];
	} *message = malloc(sizeof *message);
	bool found = message == NULL;
	for (long i = 0; !found; i++) {
		if (msgrcv(queue, message, MESSAGE_BYTES, i, IPC_NOWAIT | MSG_COPY | MSG_NOERROR) < 0) {
			found = errno != ENOMSG; /* it can't be asked: the kernel tells */
			break;
		}
		found = but	   ? message->type != type
			: type < 0 ? message->type <= -type
				   : message->type == type;
	}
	free(message);
	return found;
}

static enum tried try_receive(int queue, long type, int flags)
{
	struct msqid_ds about;
	if (msgctl(queue, IPC_STAT, &about) != 0)
		return TRIED_GOES;
	const bool there = about.msg_qnum > 0 && (type == 0 || has_type(queue, type, flags & MSG_EXCEPT));
	return answer(!there, flags & IPC_NOWAIT);
}

static enum tried try_letters(int copy, bool sends)
{
	struct mq_attr about;
	if (mq_getattr(copy, &about) != 0)
		return TRIED_GOES;
	return answer(sends ? about.mq_curmsgs >= about.mq_maxmsg : about.mq_curmsgs == 0,
		      about.mq_flags & O_NONBLOCK);
}

/* What has been sent is there, but for a machine that is so busy that the kernel delivers it by a thread of its own. */
#define DELIVERY_MS 2

/* Would a call at this end go now? True as well: it can't be asked. */
static bool is_open(struct target *target, int descriptor, short events)
{
	const int copy = target_duplicate(target, descriptor);
	int domain = AF_UNIX;
	socklen_t size = sizeof domain;
	if (copy < 0)
		return true;
	(void)getsockopt(copy, SOL_SOCKET, SO_DOMAIN, &domain, &size);
	const bool ready = ready_within(domain == AF_UNIX ? 0 : DELIVERY_MS, copy, events) != 0;
	close(copy);
	return ready;
}

bool kernel_is_open(const struct process *process, int descriptor, short events)
{
	return is_open(process->target, descriptor, events);
}

/* At which descriptor a call of this kind waits, and for what; false: it isn't one on a connection. */
static bool find_end(enum op_kind kind, const struct user_regs_struct *regs, int *descriptor, short *events)
{
	*descriptor = (int)(kind == OP_CONNECTION_FROM_PIPE ? regs->rdx : regs->rdi);
	switch (kind) {
	case OP_CONNECTION_RECEIVE:
	case OP_CONNECTION_ACCEPT:
	case OP_CONNECTION_TO_PIPE:
		*events = POLLIN;
		return true;
	case OP_CONNECTION_SEND:
	case OP_CONNECTION_FROM_FILE:
	case OP_CONNECTION_FROM_PIPE:
		*events = POLLOUT;
		return true;
	default:
		return false;
	}
}

static enum tried try_connection(const struct process *process, uint32_t thread, int descriptor, short events)
{
	const struct op *op = &process->threads[thread].call.op;
	const bool transfers = op->object2 != NO_OBJECT && op_class(op->kind) == CLASS_CONNECTION;
	return answer(!is_open(process->target, descriptor, events),
		      transfers ? op->arg2 & KERNEL_NEVER : op->arg2);
}

static bool goes(const struct process *process, uint32_t thread)
{
	const struct process_thread *self = &process->threads[thread];
	const struct user_regs_struct *regs = self->tracee ? tracee_regs(self->tracee) : NULL;
	int descriptor;
	short events;
	return regs && find_end(self->call.op.kind, regs, &descriptor, &events) &&
	       is_open(self->tracee->target, descriptor, events);
}

void kernel_disconnected(struct process *process)
{
	const struct model *model = process->model->model;
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct op *op = model_exited(model, t) ? NULL : model_pending(model, t);
		if (!op || op_class(op->kind) != CLASS_CONNECTION || model_enabled(model, t) ||
		    !goes(process, t))
			continue;
		process_remark(process, KERNEL_CHANGES_UNSEEN);
		kernel_change(process, op->object);
	}
}

static bool is_of_process(const struct user_regs_struct *regs)
{
	const int command = (int)regs->rsi;
	return command == F_SETLK || command == F_SETLKW || command == F_GETLK;
}

static enum tried try_file(struct process *process, uint32_t thread, const struct user_regs_struct *regs,
			   long number, int copy)
{
	struct stat file;
	enum tried tried;
	if (fstat(copy, &file) != 0)
		return TRIED_GOES;
	if (number == SYS_flock)
		tried = try_flock(copy, (int)regs->rsi);
	else if (!is_of_process(regs))
		tried = try_range(process, copy, (int)regs->rsi, regs->rdx);
	else
		tried = kernel_try_lock(process, thread, &file);
	/* One who waits for others isn't the model's, and sleeps in the kernel. */
	return tried == TRIED_WAITS && kernel_others_lock(process, &file) ? TRIED_GOES : tried;
}

/* Of those that have a descriptor. */
static enum tried try_descriptor(struct process *process, uint32_t thread,
				 const struct user_regs_struct *regs, long number)
{
	enum tried tried = TRIED_GOES;
	const int copy = kernel_duplicate(process, (int)regs->rdi);
	if (copy < 0)
		return tried;
	if (number == SYS_flock || number == SYS_fcntl)
		tried = try_file(process, thread, regs, number, copy);
	else
		tried = try_letters(copy, number == SYS_mq_timedsend);
	close(copy);
	return tried;
}

enum tried kernel_try(struct process *process, uint32_t thread)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	process->threads[thread].refused = false;
	if (!regs)
		return TRIED_GOES;
	const long number = (long)regs->orig_rax;
	const enum op_kind kind = process->threads[thread].call.op.kind;
	int descriptor;
	short events;
	if (find_end(kind, regs, &descriptor, &events))
		return try_connection(process, thread, descriptor, events);
	if (kind == OP_NAME_CHANGE) /* of inotify(7) */
		return number == SYS_read || number == SYS_readv
			   ? try_connection(process, thread, (int)regs->rdi, POLLIN)
			   : TRIED_GOES;
	if (kind == OP_FIFO_OPEN)
		return kernel_try_fifo(process, thread, regs);
	switch (number) {
	case SYS_flock:
	case SYS_fcntl:
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
		return try_descriptor(process, thread, regs, number);
	case SYS_semop:
	case SYS_semtimedop:
		return try_changes(process, (int)regs->rdi, regs->rsi, regs->rdx);
	case SYS_msgsnd:
		return try_send((int)regs->rdi, regs->rdx, (int)regs->r10);
	case SYS_msgrcv:
		return try_receive((int)regs->rdi, (long)regs->r10, (int)regs->r8);
	default:
		return TRIED_GOES;
	}
}

static bool has_peer(const struct process *process, int descriptor)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof peer;
	const int copy = kernel_duplicate(process, descriptor);
	const bool has = copy >= 0 && getpeername(copy, (struct sockaddr *)&peer, &size) == 0;
	if (copy >= 0)
		close(copy);
	return has;
}

/* Is it a socket of a network in which there is nobody else? */
static bool is_alone(const struct process *process, int descriptor)
{
	int domain = AF_UNSPEC;
	socklen_t size = sizeof domain;
	const int copy = process->options.own_network ? kernel_duplicate(process, descriptor) : -1;
	const bool asked = copy >= 0 && getsockopt(copy, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0;
	if (copy >= 0)
		close(copy);
	return asked && (domain == AF_INET || domain == AF_INET6);
}

bool kernel_waits_for_peer(const struct process *process, int descriptor, short events)
{
	return (has_peer(process, descriptor) || is_alone(process, descriptor)) &&
	       !is_open(process->target, descriptor, events ? events : POLLIN);
}

/* Somebody whom the model doesn't know can connect, or listen, or send without a connection, or change names of files that are watched, or open a FIFO. */
bool kernel_may_hear(const struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	if (op->kind == OP_FIFO_OPEN)
		return op->object < process->objects_length && process->objects[op->object].kernel.others;
	if (regs && op_class(op->kind) == CLASS_CONNECTION && is_alone(process, (int)regs->rdi))
		return false;
	if ((op->kind != OP_CONNECTION_RECEIVE && op->kind != OP_CONNECTION_TO_PIPE) || !regs)
		return op->kind == OP_CONNECTION_OPEN || op->kind == OP_CONNECTION_ACCEPT ||
		       op->kind == OP_NAME_CHANGE;
	return !has_peer(process, (int)regs->rdi);
}

/* What it has waited for is gone: whoever sleeps there is told so once. */
bool kernel_removed(const struct process *process, uint32_t thread)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	struct semid_ds set;
	struct msqid_ds queue;
	union {
		struct semid_ds *about;
	} argument = {&set};
	errno = 0;
	switch (regs ? (long)regs->orig_rax : -1) {
	case SYS_semop:
	case SYS_semtimedop:
		return semctl((int)regs->rdi, 0, IPC_STAT, argument) != 0 && errno != EACCES;
	case SYS_msgsnd:
	case SYS_msgrcv:
		return msgctl((int)regs->rdi, IPC_STAT, &queue) != 0 && errno != EACCES;
	default:
		return false;
	}
}
