#include "tracer/answers/answers.h"
#include "tracer/answers/clocks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * What the program knows its threads by. Where that isn't the kernel's number (a process copied in the middle of its
 * run, or numbers that are to be the same in every execution), fmc stands between the two: words that the kernel
 * fills, results and arguments of system calls, owners of robust mutexes at a thread's end.
 *
 * A call whose arguments or result have to be changed is let run, and the registers are put right after it:
 * resume() makes it stop there, if it doesn't step anyway.
 */

/* No thread has this one: the kernel gives none above 2^22. */
#define NOBODY 0x3fffffff

/* The longest list of robust mutexes that the kernel follows. */
#define ROBUST_MOST 2048

pid_t tracee_number(const struct tracee *tracee)
{
	const struct virtual_world *world = &tracee->target->world;
	if (!world->number)
		return tracee->tid;
	if (tracee->index == 0)
		return world->number;
	if (!world->keeps_numbers)
		return tracee->tid;
	const struct known_numbers *known = world->numbers;
	if (!known)
		return world->number + (pid_t)tracee->index;
	return tracee->index < known->length ? known->of[tracee->index]
					     : known->highest + (pid_t)(tracee->index - known->length) + 1;
}

/* The index of the thread that the program calls so; one that there isn't: none. */
static uint64_t index_of(const struct target *target, uint32_t number)
{
	const struct virtual_world *world = &target->world;
	const struct known_numbers *known = world->numbers;
	if (!known)
		return (uint64_t)number - (uint64_t)world->number;
	for (uint32_t i = 0; i < known->length; i++)
		if ((uint32_t)known->of[i] == number)
			return i;
	return (uint64_t)number - (uint64_t)known->highest - 1 + known->length;
}

struct tracee *numbers_find(const struct target *target, pid_t number)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life != TRACEE_DEAD && tracee_number(target->tracees[i]) == number)
			return target->tracees[i];
	return NULL;
}

/* The kernel's number of the thread that the program calls so; others' are what they are. */
uint64_t numbers_real(const struct target *target, uint64_t number)
{
	const struct virtual_world *world = &target->world;
	if (!world->number)
		return number;
	if (number == NUMBER_OF_PARENT && world->number == NUMBER_OF_MAIN)
		return (uint64_t)getpid();
	const uint64_t index = index_of(target, (uint32_t)number);
	if (index >= (world->keeps_numbers ? target->tracees_length : 1))
		return number;
	const struct tracee *tracee = target->tracees[index];
	return tracee->life == TRACEE_DEAD ? NOBODY : (uint64_t)tracee->tid;
}

static pid_t parent_of(pid_t pid)
{
	char path[32], line[512];
	int parent = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	const char *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Which of the first two arguments are numbers of threads or processes, as bits; 0 for a call without any. */
static unsigned number_arguments(long call)
{
	switch (call) {
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo:
		return 3;
	case SYS_kill:
	case SYS_tkill:
	case SYS_rt_sigqueueinfo:
	case SYS_sched_setparam:
	case SYS_sched_getparam:
	case SYS_sched_setscheduler:
	case SYS_sched_getscheduler:
	case SYS_sched_setattr:
	case SYS_sched_getattr:
	case SYS_sched_rr_get_interval:
	case SYS_prlimit64:
	case SYS_setpgid:
	case SYS_pidfd_open:
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
		return 1;
	case SYS_getpriority:
	case SYS_setpriority:
	case SYS_ioprio_get:
	case SYS_ioprio_set:
		return 2;
	default:
		return 0;
	}
}

/* The group or session of the process, or of the one that was asked for, as the program calls it. */
int64_t numbers_group(const struct target *target, long call, uint64_t number)
{
	const pid_t who = number ? (pid_t)numbers_real(target, number) : target->pid;
	const pid_t group = call == SYS_getsid ? getsid(who) : getpgid(who);
	if (group < 0)
		return -errno;
	return group == target->pid ? tracee_number(target_tracee(target, 0)) : group;
}

static bool is_fcntl(const struct user_regs_struct *regs, int command)
{
	return (long)regs->orig_rax == SYS_fcntl && (int)regs->rsi == command;
}

/* Child processes know their parent, and signal it, by the number that it has given itself. */
void numbers_before_childs_call(const struct target *target, pid_t child)
{
	struct tracee guest = {
	    .target = (struct target *)(uintptr_t)target, .tid = child, .life = TRACEE_STOPPED};
	struct user_regs_struct *regs = target->world.number ? tracee_regs(&guest) : NULL;
	if (!regs)
		return;
	const unsigned arguments = number_arguments((long)regs->orig_rax);
	const uint64_t parent = (uint64_t)target->world.number;
	if ((long)regs->orig_rax == SYS_getppid && parent_of(child) == target->pid)
		tracee_skip_syscall(&guest, (int64_t)parent);
	else if (arguments & 1 && regs->rdi == parent)
		regs->rdi = (uint64_t)target->pid;
	else if (is_fcntl(regs, F_SETOWN) && regs->rdx == parent)
		regs->rdx = (uint64_t)target->pid;
	else
		return;
	guest.regs_changed = true;
	(void)registers_write_back(&guest); /* a death is told by the next wait */
}

/* What the program calls the one to whom the kernel gives this number. */
static int32_t number_told(const struct target *target, int32_t real)
{
	if (real == getpid() && target->world.number == NUMBER_OF_MAIN)
		return NUMBER_OF_PARENT;
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->tid == real)
			return tracee_number(target->tracees[i]);
	return real;
}

