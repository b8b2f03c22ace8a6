#include "tracer/target/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The filter of system calls: those below stop the thread before the kernel sees them, all others cost
 * nothing. Calls from fmc's own page pass. rseq is answered with success and not done: the kernel would write
 * to the target's memory after fmc's back, and glibc can't live with a refusal.
 */
static const uint16_t traced[] = {
    SYS_futex,
    CALL_FUTEX_WAITV,
    CALL_FUTEX_WAKE,
    CALL_FUTEX_WAIT,
    CALL_FUTEX_REQUEUE,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_sched_yield,
    SYS_exit_group,
    SYS_execve,
    SYS_execveat,
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_send_signal,
    SYS_setitimer,
    SYS_alarm,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_socket,
    SYS_shmat,
    SYS_remap_file_pages,
    SYS_io_uring_setup,
    SYS_dup2,
    SYS_dup3,
    SYS_pipe,
    SYS_pipe2,
    SYS_eventfd,
    SYS_eventfd2,
    SYS_socketpair,
    SYS_signalfd,
    SYS_signalfd4,
    SYS_inotify_init,
    SYS_inotify_init1,
    SYS_userfaultfd,
    SYS_fanotify_init,
    SYS_io_setup,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_memfd_create,
    SYS_creat,
    SYS_truncate,
    SYS_mkdir,
    SYS_mkdirat,
    SYS_rmdir,
    SYS_mknod,
    SYS_mknodat,
    SYS_unlink,
    SYS_unlinkat,
    SYS_rename,
    SYS_renameat,
    SYS_renameat2,
    SYS_link,
    SYS_linkat,
    SYS_symlink,
    SYS_symlinkat,
    SYS_stat,
    SYS_lstat,
    SYS_newfstatat,
    SYS_fstat,
    SYS_statx,
    SYS_access,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_semget,
    SYS_msgget,
    SYS_mq_open,
    SYS_semop,
    SYS_semtimedop,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_mq_timedsend,
    SYS_mq_timedreceive,
    SYS_semctl,
    SYS_msgctl,
    SYS_mq_getsetattr,
    SYS_mq_notify,
    SYS_flock,
    SYS_poll,
    SYS_ppoll,
    SYS_select,
    SYS_pselect6,
    SYS_epoll_wait,
    SYS_epoll_pwait,
    SYS_epoll_pwait2,
    SYS_rt_sigsuspend,
    SYS_pause,
    SYS_rt_sigtimedwait,
    SYS_wait4,
    SYS_waitid,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_time,
    SYS_times,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_getcpu,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getpgrp,
    SYS_getpgid,
    SYS_getsid,
    SYS_setsid,
    SYS_setpgid,
    SYS_prlimit64,
    SYS_getpriority,
    SYS_setpriority,
    SYS_ioprio_get,
    SYS_ioprio_set,
    SYS_sched_setattr,
    SYS_sched_getattr,
    SYS_sched_rr_get_interval,
    SYS_pidfd_open,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_open,
    SYS_openat,
    SYS_readlink,
    SYS_readlinkat,
    SYS_set_tid_address,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_sched_setparam,
    SYS_sched_getparam,
    SYS_sched_setscheduler,
    SYS_sched_getscheduler,
    SYS_umask,
    SYS_chdir,
    SYS_fchdir,
    SYS_chroot,
    SYS_getcwd,
    SYS_getdents,
    SYS_getdents64,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_fgetxattr,
    SYS_listxattr,
    SYS_llistxattr,
    SYS_flistxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_chmod,
    SYS_fchmod,
    SYS_fchmodat,
    CALL_FCHMODAT2,
    SYS_chown,
    SYS_fchown,
    SYS_lchown,
    SYS_fchownat,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_utimensat,
    SYS_setrlimit,
    SYS_getrlimit,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_personality,
    SYS_prctl,
    SYS_rt_sigaction,
};

/*
 * In a confined process these cost nothing, since they concern nobody else, and all others stop the thread. mmap() of a file
 * for writing needs one that was opened so, which has been stopped before.
 */
static const uint16_t harmless[] = {
    SYS_mmap,	      SYS_munmap,	 SYS_mprotect,	      SYS_mremap,
    SYS_madvise,      SYS_brk,		 SYS_mincore,	      SYS_msync,
    SYS_mlock,	      SYS_munlock,	 SYS_membarrier,      SYS_rt_sigaction,
    SYS_rt_sigreturn, SYS_rt_sigpending, SYS_set_robust_list, SYS_get_robust_list,
    SYS_arch_prctl,   SYS_exit,		 SYS_getuid,	      SYS_geteuid,
    SYS_getgid,	      SYS_getegid,	 SYS_getrlimit,
};

