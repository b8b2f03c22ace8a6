#include "tracer/private.h"

#include <errno.h>
#include <fmc/origin.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Where executions come from: a fresh exec, or a copy of a process that waits at its entry point. Both give a
 * target with one thread there, with the same memory and registers.
 */
struct origin {
	const struct program *program;
	enum origin_kind kind;
	origin_prepare *prepare;
	void *context;
	struct target *source;		    /* ORIGIN_COPY: what copies are made of */
	struct user_regs_struct entry_regs; /* its registers at the entry point */
	uint64_t signals;		    /* its mask there: that of the injected fork isn't for copies */
	uint64_t tid_address; /* where libc keeps the thread's number; 0 if it hasn't said yet */
	uint64_t robust_list;
	int64_t start_ns;
};

/* Supervisor and target take turns: on one processor a turn costs a fifth of what it does on two. */
static void pin_to_one_processor(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();
	emulate_affinity_init();
	if (cpu < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}

static void begin_world(const struct origin *origin, struct target *target)
{
	target->world = (struct virtual_world){.start_ns = origin->start_ns, .random = 1};
}

static enum status launch_prepared(struct origin *origin, struct target **out, char why[256])
{
	enum status status = launch(origin->program, out, why);
	if (status != STATUS_OK)
		return status;
	begin_world(origin, *out);
	status = origin->prepare(origin->context, *out, target_tracee(*out, 0));
	if (status != STATUS_OK) {
		snprintf(why, 256, "%s: %s", origin->program->path, status_text(status));
		target_kill(*out);
		*out = NULL;
	}
	return status;
}

/*
 * STATUS_UNSUPPORTED: this libc keeps the number elsewhere (musl has the kernel clear a lock at this address, so to
 * write there would lock it), and a copy's number can't be told to it.
 */
static enum status expect_tid(const struct origin *origin)
{
	int32_t tid;
	enum status status = target_read(origin->source, origin->tid_address, &tid, sizeof tid);
	if (status != STATUS_OK)
		return status;
	return tid == origin->source->pid ? STATUS_OK : STATUS_UNSUPPORTED;
}

/*
 * What fork loses and libc relies on: the address where the thread's number is kept and the list of robust
 * mutexes. Both are unset before a static program has run.
 */
static enum status remember_thread_state(struct origin *origin)
{
	struct tracee *tracee = target_tracee(origin->source, 0);
	struct user_regs_struct *regs = tracee_regs(tracee);
	uint64_t length;
	int64_t result;
	if (!regs)
		return STATUS_GONE;
	/* A word below the stack pointer takes the answer: nothing lives there at the entry point. */
	const uint64_t word = regs->rsp - 256, zero = 0;
	const uint64_t arguments[6] = {PR_GET_TID_ADDRESS, word};
	enum status status = tracee_syscall(tracee, SYS_prctl, arguments, &result);
	if (status != STATUS_OK)
		return status;
	if (result == 0)
		status = target_read(origin->source, word, &origin->tid_address, sizeof origin->tid_address);
	if (status == STATUS_OK && origin->tid_address)
		status = expect_tid(origin);
	if (status != STATUS_OK)
		return status;
	origin->robust_list = 0;
	if (syscall(SYS_get_robust_list, origin->source->pid, &origin->robust_list, &length) != 0)
		origin->robust_list = 0;
	return target_write(origin->source, word, &zero, sizeof zero);
}

static enum status study_source(struct origin *origin)
{
	struct tracee *tracee = target_tracee(origin->source, 0);
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	origin->entry_regs = *regs;
	enum status status = tracee_block_signals(tracee, &origin->signals);
	if (status == STATUS_OK)
		status = tracee_unblock_signals(tracee, origin->signals);
	return status == STATUS_OK ? remember_thread_state(origin) : status;
}

static enum status make_source(struct origin *origin, char why[256])
{
	enum status status = launch_prepared(origin, &origin->source, why);
	if (status != STATUS_OK)
		return status;
	status = study_source(origin);
	if (status == STATUS_UNSUPPORTED) {
		target_kill(origin->source);
		origin->source = NULL;
		origin->kind = ORIGIN_EXEC;
		return STATUS_OK;
	}
	if (status != STATUS_OK)
		snprintf(why, 256, "%s: can't be made ready: %s", origin->program->path, status_text(status));
	return status;
}

/* The copy's first stop, before it has run anything. */
static enum status adopt_copy(struct origin *origin, pid_t pid, struct target **out)
{
	int status;
	pid_t got;
	do
		got = waitpid(pid, &status, __WALL);
	while (got < 0 && errno == EINTR);
	struct target *target = target_new(pid);
	if (!target)
		return STATUS_NO_MEMORY;
	struct tracee *tracee = target_add(target, pid, TRACEE_STOPPED);
	enum status result =
	    tracee && got == pid && WIFSTOPPED(status) ? target_open_memory(target) : STATUS_GONE;
	if (result == STATUS_OK)
		result = tracee_unblock_signals(tracee, origin->signals);
	if (result != STATUS_OK) {
		target_kill(target);
		return result;
	}
	tracee->regs = origin->entry_regs;
	tracee->regs_known = true;
	tracee->regs_changed = true;
	memcpy(target->near_pages, origin->source->near_pages, sizeof target->near_pages);
	target->near_pages_length = origin->source->near_pages_length;
	begin_world(origin, target);
	*out = target;
	return STATUS_OK;
}

/*
 * A fork injected into the source: CLONE_PTRACE without an event stop in the source, and with
 * our own process as parent, so that the source sees no SIGCHLD.
 */
static enum status copy_source(struct origin *origin, struct target **out)
{
	struct tracee *source = target_tracee(origin->source, 0);
	uint64_t flags = CLONE_PTRACE | CLONE_UNTRACED | CLONE_PARENT | SIGCHLD;
	int64_t pid;
	if (origin->tid_address)
		flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
	const uint64_t arguments[6] = {flags, 0, 0, origin->tid_address, 0, 0};
	enum status status = tracee_syscall(source, SYS_clone, arguments, &pid);
	if (status != STATUS_OK)
		return status;
	if (pid < 0) {
		errno = (int)-pid;
		return STATUS_SYSTEM;
	}
	status = adopt_copy(origin, (pid_t)pid, out);
	if (status != STATUS_OK || !origin->robust_list)
		return status;
	const uint64_t robust[6] = {origin->robust_list, 24};
	int64_t result;
	status = tracee_syscall(target_tracee(*out, 0), SYS_set_robust_list, robust, &result);
	if (status != STATUS_OK) {
		target_kill(*out);
		*out = NULL;
	}
	return status;
}

enum status origin_new(const struct program *program, enum origin_kind kind, origin_prepare *prepare,
		       void *context, struct origin **out, char why[256])
{
	*out = NULL;
	enum status status = elf_check(program->path, why);
	if (status != STATUS_OK)
		return status;
	struct origin *origin = calloc(1, sizeof *origin);
	if (!origin)
		return STATUS_NO_MEMORY;
	origin->program = program;
	origin->kind = kind == ORIGIN_AUTO ? ORIGIN_COPY : kind;
	origin->prepare = prepare;
	origin->context = context;
	origin->start_ns =
	    (program->start_time ? program->start_time : (int64_t)time(NULL)) * INT64_C(1000000000);
	pin_to_one_processor();
	if (origin->kind == ORIGIN_COPY) {
		status = make_source(origin, why);
	} else {
		/* The first start shows whether it is possible at all. */
		struct target *probe = NULL;
		status = launch_prepared(origin, &probe, why);
		target_kill(probe);
	}
	if (status != STATUS_OK) {
		origin_free(origin);
		return status;
	}
	*out = origin;
	return STATUS_OK;
}

void origin_free(struct origin *origin)
{
	if (!origin)
		return;
	target_kill(origin->source);
	free(origin);
}

/* Every execution reads its input from the beginning, and writes over what the last one wrote. */
static void rewind_descriptors(const struct program *program)
{
	if (program->input >= 0)
		lseek(program->input, 0, SEEK_SET);
}

/* A source that somebody has killed (a user, the kernel for want of memory) is made anew. */
static enum status copy_or_renew_source(struct origin *origin, struct target **target)
{
	char why[256];
	enum status status = origin->source ? copy_source(origin, target) : STATUS_GONE;
	if (status != STATUS_GONE)
		return status;
	target_kill(origin->source);
	origin->source = NULL;
	status = make_source(origin, why);
	return status == STATUS_OK ? copy_source(origin, target) : status;
}

enum status origin_start(struct origin *origin, struct target **target)
{
	char why[256];
	enum status status;
	*target = NULL;
	rewind_descriptors(origin->program);
	if (origin->kind == ORIGIN_COPY)
		status = copy_or_renew_source(origin, target);
	else
		status = launch_prepared(origin, target, why);
	if (status == STATUS_OK)
		tick_start();
	return status;
}

enum origin_kind origin_kind(const struct origin *origin)
{
	return origin->kind;
}

