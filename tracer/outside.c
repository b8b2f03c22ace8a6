#include "tracer/private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A process started from a saved image must not do anything that others notice: it would happen once in each execution. And
 * what it had open isn't all there: in place of what is missing there is a memory file that can't be used, whose
 * name says what it was. Both are told from the call alone, before it is performed.
 */
#define MARK "missing: "

void outside_name(const char *text, char name[200])
{
	snprintf(name, 200, MARK "%.180s", text);
}

enum rule {
	FREE = 1, /* concerns nobody else */
	USES,	  /* the descriptor in the first argument */
	USES_TWO, /* those in the first two */
	KEEPS,	  /* the same, but what is missing may be closed and doubled */
	OWN,	  /* the process or thread in the first argument, which has to be one of its own; 0: itself */
	OWN_LATER,
	OPENS,
	OPENS_AT,
	CLONES,
	CLONES_BY_STRUCT,
	POLLS,
	SELECTS,
	SENDS_TO,
	SENDS_MESSAGE,
	CONTROLS_SET,
};

static const struct {
	uint16_t call;
	uint8_t rule;
	const char *verb; /* NULL: "use" */
} rules[] = {
    {SYS_read, USES, "read from"},
    {SYS_readv, USES, "read from"},
    {SYS_pread64, USES, "read from"},
    {SYS_preadv, USES, "read from"},
    {SYS_preadv2, USES, "read from"},
    {SYS_recvfrom, USES, "receive from"},
    {SYS_recvmsg, USES, "receive from"},
    {SYS_recvmmsg, USES, "receive from"},
    {SYS_write, USES, "write to"},
    {SYS_writev, USES, "write to"},
    {SYS_pwrite64, USES, "write to"},
    {SYS_pwritev, USES, "write to"},
    {SYS_pwritev2, USES, "write to"},
    {SYS_sendto, SENDS_TO, "send to"},
    {SYS_sendmsg, SENDS_MESSAGE, "send to"},
    {SYS_accept, USES, "accept from"},
    {SYS_accept4, USES, "accept from"},
    {SYS_shutdown, USES, "shut down"},
    {SYS_getsockopt, USES, "ask"},
    {SYS_setsockopt, USES, "set up"},
    {SYS_getsockname, USES, "ask"},
    {SYS_getpeername, USES, "ask"},
    {SYS_lseek, USES, NULL},
    {SYS_fstat, USES, "ask"},
    {SYS_ioctl, USES, NULL},
    {SYS_fsync, USES, NULL},
    {SYS_fdatasync, USES, NULL},
    {SYS_ftruncate, USES, "truncate"},
    {SYS_fallocate, USES, NULL},
    {SYS_fadvise64, USES, NULL},
    {SYS_readahead, USES, NULL},
    {SYS_flock, USES, "lock"},
    {SYS_getdents64, USES, "list"},
    {SYS_getdents, USES, "list"},
    {SYS_fstatfs, USES, "ask"},
    {SYS_fchdir, USES, NULL},
    {SYS_epoll_wait, USES, "wait for"},
    {SYS_epoll_pwait, USES, "wait for"},
    {SYS_epoll_pwait2, USES, "wait for"},
    {SYS_epoll_ctl, CONTROLS_SET, NULL},
    {SYS_timerfd_settime, USES, "set"},
    {SYS_timerfd_gettime, USES, "ask"},
    {SYS_inotify_add_watch, USES, NULL},
    {SYS_inotify_rm_watch, USES, NULL},
    {SYS_sendfile, USES_TWO, NULL},
    {SYS_splice, USES, NULL},
    {SYS_tee, USES_TWO, NULL},
    {SYS_fcntl, KEEPS, NULL},
    {SYS_close, FREE, NULL},
    {SYS_close_range, FREE, NULL},
    {SYS_dup, FREE, NULL},
    {SYS_dup2, FREE, NULL},
    {SYS_dup3, FREE, NULL},
    {SYS_open, OPENS, NULL},
    {SYS_openat, OPENS_AT, NULL},
    {SYS_poll, POLLS, NULL},
    {SYS_ppoll, POLLS, NULL},
    {SYS_select, SELECTS, NULL},
    {SYS_pselect6, SELECTS, NULL},
    {SYS_clone, CLONES, NULL},
    {SYS_clone3, CLONES_BY_STRUCT, NULL},
    {SYS_kill, OWN, "send a signal to"},
    {SYS_tkill, OWN, "send a signal to"},
    {SYS_tgkill, OWN, "send a signal to"},
    {SYS_rt_sigqueueinfo, OWN, "send a signal to"},
    {SYS_rt_tgsigqueueinfo, OWN, "send a signal to"},
    {SYS_prlimit64, OWN, "change the limits of"},
    {SYS_sched_setparam, OWN, "schedule"},
    {SYS_sched_getparam, OWN, "ask"},
    {SYS_sched_setscheduler, OWN, "schedule"},
    {SYS_sched_getscheduler, OWN, "ask"},
    {SYS_sched_setaffinity, OWN, "schedule"},
    {SYS_sched_getaffinity, OWN, "ask"},
    {SYS_sched_setattr, OWN, "schedule"},
    {SYS_sched_getattr, OWN, "ask"},
    {SYS_getpriority, OWN_LATER, "ask"},
    {SYS_setpriority, OWN_LATER, "schedule"},
    {SYS_getpgid, OWN, "ask"},
    {SYS_getsid, OWN, "ask"},
    {SYS_futex, FREE, NULL},
    {SYS_futex_waitv, FREE, NULL},
    {SYS_nanosleep, FREE, NULL},
    {SYS_clock_nanosleep, FREE, NULL},
    {SYS_sched_yield, FREE, NULL},
    {SYS_exit_group, FREE, NULL},
    {SYS_clock_gettime, FREE, NULL},
    {SYS_gettimeofday, FREE, NULL},
    {SYS_time, FREE, NULL},
    {SYS_times, FREE, NULL},
    {SYS_getrandom, FREE, NULL},
    {SYS_getpid, FREE, NULL},
    {SYS_gettid, FREE, NULL},
    {SYS_getppid, FREE, NULL},
    {SYS_getpgrp, FREE, NULL},
    {SYS_getgroups, FREE, NULL},
    {SYS_getresuid, FREE, NULL},
    {SYS_getresgid, FREE, NULL},
    {SYS_set_tid_address, FREE, NULL},
    {SYS_sigaltstack, FREE, NULL},
    {SYS_setitimer, FREE, NULL},
    {SYS_getitimer, FREE, NULL},
    {SYS_alarm, FREE, NULL},
    {SYS_timer_create, FREE, NULL},
    {SYS_timer_settime, FREE, NULL},
    {SYS_timer_gettime, FREE, NULL},
    {SYS_timer_getoverrun, FREE, NULL},
    {SYS_timer_delete, FREE, NULL},
    {SYS_timerfd_create, FREE, NULL},
    {SYS_eventfd, FREE, NULL},
    {SYS_eventfd2, FREE, NULL},
    {SYS_epoll_create, FREE, NULL},
    {SYS_epoll_create1, FREE, NULL},
    {SYS_signalfd, USES, NULL},
    {SYS_signalfd4, USES, NULL},
    {SYS_inotify_init, FREE, NULL},
    {SYS_inotify_init1, FREE, NULL},
    {SYS_memfd_create, FREE, NULL},
    {SYS_pipe, FREE, NULL},
    {SYS_pipe2, FREE, NULL},
    {SYS_socket, FREE, NULL},
    {SYS_socketpair, FREE, NULL},
    {SYS_rt_sigsuspend, FREE, NULL},
    {SYS_pause, FREE, NULL},
    {SYS_rt_sigtimedwait, FREE, NULL},
    {SYS_restart_syscall, FREE, NULL},
    {SYS_stat, FREE, NULL},
    {SYS_lstat, FREE, NULL},
    {SYS_newfstatat, FREE, NULL},
    {SYS_statx, FREE, NULL},
    {SYS_statfs, FREE, NULL},
    {SYS_access, FREE, NULL},
    {SYS_faccessat, FREE, NULL},
    {SYS_faccessat2, FREE, NULL},
    {SYS_readlink, FREE, NULL},
    {SYS_readlinkat, FREE, NULL},
    {SYS_getcwd, FREE, NULL},
    {SYS_chdir, FREE, NULL},
    {SYS_umask, FREE, NULL},
    {SYS_uname, FREE, NULL},
    {SYS_sysinfo, FREE, NULL},
    {SYS_setrlimit, FREE, NULL},
    {SYS_prctl, FREE, NULL},
    {SYS_capget, FREE, NULL},
    {SYS_sched_get_priority_max, FREE, NULL},
    {SYS_sched_get_priority_min, FREE, NULL},
    {SYS_set_mempolicy, FREE, NULL},
    {SYS_get_mempolicy, FREE, NULL},
    {SYS_mbind, FREE, NULL},
    {SYS_mlock2, FREE, NULL},
    {SYS_pkey_alloc, FREE, NULL},
    {SYS_pkey_free, FREE, NULL},
    {SYS_pkey_mprotect, FREE, NULL},
};

