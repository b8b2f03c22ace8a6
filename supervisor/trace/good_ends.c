/* Which ends of a process are good. */
#include <fmc/supervisor/good_ends.h>
#include <fmc/supervisor/trace.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUSES 256
#define SIGNALS	 64

void good_ends_add(struct good_ends *ends, int status)
{
	ends->statuses[status / 64 % 4] |= UINT64_C(1) << status % 64;
}

void good_ends_remove(struct good_ends *ends, int status)
{
	ends->statuses[status / 64 % 4] &= ~(UINT64_C(1) << status % 64);
}

static bool has_status(const struct good_ends *ends, int status)
{
	return status == 0 || (status < STATUSES && ends->statuses[status / 64] >> status % 64 & 1);
}

static bool has_signal(const struct good_ends *ends, int signal)
{
	return signal >= 1 && signal <= SIGNALS && ends->signals >> (signal - 1) & 1;
}

/* "SIGTERM": its number; 0 if there is none of that name. */
static int signal_by_name(const char *text, size_t length)
{
	for (int signal = 1; signal <= SIGNALS && length > 3; signal++) {
		const char *name = sigabbrev_np(signal);
		if (name && strncmp(text, "SIG", 3) == 0 && strlen(name) == length - 3 &&
		    strncmp(text + 3, name, length - 3) == 0)
			return signal;
	}
	return 0;
}

static bool parse_one(struct good_ends *ends, const char *text, size_t length)
{
	char *end;
	int signal = signal_by_name(text, length);
	if (signal) {
		ends->signals |= UINT64_C(1) << (signal - 1);
		return true;
	}
	unsigned long status = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || end != text + length || status >= STATUSES)
		return false;
	good_ends_add(ends, (int)status);
	return true;
}

bool good_ends_parse(struct good_ends *ends, const char *list)
{
	for (;;) {
		size_t length = strcspn(list, ",");
		if (!parse_one(ends, list, length))
			return false;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

bool good_ends_expect(const struct good_ends *ends, const struct trace *trace)
{
	switch (trace->end) {
	case END_EXIT:
		return has_status(ends, trace->end_value);
	case END_SIGNAL:
		return has_signal(ends, trace->end_value);
	default:
		return false;
	}
}

void good_ends_text(const struct good_ends *ends, char text[GOOD_ENDS_TEXT])
{
	size_t at = 0;
	*text = 0;
	for (int status = 1; status < STATUSES; status++)
		if (has_status(ends, status))
			at += (size_t)snprintf(text + at, GOOD_ENDS_TEXT - at, "%s%d", at ? "," : "", status);
	for (int signal = 1; signal <= SIGNALS; signal++)
		if (has_signal(ends, signal) && sigabbrev_np(signal))
			at += (size_t)snprintf(text + at, GOOD_ENDS_TEXT - at, "%sSIG%s", at ? "," : "",
					       sigabbrev_np(signal));
}
