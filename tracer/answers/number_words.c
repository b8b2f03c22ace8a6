/* Numbers of threads in words of the program's memory: those that the kernel fills, and owners of mutexes. */
#include "tracer/answers/answers.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The longest list of robust mutexes that the kernel follows. */
#define ROBUST_MOST 2048

void numbers_set_owner(struct target *target, uint64_t word, uint32_t from, uint32_t to)
{
	uint32_t value;
	if (target_read(target, word, &value, sizeof value) != STATUS_OK || (value & FUTEX_TID_MASK) != from)
		return;
	value = (value & ~FUTEX_TID_MASK) | to;
	(void)target_write(target, word, &value, sizeof value); /* a death is told by the next wait */
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
		(void)target_write(child->target, birth.child_word, &number, sizeof number);
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
		numbers_set_owner(target, entry_address(head.pending) + head.distance, number, real);
	entry = head.first;
	for (int i = 0; i < ROBUST_MOST && entry_address(entry) != at; i++) {
		numbers_set_owner(target, entry_address(entry) + head.distance, number, real);
		if (target_read(target, entry_address(entry), &entry, sizeof entry) != STATUS_OK)
			return;
	}
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
