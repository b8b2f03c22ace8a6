/*
 * What the program sets and asks for of open files, of threads and of itself, and its working folder. The kernel's stay as they were at the beginning, for all executions: what the
 * program makes of them is a number here.
 */
#include "supervisor/inside/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TERMINAL_ASKED 0x5401 /* TCGETS: is it a terminal? */
#define NICE_MOST      19     /* the kernel tells how much more a thread has than that, from 1 on */
/* Of what fcntl() can set, all else than waiting, of which files know nothing. */
#define OTHERS (O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME)

static bool answer(struct agent_thread *thread, int64_t result)
{
	thread->context.rax = (uint64_t)result;
	return false;
}

/*
 * Where one thread sets and another one asks the supervisor says that the search doesn't know of it; so the main one alone does so inside while there are
 * others.
 */
static bool may_use(const struct agent_thread *thread)
{
	return thread == agent.threads || is_alone(thread);
}

/* Of the open file that the descriptor leads to, which for output and errors is one. */
static uint8_t *waits_of(uint32_t descriptor)
{
	return &agent.now.waits[descriptor == STDERR_FILENO && REGION->captured[STDOUT_FILENO] ? STDOUT_FILENO
											       : descriptor];
}

/* Its flags, as the program has set them; negative: the kernel refuses. */
static int64_t flags_of(uint32_t descriptor)
{
	const int64_t flags = own_call(SYS_fcntl, descriptor, F_GETFL, 0, 0, 0, 0);
	const uint8_t waits = *waits_of(descriptor);
	if (flags < 0 || !waits)
		return flags;
	return waits == AGENT_WAITS ? flags & ~(int64_t)O_NONBLOCK : flags | O_NONBLOCK;
}

static bool set_flags(struct agent_thread *thread, uint32_t descriptor)
{
	const uint64_t flags = thread->context.rdx;
	const int64_t now = flags_of(descriptor);
	if (now < 0 || (flags ^ (uint64_t)now) & OTHERS)
		return agent_refuse(AGENT_BY_CALL, SYS_fcntl);
	*waits_of(descriptor) = flags & O_NONBLOCK ? AGENT_DOESNT_WAIT : AGENT_WAITS;
	return answer(thread, 0);
}

static bool use_flags(struct agent_thread *thread)
{
	const uint32_t descriptor = (uint32_t)thread->context.rdi;
	const int command = (int)thread->context.rsi;
	if (files_is_written(thread, descriptor) && (command == F_GETFL || command == F_GETFD))
		return answer(thread, command == F_GETFL
					  ? written_flags(descriptor)
					  : own_call(SYS_fcntl, descriptor, F_GETFD, 0, 0, 0, 0));
	if (!may_use(thread) || !(files_is_output(thread, descriptor) || files_is_first(thread, descriptor)))
		return agent_refuse(AGENT_BY_CALL, SYS_fcntl);
	switch (command) {
	case F_GETFD:
		return answer(thread, own_call(SYS_fcntl, descriptor, F_GETFD, 0, 0, 0, 0));
	case F_GETFL:
		return answer(thread, flags_of(descriptor));
	case F_SETFL:
		return set_flags(thread, descriptor);
	default:
		return agent_refuse(AGENT_BY_CALL, SYS_fcntl);
	}
}

/* No file is a terminal, whatever has been done to it. */
static bool ask_terminal(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	const uint64_t descriptor = (uint32_t)context->rdi;
	if ((uint32_t)context->rsi != TERMINAL_ASKED ||
	    !(files_is_output(thread, descriptor) || files_is_threads(thread, descriptor)))
		return agent_refuse(AGENT_BY_CALL, SYS_ioctl);
	return answer(thread, own_call(SYS_ioctl, descriptor, TERMINAL_ASKED, context->rdx, 0, 0, 0));
}

/* NULL: it is none of the program's. */
static struct agent_thread *thread_of(struct agent_thread *thread, uint64_t number)
{
	for (uint32_t t = 0; number && t < agent.now.threads; t++)
		if (agent.threads[t].tid == (int32_t)number && !agent.threads[t].exited)
			return &agent.threads[t];
	return number ? NULL : thread;
}

/* As the tracer says it, which tells where one thread sets it for another and somebody asks. */
static bool use_affinity(struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	const bool sets = number == SYS_sched_setaffinity;
	const uint64_t size = context->rsi, part = size < AGENT_PROCESSORS ? size : AGENT_PROCESSORS;
	struct agent_thread *whose = thread_of(thread, context->rdi);
	struct affinity wanted = {.set = true};
	if (!sets && (size % sizeof(long) || size < sizeof(long)))
		return answer(thread, -EINVAL);
	if (!whose || (sets ? whose != thread && whose->affinity.asked : whose->affinity.by_other))
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	if (!sets) {
		whose->affinity.asked = true;
		memcpy((void *)context->rdx,
		       whose->affinity.set ? whose->affinity.processors : REGION->processors, part);
		return answer(thread, (int64_t)part);
	}
	memcpy(wanted.processors, (const void *)context->rdx, part);
	if (!affinity_limit(&wanted, REGION->processors))
		return answer(thread, -EINVAL);
	wanted.by_other = whose->affinity.by_other || whose != thread;
	wanted.asked = whose->affinity.asked;
	whose->affinity = wanted;
	return answer(thread, 0);
}