/* The word of a mutex with priority inheritance that a call is about, in which the kernel looks for an owner; else 0. */
static uint64_t owned_word(const struct user_regs_struct *regs)
{
	if ((long)regs->orig_rax != SYS_futex)
		return 0;
	switch ((int)regs->rsi & FUTEX_CMD_MASK) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_TRYLOCK_PI:
	case FUTEX_UNLOCK_PI:
		return regs->rdi;
	default:
		return 0;
	}
}

static void set_owner(struct target *target, uint64_t word, uint32_t from, uint32_t to)
{
	uint32_t value;
	if (target_read(target, word, &value, sizeof value) != STATUS_OK || (value & FUTEX_TID_MASK) != from)
		return;
	value = (value & ~FUTEX_TID_MASK) | to;
	(void)target_write(target, word, &value, sizeof value); /* a death is told by the next wait */
}

static void name_real_owner(struct target *target, uint64_t word)
{
	uint32_t value;
	if (target_read(target, word, &value, sizeof value) != STATUS_OK || !(value & FUTEX_TID_MASK))
		return;
	value &= FUTEX_TID_MASK;
	set_owner(target, word, value, (uint32_t)numbers_real(target, value));
}

/* Where a call is told whom to signal: timer_create() a thread, fcntl() one, a process or a group; 0 if nobody in particular. */
static uint64_t notified_word(const struct target *target, const struct user_regs_struct *regs)
{
	int32_t notify;
	const uint64_t event = regs->rsi;
	if (is_fcntl(regs, F_SETOWN_EX) && regs->rdx)
		return regs->rdx + offsetof(struct f_owner_ex, pid);
	if ((long)regs->orig_rax != SYS_timer_create || !event ||
	    target_read(target, event + offsetof(struct sigevent, sigev_notify), &notify, sizeof notify) !=
		STATUS_OK)
		return 0;
	return notify == SIGEV_THREAD_ID ? event + offsetof(struct sigevent, _sigev_un) : 0;
}

/* The word as the program has written it; what the kernel is to see takes its place. */
static int32_t name_real_receiver(struct target *target, uint64_t word)
{
	int32_t number = 0;
	if (target_read(target, word, &number, sizeof number) != STATUS_OK)
		return 0;
	const int32_t real = (int32_t)numbers_real(target, (uint64_t)number);
	(void)target_write(target, word, &real, sizeof real); /* a death is told by the next wait */
	return number;
}

/* Who is to be sent a descriptor's signals: a process, or minus a group of them. */
static void name_real_signalled(const struct target *target, struct user_regs_struct *regs)
{
	const int who = (int)regs->rdx;
	if (!is_fcntl(regs, F_SETOWN) || who == INT_MIN)
		return;
	const uint64_t real = numbers_real(target, (uint64_t)abs(who));
	regs->rdx = who < 0 ? 0 - real : real;
}

