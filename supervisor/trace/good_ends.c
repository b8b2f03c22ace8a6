/* Which ends of a process are good. */
#include "supervisor/trace/good_ends.h"

void good_ends_add(struct good_ends *ends, int status)
{
	ends->statuses[status / 64 % 4] |= UINT64_C(1) << status % 64;
}

void good_ends_remove(struct good_ends *ends, int status)
{
	ends->statuses[status / 64 % 4] &= ~(UINT64_C(1) << status % 64);
}

bool good_ends_have_status(const struct good_ends *ends, int status)
{
	return status == 0 || (status < GOOD_ENDS_STATUSES && ends->statuses[status / 64] >> status % 64 & 1);
}

bool good_ends_have_signal(const struct good_ends *ends, int signal)
{
	return signal >= 1 && signal <= GOOD_ENDS_SIGNALS && ends->signals >> (signal - 1) & 1;
}

bool good_ends_expect(const struct good_ends *ends, const struct trace *trace)
{
	switch (trace->end) {
	case END_EXIT:
		return good_ends_have_status(ends, trace->end_value);
	case END_SIGNAL:
		return good_ends_have_signal(ends, trace->end_value);
	default:
		return false;
	}
}
