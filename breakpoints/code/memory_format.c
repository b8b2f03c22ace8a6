/* What printf() and scanf() touch by the arguments that their format is about. */
#include "breakpoints/code/memory_calls.h"

#include <ctype.h>
#include <string.h>

#define FORMAT_ROOM 512 /* of a longer format the beginning is looked at */

/* Integers and pointers are handed over in six registers, then on the stack; floating-point numbers in eight others, then there, too. */
#define REGISTERS	6
#define FLOAT_REGISTERS 8

struct reading {
	const struct memory_caller *caller;
	const char *at;	 /* in the format */
	unsigned next;	 /* argument */
	unsigned floats; /* that are in registers */
	bool lost;	 /* what comes next can't be told */
};

/* Between the percent sign and its letter. */
struct conversion {
	bool suppressed; /* scanf: nothing is stored */
	bool allocated;	 /* scanf: a pointer to a block is */
	uint64_t most;	 /* bytes of a string */
	uint8_t bytes;	 /* of an integer */
};

static uint64_t next_argument(struct reading *reading)
{
	const struct user_regs_struct *regs = reading->caller->regs;
	const uint64_t registers[REGISTERS] = {regs->rdi, regs->rsi, regs->rdx,
					       regs->rcx, regs->r8,  regs->r9};
	const unsigned i = reading->next++;
	uint64_t value = 0;
	if (i < REGISTERS)
		return registers[i];
	const uint64_t address = reading->caller->stack + (i - REGISTERS) * sizeof(value);
	reading->lost |= target_read(reading->caller->target, address, &value, sizeof(value)) != STATUS_OK;
	return value;
}

/* A width or precision: digits, or an argument. */
static uint64_t read_number(struct reading *reading, bool scans, struct conversion *conversion)
{
	uint64_t number = 0;
	if (*reading->at == '*') {
		reading->at++;
		if (!scans)
			return (uint32_t)next_argument(reading);
		conversion->suppressed = true;
	}
	for (; isdigit((unsigned char)*reading->at); reading->at++)
		number = number * 10 + (uint64_t)(*reading->at - '0');
	/* Arguments by number */
	reading->lost |= *reading->at == '$';
	return number;
}

static void read_length(struct reading *reading, struct conversion *conversion)
{
	conversion->bytes = 4;
	for (; *reading->at && strchr("hlqjztL", *reading->at); reading->at++)
		conversion->bytes = *reading->at == 'L'	     ? 16
				    : *reading->at != 'h'    ? 8
				    : conversion->bytes == 2 ? 1
							     : 2;
}

static struct conversion read_conversion(struct reading *reading, bool scans)
{
	struct conversion conversion = {.most = UINT64_MAX};
	reading->at += strspn(reading->at, "-+ #0'I");
	read_number(reading, scans, &conversion);
	if (scans && *reading->at == 'm') {
		conversion.allocated = true;
		reading->at++;
	}
	if (*reading->at == '.') {
		reading->at++;
		conversion.most = read_number(reading, scans, &conversion);
	}
	read_length(reading, &conversion);
	return conversion;
}

static bool is_float(char letter)
{
	return letter && strchr("aAeEfFgG", letter);
}

static struct touched print_one(struct reading *reading, const struct conversion *conversion, char letter)
{
	const bool wide = conversion->bytes == 8;
	if (letter == 'm')
		return (struct touched){.size = 0};
	if (is_float(letter)) {
		/* Of a long double, and of one too many, the place on the stack isn't followed. */
		reading->lost |= conversion->bytes == 16 || ++reading->floats > FLOAT_REGISTERS;
		return (struct touched){.size = 0};
	}
	const uint64_t value = next_argument(reading);
	if (letter == 's' && !wide)
		return (struct touched){
		    .address = value,
		    .size = memory_string_bytes(reading->caller->target, value, conversion->most)};
	if (letter == 'n')
		return (struct touched){.address = value, .size = conversion->bytes, .write = true};
	return (struct touched){.size = 0};
}

static struct touched scan_one(struct reading *reading, const struct conversion *conversion, char letter)
{
	if (letter == '[') {
		/* A bracket that comes first is one of the set. */
		reading->at += *reading->at == '^';
		reading->at += *reading->at == ']';
		const char *end = strchr(reading->at, ']');
		reading->lost |= !end;
		reading->at = end ? end + 1 : reading->at;
	}
	if (conversion->suppressed)
		return (struct touched){.size = 0};
	const bool text = letter == 's' || letter == 'c' || letter == '[';
	const uint8_t bytes = conversion->allocated || letter == 'p' ? 8 : text ? 1 : conversion->bytes;
	return (struct touched){.address = next_argument(reading), .size = bytes, .write = true};
}

size_t memory_format_touched(const struct memory_caller *caller, const struct memory_format *format,
			     struct touched *at, size_t room)
{
	char text[FORMAT_ROOM + 1];
	struct reading reading = {.caller = caller, .at = text, .next = format->argument};
	const uint64_t address = next_argument(&reading);
	const uint64_t bytes = memory_string_bytes(caller->target, address, FORMAT_ROOM);
	size_t length = 0;
	if (target_read(caller->target, address, text, bytes) != STATUS_OK)
		return 0;
	text[bytes] = 0;
	while (!reading.lost && length < room && (reading.at = strchr(reading.at, '%'))) {
		reading.at++;
		const struct conversion conversion = read_conversion(&reading, format->scans);
		const char letter = *reading.at;
		if (!letter || reading.lost)
			break;
		reading.at++;
		if (letter == '%')
			continue;
		const struct touched one = format->scans ? scan_one(&reading, &conversion, letter)
							 : print_one(&reading, &conversion, letter);
		if (!reading.lost && one.address && one.size)
			at[length++] = one;
	}
	return length;
}
