#include "tracer/answers/answers.h"
#include "tracer/copy/channel.h"
#include "tracer/copy/image_state.h"
#include "tracer/copy/launch.h"
#include "tracer/image_file/load.h"
#include "tracer/proc/elf_check.h"
#include "tracer/target/target.h"
#include "tracer/tracee/processors.h"

#include <errno.h>
#include <fmc/tracer/origin.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Where executions come from: a fresh exec, or a copy of a process that waits at its entry point. Both give a
 * target with one thread there, with the same memory and registers. Later copies may be of a process that has come
 * further.
 */

/* What copies are made of, and what a fork doesn't hand on to them. */
struct source {
	struct target *target;
	struct user_regs_struct regs;
	uint64_t signals;     /* its mask: that of the injected fork isn't for copies */
	uint64_t tid_address; /* where libc keeps the thread's number; 0 if it hasn't said yet */
	uint64_t robust_list;
	struct virtual_world world;
	uint64_t number; /* of all that there have been */
	bool advanced;	 /* has come further than the entry point, with what follows */
	struct open_files open_files;
	struct channels channels; /* of its own: each copy gets its own, too */
};

struct origin {
	const struct program *program;
	enum origin_kind kind;
	origin_prepare *prepare;
	void *context;
	struct source source; /* ORIGIN_COPY; its target is NULL where there is none */
	struct image *image;  /* program->image: copies are made of that instead */
	uint64_t filters; /* that executions have asked for, and copies are to have from their beginning */
	int64_t start_ns;
};

/* As every execution begins: in the constructors of libraries, which come before what is told to be its start. */
static struct virtual_world beginning(const struct origin *origin)
{
	const bool keeps = origin->program->keeps_numbers;
	return (struct virtual_world){.start_ns = origin->start_ns,
				      .random = 1,
				      .number = keeps ? NUMBER_OF_MAIN : 0,
				      .keeps_numbers = keeps};
}

static enum status launch_prepared(struct origin *origin, struct target **out, char why[256])
{
	const struct virtual_world world = beginning(origin);
	enum status status = launch(origin->program, NULL, &world, out, why);
	if (status != STATUS_OK)
		return status;
	if (world.number)
		status = numbers_settle(*out);
	if (status == STATUS_OK)
		status = origin->prepare(origin->context, *out, target_tracee(*out, 0));
	if (status == STATUS_INTERRUPTED)
		snprintf(why, 256, "interrupted while its code was read");
	else if (status != STATUS_OK)
		snprintf(why, 256, "%s: %s", origin->program->path, status_text(status));
	if (status != STATUS_OK) {
		target_kill(*out);
		*out = NULL;
	}
	return status;
}

/*
 * STATUS_UNSUPPORTED: this libc keeps the number elsewhere (musl has the kernel clear a lock at this address, so to
 * write there would lock it), and a copy's number can't be told to it.
 */
static enum status expect_tid(const struct source *source)
{
	int32_t tid;
	enum status status = target_read(source->target, source->tid_address, &tid, sizeof tid);
	if (status != STATUS_OK)
		return status;
	return tid == tracee_number(target_tracee(source->target, 0)) ? STATUS_OK : STATUS_UNSUPPORTED;
}

/*
 * What fork loses and libc relies on: the address where the thread's number is kept and the list of robust
 * mutexes. Both are unset before a static program has run.
 */
static enum status remember_thread_state(struct source *source)
{
	uint64_t length;
	enum status status = numbers_tid_address(target_tracee(source->target, 0), &source->tid_address);
	if (status == STATUS_OK && source->tid_address)
		status = expect_tid(source);
	if (syscall(SYS_get_robust_list, source->target->pid, &source->robust_list, &length) != 0)
		source->robust_list = 0;
	return status;
}

/* Look at a stopped process of which copies are to be made. */
static enum status study_source(struct source *source, struct target *target)
{
	struct tracee *tracee = target_tracee(target, 0);
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	static uint64_t sources;
	*source =
	    (struct source){.target = target, .regs = *regs, .world = target->world, .number = ++sources};
	enum status status = tracee_block_signals(tracee, &source->signals);
	if (status == STATUS_OK)
		status = tracee_unblock_signals(tracee, source->signals);
	return status == STATUS_OK ? remember_thread_state(source) : status;
}

static void drop_source(struct origin *origin)
{
	target_kill(origin->source.target);
	channels_release(&origin->source.channels);
	origin->source = (struct source){0};
}

