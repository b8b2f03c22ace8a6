#include <fmc/tracer/status.h>

const char *status_text(enum status status)
{
	switch (status) {
	case STATUS_OK:
		return "success";
	case STATUS_GONE:
		return "the thread or process is gone";
	case STATUS_TIMEOUT:
		return "nothing happened in time";
	case STATUS_NO_TRACEES:
		return "nothing is left to wait for";
	case STATUS_INTERRUPTED:
		return "interrupted";
	case STATUS_NOT_FOUND:
		return "not found";
	case STATUS_DENIED:
		return "not permitted";
	case STATUS_UNSUPPORTED:
		return "not supported";
	case STATUS_MALFORMED:
		return "malformed";
	case STATUS_DIVERGED:
		return "didn't follow the schedule";
	case STATUS_NO_MEMORY:
		return "out of memory";
	case STATUS_SYSTEM:
		return "a system call failed";
	case STATUS_BUG:
		return "fmc contradicted itself";
	}
	return "unknown status";
}
