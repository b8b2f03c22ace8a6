/* Which descriptors a call asks for that waits for several: poll(), select(), epoll_wait(). */
#include "supervisor/uses/asked.h"
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/epoll_members.h>

#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define POLL_MAX 1024

static bool poll_any(const struct process *process, uint64_t address, uint64_t count, asked_question *ask,
		     void *context)
{
	struct pollfd fds[POLL_MAX];
	if (count > POLL_MAX ||
	    target_read(process->target, address, fds, count * sizeof fds[0]) != STATUS_OK)
		return true;
	for (uint64_t i = 0; i < count; i++)
		if (fds[i].fd >= 0 && ask(process, fds[i].fd, fds[i].events, context))
			return true;
	return false;
}

static bool select_set_any(const struct process *process, uint64_t address, int count, short events,
			   asked_question *ask, void *context)
{
	fd_set set;
	size_t bytes = ((size_t)count + 63) / 64 * 8;
	if (!address)
		return false;
	if (bytes > sizeof set || target_read(process->target, address, &set, bytes) != STATUS_OK)
		return true;
	for (int fd = 0; fd < count; fd++)
		if (FD_ISSET(fd, &set) && ask(process, fd, events, context))
			return true;
	return false;
}

static bool select_any(const struct process *process, const struct user_regs_struct *regs,
		       asked_question *ask, void *context)
{
	int count = (int)regs->rdi;
	return select_set_any(process, regs->rsi, count, POLLIN, ask, context) ||
	       select_set_any(process, regs->rdx, count, POLLOUT, ask, context) ||
	       select_set_any(process, regs->r10, count, POLLPRI, ask, context);
}

bool asked_any(const struct process *process, long number, const struct user_regs_struct *regs,
	       asked_question *ask, void *context)
{
	if (call_traits(number)->awaits == AWAITS_POLLED)
		return poll_any(process, regs->rdi, regs->rsi, ask, context);
	return select_any(process, regs, ask, context);
}

/* What is always ready, whoever does what with it. */
static bool never_waits(const struct process *process, int descriptor)
{
	const unsigned memory = 1; /* /dev/null and the like */
	struct stat file;
	return channels_find_file(process, descriptor, &file) &&
	       (S_ISREG(file.st_mode) || (S_ISCHR(file.st_mode) && major(file.st_rdev) == memory));
}

struct asking {
	struct process *process;
	uint32_t thread;
	bool unknown; /* what some of them lead to, to the model */
	bool ready;   /* something that no other thread has */
	bool
	    tries; /* of some the model doesn't know when there is something, but when that may have changed */
	uint64_t objects;
};

/* Does the model know when there is something to read? */
static bool is_modelled(const struct process *process, const struct kernel_call *call, short events)
{
	const short reads = POLLIN | POLLRDNORM, ends = POLLERR | POLLHUP;
	struct kernel_end end = {.class = call->class};
	if (call->class != CLASS_PIPE && call->class != CLASS_EVENTFD && call->class != CLASS_SOCKET)
		return false;
	kernel_look_closer(process, call->used, &end);
	return end.reads && events & reads && !(events & ~(reads | ends));
}

/* What is behind it is used from now on: what others do with it are operations then. */
static void add_object(struct asking *asking, int descriptor, short events, const struct kernel_call *call)
{
	struct process *process = asking->process;
	const bool shared = kernel_call_shared(process, call);
	kernel_use_note(process, asking->thread, call, shared);
	if (!call->can_be_operation) {
		asking->unknown = true;
		return;
	}
	asking->tries |= shared && !is_modelled(process, call, events);
	if (!shared) {
		asking->ready |= kernel_is_ready(process, descriptor, events);
		return;
	}
	const uint32_t object = kernel_intern(process, call->class, call->id, call->sender);
	asking->unknown |= object >= OP_ASKED_MOST;
	asking->objects |= object < OP_ASKED_MOST ? UINT64_C(1) << object : 0;
}

/* Goes on to the next one. */
static bool add(const struct process *process, int descriptor, short events, void *context)
{
	struct asking *asking = context;
	struct kernel_call call;
	if (kernel_call_decode_asked(asking->process, descriptor, &call) ||
	    kernel_call_decode_letters(process, descriptor, &call)) {
		add_object(asking, descriptor, events, &call);
		/* What the one end sends is another object. */
		if (call.class == CLASS_SOCKET && events & (POLLOUT | POLLWRNORM) &&
		    kernel_call_decode_end(asking->process, descriptor, true, 1, &call))
			add_object(asking, descriptor, events, &call);
	} else if (never_waits(process, descriptor)) {
		asking->ready = true;
	} else {
		asking->unknown = true;
		channels_note_descriptor(asking->process, asking->thread, descriptor, USE_DEPENDS);
	}
	return false;
}

/* It is known of like what has a name, though none has this number. */
static const struct kernel_call any_set = {
    .class = CLASS_NAME, .kind = OP_NAME_CHANGE, .descriptor = SETS_KNOWN_BY};

/* The same of calls that ask, whose objects the model doesn't know all of: they look when it is their turn. */
static const struct kernel_call any_poll = {
    .class = CLASS_NAME, .kind = OP_NAME_CHANGE, .descriptor = POLLS_KNOWN_BY};

bool asked_in_turn(const struct process *process)
{
	return process->options.note_unseen || kernel_call_shared(process, &any_poll);
}

/* So that who runs the execution again says the same. */
static void learn(struct process *process, const struct kernel_call *any)
{
	if (!kernel_call_shared(process, any))
		(void)kernel_use_learn(process, any);
}

bool sets_shared(const struct process *process)
{
	return kernel_call_shared(process, &any_set);
}

void sets_learn(struct process *process)
{
	learn(process, &any_set);
}

static bool add_members(struct asking *asking, int set)
{
	uint32_t length;
	struct channel_member *members = epoll_members(target_pid(asking->process->target), set, &length);
	for (uint32_t i = 0; i < length; i++)
		(void)add(asking->process, members[i].number, (short)members[i].events, asking);
	free(members);
	return members != NULL;
}

void asked_objects(struct process *process, uint32_t thread, long number, const struct user_regs_struct *regs,
		   struct op *op)
{
	const bool set = call_traits(number)->awaits == AWAITS_SET;
	struct asking asking = {.process = process, .thread = thread, .tries = set};
	process->uses.followed_end = -1; /* that was of another call */
	if (set)
		sets_learn(process);
	if (set && !add_members(&asking, (int)regs->rdi)) {
		process_remark(process, "sets of epoll whose descriptors have been replaced");
		return;
	}
	if (!set && asked_any(process, number, regs, add, &asking))
		return;
	if (asking.unknown)
		return;
	op->flags |= set ? OP_ASKS | OP_IN_SETS : OP_ASKS;
	op->arg2 = (int64_t)asking.objects;
	op->arg3 = (asking.ready ? OP_ASKED_READY : 0) | (asking.tries ? OP_ASKED_TRIES : 0);
	learn(process, &any_poll);
}

void asked_member(struct process *process, uint32_t thread, const struct user_regs_struct *regs,
		  struct op *op)
{
	struct asking asking = {.process = process, .thread = thread};
	if ((int)regs->rsi != EPOLL_CTL_DEL)
		(void)add(process, (int)regs->rdx, POLLIN | POLLOUT, &asking);
	if (asking.unknown)
		return;
	op->flags |= OP_IN_SETS;
	op->arg2 = (int64_t)asking.objects;
	learn(process, &any_poll);
}
