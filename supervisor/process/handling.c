/*
 * Threads in handlers of signals that have come where a schedule has them. What such a handler does to memory may come at other places of the
 * thread's, so it is told from what the thread does otherwise. Signals that come to the handler are a part of it.
 */
#include "supervisor/process/process.h"

#include <stddef.h>

void handling_begin(struct process_thread *thread, uint64_t where, uint64_t stack)
{
	if (thread->handling.where)
		return;
	thread->handling.where = where;
	thread->handling.stack = stack;
}

void handling_end(struct process_thread *thread)
{
	const struct user_regs_struct *regs =
	    thread->handling.where && thread->tracee ? tracee_regs(thread->tracee) : NULL;
	/* The trap or the call before which it was held: it has come there again. */
	const uint64_t behind = thread->call.entry ? 1 : 2;
	if (regs && regs->rip - behind == thread->handling.where && regs->rsp == thread->handling.stack)
		thread->handling.where = 0;
}
