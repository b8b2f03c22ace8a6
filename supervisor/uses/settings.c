#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * What belongs to the whole process, to a thread that others can name, or to a file, and is no lock by itself: the mask of new files,
 * the working folder, limits, priorities, user numbers, signal handlers, attributes. A thread that changes it and another one that
 * asks for it can use it as one.
 */

/* Which of its kind the call is about. */
enum which {
	THE_ONE,
	FIRST,	   /* what the first argument says */
	OF_THREAD, /* that of the thread in the first argument; 0 is the caller */
	OF_WHOM, /* that of the process or user in the second argument, as the first one takes it: setpriority() */
	OF_OPENED,  /* that of the file behind the first argument */
	OF_PATH,    /* that of the file in the first argument, links followed */
	OF_LINK,    /* the same of a link itself */
	OF_PATH_AT, /* that of the file in the second argument, which begins in the folder of the first one */
};

struct setting {
	uint16_t call;
	uint8_t kind, which, ways;
};

#define ASKS(call, kind, which)                                                                              \
	{                                                                                                    \
		SYS_##call, CHANNEL_##kind, which, USE_DEPENDS                                               \
	}
#define CHANGES(call, kind, which)                                                                           \
	{                                                                                                    \
		SYS_##call, CHANNEL_##kind, which, USE_DEPENDS | USE_CHANGES                                 \
	}

/* Of two that change something the last one stays, and some can fail: so each depends on the other. */
static const struct setting settings[] = {
    CHANGES(umask, UMASK, THE_ONE),
    CHANGES(chdir, FOLDER, THE_ONE),
    CHANGES(fchdir, FOLDER, THE_ONE),
    CHANGES(chroot, FOLDER, THE_ONE),
    ASKS(getcwd, FOLDER, THE_ONE),
    ASKS(getdents, LISTING, OF_OPENED),
    ASKS(getdents64, LISTING, OF_OPENED),
    CHANGES(setxattr, ATTRIBUTE, OF_PATH),
    CHANGES(lsetxattr, ATTRIBUTE, OF_LINK),
    CHANGES(fsetxattr, ATTRIBUTE, OF_OPENED),
    CHANGES(removexattr, ATTRIBUTE, OF_PATH),
    CHANGES(lremovexattr, ATTRIBUTE, OF_LINK),
    CHANGES(fremovexattr, ATTRIBUTE, OF_OPENED),
    ASKS(getxattr, ATTRIBUTE, OF_PATH),
    ASKS(lgetxattr, ATTRIBUTE, OF_LINK),
    ASKS(fgetxattr, ATTRIBUTE, OF_OPENED),
    ASKS(listxattr, ATTRIBUTE, OF_PATH),
    ASKS(llistxattr, ATTRIBUTE, OF_LINK),
    ASKS(flistxattr, ATTRIBUTE, OF_OPENED),
    CHANGES(chmod, ATTRIBUTE, OF_PATH),
    CHANGES(fchmod, ATTRIBUTE, OF_OPENED),
    CHANGES(fchmodat, ATTRIBUTE, OF_PATH_AT),
    {CALL_FCHMODAT2, CHANNEL_ATTRIBUTE, OF_PATH_AT, USE_DEPENDS | USE_CHANGES},
    CHANGES(chown, ATTRIBUTE, OF_PATH),
    CHANGES(fchown, ATTRIBUTE, OF_OPENED),
    CHANGES(lchown, ATTRIBUTE, OF_LINK),
    CHANGES(fchownat, ATTRIBUTE, OF_PATH_AT),
    CHANGES(utime, ATTRIBUTE, OF_PATH),
    CHANGES(utimes, ATTRIBUTE, OF_PATH),
    CHANGES(futimesat, ATTRIBUTE, OF_PATH_AT),
    CHANGES(utimensat, ATTRIBUTE, OF_PATH_AT),
    CHANGES(setrlimit, LIMIT, FIRST),
    ASKS(getrlimit, LIMIT, FIRST),
    CHANGES(setpriority, PRIORITY, OF_WHOM),
    ASKS(getpriority, PRIORITY, OF_WHOM),
    CHANGES(sched_setparam, PRIORITY, OF_THREAD),
    CHANGES(sched_setscheduler, PRIORITY, OF_THREAD),
    CHANGES(sched_setattr, PRIORITY, OF_THREAD),
    ASKS(sched_getparam, PRIORITY, OF_THREAD),
    ASKS(sched_getscheduler, PRIORITY, OF_THREAD),
    ASKS(sched_getattr, PRIORITY, OF_THREAD),
    CHANGES(ioprio_set, PRIORITY, THE_ONE),
    ASKS(ioprio_get, PRIORITY, THE_ONE),
    CHANGES(setuid, IDENTITY, THE_ONE),
    CHANGES(setgid, IDENTITY, THE_ONE),
    CHANGES(setreuid, IDENTITY, THE_ONE),
    CHANGES(setregid, IDENTITY, THE_ONE),
    CHANGES(setresuid, IDENTITY, THE_ONE),
    CHANGES(setresgid, IDENTITY, THE_ONE),
    CHANGES(setgroups, IDENTITY, THE_ONE),
    ASKS(getuid, IDENTITY, THE_ONE),
    ASKS(geteuid, IDENTITY, THE_ONE),
    ASKS(getgid, IDENTITY, THE_ONE),
    ASKS(getegid, IDENTITY, THE_ONE),
    ASKS(getresuid, IDENTITY, THE_ONE),
    ASKS(getresgid, IDENTITY, THE_ONE),
    ASKS(getgroups, IDENTITY, THE_ONE),
};