static enum status make_source(struct origin *origin, char why[256])
{
	struct target *target;
	enum status status = launch_prepared(origin, &target, why);
	if (status != STATUS_OK)
		return status;
	target->wanted = &origin->filters;
	status = study_source(&origin->source, target);
	if (status == STATUS_UNSUPPORTED) {
		drop_source(origin);
		origin->kind = ORIGIN_EXEC;
		return STATUS_OK;
	}
	if (status != STATUS_OK)
		snprintf(why, 256, "%s: can't be made ready: %s", origin->program->path, status_text(status));
	return status;
}

/* The copy's first stop, before it has run anything. */
static enum status adopt_copy(const struct source *source, pid_t pid, struct target **out)
{
	const bool alive = wait_for_copy(pid);
	struct target *target = target_new(pid, &answers);
	if (!target)
		return STATUS_NO_MEMORY;
	struct tracee *tracee = target_add(target, pid, TRACEE_STOPPED);
	enum status result = tracee && alive ? target_open_memory(target) : STATUS_GONE;
	if (result == STATUS_OK)
		result = tracee_unblock_signals(tracee, source->signals);
	if (result != STATUS_OK) {
		target_kill(target);
		return result;
	}
	tracee->regs = source->regs;
	tracee->regs_known = true;
	tracee->regs_changed = true;
	tracee->clear_tid = source->tid_address;
	tracee->signal_stack = target_tracee(source->target, 0)->signal_stack;
	signal_mask_inherit(target_tracee(source->target, 0), tracee);
	tracee->used_ns = target_tracee(source->target, 0)->used_ns;
	tracee->affinity = target_tracee(source->target, 0)->affinity;
	memcpy(target->near_pages, source->target->near_pages, sizeof target->near_pages);
	target->near_pages_length = source->target->near_pages_length;
	reserved_inherit(target, source->target);
	filters_inherit(target, source->target);
	target->world = source->world;
	*out = target;
	return STATUS_OK;
}

/*
 * A process that has already run goes by the number that the source has, which may be anywhere in its memory: as
 * the owner of a mutex it holds, say.
 *
 * A fork injected into the source: CLONE_PTRACE without an event stop in the source, and with
 * our own process as parent, so that the source sees no SIGCHLD.
 */
static enum status fork_source(const struct source *source, pid_t *pid)
{
	uint64_t flags = CLONE_PTRACE | CLONE_UNTRACED | CLONE_PARENT | SIGCHLD;
	int64_t result;
	if (source->tid_address)
		flags |= CLONE_CHILD_CLEARTID | (source->world.number ? 0 : CLONE_CHILD_SETTID);
	const uint64_t arguments[6] = {flags, 0, 0, source->tid_address, 0, 0};
	enum status status = tracee_syscall(target_tracee(source->target, 0), SYS_clone, arguments, &result);
	if (status != STATUS_OK)
		return status;
	*pid = (pid_t)result;
	if (result >= 0)
		return STATUS_OK;
	errno = (int)-result;
	return STATUS_SYSTEM;
}

static enum status copy_source(const struct source *source, struct target **out)
{
	pid_t pid;
	int64_t result;
	const uint64_t robust[6] = {source->robust_list, 24};
	filters_grant(source->target);
	enum status status = fork_source(source, &pid);
	if (status == STATUS_OK)
		status = adopt_copy(source, pid, out);
	if (status != STATUS_OK)
		return status;
	if (source->robust_list)
		status = tracee_syscall(target_tracee(*out, 0), SYS_set_robust_list, robust, &result);
	if (status == STATUS_OK)
		status = open_files_restore(&source->open_files, target_tracee(*out, 0));
	if (status == STATUS_OK)
		status = channels_make(&source->channels, target_tracee(*out, 0));
	if (status != STATUS_OK) {
		target_kill(*out);
		*out = NULL;
	}
	return status;
}

/* A saved process, ready to be copied. */
static enum status load_image(struct origin *origin, char why[256])
{
	enum status status = image_load(origin->program, &origin->image, why);
	if (status != STATUS_OK)
		return status;
	struct target *target = origin->image->target;
	target->wanted = &origin->filters;
	status = origin->prepare(origin->context, target, target_tracee(target, 0));
	if (status == STATUS_OK)
		return STATUS_OK;
	snprintf(why, 256, "%.200s: %s", origin->program->image, status_text(status));
	image_free(origin->image);
	origin->image = NULL;
	return status;
}

