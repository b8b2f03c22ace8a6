#include "supervisor/uses/uses.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * Descriptors as such: are they open, and what has been set for them or for what is behind them? Where one thread closes or sets,
 * and another one uses or asks, threads can use that as a lock.
 */

/* Of what there is once for each descriptor; numbers of files are no such numbers. */
static uint64_t flags_id(int descriptor)
{
	return ~(uint64_t)(uint32_t)descriptor;
}

static uint64_t file_id(const struct process *process, int descriptor)
{
	struct stat file;
	return channels_find_file(process, descriptor, &file) ? channels_file_id(process, &file) : 0;
}

static void note_fcntl(struct process *process, uint32_t thread, int descriptor, int command)
{
	uint8_t ways = USE_DEPENDS;
	uint64_t id = (uint64_t)descriptor;
	switch (command) {
	case F_SETFD:
		ways |= USE_CHANGES;
		/* fall through */
	case F_GETFD:
		id = flags_id(descriptor);
		break;
	case F_SETFL:
	case F_SETOWN:
	case F_SETOWN_EX:
	case F_SETSIG:
		ways |= USE_CHANGES;
		break;
	case F_GETFL:
	case F_GETOWN:
	case F_GETOWN_EX:
	case F_GETSIG:
		break;
	case F_SETPIPE_SZ:
	case F_ADD_SEALS:
	case F_SETLEASE:
		ways |= USE_CHANGES;
		/* fall through */
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
	case F_GETLEASE:
		id = file_id(process, descriptor);
		break;
	default:
		return;
	}
	uses_note(process, thread, CHANNEL_STATE, id, ways);
}

static void note_ioctl(struct process *process, uint32_t thread, int descriptor, uint64_t request)
{
	struct stat file;
	switch (request) {
	case FIOCLEX:
	case FIONCLEX:
		uses_note(process, thread, CHANNEL_STATE, flags_id(descriptor), USE_DEPENDS | USE_CHANGES);
		return;
	case FIONBIO:
	case FIOASYNC:
		uses_note(process, thread, CHANNEL_STATE, (uint64_t)descriptor, USE_DEPENDS | USE_CHANGES);
		return;
	case FIONREAD:
		if (process->uses.followed)
			return;
		break;
	case TCGETS:
		/* Is it a terminal? What isn't stays so. */
		if (!channels_find_file(process, descriptor, &file) || !S_ISCHR(file.st_mode))
			return;
		break;
	default:
		uses_note(process, thread, CHANNEL_STATE, file_id(process, descriptor),
			  USE_DEPENDS | USE_CHANGES);
	}
	channels_note_descriptor(process, thread, descriptor, USE_DEPENDS);
}

static void note_stat(struct process *process, uint32_t thread, int descriptor)
{
	struct stat file;
	if (!channels_find_file(process, descriptor, &file) || !S_ISREG(file.st_mode))
		return;
	if (!process->uses.followed_files[0] && !process->uses.followed_files[1])
		uses_note(process, thread, CHANNEL_CONTENT, channels_file_id(process, &file), USE_DEPENDS);
	uses_note(process, thread, CHANNEL_ATTRIBUTE, channels_file_id(process, &file), USE_DEPENDS);
}

/* newfstatat() and statx() of the descriptor itself; what they have flags in is an argument of another number each. */
bool descriptors_asks(const struct process *process, long number, const struct user_regs_struct *regs)
{
	char path[PATH_ROOM];
	const uint64_t flags = number == SYS_newfstatat ? regs->r10 : regs->rdx;
	if (number != SYS_newfstatat && number != SYS_statx)
		return number == SYS_fstat;
	return flags & AT_EMPTY_PATH && (!regs->rsi || (files_read_path(process, regs->rsi, path) && !*path));
}

void descriptors_closed(struct process *process, uint32_t thread, int descriptor)
{
	descriptors_changed(process, thread, descriptor);
	kernel_use_closed(&process->uses, descriptor);
	uses_end(process, CHANNEL_STATE, flags_id(descriptor));
	uses_end(process, CHANNEL_STATE, (uint64_t)descriptor);
}

struct range {
	struct process *process;
	uint32_t thread;
	unsigned first, last;
};

/* Goes on to the next one. */
static bool close_in_range(const struct process *process, int descriptor, const void *context)
{
	const struct range *range = context;
	(void)process;
	if ((unsigned)descriptor >= range->first && (unsigned)descriptor <= range->last)
		descriptors_closed(range->process, range->thread, descriptor);
	return false;
}

bool descriptors_note(struct process *process, uint32_t thread, long number,
		      const struct user_regs_struct *regs)
{
	const int first = (int)regs->rdi;
	switch (number) {
	case SYS_fcntl:
		note_fcntl(process, thread, first, (int)regs->rsi);
		break;
	case SYS_ioctl:
		note_ioctl(process, thread, first, regs->rsi);
		break;
	case SYS_shutdown:
		channels_note_descriptor(process, thread, first, USE_DEPENDS);
		break;
	case SYS_setsockopt:
	case SYS_getsockopt:
		uses_note(process, thread, CHANNEL_STATE, file_id(process, first),
			  number == SYS_setsockopt ? USE_DEPENDS | USE_CHANGES : USE_DEPENDS);
		break;
	case SYS_epoll_ctl:
		uses_note(process, thread, CHANNEL_STATE, (uint64_t)first, USE_DEPENDS | USE_CHANGES);
		break;
	case SYS_dup2:
	case SYS_dup3:
		if (first != (int)regs->rsi)
			descriptors_closed(process, thread, (int)regs->rsi);
		break;
	case SYS_dup:
		break;
	case SYS_close_range:
		if (!(regs->rdx & CLOSE_RANGE_CLOEXEC))
			(void)uses_any_descriptor(process, -1, close_in_range,
						  &(struct range){process, thread, (unsigned)regs->rdi,
								  (unsigned)regs->rsi});
		return true;
	default:
		if (descriptors_asks(process, number, regs)) {
			if (!descriptors_asked_by_libc(process, regs))
				note_stat(process, thread, first);
			return true;
		}
		return false;
	}
	descriptors_used(process, thread, first);
	return true;
}
