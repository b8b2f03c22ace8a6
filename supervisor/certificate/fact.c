/* What executions show beyond the model: what threads come to after each transition. */
#include "supervisor/certificate/tree.h"

#include <stdlib.h>

bool certificate_hides(const struct certificate *c, const struct op *op)
{
	switch (op->kind) {
	case OP_FUTEX_WAIT:
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
	case OP_FUTEX_WAKE_OP:
		return !c->sees_memory;
	case OP_SYSCALL:
		return true;
	case OP_POLL:
		return !(op->flags & OP_ASKS);
	default:
		return false;
	}
}

bool ends_between(enum end_reason reason)
{
	switch (reason) {
	case END_DEADLOCK:
	case END_REDUNDANT:
	case END_DEPTH:
	case END_THREAD_DEPTH:
	case END_LIVELOCK:
	case END_NO_YIELD:
	case END_GOES_ON:
		return true;
	default:
		return false;
	}
}

bool ends_maximal(enum end_reason reason)
{
	return reason == END_DEADLOCK || reason == END_EXIT || reason == END_SIGNAL || reason == END_MISUSE;
}

/*
 * The operation as every execution has it that begins alike: without its place, without when its wait ends and for how
 * long that is, and without whether what it waits for outside has come.
 */
static struct fact come_to(const struct op *op)
{
	struct fact fact = {.next = *op};
	if (op->kind == OP_NONE || op_is_by_model(op->kind) || op->flags & (OP_QUEUED | OP_WAITS))
		return (struct fact){.comes = CERTIFICATE_ASLEEP};
	fact.next.place = 0;
	fact.next.end = 0;
	if (op->kind == OP_SLEEP || op->kind == OP_POLL)
		fact.next.arg = 0;
	if (op_waits_outside(op->kind))
		fact.next.flags &= (uint16_t)~OP_READY;
	return fact;
}

struct fact trace_fact(const struct trace *trace, size_t i, size_t following)
{
	const struct transition *transition = &trace->at[i];
	if (transition->flags & TRANSITION_EXITS)
		return (struct fact){.comes = CERTIFICATE_EXITED};
	if (following != SIZE_MAX)
		return come_to(&trace->at[following].op);
	if (i + 1 == trace->length && !ends_between(trace->end))
		return (struct fact){.comes = CERTIFICATE_GONE};
	return come_to(&trace->threads[transition->thread].pending);
}

struct fact trace_beginning(const struct trace *trace, uint32_t thread, size_t first)
{
	const struct op *op = thread < trace->found_length ? &trace->found[thread]
			      : first != SIZE_MAX	   ? &trace->at[first].op
							   : &trace->threads[thread].pending;
	const bool nothing = trace->length == 0 && !ends_between(trace->end);
	if (op->kind == OP_NONE || nothing)
		return (struct fact){.comes = CERTIFICATE_EXITED};
	struct fact fact = come_to(op);
	/* The model hasn't set anything yet. */
	if (fact.comes == CERTIFICATE_ASLEEP)
		fact = (struct fact){.next = *op};
	fact.next.place = 0;
	fact.next.end = 0;
	return fact;
}

size_t *trace_following(const struct trace *trace)
{
	size_t *following = calloc(trace->length + trace->threads_length + 1, sizeof *following);
	if (!following)
		return NULL;
	size_t *first = following + trace->length;
	for (uint32_t t = 0; t < trace->threads_length; t++)
		first[t] = SIZE_MAX;
	for (size_t i = trace->length; i-- > 0;) {
		following[i] = first[trace->at[i].thread];
		first[trace->at[i].thread] = i;
	}
	return following;
}
