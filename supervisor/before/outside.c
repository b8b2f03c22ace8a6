#include "supervisor/before/before.h"
#include "supervisor/drive/drive.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/asked.h"
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fcntl.h>
#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/epoll_members.h>
#include <fmc/tracer/maps.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * System calls that wait for something which the model doesn't know: would this one complete now? File
 * descriptors are asked through duplicates of the target's (pidfd_getfd), signals by the thread's pending
 * set. What can't be asked counts as not ready; it gets its turn when nothing else can run.
 */

/* Of signals the kernel tells whoever asks what it has for him. */
static bool is_ready(const struct process *process, const struct tracee *tracee, int fd, short events)
{
	uint64_t set;
	if (!signals_read_by(tracee, fd, &set))
		return kernel_is_ready(process, fd, events);
	return (tracee_signals(tracee).pending & set) != 0;
}

/*
 * A set must not be asked from outside that has signals in it: the kernel takes out of those that are ready what isn't for the one that asks
 * (__ep_eventpoll_poll()), and the program is never told. What is in it is asked one by one then, but for what is told once.
 */
static bool set_ready(struct process *process, const struct tracee *tracee, int set)
{
	const pid_t pid = target_pid(process->target);
	uint32_t length;
	if (!sets_reads_signals(process, set))
		return sets_is_ready(process, set);
	struct channel_member *members = epoll_members(pid, set, &length);
	bool ready = !members && kernel_is_ready(process, set, POLLIN);
	for (uint32_t i = 0; members && i < length && !ready; i++)
		ready = !(members[i].events & (EPOLLET | EPOLLONESHOT)) &&
			is_ready(process, tracee, members[i].number,
				 (short)(members[i].events & (POLLIN | POLLPRI | POLLOUT | POLLRDHUP)));
	free(members);
	return ready;
}

static bool fd_ready(struct process *process, const struct tracee *tracee, int fd, short events)
{
	return sets_is_one(process, fd) ? set_ready(process, tracee, fd)
					: is_ready(process, tracee, fd, events);
}

/*
 * The rest of a transfer that a stop has cut goes on with any byte, but what is to have several before a read returns (VMIN of a
 * terminal, SO_RCVLOWAT) has POLLIN for that many only, also when there are fewer to come.
 */
static bool rest_ready(const struct process *process, const struct tracee *tracee, long number,
		       const struct user_regs_struct *regs)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx};
	const int reads = call_traits(number)->reads;
	const int fd =
	    tracee->cut_call.goes_on && reads >= 0 ? kernel_duplicate(process, (int)arguments[reads]) : -1;
	int bytes = 0;
	const bool ready = fd >= 0 && ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
	if (fd >= 0)
		close(fd);
	return ready;
}

/*
 * Have the program's threads, timers or children sent all of these, in this execution? Then they don't come from outside, unless there still is a child
 * that isn't followed. Where it is told which do, those are all.
 */
static bool sends_all(const struct process *process, uint64_t signals)
{
	if (!process->options.outside_ms || process->disturbed ||
	    (process->has_children && target_descendants(process->target) > 0))
		return false;
	return process->options.arrivals.length || (signals && !(signals & ~process->sent));
}

/* Does the kernel work for the process (io_submit(), io_uring, KVM)? It may add to a counter when it has done something. */
static bool kernel_works_for(pid_t pid, const void *context)
{
	static const char *const names[] = {"[aio]", "[io_uring]", "kvm-"};
	struct maps maps;
	bool works = maps_of(pid, &maps) != STATUS_OK;
	(void)context;
	if (works)
		return true;
	for (size_t i = 0; i < maps.length && !works; i++)
		for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
			works |= maps.at[i].path && strstr(maps.at[i].path, names[k]);
	maps_release(&maps);
	return works;
}

static bool kernel_works(const struct process *process)
{
	return uses_any_process(process, kernel_works_for, NULL);
}

