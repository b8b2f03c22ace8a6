#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * Objects of the kernel by which threads of one process can wait for each other: pipes, event counters, pairs of sockets, semaphores
 * and queues of System V and POSIX, locks of files, and what files hold. Where calls on them aren't operations (kernel_uses.c) threads
 * aren't switched there and a search misses what depends on it: the verdict has to name them. It does where two threads use
 * the same one, and one of the uses could depend on the other: not for output, nor for what one thread uses alone.
 *
 * Calls that make such objects stop the thread. Only when there is one the calls that transfer do as well, which cost a stop each.
 */

/* Two descriptors of one file lock the same. */
static void note_lock(struct process *process, uint32_t thread, int descriptor)
{
	struct stat file;
	if (channels_find_file(process, descriptor, &file))
		uses_note(process, thread, CHANNEL_LOCK, channels_file_id(process, &file), USE_DEPENDS);
}

static bool locks_file(int command)
{
	return command == F_GETLK || command == F_OFD_GETLK || command == F_SETLK || command == F_SETLKW ||
	       command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

/* Standard input, output and errors are left out, as by the filter. */
static bool is_watched(const struct process *process, int descriptor, const void *context)
{
	(void)process;
	(void)context;
	return descriptor > STDERR_FILENO;
}

/* Of eventfds another one may get its number in the kernel. */
static bool is_of_eventfd(const struct process *process, int descriptor, const void *context)
{
	struct kernel_end end;
	return kernel_look(process, descriptor, &end) && end.class == CLASS_EVENTFD &&
	       end.id == *(const uint64_t *)context;
}

static void note_close(struct process *process, int descriptor)
{
	struct kernel_end end;
	if (process->uses.kernel_length > 0 && process->spaces_length < 2 &&
	    kernel_look(process, descriptor, &end) && end.class == CLASS_EVENTFD &&
	    !uses_any_descriptor(process, descriptor, is_of_eventfd, &end.id))
		kernel_use_end(process, CLASS_EVENTFD, end.id);
	uses_end(process, CHANNEL_OTHER, (uint64_t)descriptor);
	uses_end(process, CHANNEL_POSITION, (uint64_t)descriptor);
	files_may_go_by(process, descriptor);
}

/* All others have been joined. */
static bool is_alone(const struct process *process, uint32_t thread)
{
	const struct model *model = process->model->model;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (t != thread && !model_joined(model, t))
			return false;
	return true;
}

/* Has the program put something else in the place of standard input, output or errors? Theirs may be waited for by others. */
static bool standard_replaced(const struct process *process)
{
	const struct program *program = &process->options.program;
	const int given[] = {program->input, program->output, program->error};
	if (program->image)
		return false;
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
		struct stat now, first;
		if (channels_find_file(process, i, &now) && fstat(given[i] < 0 ? i : given[i], &first) == 0 &&
		    (now.st_ino != first.st_ino || now.st_dev != first.st_dev))
			return true;
	}
	return false;
}

static void watch(struct process *process, struct tracee *tracee)
{
	if (!tracee ||
	    (process->watches_channels && (process->watches_standard || !process->closes_standard)))
		return;
	const bool standard =
	    process->options.outputs || process->closes_standard || standard_replaced(process);
	process->watches_channels = true;
	process->watches_standard = standard;
	/* What isn't seen may be. */
	if (target_watch_transfers(tracee, standard) != STATUS_OK)
		process_remark(process, "pipes and the like, which fmc can't watch");
}

/*
 * Who reads standard input or writes the others isn't stopped as long as nobody closes them while there are other threads: all executions are watched then.
 */
static void learn_of_closing(struct process *process, long number, const struct user_regs_struct *regs)
{
	const bool closes = number == SYS_close || number == SYS_close_range;
	if (!closes || (unsigned)regs->rdi > STDERR_FILENO || process->watches_standard ||
	    process->closes_standard)
		return;
	process->closes_standard = process->has_learned = true;
}

static void forget(struct uses *uses)
{
	uses_forget(uses);
	unordered_forget(uses);
}

void channels_forget_all(struct uses *uses)
{
	uses_forget(uses);
	unordered_begin(uses);
	gone_begin(uses);
	uses->pairs_length = 0;
	uses->followed_end = -1;
	memset(uses->connected, 0, sizeof uses->connected);
}

