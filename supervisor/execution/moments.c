#include <fmc/supervisor/moments.h>

#include <fmc/tracer/clock_kind.h>

#include <linux/futex.h>

#define NS_PER_SECOND INT64_C(1000000000)

int64_t moments_later(int64_t moment, int64_t ns)
{
	return ns <= 0 ? moment : ns >= INT64_MAX - moment ? INT64_MAX : moment + ns;
}

bool moments_read(const struct reader *reader, uint64_t address, int64_t *ns)
{
	struct timespec time;
	if (!address || reader_read(reader, address, &time, sizeof time) != STATUS_OK)
		return false;
	*ns =
	    time.tv_sec >= INT64_MAX / NS_PER_SECOND ? INT64_MAX : time.tv_sec * NS_PER_SECOND + time.tv_nsec;
	return true;
}

static int64_t distance(int64_t from, int64_t to)
{
	return from < to ? to - from : from - to;
}

/* From a moment on a clock that is told from the other by what is nearer. */
static int64_t from_some_clock(const struct moments *now, int64_t moment)
{
	const bool real = distance(now->realtime, moment) < distance(now->monotonic, moment);
	return moments_later(now->monotonic, moment - (real ? now->realtime : now->monotonic));
}

static int64_t end_of_futex_wait(const struct moments *now, const uint64_t arguments[4])
{
	int64_t ns;
	if (!moments_read(now->reader, arguments[3], &ns))
		return 0;
	return (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT ? moments_later(now->monotonic, ns)
							     : from_some_clock(now, ns);
}

static int64_t end_of_sleep(const struct moments *now, const struct op *op)
{
	const bool real = clock_kind((clockid_t)op->arg3) == CLOCK_REAL;
	if (!op->arg2)
		return moments_later(now->monotonic, op->arg);
	return moments_later(now->monotonic, op->arg - (real ? now->realtime : now->monotonic));
}

static bool has_timeout(const struct call *call)
{
	return call->entry && call->timeout_argument >= 0 && call->timeout_argument < 4;
}

bool moments_may_end(const struct call *call)
{
	const enum op_kind kind = call->op.kind;
	return kind == OP_SLEEP || kind == OP_POLL || kind == OP_FUTEX_WAIT || has_timeout(call);
}

int64_t moments_end(const struct moments *now, const struct call *call, const uint64_t arguments[4])
{
	const struct op *op = &call->op;
	int64_t ns;
	switch ((enum op_kind)op->kind) {
	case OP_SLEEP:
		return end_of_sleep(now, op);
	case OP_POLL:
		return op->flags & OP_TIMED ? moments_later(now->monotonic, op->arg) : 0;
	case OP_FUTEX_WAIT:
		return end_of_futex_wait(now, arguments);
	default:
		break;
	}
	return has_timeout(call) && moments_read(now->reader, arguments[call->timeout_argument], &ns)
		   ? from_some_clock(now, ns)
		   : 0;
}