/* A pipe, a counter, a pair of sockets or a connection of which nobody else has an end. */
static bool is_own(struct process *process, int fd, short events)
{
	struct kernel_call call;
	if (!kernel_call_decode_asked(process, fd, &call) || !call.can_be_operation)
		return false;
	if (call.class == CLASS_CONNECTION)
		return kernel_waits_for_peer(process, fd, events);
	return (call.class == CLASS_PIPE && !call.named) || call.class == CLASS_SOCKET ||
	       (call.class == CLASS_EVENTFD && !kernel_works(process));
}

static bool fd_foreign(struct process *process, const struct tracee *tracee, int fd, short events);

/* One that is no object: with whom it is doesn't matter. */
static bool is_others_connection(struct process *process, int fd)
{
	struct kernel_call call;
	return kernel_call_decode_asked(process, fd, &call) && call.class == CLASS_CONNECTION &&
	       !call.can_be_operation;
}

/* A set has what is in it. Of one in a set nobody knows, and of signals that are told once not when they have been. */
static bool set_foreign(struct process *process, const struct tracee *tracee, int set)
{
	const pid_t pid = target_pid(process->target);
	uint32_t length;
	uint64_t signals;
	if (sets_is_foreign(process, set))
		return true;
	struct channel_member *members = epoll_members(pid, set, &length);
	bool foreign = members == NULL;
	for (uint32_t i = 0; i < length && !foreign; i++)
		foreign = epoll_is_set(pid, members[i].number) ||
			  (members[i].events & (EPOLLET | EPOLLONESHOT) &&
			   signals_read_by(tracee, members[i].number, &signals)) ||
			  fd_foreign(process, tracee, members[i].number, (short)members[i].events);
	for (uint32_t i = 0; members && foreign && i < length; i++)
		if (is_others_connection(process, members[i].number)) {
			sets_set_foreign(process, set);
			break;
		}
	free(members);
	return foreign;
}

/* Only the process's own threads could end a wait for what isn't that; see target_owns(). */
static bool fd_foreign(struct process *process, const struct tracee *tracee, int fd, short events)
{
	uint64_t set;
	if (signals_read_by(tracee, fd, &set))
		return !sends_all(process, set);
	if (senders_at(process, fd) != SENDERS_MOST || target_owns(process->target, fd))
		return false;
	if (sets_is_one(process, fd))
		return set_foreign(process, tracee, fd);
	return !is_own(process, fd, events);
}

/* What is asked of each descriptor that a call waits for, until the answer is true. */
typedef bool question(struct process *process, const struct tracee *tracee, int fd, short events);

struct asking {
	struct process *process;
	const struct tracee *tracee;
	question *ask;
};

static bool ask_one(const struct process *process, int fd, short events, void *context)
{
	const struct asking *asking = context;
	(void)process;
	return asking->ask(asking->process, asking->tracee, fd, events);
}

static bool signal_ready(const struct process *process, const struct tracee *tracee, long number,
			 const struct user_regs_struct *regs)
{
	const struct signal_sets signals = tracee_signals(tracee);
	uint64_t set = 0;
	if (tracee->deferred_signal)
		return true;
	if (number == SYS_pause)
		return (signals.pending & ~signals.blocked) != 0;
	if (target_read(process->target, regs->rdi, &set, sizeof set) != STATUS_OK)
		return true;
	return (signals.pending & (number == SYS_rt_sigsuspend ? ~set : set)) != 0;
}

/* otherwise: of a call that doesn't wait for descriptors. */
static bool any_descriptor(struct process *process, const struct tracee *tracee, long number,
			   const struct user_regs_struct *regs, question *ask, bool otherwise)
{
	const struct call_traits *traits = call_traits(number);
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx};
	if (traits->awaits == AWAITS_POLLED || traits->awaits == AWAITS_SELECTED)
		return asked_any(process, number, regs, ask_one, &(struct asking){process, tracee, ask});
	if (traits->reads < 0 && traits->writes < 0)
		return otherwise;
	return (traits->reads < 0 || ask(process, tracee, (int)arguments[traits->reads], POLLIN)) &&
	       (traits->writes < 0 || ask(process, tracee, (int)arguments[traits->writes], POLLOUT));
}