void channels_free_uses(struct uses *uses)
{
	uses_release(uses);
	unordered_release(uses);
	gone_release(uses);
	*uses = (struct uses){0};
}

void channels_watch(struct process *process, uint32_t thread, const struct op *op)
{
	/* What all others have done comes before what the new thread does. */
	if (op->kind == OP_THREAD_CREATE && process->uses.length > 0 && is_alone(process, thread))
		forget(&process->uses);
	if (!process->looked_for_channels && process->options.note_unseen)
		process->has_channels |=
		    uses_any_descriptor(process, -1, is_watched, NULL) || standard_replaced(process);
	process->looked_for_channels = true;
	/* Known from earlier executions, which files are; nothing else tells of these. */
	process->has_channels |=
	    process->options.outputs || process->closes_standard || shared_in_common(process->shared);
	if (process->has_channels)
		watch(process, process->threads[thread].tracee);
}

/* What the call takes from a descriptor or puts into one; false: it does neither. */
static bool note_contents(struct process *process, uint32_t thread, const struct call_traits *call,
			  const struct user_regs_struct *regs)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx};
	const uint8_t moves = call->moves ? USE_POSITION : 0;
	for (int i = 0; i < 3; i++) {
		if (call->from == i)
			channels_note_descriptor(process, thread, (int)arguments[i], USE_DEPENDS | moves);
		if (call->into == i)
			channels_note_descriptor(process, thread, (int)arguments[i], USE_CHANGES | moves);
	}
	return call->from != NO_ARGUMENT || call->into != NO_ARGUMENT;
}

/* The thread is about to map some of a file, whose contents it has then. */
static void note_mapped(struct process *process, uint32_t thread, const struct user_regs_struct *regs)
{
	const int descriptor = (int)regs->r8;
	struct stat file;
	if (regs->r10 & MAP_ANONYMOUS)
		return;
	descriptors_used(process, thread, descriptor);
	if (!channels_find_file(process, descriptor, &file) || !S_ISREG(file.st_mode))
		return;
	unordered_use(process, thread, CHANNEL_CONTENT, channels_file_id(process, &file));
	kernel_use_mapped(process, channels_file_id(process, &file));
}

/* From the second thread on: the thread stands before a call that uses such an object. */
static void note_call(struct process *process, uint32_t thread, long number,
		      const struct user_regs_struct *regs)
{
	const int first = (int)regs->rdi;
	if (note_contents(process, thread, call_traits(number), regs))
		return;
	switch (number) {
	case SYS_fcntl:
		if (!process->uses.followed && locks_file((int)regs->rsi))
			note_lock(process, thread, first);
		(void)descriptors_note(process, thread, number, regs);
		break;
	case SYS_mmap:
		note_mapped(process, thread, regs);
		break;
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
		/* As the kernel calls the process or as the program does. */
		if ((pid_t)regs->rdi == target_pid(process->target) ||
		    (pid_t)regs->rdi == tracee_number(process->threads[0].tracee))
			uses_remark(process, CHANNEL_MEMORY);
		break;
	default:
		if (descriptors_note(process, thread, number, regs))
			break;
		names_note(process, thread, number, regs, false);
		settings_note(process, thread, number, regs);
	}
}

#define LIBC_CANCELS 32
#define LIBC_CHANGES 33 /* whose the process is */

/* A signal that the thread doesn't send itself, but for those that libc sends for its own sake. */
static void note_signal(struct process *process, uint32_t thread, long number,
			const struct user_regs_struct *regs)
{
	const pid_t self = tracee_number(process->threads[thread].tracee);
	const bool to_thread = number == SYS_tgkill || number == SYS_rt_tgsigqueueinfo;
	const uint64_t signal = to_thread ? regs->rdx : regs->rsi;
	const uint64_t receiver = to_thread ? regs->rsi : regs->rdi;
	const bool own = (to_thread || number == SYS_tkill) && (pid_t)receiver == self;
	if (!own && signal != LIBC_CANCELS && signal != LIBC_CHANGES)
		uses_remark(process, CHANNEL_SIGNAL);
}