/* Calls that change something for others, by what they are for. All that stand nowhere are just named by their number. */
static const struct {
	uint16_t call;
	const char *text;
} known[] = {
    {SYS_fork, "make a process"},
    {SYS_vfork, "make a process"},
    {SYS_execve, "run another program"},
    {SYS_execveat, "run another program"},
    {SYS_wait4, "wait for a child process"},
    {SYS_waitid, "wait for a child process"},
    {SYS_connect, "connect a socket"},
    {SYS_bind, "bind a socket"},
    {SYS_listen, "listen on a socket"},
    {SYS_unlink, "remove a file"},
    {SYS_unlinkat, "remove a file"},
    {SYS_rename, "rename a file"},
    {SYS_renameat, "rename a file"},
    {SYS_renameat2, "rename a file"},
    {SYS_mkdir, "make a directory"},
    {SYS_mkdirat, "make a directory"},
    {SYS_rmdir, "remove a directory"},
    {SYS_link, "make a link"},
    {SYS_linkat, "make a link"},
    {SYS_symlink, "make a link"},
    {SYS_symlinkat, "make a link"},
    {SYS_truncate, "truncate a file"},
    {SYS_creat, "make a file"},
    {SYS_chmod, "change a file's mode"},
    {SYS_fchmod, "change a file's mode"},
    {SYS_fchmodat, "change a file's mode"},
    {SYS_chown, "change a file's owner"},
    {SYS_fchown, "change a file's owner"},
    {SYS_shmget, "use shared memory"},
    {SYS_shmat, "use shared memory"},
    {SYS_semget, "use semaphores of System V"},
    {SYS_semop, "use semaphores of System V"},
    {SYS_semtimedop, "use semaphores of System V"},
    {SYS_msgget, "use message queues of System V"},
    {SYS_msgsnd, "use message queues of System V"},
    {SYS_msgrcv, "use message queues of System V"},
    {SYS_mq_open, "use a message queue"},
    {SYS_ptrace, "trace a process"},
    {SYS_io_uring_setup, "use io_uring"},
    {SYS_sendmmsg, "send messages"},
    {SYS_setsid, "begin a session"},
    {SYS_setpgid, "change process groups"},
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

__attribute__((format(printf, 2, 3))) static bool outside(struct tracee *tracee, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(tracee->target->outside, sizeof tracee->target->outside, format, arguments);
	va_end(arguments);
	return true;
}

/* What the descriptor was if it stands for something that is missing; `text` takes it. */
static bool is_missing(const struct tracee *tracee, int descriptor, char text[200])
{
	static const char mark[] = "/memfd:" MARK, deleted[] = " (deleted)";
	char path[48];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", tracee->target->pid, descriptor);
	const ssize_t length = readlink(path, text, 199);
	if (length <= (ssize_t)sizeof mark || memcmp(text, mark, sizeof mark - 1) != 0)
		return false;
	text[length] = '\0';
	memmove(text, text + sizeof mark - 1, (size_t)length - sizeof mark + 2);
	char *end = strstr(text, deleted);
	if (end && !end[sizeof deleted - 1])
		*end = '\0';
	return true;
}

static bool uses(struct tracee *tracee, int descriptor, const char *verb)
{
	char text[200];
	return is_missing(tracee, descriptor, text) &&
	       outside(tracee, "%s %.150s", verb ? verb : "use", text);
}

static bool keeps(struct tracee *tracee, const struct user_regs_struct *regs)
{
	switch ((int)regs->rsi) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_GETFD:
	case F_SETFD:
		return false;
	default:
		return uses(tracee, (int)regs->rdi, NULL);
	}
}