/* The first that it may use. */
static bool ask_processor(struct agent_thread *thread)
{
	const uint8_t *may_use =
	    thread->affinity.set ? thread->affinity.processors : (const uint8_t *)REGION->processors;
	uint32_t *told = (uint32_t *)thread->context.rdi, *node = (uint32_t *)thread->context.rsi;
	if (thread->affinity.by_other)
		return agent_refuse(AGENT_BY_CALL, SYS_getcpu);
	thread->affinity.asked = true;
	if (told)
		*told = affinity_first(may_use);
	if (node)
		*node = 0;
	return answer(thread, 0);
}

/* To where it is already. */
static bool change_folder(struct agent_thread *thread)
{
	const uint64_t path = thread->context.rdi, here = (uint64_t)AT_FDCWD;
	struct stat then, now;
	if (!REGION->opens ||
	    own_call(SYS_newfstatat, here, path, (uint64_t)(uintptr_t)&then, 0, 0, 0) != 0 ||
	    own_call(SYS_newfstatat, here, (uint64_t)(uintptr_t) ".", (uint64_t)(uintptr_t)&now, 0, 0, 0) !=
		0 ||
	    then.st_dev != now.st_dev || then.st_ino != now.st_ino)
		return agent_refuse(AGENT_BY_CALL, SYS_chdir);
	return answer(thread, own_call(SYS_chdir, path, 0, 0, 0, 0, 0));
}

/* A name that the thread has in the kernel is of no use to itself. */
static bool name_thread(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	if (context->rdi != PR_SET_NAME)
		return agent_refuse(AGENT_BY_CALL, SYS_prctl);
	(void)*(const volatile char *)context->rsi;
	return answer(thread, 0);
}

/* How nice the thread is to others is its own; to be less so it may take rights. */
static bool use_priority(struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	const int32_t nice = (int32_t)context->rdx;
	if (context->rdi != PRIO_PROCESS || context->rsi != 0)
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	if (!thread->nice_known) {
		thread->nice =
		    NICE_MOST + 1 - (int32_t)own_call(SYS_getpriority, PRIO_PROCESS, 0, 0, 0, 0, 0);
		thread->nice_known = true;
	}
	if (number == SYS_getpriority)
		return answer(thread, NICE_MOST + 1 - thread->nice);
	if (nice < thread->nice)
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	thread->nice = nice < NICE_MOST ? nice : NICE_MOST;
	return answer(thread, 0);
}

/* Where memory is taken from matters to nobody but who asks for that. */
static bool use_memory_policy(struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	int mode = -1;
	const bool asks = number == SYS_get_mempolicy, told = context->rdi || context->rsi;
	if ((asks && told && thread->placed) || (asks && context->r8) ||
	    own_call(SYS_get_mempolicy, (uint64_t)(uintptr_t)&mode, 0, 0, 0, 0, 0) != 0 ||
	    mode != MPOL_DEFAULT)
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	const int64_t result =
	    own_call(number, context->rdi, context->rsi, context->rdx, context->r10, context->r8, 0);
	if (!asks) {
		own_call(SYS_set_mempolicy, MPOL_DEFAULT, 0, 0, 0, 0, 0);
		thread->placed = true;
	}
	return answer(thread, result);
}

/*
 * What a process is asked about itself, which no execution changes inside: who it is, its limits, how it is scheduled. Of another one, or to set any of it at the
 * same time, is another matter.
 */
static bool ask_itself(struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	const bool own = number == SYS_prlimit64 ? context->rdi == 0 && context->rdx == 0
			 : number == SYS_sched_getscheduler || number == SYS_sched_getparam
			     ? context->rdi == 0
			     : true;
	if (!own)
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	return answer(thread, own_call(number, context->rdi, context->rsi, context->rdx, context->r10, 0, 0));
}

bool settings_answer(struct agent_thread *thread, long number)
{
	switch (number) {
	case SYS_fcntl:
		return use_flags(thread);
	case SYS_ioctl:
		return ask_terminal(thread);
	case SYS_prctl:
		return name_thread(thread);
	case SYS_chdir:
		return change_folder(thread);
	case SYS_sched_getaffinity:
	case SYS_sched_setaffinity:
		return use_affinity(thread, number);
	case SYS_getcpu:
		return ask_processor(thread);
	case SYS_getpriority:
	case SYS_setpriority:
		return use_priority(thread, number);
	case SYS_get_mempolicy:
	case SYS_set_mempolicy:
		return use_memory_policy(thread, number);
	default:
		return ask_itself(thread, number);
	}
}
