#include "tracer/answers/answers.h"
#include "tracer/answers/clocks.h"

static void before_call(struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee->target->kept_files ? tracee_regs(tracee) : NULL;
	if (regs)
		file_changes_keep(tracee->target, tracee->tid, regs);
	if (!limits_before_call(tracee))
		numbers_before_call(tracee);
}

static void before_childs_call(const struct target *target, pid_t child)
{
	struct tracee guest = {
	    .target = (struct target *)(uintptr_t)target, .tid = child, .life = TRACEE_STOPPED};
	const struct user_regs_struct *regs = target->kept_files ? tracee_regs(&guest) : NULL;
	if (regs)
		file_changes_keep(target, child, regs);
	numbers_before_childs_call(target, child);
}

static void at_birth(struct tracee *creator, struct tracee *child)
{
	affinity_at_birth(creator, child);
	numbers_at_birth(creator, child);
}

static void at_exec(struct target *target, pid_t pid)
{
	limits_at_exec(target, pid);
	clock_code_at_exec(target, pid);
}

const struct answers answers = {
    .answer = emulate_syscall,
    .outside = outside_call,
    .before_call = before_call,
    .after_call = numbers_after_call,
    .at_birth = at_birth,
    .at_exit = numbers_at_exit,
    .at_signal = numbers_of_sender,
    .before_childs_call = before_childs_call,
    .at_exec = at_exec,
};