static bool opens(struct tracee *tracee, uint64_t path, uint64_t flags)
{
	static const char *const nobodys[] = {"/dev/null", "/dev/zero", "/dev/full"};
	char text[160];
	size_t length = 0;
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
		return false;
	while (length < sizeof text - 1 &&
	       target_read(tracee->target, path + length, text + length, 1) == STATUS_OK && text[length])
		length++;
	text[length] = '\0';
	for (size_t i = 0; i < COUNT(nobodys); i++)
		if (strcmp(text, nobodys[i]) == 0)
			return false;
	return outside(tracee, "open %.150s for writing", text);
}

static bool is_own(const struct target *target, uint64_t number)
{
	const int32_t wanted = (int32_t)number;
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (tracee_number(target->tracees[i]) == wanted)
			return true;
	return wanted == 0;
}

static bool concerns(struct tracee *tracee, uint64_t number, const char *verb)
{
	return !is_own(tracee->target, number) && outside(tracee, "%s process %d", verb, (int)number);
}

static bool clones(struct tracee *tracee, uint64_t flags)
{
	return !(flags & CLONE_THREAD) && outside(tracee, "make a process");
}

static bool polls(struct tracee *tracee, uint64_t at, uint64_t length)
{
	for (uint64_t i = 0; i < length && i < 65536; i++) {
		struct pollfd one;
		if (target_read(tracee->target, at + i * sizeof one, &one, sizeof one) != STATUS_OK)
			return false;
		if (one.fd >= 0 && uses(tracee, one.fd, "wait for"))
			return true;
	}
	return false;
}