/* Of calls that have been found to wait none is such, but those on timers are operations before that. */
static bool never_waits(const struct process *process, long number, const struct user_regs_struct *regs)
{
	struct kernel_end end = {.blocking = true};
	if (number != SYS_read || senders_at(process, (int)regs->rdi) == SENDERS_MOST)
		return false;
	kernel_look_closer(process, (int)regs->rdi, &end);
	return !end.blocking;
}

/* One with a handler, or one that ends the process. */
static bool signal_delivered(const struct tracee *tracee)
{
	const struct signal_sets signals = tracee_signals(tracee);
	return signals_deliverable(&signals) || signals_fatal(&signals);
}

/*
 * To ask the kernel for all threads that wait is what a server costs most. Who is run once doesn't notice how soon they hear of what has come, as
 * long as somebody else goes on: if nobody does, time passes, and they are asked for anew.
 */
#define HEARD_WITHIN 256 /* transitions */

static bool may_be_heard_later(const struct process *process)
{
	return !process->options.outside_ms && process->watches_channels && process->spaces_length < 2 &&
	       !target_descendants(process->target);
}

static bool ask_kernel(struct process *process, uint32_t thread, long number,
		       const struct user_regs_struct *regs)
{
	struct process_thread *self = &process->threads[thread];
	const bool holds = self->asked.known && process->transitions - self->asked.transitions < HEARD_WITHIN;
	if (!holds || !may_be_heard_later(process)) {
		self->asked.ready = any_descriptor(process, self->tracee, number, regs, fd_ready, false) ||
				    rest_ready(process, self->tracee, number, regs) ||
				    never_waits(process, number, regs);
		self->asked.transitions = process->transitions;
		self->asked.known = true;
	}
	return self->asked.ready;
}

/* Time passes, and who waits is to hear of what has come. */
static void forget_asked(struct process *process)
{
	for (size_t t = 0; t < process->threads_length; t++)
		process->threads[t].asked.known = false;
}

bool outside_ready(struct process *process, uint32_t thread, const struct op *op)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	if (op->flags & OP_ABSENT)
		return false;
	if (!regs)
		return true;
	const bool models =
	    (op_in_kernel(op->kind) || op->flags & OP_ASKS) && !target_descendants(process->target);
	long number = (long)regs->orig_rax;
	if (number != SYS_rt_sigtimedwait && (process->signalled || process_is_disturbed(process)) &&
	    signal_delivered(tracee))
		return true;
	if (op->kind == OP_FIFO_OPEN && op->object < process->objects_length &&
	    process->objects[op->object].kernel.others)
		return kernel_fifo_met(process, thread);
	/* Of what nobody else has, the model knows. */
	if (models)
		return false;
	if (call_traits(number)->awaits == AWAITS_SIGNAL)
		return signal_ready(process, tracee, number, regs);
	number = number < 0 ? (long)op->arg : number;
	if (number == SYS_wait4)
		return target_child_ended(process->target, (pid_t)regs->rdi);
	if (number == SYS_waitid)
		return target_child_ended(process->target, regs->rdi == P_PID ? (pid_t)regs->rsi : 0);
	return ask_kernel(process, thread, number, regs);
}

bool outside_completes(struct process *process, uint32_t thread)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	return !regs || any_descriptor(process, tracee, (long)regs->orig_rax, regs, fd_ready, false);
}

/* What has been sent is there, or comes within a moment. */
static bool fd_open(struct process *process, const struct tracee *tracee, int fd, short events)
{
	return fd_ready(process, tracee, fd, events) || kernel_is_open(process, fd, events);
}

