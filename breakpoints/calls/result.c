/* What functions return in place of their pthread counterparts' results. */
#include <fmc/breakpoints/call.h>

#include <errno.h>
#include <threads.h>

int64_t call_result(const struct call *call, int64_t result)
{
	if (!call->c11)
		return result;
	switch (result) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ETIMEDOUT:
		return thrd_timedout;
	case ENOMEM:
		return thrd_nomem;
	default:
		return thrd_error;
	}
}