/* Done here to learn which two sockets it makes. Where that fails they are two among all others. */
static void make_pair(struct process *process, struct tracee *tracee, const struct user_regs_struct *regs)
{
	const uint64_t at = regs->r10, arguments[6] = {regs->rdi, regs->rsi, regs->rdx, at};
	struct uses *uses = &process->uses;
	struct stat one, other;
	int ends[2];
	int64_t result = 0;
	if (tracee_syscall(tracee, SYS_socketpair, arguments, &result) != STATUS_OK)
		return;
	tracee_skip_syscall(tracee, result);
	if (result != 0 || uses->pairs_length == sizeof uses->pairs / sizeof uses->pairs[0] ||
	    target_read(process->target, at, ends, sizeof ends) != STATUS_OK ||
	    !channels_find_file(process, ends[0], &one) || !channels_find_file(process, ends[1], &other))
		return;
	uses->pairs[uses->pairs_length].one = one.st_ino;
	uses->pairs[uses->pairs_length++].other = other.st_ino;
}

/* Are there descriptors from now on by which threads may wait, if there were none? */
static bool makes_descriptors(const struct process *process, long number)
{
	switch (number) {
	case SYS_open:
	case SYS_openat:
	case SYS_creat:
	case SYS_memfd_create:
		return process->options.note_unseen && process->threaded;
	case SYS_flock: /* a close() ends that */
		return true;
	default:
		return call_traits(number)->makes;
	}
}

/* All that there is to know of a descriptor of these is known there. */
static bool is_end(enum object_class class)
{
	return class == CLASS_PIPE || class == CLASS_EVENTFD || class == CLASS_SOCKET ||
	       class == CLASS_CONNECTION;
}

/* What the files hold that the call is on is known there. */
static void set_followed(struct process *process, const struct kernel_call *call)
{
	struct uses *uses = &process->uses;
	uses->followed_files[0] = uses->followed && call->class == CLASS_FILE ? call->id : 0;
	uses->followed_files[1] = uses->followed && call->second.class == CLASS_FILE ? call->other : 0;
	uses->followed_end = uses->followed && is_end(call->class) ? call->used : -1;
}

/* To close an eventfd changes nothing for others but that the descriptor is gone. */
static void note_kernel_call(struct process *process, uint32_t thread, struct tracee *tracee, long number)
{
	struct kernel_call call;
	process->uses.followed = process->threaded && !is_alone(process, thread) &&
				 kernel_call_decode(process, tracee, number, &call);
	set_followed(process, &call);
	if (process->uses.followed && call.kind != OP_EVENTFD_CLOSE)
		kernel_use_note(process, thread, &call, false);
}

void channels_note_operation(struct process *process, uint32_t thread, long number,
			     const struct user_regs_struct *regs, const struct kernel_call *call)
{
	const struct call_traits *traits = call_traits(number);
	process->uses.followed = true;
	set_followed(process, call);
	if (traits->from != NO_ARGUMENT && traits->into != NO_ARGUMENT)
		(void)note_contents(process, thread, traits, regs);
	if (call->class == CLASS_NAME)
		names_note(process, thread, number, regs, true);
	if (call->class == CLASS_FIFO)
		names_note_otherwise(process, thread, number, regs);
	descriptors_opened(process, thread, number, regs);
}

void channels_note(struct process *process, uint32_t thread, long number)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	if (!regs)
		return;
	note_kernel_call(process, thread, tracee, number);
	if (makes_descriptors(process, number)) {
		process->has_channels = true;
		if (process->threaded)
			watch(process, tracee);
	}
	/* Of several processes all that is done with these is seen. */
	const bool replaces = !process->options.follow && (number == SYS_dup2 || number == SYS_dup3);
	if (replaces && process->threaded && process->options.note_unseen && regs->rsi <= STDERR_FILENO)
		process_remark(process, "standard input, output or errors that a thread replaces");
	const bool others = process->threaded && !is_alone(process, thread);
	if (others) {
		learn_of_closing(process, number, regs);
		events_note_close(process, number, regs);
	}
	if (others && number == SYS_close)
		descriptors_closed(process, thread, (int)regs->rdi);
	else if (others)
		note_call(process, thread, number, regs);
	if (others)
		descriptors_opened(process, thread, number, regs);
	if (number == SYS_socketpair)
		make_pair(process, tracee, regs);
	if (number == SYS_close)
		note_close(process, (int)regs->rdi);
	if ((number == SYS_dup2 || number == SYS_dup3) && regs->rdi != regs->rsi)
		files_may_go_by(process, (int)regs->rsi);
}

void channels_note_signal(struct process *process, uint32_t thread, long number)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	if (regs && process->threaded && !is_alone(process, thread))
		note_signal(process, thread, number, regs);
}