/* A time-out of 0: it doesn't wait. */
static bool only_looks(const struct op *op)
{
	return op->kind == OP_POLL && op->flags & OP_ASKS && op->flags & OP_TIMED && op->arg == 0;
}

enum tried outside_try_poll(struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	if (!regs || any_descriptor(process, tracee, (long)regs->orig_rax, regs, fd_open, false))
		return TRIED_GOES;
	return only_looks(op) ? TRIED_FAILS : TRIED_WAITS;
}

/* Can only such signals end this wait for signals? */
static bool awaits_own_signals(const struct process *process, const struct tracee *tracee, long number,
			       const struct user_regs_struct *regs)
{
	if (call_traits(number)->awaits != AWAITS_SIGNAL)
		return false;
	const struct signal_sets signals = tracee_signals(tracee);
	uint64_t set = 0, handled = signals.caught & ~UINT64_C(0x180000000);
	if (number == SYS_pause)
		handled &= ~signals.blocked;
	else if (target_read(process->target, regs->rdi, &set, sizeof set) != STATUS_OK)
		return false;
	else
		handled = number == SYS_rt_sigsuspend ? handled & ~set : set;
	return sends_all(process, handled);
}

bool outside_is_foreign(struct process *process, const struct tracee *tracee, int descriptor)
{
	return fd_foreign(process, tracee, descriptor, 0);
}

bool outside_sends(const struct process *process, uint64_t signals)
{
	return !sends_all(process, signals);
}

/* What can be written without a wait depends on nobody. */
static bool could_come(struct process *process, const struct tracee *tracee, int fd, short events)
{
	return fd_foreign(process, tracee, fd, events) &&
	       (events != POLLOUT || !fd_ready(process, tracee, fd, events));
}

bool outside_could_end(struct process *process, const struct tracee *tracee, long number,
		       const struct user_regs_struct *regs)
{
	if (call_traits(number)->awaits == AWAITS_SIGNAL)
		return !awaits_own_signals(process, tracee, number, regs);
	return any_descriptor(process, tracee, number, regs, could_come, false);
}

/* Something that the model can't see could end this operation's wait, and not only what the other threads do. */
static bool waits_for_outside(struct process *process, uint32_t thread, const struct op *op)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	if (!op_waits_outside(op->kind) || op_in_kernel(op->kind) || only_looks(op))
		return false;
	if (!regs || op->flags & OP_ABSENT)
		return true;
	const long number = (long)regs->orig_rax;
	if (awaits_own_signals(process, tracee, number < 0 ? (long)op->arg : number, regs))
		return false;
	return any_descriptor(process, tracee, number < 0 ? (long)op->arg : number, regs, fd_foreign, true);
}

/* Does outside_ready() know when this wait is over? A child's end it does see, not that it stops or goes on. */
static bool can_be_asked(const struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	if (op->kind == OP_POLL)
		return tracee != NULL;
	const struct call_traits *traits = call_traits((long)op->arg);
	if (op->arg == SYS_wait4)
		return regs && !(regs->rdx & (WUNTRACED | WCONTINUED));
	if (op->arg == SYS_waitid)
		return regs && !(regs->r10 & (WSTOPPED | WCONTINUED));
	/* Not locks of files, semaphores, queues, rings and whatever else the kernel alone knows of. */
	return tracee && (traits->awaits == AWAITS_SIGNAL || traits->reads >= 0 || traits->writes >= 0);
}

static bool awaits_child(const struct op *op)
{
	return op->kind == OP_SYSCALL && (op->arg == SYS_wait4 || op->arg == SYS_waitid);
}

/*
 * What could still wake a thread: a child process, by a semaphore that it shares or a pipe; the kernel, by a counter; and whatever
 * those threads wait for that are in a system call.
 */