/* Of these the filter stops what concerns descriptors that the program has made; see target_watch_transfers(). */
static const uint16_t transfers[] = {
    SYS_read,	SYS_write,    SYS_readv,	   SYS_writev,	   SYS_preadv2,	   SYS_pwritev2,
    SYS_sendto, SYS_recvfrom, SYS_sendmsg,	   SYS_recvmsg,	   SYS_sendmmsg,   SYS_recvmmsg,
    SYS_splice, SYS_vmsplice, SYS_pread64,	   SYS_pwrite64,   SYS_preadv,	   SYS_pwritev,
    SYS_lseek,	SYS_sendfile, SYS_copy_file_range, SYS_close,	   SYS_fallocate,  SYS_ftruncate,
    SYS_fcntl,	SYS_ioctl,    SYS_shutdown,	   SYS_setsockopt, SYS_getsockopt, SYS_epoll_ctl,
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_HIGH(field)                                                                                     \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field) + 4) /* of 64 bits */
#define RETURN(value)			   BPF_STMT(BPF_RET | BPF_K, (value))
#define JUMP_EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))
#define JUMP_BITS(bits, then, otherwise)   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (then), (otherwise))

static bool contains(const uint16_t *list, size_t length, long number)
{
	for (size_t i = 0; i < length; i++)
		if (list[i] == number)
			return true;
	return false;
}

/* A confined process is told of as one whose transfers are watched: what it had open may be its own. */
bool filter_stops(long number)
{
	return contains(traced, COUNT(traced), number) || contains(transfers, COUNT(transfers), number) ||
	       number == SYS_fcntl;
}

/* A call in the list goes on `skip` instructions after the list. */
static size_t add_list(struct sock_filter *code, const uint16_t *list, size_t length, unsigned skip)
{
	for (size_t i = 0; i < length; i++)
		code[i] = (struct sock_filter)JUMP_EQUAL(list[i], (uint8_t)(length - 1 - i + skip), 0);
	return length;
}

/*
 * The end of a filter: fmc's own calls, from its gadget, are let pass, the program's are traced. The instruction pointer is 64
 * bits wide, loads are 32: the low half comes first in memory.
 */
#define TRACE_BUT_OURS                                                                                       \
	LOAD_HIGH(instruction_pointer), JUMP_EQUAL((uint32_t)(GADGET_PAGE >> 32), 0, 3),                     \
	    LOAD(instruction_pointer), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 4096, 1, 0),                      \
	    RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_TRACE)

/* Where an instruction of `some` leads, in place of a number of instructions: to one of those at the filter's end. */
enum { ALLOW = 253, REFUSE, LOOK };

/*
 * Of these calls only some forms stop the thread: what is read from standard input; what locks files and what names a process;
 * mappings of code but for fmc's own page, which has to be there before a call can be told as fmc's, and of files to memory that is
 * shared; the doubling of a mapping, which has the length 0. A task that
 * clone() makes unseen by its tracer couldn't do its own system calls, as this filter stops those: only fmc's own are made, which lose it.
 */
static const struct sock_filter some[] = {
    JUMP_EQUAL(SYS_read, 0, 2),
    LOAD(args[0]),
    JUMP_EQUAL(STDIN_FILENO, LOOK, ALLOW),
    JUMP_EQUAL(SYS_fcntl, 0, 9),
    LOAD(args[1]),
    JUMP_EQUAL(F_SETLK, LOOK, 0),
    JUMP_EQUAL(F_SETLKW, LOOK, 0),
    JUMP_EQUAL(F_OFD_SETLK, LOOK, 0),
    JUMP_EQUAL(F_OFD_SETLKW, LOOK, 0),
    JUMP_EQUAL(F_SETOWN, LOOK, 0),
    JUMP_EQUAL(F_SETOWN_EX, LOOK, 0),
    JUMP_EQUAL(F_GETOWN, LOOK, 0),
    JUMP_EQUAL(F_GETOWN_EX, LOOK, ALLOW),
    JUMP_EQUAL(SYS_mmap, 0, 9),
    LOAD(args[2]),
    JUMP_BITS(PROT_EXEC, 0, 4),
    LOAD(args[0]),
    JUMP_EQUAL((uint32_t)GADGET_PAGE, 0, LOOK),
    LOAD_HIGH(args[0]),
    JUMP_EQUAL((uint32_t)(GADGET_PAGE >> 32), ALLOW, LOOK),
    LOAD(args[3]),
    JUMP_BITS(MAP_SHARED, 0, ALLOW),
    JUMP_BITS(MAP_ANONYMOUS, ALLOW, LOOK),
    JUMP_EQUAL(SYS_mprotect, 1, 0),
    JUMP_EQUAL(SYS_pkey_mprotect, 0, 2),
    LOAD(args[2]),
    JUMP_BITS(PROT_EXEC, LOOK, ALLOW),
    JUMP_EQUAL(SYS_mremap, 0, 2),
    LOAD(args[1]),
    JUMP_EQUAL(0, LOOK, ALLOW),
    JUMP_EQUAL(SYS_clone, 0, ALLOW),
    LOAD(args[0]),
    JUMP_BITS(CLONE_UNTRACED, 0, ALLOW),
    LOAD_HIGH(instruction_pointer),
    JUMP_EQUAL((uint32_t)(GADGET_PAGE >> 32), 0, REFUSE),
    LOAD(instruction_pointer),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 4096, REFUSE, ALLOW),
};