enum status origin_new(const struct program *program, enum origin_kind kind, origin_prepare *prepare,
		       void *context, struct origin **out, char why[256])
{
	*out = NULL;
	enum status status = program->image ? STATUS_OK : elf_check(program->path, why);
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
	processors_pin();
	if (program->image) {
		origin->kind = ORIGIN_COPY;
		status = load_image(origin, why);
	} else if (origin->kind == ORIGIN_COPY) {
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
	drop_source(origin);
	image_free(origin->image);
	free(origin);
}

/* Every execution reads its input from the beginning, and writes over what the last one wrote. */
static void rewind_descriptors(const struct program *program)
{
	if (program->input >= 0)
		lseek(program->input, 0, SEEK_SET);
}

/* An image that somebody has killed is loaded again. */
static enum status start_image(struct origin *origin, struct target **target)
{
	char why[256];
	enum status status = origin->image ? image_start(origin->image, target) : STATUS_GONE;
	if (status != STATUS_GONE)
		return status;
	image_free(origin->image);
	origin->image = NULL;
	status = load_image(origin, why);
	return status == STATUS_OK ? image_start(origin->image, target) : status;
}

/* A source that somebody has killed (a user, the kernel for want of memory) is made anew. */
static enum status copy_or_renew_source(struct origin *origin, struct target **target)
{
	char why[256];
	enum status status = origin->source.target ? copy_source(&origin->source, target) : STATUS_GONE;
	if (status != STATUS_GONE)
		return status;
	drop_source(origin);
	status = make_source(origin, why);
	return status == STATUS_OK ? copy_source(&origin->source, target) : status;
}

enum status origin_start(struct origin *origin, struct target **target)
{
	char why[256];
	enum status status;
	*target = NULL;
	if (origin->program->image)
		return start_image(origin, target);
	rewind_descriptors(origin->program);
	if (origin->kind == ORIGIN_COPY)
		status = copy_or_renew_source(origin, target);
	else
		status = launch_prepared(origin, target, why);
	if (status != STATUS_OK)
		return status;
	target_keep_files(*target, origin->program->kept_files);
	tick_start(*target);
	return STATUS_OK;
}

/* What its processes have open from their beginning. */
static struct inherited inherited_from(const struct origin *origin)
{
	return (struct inherited){.program = origin->program,
				  .before = origin->image ? origin->image->target : origin->source.target};
}

enum status origin_take_image(const struct origin *origin, struct target *target, struct image **image)
{
	const struct inherited inherited = inherited_from(origin);
	return image_take(&inherited, target, image);
}

enum status origin_set_apart(const struct origin *origin, struct target *target, struct own_files *apart)
{
	const struct inherited inherited = inherited_from(origin);
	return target->tracees_length == 1 ? open_files_apart(target, &inherited, apart) : STATUS_UNSUPPORTED;
}

enum status origin_advance(struct origin *origin, struct target *target)
{
	struct source source;
	struct open_files open_files;
	struct channels channels;
	if (origin->kind != ORIGIN_COPY || !origin->source.target || target->tracees_length != 1)
		return STATUS_UNSUPPORTED;
	const struct inherited inherited = inherited_from(origin);
	enum status status = channels_find(target->pid, target->world.confined, &channels);
	if (status != STATUS_OK)
		return status;
	status = open_files_take(target, &inherited, &channels, &open_files);
	if (status == STATUS_OK)
		status = study_source(&source, target);
	if (status != STATUS_OK) {
		channels_release(&channels);
		return status;
	}
	drop_source(origin);
	tick_stop(target);
	source.advanced = true;
	if (!source.world.number)
		if (!source.world.keeps_numbers)
			source.world.number = target->pid;
	source.open_files = open_files;
	source.channels = channels;
	origin->source = source;
	return STATUS_OK;
}

bool origin_advanced(const struct origin *origin)
{
	return origin->source.advanced;
}

/* Without numbers of fmc's own each copy has others in its memory. */
uint64_t origin_source(const struct origin *origin)
{
	const bool alike = origin->kind == ORIGIN_COPY && !origin->image && origin->program->keeps_numbers;
	return alike ? origin->source.number : 0;
}

enum origin_kind origin_kind(const struct origin *origin)
{
	return origin->kind;
}
