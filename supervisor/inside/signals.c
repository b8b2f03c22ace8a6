/*
 * What the program sets of signals. None comes to it inside, for whatever sends one ends the attempt: masks, handlers and their stacks are nothing but
 * what it is told of them, and the kernel's stay as they were at the beginning.
 */
#include "supervisor/inside/agent.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#define MASK_BYTES	8
#define LIBC_SIGNALS	32 /* the first of two that libc keeps to itself */
#define SIGNALS		64
#define ALTERNATE_LARGE 8192
/* Every kernel keeps them; what it makes of others is its own business. */
#define FLAGS                                                                                                \
	(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | SA_RESETHAND |    \
	 UINT64_C(0x04000000))

static const uint64_t never_blocked = (UINT64_C(1) << (SIGKILL - 1)) | (UINT64_C(1) << (SIGSTOP - 1));

static bool answer(struct agent_thread *thread, int64_t result)
{
	thread->context.rax = (uint64_t)result;
	return false;
}

static bool change_mask(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	uint64_t set = 0, before = thread->signal_mask;
	if (context->r10 != MASK_BYTES)
		return answer(thread, -EINVAL);
	if (context->rsi) {
		memcpy(&set, (const void *)context->rsi, sizeof set);
		if (context->rdi == SIG_BLOCK)
			thread->signal_mask |= set;
		else if (context->rdi == SIG_UNBLOCK)
			thread->signal_mask &= ~set;
		else if (context->rdi == SIG_SETMASK)
			thread->signal_mask = set;
		else
			return answer(thread, -EINVAL);
		thread->signal_mask &= ~never_blocked;
	}
	if (context->rdx)
		memcpy((void *)context->rdx, &before, sizeof before);
	return answer(thread, 0);
}

/* That of the signal as the program has set it in this execution; NULL: it hasn't. */
static struct agent_handler *find_handler(int signal)
{
	for (uint32_t i = 0; i < agent.now.handlers_length; i++)
		if (agent.now.handlers[i].signal == signal)
			return &agent.now.handlers[i];
	return NULL;
}

static bool ask_handler(int signal, struct agent_action *action)
{
	const struct agent_handler *set = find_handler(signal);
	if (set)
		*action = set->action;
	return set || own_call(SYS_rt_sigaction, (uint64_t)signal, 0, (uint64_t)(uintptr_t)action, MASK_BYTES,
			       0, 0) == 0;
}

static bool keep_handler(int signal, const struct agent_action *action)
{
	struct agent_handler *handler = find_handler(signal);
	if (!handler && agent.now.handlers_length == AGENT_HANDLERS)
		return false;
	if (!handler)
		handler = &agent.now.handlers[agent.now.handlers_length++];
	*handler = (struct agent_handler){signal, *action};
	handler->action.mask &= ~never_blocked;
	return true;
}

/*
 * Where threads use the handler of the same signal the supervisor says that the search doesn't know of it; so the main one alone does so inside while there are
 * others. Those that libc keeps to itself are nobody's.
 */
static bool may_use(const struct agent_thread *thread, int signal)
{
	return signal == LIBC_SIGNALS || signal == LIBC_SIGNALS + 1 || thread == agent.threads ||
	       is_alone(thread);
}

static bool use_handler(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	const int signal = (int)context->rdi;
	struct agent_action before, action = {.flags = 0};
	if (context->r10 != MASK_BYTES)
		return answer(thread, -EINVAL);
	if (context->rsi)
		memcpy(&action, (const void *)context->rsi, sizeof action);
	if (signal < 1 || signal > SIGNALS || (context->rsi && (signal == SIGKILL || signal == SIGSTOP)))
		return answer(thread, -EINVAL);
	if (action.flags & ~FLAGS || !may_use(thread, signal) || !ask_handler(signal, &before) ||
	    (context->rsi && !keep_handler(signal, &action)))
		return agent_refuse(AGENT_BY_CALL, SYS_rt_sigaction);
	if (context->rdx)
		memcpy((void *)context->rdx, &before, sizeof before);
	return answer(thread, 0);
}

static stack_t first_alternate; /* the main thread's, at the beginning */

void signals_begin(void)
{
	own_call(SYS_sigaltstack, 0, (uint64_t)(uintptr_t)&first_alternate, 0, 0, 0, 0);
}

void signals_start(struct agent_thread *thread)
{
	const stack_t none = {.ss_flags = SS_DISABLE};
	thread->alternate = thread == agent.threads ? first_alternate : none;
}

static bool is_on(const struct agent_thread *thread)
{
	const uint64_t from = thread->context.rsp - (uint64_t)(uintptr_t)thread->alternate.ss_sp;
	return thread->context.rsp > (uint64_t)(uintptr_t)thread->alternate.ss_sp &&
	       from <= thread->alternate.ss_size;
}

/* Of smaller ones the kernel decides whether they are too small. */
static bool is_large(const stack_t *stack)
{
	return stack->ss_size >= ALTERNATE_LARGE;
}

/* What it is on a thread is only told: no handler runs inside. */
static bool use_alternate(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	const stack_t before = thread->alternate;
	stack_t stack;
	if (is_on(thread))
		return agent_refuse(AGENT_BY_CALL, SYS_sigaltstack);
	if (context->rdi) {
		memcpy(&stack, (const void *)context->rdi, sizeof stack);
		const bool none = stack.ss_flags == SS_DISABLE;
		if (!none && (stack.ss_flags != 0 || !is_large(&stack)))
			return agent_refuse(AGENT_BY_CALL, SYS_sigaltstack);
		thread->alternate = none ? (stack_t){.ss_flags = SS_DISABLE} : stack;
	}
	if (context->rsi)
		memcpy((void *)context->rsi, &before, sizeof before);
	return answer(thread, 0);
}

bool signals_answer(struct agent_thread *thread, long number)
{
	switch (number) {
	case SYS_rt_sigprocmask:
		return change_mask(thread);
	case SYS_sigaltstack:
		return use_alternate(thread);
	default:
		return use_handler(thread);
	}
}
