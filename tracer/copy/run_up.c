#include "tracer/answers/answers.h"
#include "tracer/copy/launch.h"
#include "tracer/proc/elf_check.h"
#include "tracer/target/target.h"

#include <elf.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * From exec to the ELF entry point: the loader's work, and the constructors of libraries. AT_RANDOM is fixed, the vDSO hidden so that
 * clock readings are system calls. Nobody has planted traps yet, so the processor is told to fault where its counter of time is
 * read. That makes each switch to the process dearer, and ends at the entry point.
 */

/* Walk over argc, argv and the environment at the initial stack to the auxiliary vector. */
static enum status find_auxv(struct tracee *tracee, uint64_t *address)
{
	struct user_regs_struct *regs = tracee_regs(tracee);
	uint64_t word, at;
	if (!regs)
		return STATUS_GONE;
	at = regs->rsp;
	enum status status = target_read(tracee->target, at, &word, sizeof word);
	at += 8 * (word + 2);
	do {
		if (status == STATUS_OK)
			status = target_read(tracee->target, at, &word, sizeof word);
		at += 8;
	} while (status == STATUS_OK && word);
	*address = at;
	return status;
}

static enum status rewrite_auxv(struct tracee *tracee, uint64_t *entry)
{
	static const uint8_t fixed_random[16] = "fmc fixed random";
	const uint64_t ignore = AT_IGNORE;
	Elf64_auxv_t aux;
	uint64_t at;
	enum status status = find_auxv(tracee, &at);
	*entry = 0;
	for (;; at += sizeof aux) {
		if (status == STATUS_OK)
			status = target_read(tracee->target, at, &aux, sizeof aux);
		if (status != STATUS_OK || aux.a_type == AT_NULL)
			return status;
		if (aux.a_type == AT_RANDOM)
			status =
			    target_write(tracee->target, aux.a_un.a_val, fixed_random, sizeof fixed_random);
		else if (aux.a_type == AT_SYSINFO_EHDR)
			status = target_write(tracee->target, at, &ignore, sizeof ignore);
		else if (aux.a_type == AT_ENTRY)
			*entry = aux.a_un.a_val;
	}
}

static enum status count_ticks_by_fault(struct tracee *tracee, bool faults)
{
	const uint64_t arguments[6] = {PR_SET_TSC, faults ? PR_TSC_SIGSEGV : PR_TSC_ENABLE};
	int64_t ignored; /* it isn't there everywhere */
	return tracee_syscall(tracee, SYS_prctl, arguments, &ignored);
}

/* Libraries that measure the counter itself may read it a million times. */
static void count_answer(struct tracee *tracee)
{
	uint64_t *given = target_answers(tracee->target);
	if (++*given <= ANSWERS_EARLY)
		return;
	*given = ANSWERS_MOST + 1;
	(void)count_ticks_by_fault(tracee, false); /* a death is told by the next wait */
}

/* RDTSC or RDTSCP, which has faulted because of PR_SET_TSC: the kernel tells no address then. */
static bool answer_ticks(struct tracee *tracee)
{
	static const uint8_t rdtsc[] = {0x0f, 0x31}, rdtscp[] = {0x0f, 0x01, 0xf9};
	struct user_regs_struct *regs = tracee_regs(tracee);
	uint8_t code[3] = {0};
	siginfo_t info;
	if (!regs || tracee_signal_info(tracee, &info) != STATUS_OK || info.si_code != SI_KERNEL)
		return false;
	for (size_t size = sizeof code; size >= sizeof rdtsc; size--)
		if (target_read(tracee->target, regs->rip, code, size) == STATUS_OK)
			break;
	const bool names_processor = memcmp(code, rdtscp, sizeof rdtscp) == 0;
	if (!names_processor && memcmp(code, rdtsc, sizeof rdtsc) != 0)
		return false;
	const uint64_t ticks = tracee_read_ticks(tracee);
	regs = tracee_change_regs(tracee);
	if (!regs)
		return false;
	regs->rax = (uint32_t)ticks;
	regs->rdx = ticks >> 32;
	if (names_processor)
		regs->rcx = tracee_processor(tracee);
	regs->rip += names_processor ? sizeof rdtscp : sizeof rdtsc;
	return true;
}