static uint8_t distance(uint8_t to, size_t left)
{
	return to >= ALLOW ? (uint8_t)(left + to - ALLOW) : to;
}

static size_t add_some(struct sock_filter *code)
{
	for (size_t i = 0; i < COUNT(some); i++) {
		const size_t left = COUNT(some) - 1 - i;
		code[i] = some[i];
		code[i].jt = distance(some[i].jt, left);
		code[i].jf = distance(some[i].jf, left);
	}
	return COUNT(some);
}

static size_t add(struct sock_filter *code, const struct sock_filter *part, size_t length)
{
	memcpy(code, part, length * sizeof *part);
	return length;
}

int filter_install(bool confined)
{
	const struct sock_filter head[] = {
	    LOAD(arch),
	    JUMP_EQUAL(AUDIT_ARCH_X86_64, 1, 0),
	    RETURN(confined ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW),
	    LOAD(nr),
	    JUMP_EQUAL(SYS_rseq, 0, 1),
	    RETURN(SECCOMP_RET_ERRNO | 0),
	};
	/* In the order of ALLOW, REFUSE, LOOK. */
	const struct sock_filter ends[] = {
	    RETURN(SECCOMP_RET_ALLOW),
	    RETURN(SECCOMP_RET_ERRNO | EPERM),
	    TRACE_BUT_OURS,
	};
	const struct sock_filter look[] = {BPF_STMT(BPF_JMP | BPF_JA, LOOK - ALLOW)};
	_Static_assert(COUNT(traced) + COUNT(some) + LOOK - ALLOW <= UINT8_MAX, "jumps have a byte");
	_Static_assert(COUNT(some) < ALLOW, "labels aren't numbers of instructions");
	_Static_assert((uint32_t)GADGET_PAGE == 0,
		       "the filter tests the low half against a page's size only");
	struct sock_filter code[COUNT(head) + COUNT(traced) + COUNT(harmless) + COUNT(some) + COUNT(ends)];
	size_t n = add(code, head, COUNT(head));
	if (confined) {
		n += add_list(code + n, harmless, COUNT(harmless), COUNT(look));
		n += add(code + n, look, COUNT(look));
	} else {
		n += add_list(code + n, traced, COUNT(traced), COUNT(some) + LOOK - ALLOW);
		n += add_some(code + n);
	}
	n += add(code + n, ends, COUNT(ends));
	struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* So many filters work on it; 0 where the kernel doesn't tell. */
static unsigned filters_of(const struct tracee *tracee)
{
	char path[48], line[256];
	unsigned filters = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/status", tracee->target->pid, tracee->tid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof line, file) && sscanf(line, "Seccomp_filters: %u", &filters) != 1)
		;
	fclose(file);
	return filters;
}

enum status target_watch_transfers(struct tracee *tracee, bool standard)
{
	struct target *target = tracee->target;
	const struct sock_filter head[] = {
	    LOAD(arch),
	    JUMP_EQUAL(AUDIT_ARCH_X86_64, 1, 0),
	    RETURN(SECCOMP_RET_ALLOW),
	    LOAD(nr),
	};
	const struct sock_filter tail[] = {
	    RETURN(SECCOMP_RET_ALLOW),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, standard ? 0 : STDERR_FILENO + 1, 1, 0),
	    RETURN(SECCOMP_RET_ALLOW),
	    TRACE_BUT_OURS,
	};
	struct sock_filter code[COUNT(head) + COUNT(transfers) + COUNT(tail)];
	size_t n = 0;
	if (target->world.confined)
		return STATUS_OK; /* they stop there anyway */
	if (filters_of(tracee) > 1)
		return STATUS_UNSUPPORTED;
	n += add(code + n, head, COUNT(head));
	n += add_list(code + n, transfers, COUNT(transfers), 1);
	n += add(code + n, tail, COUNT(tail));
	const uint64_t at = GADGET_SCRATCH + sizeof(struct sock_fprog);
	/* All of it is written, also what is between its members. */
	struct sock_fprog program;
	memset(&program, 0, sizeof program);
	program.len = (unsigned short)n;
	program.filter = (struct sock_filter *)(uintptr_t)at;
	const uint64_t arguments[6] = {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, GADGET_SCRATCH};
	int64_t result = 0;
	enum status status = target_write(target, GADGET_SCRATCH, &program, sizeof program);
	if (status == STATUS_OK)
		status = target_write(target, at, code, sizeof code);
	if (status == STATUS_OK)
		status = tracee_syscall(tracee, SYS_seccomp, arguments, &result);
	return status == STATUS_OK && result != 0 ? STATUS_UNSUPPORTED : status;
}
