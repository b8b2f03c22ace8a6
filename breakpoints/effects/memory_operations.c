/* Calls of functions that touch memory for their caller, as operations. */
#include "breakpoints/effects/memory_parts.h"

#define WORD_BYTES 8

bool memory_call_is_operation(const struct memory_call *call)
{
	bool touches = false;
	for (size_t i = 0; i < MEMORY_PARTS; i++) {
		touches |= call->parts[i].extent != NOTHING;
		if (call->parts[i].extent == UNKNOWN || call->parts[i].extent == SYSTEM_CALL)
			return false;
	}
	return touches;
}

static bool is_fixed(const struct part *part)
{
	switch ((enum extent)part->extent) {
	case NOTHING:
	case FIXED:
	case TIMES_0:
	case TIMES_1:
	case TIMES_2:
	case TIMES_4:
	case PAGES_1:
	case TO_1:
	case CODED_1:
	case DIGITS_0:
	case BYTES_0:
	case BYTES_1:
	case BYTES_2:
	case BYTES_3:
	case BYTES_4:
	case BYTES_5:
	case MAPPED:
	case ADVISED:
	case CLOSED:
	case CLOSED_TO_WRITES:
	case PRODUCT:
	case PRODUCT_2:
	case WORD:
	case NUMBER:
	case STATE:
	case STREAM_OBJECT:
	case STREAM_KEPT:
		return true;
	default:
		return false;
	}
}

bool memory_call_is_fixed(const struct memory_call *call)
{
	for (size_t i = 0; i < MEMORY_PARTS; i++)
		if (!is_fixed(&call->parts[i]))
			return false;
	return true;
}

static bool is_locked_state(enum state state)
{
	switch (state) {
	case RANDOM:
	case OUTPUT:
	case ERRORS:
	case INPUT:
	case EXITS:
	case QUICK_EXITS:
	case LOGGING:
	case KEYS:
	case LOADED:
		return true;
	default:
		return false;
	}
}

/* By a lock of libc's. */
static bool is_locked(const struct part *part)
{
	switch ((enum extent)part->extent) {
	case NOTHING:
	case STREAM_OBJECT:
	case STREAM_KEPT:
		return true;
	case STATE:
	case STATE_UNLESS:
		return is_locked_state((enum state)part->argument);
	default:
		return false;
	}
}

static bool is_word(const struct part *part)
{
	return part->extent == WORD || part->extent == NUMBER ||
	       (part->extent == FIXED && part->bytes <= WORD_BYTES);
}

bool memory_call_at_once(const struct memory_call *call)
{
	size_t words = 0, others = 0;
	for (size_t i = 0; i < MEMORY_PARTS; i++)
		if (is_word(&call->parts[i]))
			words++;
		else
			others += !is_locked(&call->parts[i]);
	return others == 0 && words <= 1;
}

bool memory_call_keeps_result(const struct memory_call *call, uint8_t *state)
{
	for (size_t i = 0; i < MEMORY_PARTS; i++) {
		*state = call->parts[i].argument;
		if ((call->parts[i].extent == STATE || call->parts[i].extent == STATE_UNLESS) &&
		    call->parts[i].write && *state >= CALENDAR && *state <= TEMPORARY)
			return true;
	}
	return false;
}
