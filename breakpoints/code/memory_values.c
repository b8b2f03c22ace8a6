/* Calls that are told from the values of a few registers, which a stub has written down. */
#include "breakpoints/code/memory_parts.h"
#include "breakpoints/code/stub.h"

#include <string.h>

/* Functions that come to the end of each string that they are given, whatever is in it. */
static bool reads_all(const char *name)
{
	static const char *const names[] = {"strlen",	    "strcpy", "__strcpy_chk", "stpcpy",
					    "__stpcpy_chk", "strdup", "__strdup",     "strrchr",
					    "puts",	    "fputs",  "strcoll"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static uint8_t bit(unsigned argument)
{
	return (uint8_t)(1u << argument);
}

/* False: the part can't be told so. */
static bool add_part(const struct memory_call *call, const struct part *part, struct stub_call *values)
{
	switch ((enum extent)part->extent) {
	case NOTHING:
	case STATE:
		return true;
	case BYTES_1:
		values->arguments |= bit(1);
		break;
	case BYTES_2:
	case WIDE_2:
	case PAIRS_2:
		values->arguments |= bit(2);
		break;
	case PRODUCT:
		values->arguments |= bit(1) | bit(2);
		break;
	case ONE:
	case STREAM_OBJECT:
	case STREAM_KEPT:
	case FIXED:
	case WIDE_ONE:
	case WORD:
	case NUMBER:
	case OBJECT:
		break;
	case STRING:
		values->strings |= bit(part->argument);
		break;
	case COPY:
		values->arguments |= bit(1);
		values->strings |= bit(1);
		break;
	default:
		return false;
	}
	values->arguments |= bit(part->argument);
	return !values->strings || reads_all(call->name);
}

bool memory_call_values(const struct memory_call *call, struct stub_call *values)
{
	*values = (struct stub_call){0};
	for (size_t i = 0; i < MEMORY_PARTS; i++)
		if (!add_part(call, &call->parts[i], values))
			return false;
	return true;
}

size_t memory_values_touched(const struct memory_call *call, const struct stub_call *values,
			     const uint64_t *at, const uint64_t *states, struct touched touched[TOUCHED_MOST])
{
	uint64_t arguments[MEMORY_ARGUMENTS] = {0}, strings[MEMORY_ARGUMENTS] = {0};
	bool whole;
	for (unsigned k = 0; k < MEMORY_ARGUMENTS; k++)
		if (values->arguments >> k & 1)
			arguments[k] = *at++;
	for (unsigned k = 0; k < MEMORY_ARGUMENTS; k++)
		if (values->strings >> k & 1)
			strings[k] = *at++;
	const struct user_regs_struct regs = {.rdi = arguments[0],
					      .rsi = arguments[1],
					      .rdx = arguments[2],
					      .rcx = arguments[3],
					      .r8 = arguments[4],
					      .r9 = arguments[5]};
	const struct memory_caller caller = {.regs = &regs, .states = states, .strings = strings};
	return memory_call_touched(call, &caller, touched, &whole);
}
