/*
 * Numbers of threads and processes in the arguments and results of system calls. A call whose arguments or result have to be changed
 * is let run, and the registers are put right after it: resume() makes it stop there, if it doesn't step anyway.
 */
#include "tracer/answers/answers.h"
#include "tracer/answers/clocks.h"

#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/stat_line.h>

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static pid_t parent_of(pid_t pid)
{
	struct stat_line line;
	return stat_line_of(pid, &line) ? (pid_t)line.field[STAT_PARENT] : 0;
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
	const unsigned arguments = call_traits((long)regs->orig_rax)->numbers;
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

static void name_real_owner(struct target *target, uint64_t word)
{
	uint32_t value;
	if (target_read(target, word, &value, sizeof value) != STATUS_OK || !(value & FUTEX_TID_MASK))
		return;
	value &= FUTEX_TID_MASK;
	numbers_set_owner(target, word, value, (uint32_t)numbers_real(target, value));
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

/* Which child, or which group of them, is waited for; to which group a signal is sent. */
static void name_real_child(const struct target *target, struct user_regs_struct *regs)
{
	const long number = (long)regs->orig_rax;
	const int who = (int)regs->rdi;
	if (number == SYS_waitid && (regs->rdi == P_PID || regs->rdi == P_PGID))
		regs->rsi = numbers_real(target, regs->rsi);
	else if (number == SYS_wait4 && who > 0)
		regs->rdi = numbers_real(target, regs->rdi);
	else if ((number == SYS_wait4 || number == SYS_kill) && who < -1 && who != INT_MIN)
		regs->rdi = 0 - numbers_real(target, (uint64_t)abs(who));
}

void numbers_before_call(struct tracee *tracee)
{
	struct target *target = tracee->target;
	struct user_regs_struct *regs = target->world.number ? tracee_regs(tracee) : NULL;
	if (!regs)
		return;
	struct after_call after = {
	    .rdi = regs->rdi, .rsi = regs->rsi, .rdx = regs->rdx, .keeps_result = true};
	const unsigned arguments = call_traits((long)regs->orig_rax)->numbers;
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
	name_real_child(target, regs);
	const bool related = target_relative(target) != NULL;
	after.tells_owner = is_fcntl(regs, F_GETOWN) || (related && (long)regs->orig_rax == SYS_wait4);
	after.told_child = related && (long)regs->orig_rax == SYS_waitid ? regs->rdx : 0;
	after.told_owner = is_fcntl(regs, F_GETOWN_EX) ? regs->rdx : 0;
	after.due = after.tells_owner || after.told_owner || after.told_child || after.word ||
		    after.notified_word || after.sets_stack || !after.keeps_result ||
		    regs->rdi != after.rdi || regs->rsi != after.rsi || regs->rdx != after.rdx;
	tracee->regs_changed |= after.due;
	tracee->after_call = after;
}

/* A group goes by the number of its first process, which is the program, or somebody whom the program knows by the kernel's. */
static int32_t group_told(const struct target *target, int32_t real)
{
	return real == target->pid ? numbers_told(target, real) : real;
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
				       : (unsigned long long)numbers_told(target, (int32_t)result);
	if (!after->told_owner || result != 0 ||
	    target_read(target, after->told_owner, &owner, sizeof owner) != STATUS_OK)
		return;
	owner.pid =
	    owner.type == F_OWNER_PGRP ? group_told(target, owner.pid) : numbers_told(target, owner.pid);
	/* A death is told by the next wait. */
	(void)target_write(target, after->told_owner, &owner, sizeof owner);
}

/* The child that waitid() has found. */
static void tell_child(const struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct target *target = tracee->target;
	const uint64_t word = tracee->after_call.told_child + offsetof(siginfo_t, si_pid);
	int32_t real;
	if (!tracee->after_call.told_child || regs->rax != 0 ||
	    target_read(target, word, &real, sizeof real) != STATUS_OK || real <= 0)
		return;
	const int32_t told = numbers_told(target, real);
	(void)target_write(target, word, &told, sizeof told); /* a death is told by the next wait */
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
	if (regs)
		tell_child(tracee, regs);
	if (regs && after->sets_stack && regs->rax == 0)
		tracee->signal_stack = after->stack;
	if (after->word)
		numbers_set_owner(tracee->target, after->word, (uint32_t)tracee->tid,
				  (uint32_t)tracee_number(tracee));
	if (after->notified_word)
		/* A death is told by the next wait. */
		(void)target_write(tracee->target, after->notified_word, &after->notified,
				   sizeof after->notified);
	tracee->after_call.due = false;
}
