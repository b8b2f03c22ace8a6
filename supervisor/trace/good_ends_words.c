/* Which ends of a process are good, as their user says it. */
#include "supervisor/trace/good_ends.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int signal_by_name(const char *text, size_t length)
{
	for (int signal = 1; signal <= GOOD_ENDS_SIGNALS && length > 3; signal++) {
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
	if (*text < '0' || *text > '9' || end != text + length || status >= GOOD_ENDS_STATUSES)
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

void good_ends_text(const struct good_ends *ends, char text[GOOD_ENDS_TEXT])
{
	size_t at = 0;
	*text = 0;
	for (int status = 1; status < GOOD_ENDS_STATUSES; status++)
		if (good_ends_have_status(ends, status))
			at += (size_t)snprintf(text + at, GOOD_ENDS_TEXT - at, "%s%d", at ? "," : "", status);
	for (int signal = 1; signal <= GOOD_ENDS_SIGNALS; signal++)
		if (good_ends_have_signal(ends, signal) && sigabbrev_np(signal))
			at += (size_t)snprintf(text + at, GOOD_ENDS_TEXT - at, "%sSIG%s", at ? "," : "",
					       sigabbrev_np(signal));
}
