/* Calls that are told from the values of a few registers, which a stub has written down. */
#include "breakpoints/effects/memory_parts.h"
#include "breakpoints/stubs/stub.h"

#include <string.h>
#include <wchar.h>

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
	if (part->argument >= MEMORY_REGISTERS)
		return false;
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

_Static_assert(VALUE_RANGES == MEMORY_PARTS, "a range of each part");

/* The number of an argument's value, or of where it ends as a string. */
static uint8_t value_of(const struct stub_call *values, unsigned argument)
{
	return (uint8_t)__builtin_popcount(values->arguments & (bit(argument) - 1u));
}

static uint8_t end_of(const struct stub_call *values, unsigned argument)
{
	return (uint8_t)(__builtin_popcount(values->arguments) +
			 __builtin_popcount(values->strings & (bit(argument) - 1u)));
}

static void set_string(const struct stub_call *values, unsigned argument, struct value_range *range)
{
	range->begin = value_of(values, argument);
	range->end = end_of(values, argument);
}

/* How long it is, where that is no constant. */
static void set_size(const struct part *part, const struct stub_call *values, struct value_range *range)
{
	switch ((enum extent)part->extent) {
	case BYTES_1:
		range->count = value_of(values, 1);
		break;
	case PRODUCT:
		range->times = value_of(values, 1);
		range->count = value_of(values, 2);
		break;
	case BYTES_2:
	case WIDE_2:
	case PAIRS_2:
		range->count = value_of(values, 2);
		break;
	case STRING:
		set_string(values, part->argument, range);
		break;
	case COPY:
		set_string(values, 1, range);
		break;
	default:
		break;
	}
}

/* Of what is counted, the size of one. */
static uint64_t unit_of(const struct part *part)
{
	switch ((enum extent)part->extent) {
	case FIXED:
		return part->bytes;
	case STATE:
		return memory_state_bytes(part);
	case STREAM_OBJECT:
	case STREAM_KEPT:
		return C_STREAM;
	case WORD:
		return sizeof(uint64_t);
	case NUMBER:
		return sizeof(uint32_t);
	case OBJECT:
		return CXX_STRING;
	case WIDE_2:
		return sizeof(wchar_t);
	case PAIRS_2:
		return 2 * sizeof(uint32_t);
	default:
		return 1;
	}
}

static struct value_range range_of(const struct part *part, const struct stub_call *values,
				   const uint64_t *states)
{
	struct value_range range = {.address = NO_VALUE,
				    .bytes = unit_of(part),
				    .count = NO_VALUE,
				    .times = NO_VALUE,
				    .end = NO_VALUE,
				    .write = part->write,
				    .locked = memory_part_locked(part)};
	if (part->extent == STATE)
		range.fixed = states[part->argument];
	else
		range.address = value_of(values, part->argument);
	if (part->extent == STREAM_KEPT) {
		range.but_for[0] = states[OUTPUT];
		range.but_for[1] = states[ERRORS];
	}
	set_size(part, values, &range);
	return range;
}

void memory_value_ranges(const struct memory_call *call, const struct stub_call *values,
			 const uint64_t *states, struct value_ranges *ranges)
{
	ranges->length = 0;
	for (size_t i = 0; i < MEMORY_PARTS; i++)
		if (call->parts[i].extent != NOTHING)
			ranges->at[ranges->length++] = range_of(&call->parts[i], values, states);
}

bool memory_value_touched(const struct value_range *range, const uint64_t *values, struct touched *touched)
{
	const uint64_t address = range->address == NO_VALUE ? range->fixed : values[range->address];
	uint64_t size = range->bytes;
	if (range->end != NO_VALUE)
		size = values[range->end] - values[range->begin];
	if (range->count != NO_VALUE)
		size *= values[range->count];
	if (range->times != NO_VALUE)
		size *= values[range->times];
	*touched = (struct touched){
	    .address = address, .size = size, .write = range->write, .locked = range->locked};
	return memory_may_touch(address, size) && address != range->but_for[0] &&
	       address != range->but_for[1];
}