static enum hope outside_hope(struct process *process)
{
	const struct model *model = process->model->model;
	const bool asleep = target_descendants_sleep(process->target);
	enum hope hope = target_descendants(process->target) && !asleep ? HOPE_MORE : HOPE_NONE;
	for (uint32_t t = 0; t < model_threads(model); t++) {
		const struct op *op = model_pending(model, t);
		if (!model_exited(model, t) && op->kind == OP_EVENTFD_READ && kernel_works(process))
			return HOPE_MORE;
		if (!model_exited(model, t) && op->kind == OP_FIFO_OPEN && kernel_may_hear(process, t, op))
			return HOPE_MORE;
		if (!waits_for_outside(process, t, op) || (asleep && awaits_child(op)))
			continue;
		/* Nothing comes for a thread that needs what a copy lacks. */
		if (!(op->flags & OP_ABSENT) && can_be_asked(process, t, op))
			return HOPE_MORE;
		hope = HOPE_LOST;
	}
	return hope;
}

/* May somebody else be waiting for the program to get on, or about to come? What the process has made for itself alone doesn't count. */
static bool is_others(struct process *process, const struct tracee *tracee, int fd, short events)
{
	(void)tracee;
	(void)events;
	return senders_at(process, fd) == SENDERS_MOST && !sets_is_made(process, fd);
}

static bool meets_others(struct process *process, const struct tracee *tracee, int fd, short events)
{
	(void)tracee;
	(void)events;
	return senders_at(process, fd) == SENDERS_MOST && target_meets_others(process->target, fd);
}

/* Only where executions needn't be alike. */
static bool may_follow_time(const struct process *process)
{
	return !process->options.outside_ms && !target_follows_time(process->target);
}

void outside_meet(struct process *process, struct tracee *tracee, const struct op *op)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!op_waits_outside(op->kind) || op_in_kernel(op->kind) || !regs || !may_follow_time(process))
		return;
	const long number = (long)regs->orig_rax;
	if (any_descriptor(process, tracee, number < 0 ? (long)op->arg : number, regs, meets_others, false))
		target_follow_time(process->target);
}

void outside_meet_asleep(struct process *process, long number, uint64_t first)
{
	const struct call_traits *traits = call_traits(number);
	if ((traits->reads == 0 || traits->writes == 0) && may_follow_time(process) &&
	    target_meets_others(process->target, (int)first))
		target_follow_time(process->target);
}

/* Signals are sent from outside to a program that is run, not to one that is explored. */
static bool awaits_others(struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	if (!op_waits_outside(op->kind) || op_in_kernel(op->kind) || op->flags & OP_ABSENT || !regs)
		return false;
	const long number = (long)regs->orig_rax;
	return any_descriptor(process, tracee, number < 0 ? (long)op->arg : number, regs, is_others,
			      !process->options.outside_ms);
}

static bool somebody_awaits_others(struct process *process)
{
	const struct model *model = process->model->model;
	if (target_descendants(process->target) || target_follows_time(process->target))
		return true;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (!model_exited(model, t) && awaits_others(process, t, model_pending(model, t)))
			return true;
	return false;
}

/* Does the thread sleep at a lock of a file that another process has got by now? */
static bool awaits_file_of_others(const struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	struct stat file;
	return op->kind == OP_FILE_LOCK_SET && regs && channels_find_file(process, (int)regs->rdi, &file) &&
	       kernel_others_lock(process, &file);
}

/* Is the object one that another process has by its name or number, or by which it can begin to talk with this one? */
static bool awaits_object_of_others(const struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	struct kernel_call call;
	if (op_class(op->kind) != CLASS_SEMSET && op_class(op->kind) != CLASS_QUEUE)
		return kernel_may_hear(process, thread, op);
	return regs && kernel_call_decode_other(process, regs, (long)regs->orig_rax, &call) && call.others;
}

/*
 * Does it wait for what another process may do to an object in memory that is shared by a name, as a named semaphore is? Who has a lock is to give it
 * back. Where processes are followed these are those who have it.
 */