void numbers_before_call(struct tracee *tracee)
{
	struct target *target = tracee->target;
	struct user_regs_struct *regs = target->world.number ? tracee_regs(tracee) : NULL;
	if (!regs)
		return;
	struct after_call after = {
	    .rdi = regs->rdi, .rsi = regs->rsi, .rdx = regs->rdx, .keeps_result = true};
	const unsigned arguments = number_arguments((long)regs->orig_rax);
	if (arguments & 1)
		regs->rdi = numbers_real(target, regs->rdi);
	if (arguments & 2)
		regs->rsi = numbers_real(target, regs->rsi);
	if ((long)regs->orig_rax == SYS_set_tid_address || (long)regs->orig_rax == SYS_setsid) {
		after.keeps_result = false;
		after.result = tracee_number(tracee);
	}
	(void)numbers_name_real_path(tracee, regs);
	after.word = owned_word(regs);
	if (after.word)
		name_real_owner(target, after.word);
	after.sets_stack = (long)regs->orig_rax == SYS_sigaltstack && regs->rdi &&
			   target_read(target, regs->rdi, &after.stack, sizeof after.stack) == STATUS_OK;
	after.notified_word = notified_word(target, regs);
	if (after.notified_word)
		after.notified = name_real_receiver(target, after.notified_word);
	(void)timers_name_real_moment(tracee, regs);
	name_real_signalled(target, regs);
	after.tells_owner = is_fcntl(regs, F_GETOWN);
	after.told_owner = is_fcntl(regs, F_GETOWN_EX) ? regs->rdx : 0;
	after.due = after.tells_owner || after.told_owner || after.word || after.notified_word ||
		    after.sets_stack || !after.keeps_result || regs->rdi != after.rdi ||
		    regs->rsi != after.rsi || regs->rdx != after.rdx;
	tracee->regs_changed |= after.due;
	tracee->after_call = after;
}

/* A group goes by the number of its first process, which is the program, or somebody whom the program knows by the kernel's. */
static int32_t group_told(const struct target *target, int32_t real)
{
	return real == target->pid ? number_told(target, real) : real;
}

/* The one to whom a descriptor's signals are sent, as the program calls it. */
static void tell_owner(const struct tracee *tracee, struct user_regs_struct *regs)
{
	const struct after_call *after = &tracee->after_call;
	struct target *target = tracee->target;
	const int64_t result = (int64_t)regs->rax;
	struct f_owner_ex owner;
	if (after->tells_owner && result > INT_MIN && result <= INT_MAX)
		regs->rax = result < 0 ? (unsigned long long)-group_told(target, (int32_t)-result)
				       : (unsigned long long)number_told(target, (int32_t)result);
	if (!after->told_owner || result != 0 ||
	    target_read(target, after->told_owner, &owner, sizeof owner) != STATUS_OK)
		return;
	owner.pid =
	    owner.type == F_OWNER_PGRP ? group_told(target, owner.pid) : number_told(target, owner.pid);
	/* A death is told by the next wait. */
	(void)target_write(target, after->told_owner, &owner, sizeof owner);
}

void numbers_after_call(struct tracee *tracee)
{
	const struct after_call *after = &tracee->after_call;
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (regs) {
		regs->rdi = after->rdi;
		regs->rsi = after->rsi;
		regs->rdx = after->rdx;
		if (!after->keeps_result && (int64_t)regs->rax >= 0)
			regs->rax = (unsigned long long)after->result;
	}
	if (regs)
		tell_owner(tracee, regs);
	if (regs && after->sets_stack && regs->rax == 0)
		tracee->signal_stack = after->stack;
	if (after->word)
		set_owner(tracee->target, after->word, (uint32_t)tracee->tid,
			  (uint32_t)tracee_number(tracee));
	if (after->notified_word)
		/* A death is told by the next wait. */
		(void)target_write(tracee->target, after->notified_word, &after->notified,
				   sizeof after->notified);
	tracee->after_call.due = false;
}

/* What the call that makes a thread was given. */
struct birth {
	uint64_t flags, parent_word, child_word;
};

static struct birth read_birth(const struct target *target, const struct user_regs_struct *regs)
{
	uint64_t arguments[4]; /* of struct clone_args: flags, pidfd, child_tid, parent_tid */
	if ((long)regs->orig_rax == SYS_clone)
		return (struct birth){.flags = regs->rdi, .parent_word = regs->rdx, .child_word = regs->r10};
	if ((long)regs->orig_rax == SYS_clone3 &&
	    target_read(target, regs->rdi, arguments, sizeof arguments) == STATUS_OK)
		return (struct birth){
		    .flags = arguments[0], .parent_word = arguments[3], .child_word = arguments[2]};
	return (struct birth){0};
}

void numbers_at_birth(struct tracee *creator, struct tracee *child)
{
	struct target *target = creator->target;
	const struct user_regs_struct *regs = tracee_regs(creator);
	const int32_t number = tracee_number(child);
	if (!regs)
		return;
	const struct birth birth = read_birth(target, regs);
	if (birth.flags & CLONE_CHILD_CLEARTID)
		child->clear_tid = birth.child_word;
	if (!target->world.keeps_numbers)
		return;
	if (birth.flags & CLONE_PARENT_SETTID)
		/* The kernel minds no bad address here either. */
		(void)target_write(target, birth.parent_word, &number, sizeof number);
	if (birth.flags & CLONE_CHILD_SETTID)
		(void)target_write(target, birth.child_word, &number, sizeof number);
	creator->after_call = (struct after_call){
	    .due = true, .rdi = regs->rdi, .rsi = regs->rsi, .rdx = regs->rdx, .result = number};
}

