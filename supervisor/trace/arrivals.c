/* Signals from outside, as their user says it. */
#include <fmc/supervisor/arrivals.h>
#include <fmc/supervisor/good_ends.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 32
#define MOST_OWN  4096

/* With SIG before it or without. */
static int signal_of(const char *text, size_t length)
{
	char name[NAME_ROOM];
	const char *before = strncmp(text, "SIG", 3) == 0 ? "" : "SIG";
	if (length + sizeof "SIG" > sizeof name)
		return 0;
	const int written = snprintf(name, sizeof name, "%s%.*s", before, (int)length, text);
	return signal_by_name(name, (size_t)written);
}

static bool parse_one(struct arrivals *arrivals, const char *text, size_t length)
{
	const char *colon = memchr(text, ':', length);
	struct arrival arrival = {.signal = signal_of(text, colon ? (size_t)(colon - text) : length)};
	if (!arrival.signal || arrival.signal == SIGKILL || arrival.signal == SIGSTOP ||
	    arrivals->length == ARRIVALS_MOST)
		return false;
	if (colon) {
		char *end;
		const char *number = colon[1] == 'T' ? colon + 2 : colon + 1;
		const unsigned long thread = strtoul(number, &end, 10);
		if (*number < '1' || *number > '9' || end != text + length || thread > MOST_OWN)
			return false;
		arrival.thread = (uint32_t)thread;
	}
	arrivals->at[arrivals->length++] = arrival;
	return true;
}

bool arrivals_parse(struct arrivals *arrivals, const char *text)
{
	for (;;) {
		const size_t length = strcspn(text, ",");
		if (!parse_one(arrivals, text, length))
			return false;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

void arrivals_text(const struct arrivals *arrivals, char text[ARRIVALS_TEXT])
{
	size_t at = 0;
	*text = 0;
	for (uint32_t i = 0; i < arrivals->length; i++) {
		const struct arrival *arrival = &arrivals->at[i];
		at += (size_t)snprintf(text + at, ARRIVALS_TEXT - at, "%s%s", at ? "," : "",
				       sigabbrev_np(arrival->signal));
		if (arrival->thread)
			at += (size_t)snprintf(text + at, ARRIVALS_TEXT - at, ":%u", arrival->thread);
	}
}
