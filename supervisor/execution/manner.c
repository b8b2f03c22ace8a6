#include <fmc/supervisor/manner.h>

int64_t manner_result(const struct call *call, int64_t result)
{
	return call->entry ? call_result(call, result) : result;
}

/* Its mutex is unlocked while it sleeps. */
static bool unlocks(const struct op *op)
{
	return op->kind == OP_COND_WAIT || op->kind == OP_COND_TIMEDWAIT;
}

/* What the call is doesn't need the function that is called. */
static bool is_function(const struct call *call)
{
	return !call->instruction && !call->user && !call->copies;
}

/* A function of the thread library, or what stands for one: run where it can't block, else completed without. */
static enum manner manner_of_function(const struct effect *effect, const struct call *call)
{
	if (!is_function(call) || !effect->blocked)
		return MANNER_RUN;
	return effect->timed_out ? MANNER_EXPIRE : MANNER_RETURN;
}

static enum manner manner_of_kind(enum op_kind kind, int32_t choice, const struct effect *effect,
				  const struct call *call)
{
	switch (kind) {
	case OP_PROCESS_EXIT:
	case OP_ONCE_END:
	case OP_MEMORY_FLUSH:
		return MANNER_STAY;
	case OP_COND_RELOCK:
		return MANNER_LOCK;
	case OP_YIELD:
	case OP_SLEEP:
	case OP_FUTEX_WAIT:
	case OP_FUTEX_ASLEEP:
	case OP_FUTEX_RESUME:
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
	case OP_FUTEX_WAKE_OP:
		return MANNER_RETURN;
	case OP_POLL:
	case OP_SYSCALL:
		return choice == CHOICE_TIMEOUT ? MANNER_EXPIRE : MANNER_RUN;
	case OP_THREAD_START:
	case OP_POLL_CHANGE:
	case OP_ONCE:
	case OP_PROCESS_WAIT:
	case OP_PROCESS_FORK:
		return MANNER_RUN;
	case OP_OUTPUT:
		return call->entry ? MANNER_THROUGH : MANNER_RUN;
	default:
		if (choice == CHOICE_FLUSH)
			return MANNER_STAY;
		return op_in_kernel(kind) ? MANNER_RUN : manner_of_function(effect, call);
	}
}

struct performed manner_of(const struct op *op, int32_t choice, const struct effect *effect,
			   const struct call *call)
{
	enum manner manner;
	if (effect->asleep)
		manner = unlocks(op) ? MANNER_UNLOCK : MANNER_STAY;
	else if (effect->cancelled)
		manner = MANNER_RUN;
	else
		manner = manner_of_kind((enum op_kind)op->kind, choice, effect, call);
	const bool returns = manner == MANNER_RETURN || manner == MANNER_LOCK;
	return (struct performed){.manner = manner,
				  .result = returns ? manner_result(call, effect->result) : 0};
}

bool manner_value(uint64_t size, uint64_t word, int64_t *value)
{
	const bool known = size > 0 && size <= sizeof word && (size & (size - 1)) == 0;
	const unsigned unused = known ? 64 - 8 * (unsigned)size : 0;
	*value = (int64_t)(word << unused) >> unused;
	return known;
}