/* What robust_list(7) calls the head, and an entry's word: at a distance from the entry that the head tells. */
struct robust_head {
	uint64_t first, distance, pending;
};

/* Bit 0 of an entry's address says that it is a mutex with priority inheritance. */
static uint64_t entry_address(uint64_t entry)
{
	return entry & ~UINT64_C(1);
}

/* The kernel marks the mutexes that a thread leaves behind by its own number. */
void numbers_at_exit(struct tracee *tracee)
{
	struct target *target = tracee->target;
	const uint32_t number = (uint32_t)tracee_number(tracee), real = (uint32_t)tracee->tid;
	struct robust_head head;
	uint64_t at, entry;
	size_t length;
	if (number == real || syscall(SYS_get_robust_list, tracee->tid, &at, &length) != 0 || !at ||
	    target_read(target, at, &head, sizeof head) != STATUS_OK)
		return;
	if (head.pending)
		set_owner(target, entry_address(head.pending) + head.distance, number, real);
	entry = head.first;
	for (int i = 0; i < ROBUST_MOST && entry_address(entry) != at; i++) {
		set_owner(target, entry_address(entry) + head.distance, number, real);
		if (target_read(target, entry_address(entry), &entry, sizeof entry) != STATUS_OK)
			return;
	}
}

/* The sender that a signal tells of is the process itself. */
void numbers_of_sender(const struct tracee *tracee)
{
	const struct target *target = tracee->target;
	siginfo_t info;
	if (!target->world.number || ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &info) != 0 ||
	    (info.si_code != SI_USER && info.si_code != SI_TKILL) || info.si_pid != target->pid)
		return;
	info.si_pid = target->world.number;
	ptrace(PTRACE_SETSIGINFO, tracee->tid, NULL, &info);
}

enum status numbers_tid_address(struct tracee *tracee, uint64_t *address)
{
	struct target *target = tracee->target;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	uint64_t before;
	int64_t result = -1;
	*address = 0;
	if (!regs)
		return STATUS_GONE;
	/* A word below the red zone takes the answer: nothing lives there. */
	const uint64_t word = regs->rsp - 256;
	const uint64_t arguments[6] = {PR_GET_TID_ADDRESS, word};
	enum status status = target_read(target, word, &before, sizeof before);
	if (status == STATUS_OK)
		status = tracee_syscall(tracee, SYS_prctl, arguments, &result);
	if (status == STATUS_OK && result == 0)
		status = target_read(target, word, address, sizeof *address);
	return status == STATUS_OK ? target_write(target, word, &before, sizeof before) : status;
}

/* Called so by the kernel, or by fmc, which has answered the loader already. */
static bool names_thread(const struct tracee *tracee, int32_t word)
{
	return word == tracee->tid || word == tracee_number(tracee);
}

/*
 * Where libc has written down the main thread's tid before the program began: glibc in the word that the kernel clears. musl
 * has a lock cleared; its only note is a word of the thread's descriptor. 0: not found.
 */
static uint64_t tid_word(struct tracee *tracee)
{
	int32_t words[256];
	uint64_t found = 0;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (target_read(tracee->target, tracee->clear_tid, words, sizeof words[0]) == STATUS_OK &&
	    names_thread(tracee, words[0]))
		return tracee->clear_tid;
	if (!regs || target_read(tracee->target, regs->fs_base, words, sizeof words) != STATUS_OK)
		return 0;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (!names_thread(tracee, words[i]))
			continue;
		if (found)
			return 0;
		found = regs->fs_base + i * sizeof words[0];
	}
	return found;
}

enum status numbers_settle(struct target *target)
{
	struct tracee *tracee = target_tracee(target, 0);
	const int32_t number = tracee_number(tracee);
	enum status status = numbers_tid_address(tracee, &tracee->clear_tid);
	if (status != STATUS_OK || !tracee->clear_tid || number == tracee->tid)
		return status;
	const uint64_t word = tid_word(tracee);
	if (word)
		return target_write(target, word, &number, sizeof number);
	/* It has been written down where nobody finds it: so it stays. */
	target->world.number = tracee->tid;
	return STATUS_OK;
}