static bool selects(struct tracee *tracee, const struct user_regs_struct *regs)
{
	const uint64_t sets[] = {regs->rsi, regs->rdx, regs->r10};
	for (size_t i = 0; i < COUNT(sets); i++) {
		for (uint64_t number = 0; sets[i] && number < regs->rdi && number < FD_SETSIZE; number++) {
			uint8_t bits;
			if (target_read(tracee->target, sets[i] + number / 8, &bits, 1) != STATUS_OK)
				break;
			if (bits >> number % 8 & 1 && uses(tracee, (int)number, "wait for"))
				return true;
		}
	}
	return false;
}

/* A message to an address, not to whom the socket is connected with. */
static bool sends_message(struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct msghdr head;
	return uses(tracee, (int)regs->rdi, "send to") ||
	       (target_read(tracee->target, regs->rsi, &head, sizeof head) == STATUS_OK && head.msg_name &&
		outside(tracee, "send a message to an address"));
}

static uint64_t word_at(const struct tracee *tracee, uint64_t address)
{
	uint64_t word = 0;
	return target_read(tracee->target, address, &word, sizeof word) == STATUS_OK ? word : 0;
}

static bool breaks(struct tracee *tracee, const struct user_regs_struct *regs, enum rule rule,
		   const char *verb)
{
	switch (rule) {
	case FREE:
		return false;
	case USES:
		return uses(tracee, (int)regs->rdi, verb);
	case USES_TWO:
		return uses(tracee, (int)regs->rdi, verb) || uses(tracee, (int)regs->rsi, verb);
	case KEEPS:
		return keeps(tracee, regs);
	case OWN:
		return concerns(tracee, regs->rdi, verb);
	case OWN_LATER:
		return concerns(tracee, regs->rsi, verb);
	case OPENS:
		return opens(tracee, regs->rdi, regs->rsi);
	case OPENS_AT:
		return opens(tracee, regs->rsi, regs->rdx);
	case CLONES:
		return clones(tracee, regs->rdi);
	case CLONES_BY_STRUCT:
		return clones(tracee, word_at(tracee, regs->rdi));
	case POLLS:
		return polls(tracee, regs->rdi, regs->rsi);
	case SELECTS:
		return selects(tracee, regs);
	case SENDS_TO:
		return uses(tracee, (int)regs->rdi, verb) ||
		       (regs->r8 && outside(tracee, "send a message to an address"));
	case SENDS_MESSAGE:
		return sends_message(tracee, regs);
	case CONTROLS_SET:
		return uses(tracee, (int)regs->rdi, verb) || uses(tracee, (int)regs->rdx, "wait for");
	}
	return false;
}

bool outside_call(struct tracee *tracee, long number)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return false;
	for (size_t i = 0; i < COUNT(rules); i++)
		if (rules[i].call == number)
			return breaks(tracee, regs, rules[i].rule, rules[i].verb);
	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i].call == number)
			return outside(tracee, "%s", known[i].text);
	return outside(tracee, "perform system call %ld", number);
}