static enum status run_to(struct tracee *tracee, uint64_t address)
{
	struct target *target = tracee->target;
	const uint8_t int3 = 0xcc;
	uint8_t original;
	struct stop stop;
	enum status status = target_read(target, address, &original, 1);
	if (status == STATUS_OK)
		status = target_write(target, address, &int3, 1);
	while (status == STATUS_OK) {
		status = target_resume(tracee, 0);
		if (status == STATUS_OK)
			status = target_wait(target, tracee, -1, &stop);
		/* It may stop so often that no wait is cut short. */
		if (status == STATUS_OK && tracer_interrupted())
			status = STATUS_INTERRUPTED;
		if (status == STATUS_OK && (stop.kind == STOP_EXITED || stop.kind == STOP_EXITING))
			return STATUS_GONE;
		if (status == STATUS_OK && stop.kind == STOP_TRAP && stop.address == address)
			break;
		if (status != STATUS_OK || stop.kind != STOP_SIGNAL)
			continue;
		if (stop.number == SIGSEGV && answer_ticks(tracee))
			count_answer(tracee);
		else
			tracee->deferred_signal = (int)stop.number;
	}
	if (status != STATUS_OK)
		return status;
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	regs->rip = address;
	return target_write(target, address, &original, 1);
}

/* The first instruction of all, the loader's: before it the kernel is still within execve(), where no call can be injected. */
static enum status run_to_first(struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	return regs ? run_to(tracee, regs->rip) : STATUS_GONE;
}

static enum status run_to_entry(struct tracee *tracee, uint64_t entry)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || regs->rip == entry) /* it has no loader */
		return regs ? STATUS_OK : STATUS_GONE;
	enum status status = count_ticks_by_fault(tracee, true);
	if (status == STATUS_OK)
		status = run_to(tracee, entry);
	return status == STATUS_OK ? count_ticks_by_fault(tracee, false) : status;
}

enum status run_up(struct tracee *tracee, char why[256])
{
	uint64_t entry = 0;
	enum status status = target_open_memory(tracee->target);
	if (status == STATUS_OK)
		status = rewrite_auxv(tracee, &entry);
	if (status == STATUS_OK)
		status = run_to_first(tracee);
	if (status == STATUS_OK) {
		status = inject_gadget_page(tracee);
		if (status != STATUS_OK) {
			snprintf(why, 256, "can't map a page in the target: %s", status_text(status));
			return status;
		}
		status = run_to_entry(tracee, entry);
	}
	if (status == STATUS_GONE)
		snprintf(why, 256, "the program ended before its first instruction (is a library missing?)");
	else if (status != STATUS_OK)
		snprintf(why, 256, "can't bring the program to its entry point: %s", status_text(status));
	return status;
}

/* What was of the memory that is gone. */
static void forget_memory(struct target *target, struct tracee *tracee)
{
	target->near_pages_length = 0;
	target->reserved_length = 0;
	tracee->signal_stack = (stack_t){.ss_flags = SS_DISABLE};
	tracee->after_call = (struct after_call){0};
	tracee->cut_call = (struct cut_call){0};
	tracee->clear_tid = 0;
}

/* As its mask was where it became this program, in which SIGTRAP stays open. */
static enum status open_trap(struct tracee *tracee)
{
	uint64_t mask = 0;
	if (ptrace(PTRACE_GETSIGMASK, tracee->tid, (void *)sizeof mask, &mask) != 0)
		return STATUS_GONE;
	return signal_mask_give(tracee, signal_mask_of(tracee, mask));
}

enum status target_run_up(struct target *target, char why[256])
{
	struct tracee *tracee = target_tracee(target, 0);
	char link[32], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/%d/exe", target->pid);
	const ssize_t length = readlink(link, path, sizeof path - 1);
	path[length < 0 ? 0 : length] = '\0';
	snprintf(why, 256, "a program that a process has become can't be brought to its beginning");
	forget_memory(target, tracee);
	enum status status = elf_check(path, why);
	if (status == STATUS_OK)
		status = run_up(tracee, why);
	if (status == STATUS_OK)
		status = open_trap(tracee);
	return status == STATUS_OK && target->world.number ? numbers_settle(target) : status;
}