/* What prctl() sets for the whole process, by what asks for it; of a thread alone is all else. */
static const struct {
	uint64_t sets, asks;
} options[] = {{PR_SET_DUMPABLE, PR_GET_DUMPABLE},
	       {PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER},
	       {PR_SET_THP_DISABLE, PR_GET_THP_DISABLE}};

static uint64_t own_number(const struct process *process, uint32_t thread)
{
	return (uint64_t)tracee_number(process->threads[thread].tracee);
}

/* Where fmc finds a path that begins in this folder of the program's. */
static bool find_named(const struct process *process, uint64_t path, int from, bool link, struct stat *file)
{
	char name[PATH_ROOM], full[PATH_ROOM + 64];
	const int pid = target_pid(process->target);
	if (!files_read_path(process, path, name))
		return false;
	if (*name == '/')
		snprintf(full, sizeof full, "/proc/%d/root%s", pid, name);
	else if (from == AT_FDCWD)
		snprintf(full, sizeof full, "/proc/%d/cwd/%s", pid, name);
	else
		snprintf(full, sizeof full, "/proc/%d/fd/%d/%s", pid, from, name);
	return (link ? lstat(full, file) : stat(full, file)) == 0;
}

static bool find_file(const struct process *process, enum which which, const struct user_regs_struct *regs,
		      struct stat *file)
{
	switch (which) {
	case OF_OPENED:
		return channels_find_file(process, (int)regs->rdi, file);
	case OF_PATH_AT:
		/* futimens() */
		if (!regs->rsi)
			return channels_find_file(process, (int)regs->rdi, file);
		return find_named(process, regs->rsi, (int)regs->rdi, false, file);
	case OF_PATH:
	case OF_LINK:
		return find_named(process, regs->rdi, AT_FDCWD, which == OF_LINK, file);
	default:
		return false;
	}
}

static bool identify(const struct process *process, uint32_t thread, enum which which,
		     const struct user_regs_struct *regs, uint64_t *id)
{
	const uint64_t self = own_number(process, thread);
	struct stat file;
	switch (which) {
	case THE_ONE:
		*id = 0;
		return true;
	case FIRST:
		*id = regs->rdi;
		return true;
	case OF_THREAD:
		*id = regs->rdi ? regs->rdi : self;
		return true;
	case OF_WHOM:
		*id = regs->rdi != PRIO_PROCESS ? UINT64_MAX : regs->rsi ? regs->rsi : self;
		return true;
	default:
		if (!find_file(process, which, regs, &file))
			return false;
		*id = channels_file_id(process, &file);
		return true;
	}
}

static void note_prctl(struct process *process, uint32_t thread, uint64_t option)
{
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (option == options[i].sets || option == options[i].asks)
			uses_note(process, thread, CHANNEL_SETTING, options[i].sets,
				  option == options[i].sets ? USE_DEPENDS | USE_CHANGES : USE_DEPENDS);
}

/* Calls that change and ask by different arguments. */
static uint8_t ways_by(uint64_t set, uint64_t asked)
{
	return (set ? USE_DEPENDS | USE_CHANGES : 0) | (asked ? USE_DEPENDS : 0);
}

/* Does it lead to the folder where the process is already? */
static bool stays(const struct process *process, long number, const struct user_regs_struct *regs)
{
	char path[48];
	struct stat now, then;
	if (number != SYS_chdir && number != SYS_fchdir)
		return false;
	snprintf(path, sizeof path, "/proc/%d/cwd", target_pid(process->target));
	return stat(path, &now) == 0 &&
	       (number == SYS_chdir ? find_named(process, regs->rdi, AT_FDCWD, false, &then)
				    : channels_find_file(process, (int)regs->rdi, &then)) &&
	       then.st_dev == now.st_dev && then.st_ino == now.st_ino;
}

void settings_note(struct process *process, uint32_t thread, long number, const struct user_regs_struct *regs)
{
	const uint32_t asks_personality = 0xffffffff;
	/* libc's own, for pthread_cancel() and setuid() */
	const uint64_t libc_cancels = 32, libc_changes = 33;
	const struct setting *end = settings + sizeof settings / sizeof settings[0];
	uint64_t id;
	switch (number) {
	case SYS_prlimit64:
		uses_note(process, thread, CHANNEL_LIMIT, regs->rsi, ways_by(regs->rdx, regs->r10));
		return;
	case SYS_rt_sigaction:
		if (regs->rdi != libc_cancels && regs->rdi != libc_changes)
			uses_note(process, thread, CHANNEL_HANDLER, regs->rdi, ways_by(regs->rsi, regs->rdx));
		return;
	case SYS_personality:
		uses_note(process, thread, CHANNEL_SETTING, 0,
			  USE_DEPENDS | ((uint32_t)regs->rdi == asks_personality ? 0 : USE_CHANGES));
		return;
	case SYS_prctl:
		note_prctl(process, thread, regs->rdi);
		return;
	default:
		break;
	}
	for (const struct setting *s = settings; s < end; s++)
		if (s->call == number && identify(process, thread, (enum which)s->which, regs, &id))
			uses_note(process, thread, (enum channel_kind)s->kind, id,
				  stays(process, number, regs) ? USE_DEPENDS : s->ways);
	/* Two threads read what comes next. */
	if (number == SYS_getdents || number == SYS_getdents64)
		uses_note(process, thread, CHANNEL_POSITION, regs->rdi, USE_DEPENDS);
}
