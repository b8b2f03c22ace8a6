/*
 * Threads go round and come to the same state again. What they ask for in a round may be changed by somebody outside of the program: a file that
 * appears or grows, a byte in a FIFO, a connection, a signal, memory that is shared by a name. Then it isn't for ever.
 *
 * Calls that are operations aren't asked here: what is known of their objects says who else has them.
 */
#include "supervisor/before/before.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* /dev/null, /dev/zero, /dev/urandom and their like */
#define MEMORY_DEVICES 1

/* By descriptor 0, 1 or 2, too. Any thread that stands before an operation will do. */
void asks_watch(struct process *process)
{
	const struct model *model = process->model->model;
	struct tracee *tracee = NULL;
	process->watches_asks = true;
	passing_restore(process, false);
	/* Who looks at memory makes no call. */
	process->tries_others = mappings_have_names(process);
	if (process->options.follow)
		return;
	for (uint32_t t = 0; t < model_threads(model) && !tracee; t++)
		if (!model_exited(model, t) && model_enabled(model, t))
			tracee = process->threads[t].tracee;
	/* What isn't seen may be. */
	if (!tracee || target_watch_transfers(tracee, true) != STATUS_OK)
		process->tries_others = true;
}

/* Could others change what is read by this descriptor? Nobody comes to a file that has no name any more. */
static bool is_foreign(struct process *process, const struct tracee *tracee, int descriptor)
{
	struct stat file;
	if (!channels_find_file(process, descriptor, &file))
		return false;
	if (S_ISREG(file.st_mode))
		return file.st_nlink > 0;
	if (S_ISCHR(file.st_mode) && major(file.st_rdev) == MEMORY_DEVICES)
		return false;
	return S_ISDIR(file.st_mode) || outside_is_foreign(process, tracee, descriptor);
}

static bool contents_foreign(struct process *process, const struct tracee *tracee,
			     const struct call_traits *traits, const uint64_t arguments[3])
{
	for (int i = 0; i < 3; i++)
		if ((traits->from == i || traits->reads == i) &&
		    is_foreign(process, tracee, (int)arguments[i]))
			return true;
	return false;
}

/* Does it only fail, or not, by whether there is something by this key? */
static bool looks_for_key(uint64_t key, uint64_t flags)
{
	return key != IPC_PRIVATE && (!(flags & IPC_CREAT) || flags & IPC_EXCL);
}

/* An unlocking isn't refused. */
static bool asks_for_lock(const struct process *process, int command, uint64_t at)
{
	struct flock range;
	switch (command) {
	case F_SETLK:
	case F_OFD_SETLK:
		return target_read(process->target, at, &range, sizeof range) == STATUS_OK &&
		       range.l_type != F_UNLCK;
	case F_GETLK:
	case F_OFD_GETLK:
		return true;
	default:
		return false;
	}
}

static bool asks_for_process(const struct process *process, pid_t number, uint64_t signal)
{
	return signal == 0 && number != target_pid(process->target) &&
	       number != tracee_number(process->threads[0].tracee);
}

static bool asks(struct process *process, const struct tracee *tracee, long number,
		 const struct user_regs_struct *regs)
{
	const struct call_traits *traits = call_traits(number);
	const uint64_t arguments[3] = {regs->rdi, regs->rsi, regs->rdx};
	const int first = (int)regs->rdi;
	switch (number) {
	case SYS_lseek:
		return regs->rdx != SEEK_SET && regs->rdx != SEEK_CUR && is_foreign(process, tracee, first);
	case SYS_fcntl:
		return asks_for_lock(process, (int)regs->rsi, regs->rdx) &&
		       is_foreign(process, tracee, first);
	case SYS_flock:
		return (regs->rsi & ~(uint64_t)LOCK_NB) != LOCK_UN && is_foreign(process, tracee, first);
	case SYS_ioctl:
	case SYS_getsockopt:
	case SYS_getdents:
	case SYS_getdents64:
	case SYS_mq_getsetattr:
		return is_foreign(process, tracee, first);
	case SYS_connect:
	case SYS_getppid:
		return true;
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_semctl:
		return !kernel_is_private_set(first);
	case SYS_msgsnd:
	case SYS_msgrcv:
	case SYS_msgctl:
		return !kernel_is_private_queue(first);
	case SYS_semget:
	case SYS_shmget:
		return looks_for_key(regs->rdi, regs->rdx);
	case SYS_msgget:
		return looks_for_key(regs->rdi, regs->rsi);
	case SYS_mq_open:
		return !(regs->rsi & O_CREAT) || regs->rsi & O_EXCL;
	case SYS_kill:
		return asks_for_process(process, (pid_t)regs->rdi, regs->rsi);
	case SYS_rt_sigpending:
		return outside_sends(process, tracee_signals(tracee).blocked);
	default:
		break;
	}
	if (descriptors_asks(process, number, regs) && is_foreign(process, tracee, first))
		return true;
	return names_ask(process, number, regs) || contents_foreign(process, tracee, traits, arguments) ||
	       outside_could_end(process, tracee, number, regs);
}

void asks_note(struct process *process, uint32_t thread, long number)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	if (process->watches_asks && !process->tries_others && regs)
		process->tries_others = asks(process, tracee, number, regs);
}