static bool awaits_memory_of_others(const struct process *process, const struct op *op)
{
	struct object_state state;
	if (process->options.follow || op->object >= process->objects_length ||
	    op_class(op->kind) == CLASS_NONE || op_class(op->kind) == CLASS_THREAD ||
	    class_in_kernel(process->objects[op->object].class))
		return false;
	model_object_state(process->model->model, op->object, &state);
	return state.owner == NO_THREAD &&
	       mappings_have_name_at(process, process->objects[op->object].address);
}

static bool awaits_any_of_others(const struct process *process, uint32_t thread, const struct op *op)
{
	return awaits_file_of_others(process, thread, op) || awaits_object_of_others(process, thread, op) ||
	       awaits_memory_of_others(process, op);
}

void outside_tries(struct process *process, uint32_t thread, const struct op *op)
{
	process->tries_others = process->tries_others || awaits_any_of_others(process, thread, op);
}

/* There is something, and the model doesn't know of it: the kernel is asked from now on. */
static void verify_asked(struct process *process, uint32_t thread)
{
	struct op op = *model_pending(process->model->model, thread);
	if (!(op.flags & OP_ASKS) || op.kind != OP_POLL || !outside_completes(process, thread))
		return;
	process_remark(process, KERNEL_CHANGES_UNSEEN);
	op.flags &= (uint16_t)~OP_ASKS;
	model_set_pending(process->model->model, thread, &op);
}

static enum hope await_any(struct process *process, bool idle)
{
	const struct model *model = process->model->model;
	enum hope hope = outside_hope(process);
	if (hope == HOPE_MORE)
		hope = time_pass(process, INT64_MAX);
	/* Time without an end doesn't come: it was interrupted, or has been waited for long enough. */
	if (hope == HOPE_DUE)
		hope = HOPE_LOST;
	process->hope_lost = hope == HOPE_LOST;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (!model_exited(model, t)) {
			objects_verify(process, model_pending(model, t));
			verify_asked(process, t);
			const enum op_kind kind = model_pending(model, t)->kind;
			if (op_is_told(kind))
				kernel_verify(process, model_pending(model, t));
			if (hope == HOPE_NONE && !model_enabled(model, t) &&
			    awaits_any_of_others(process, t, model_pending(model, t)))
				hope = HOPE_LOST;
		}
	/* Who goes round may try for it in each round. */
	const bool asks = process->tries_others || passing_asked(process);
	return hope == HOPE_NONE && !idle && asks ? HOPE_LOST : hope;
}

/* Does nobody go on by itself? The next operation of a plan may be waited for while others could. */
static bool is_idle(const struct process *process, int64_t until)
{
	const struct model *model = process->model->model;
	bool idle = true;
	for (uint32_t t = 0; t < model_threads(model) && !until && idle; t++)
		idle = !model_enabled(model, t);
	return idle;
}

enum hope outside_await(struct process *process, int64_t until)
{
	signals_pass(process, NULL);
	forget_asked(process);
	const bool idle = is_idle(process, until);
	if (process->drive && !idle) {
		drive_look(process);
	} else {
		switch (drive_idle(process, until != 0)) {
		case DRIVE_AGAIN:
			return HOPE_MORE;
		case DRIVE_NEVER:
			return HOPE_NONE;
		case DRIVE_FAILED:
			process->hope_lost = true;
			return HOPE_LOST;
		case DRIVE_MORE:
		case DRIVE_NOTHING:
			break;
		}
	}
	if (!until)
		return await_any(process, idle);
	return somebody_awaits_others(process) ? time_pass(process, until) : HOPE_NONE;
}

void outside_heard(struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	if (!(process->pace.waited || process->pace.in_vain) || process->hope_lost || !regs)
		return;
	const long number = (long)regs->orig_rax;
	if (any_descriptor(process, tracee, number < 0 ? (long)op->arg : number, regs, is_others, true))
		time_heard(process);
}
