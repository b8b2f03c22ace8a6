/* What printf() and scanf() touch by the arguments that their format is about. */
#include "breakpoints/effects/memory_conversion.h"
#include "breakpoints/effects/memory_parts.h"

#include <ctype.h>
#include <fmc/tracer/target.h>
#include <limits.h>
#include <string.h>
#include <wchar.h>

#define FORMAT_ROOM 2048 /* of a longer format the beginning is looked at */

/*
 * Integers and pointers are handed over in six registers, then on the stack; floating-point numbers in eight others, then there, too. A
 * va_list says where the next of each is.
 */
#define REGISTERS	6
#define FLOAT_REGISTERS 8
#define FLOAT_BYTES	16  /* of each of them, */
#define FLOATS_AT	160 /* from here on in what tracee_extended() gives (Intel, volume 1, 13.4) */
#define POSITIONS	32  /* of arguments that a format names by number */

/* As the psABI has it. */
struct list {
	uint32_t integers, floats; /* offsets of the next ones among the registers that were saved */
	uint64_t stack, saved;
};

struct reading {
	const struct memory_caller *caller;
	const char *at;	   /* in the format */
	unsigned integers; /* so many registers are used up */
	unsigned floats;   /* the same */
	uint64_t stack;	   /* where the next argument is that isn't in one */
	uint64_t saved;	   /* where registers are that a va_list is about; 0: they are the caller's */
	const struct format_value *by; /* arguments by number; NULL: one after the other */
	unsigned position;	       /* the number that the next conversion names; 0: none */
	bool lost;		       /* what comes next can't be told */
	bool localized;		       /* it goes by the locale */
	uint64_t printed;	       /* bytes so far; FORMAT_UNKNOWN */
};

enum argument { INTEGER, FLOAT, LONG_FLOAT };

static uint64_t read_word(struct reading *reading, uint64_t address)
{
	uint64_t value = 0;
	reading->lost |= target_read(reading->caller->target, address, &value, sizeof(value)) != STATUS_OK;
	return value;
}

/* A floating-point number in this register. */
static struct format_value take_float(struct reading *reading, unsigned i)
{
	uint8_t area[EXTENDED_ROOM];
	size_t size = sizeof(area);
	struct format_value value = {.known = true};
	struct tracee *tracee = reading->caller->tracee;
	if (reading->saved) {
		value.low = read_word(reading, reading->saved + REGISTERS * sizeof(uint64_t) +
						   i * (uint64_t)FLOAT_BYTES);
		return value;
	}
	value.known = tracee && tracee_extended(tracee, area, &size) == STATUS_OK &&
		      size >= FLOATS_AT + FLOAT_REGISTERS * FLOAT_BYTES;
	if (value.known)
		memcpy(&value.low, area + FLOATS_AT + i * (size_t)FLOAT_BYTES, sizeof(value.low));
	return value;
}

static struct format_value take_argument(struct reading *reading, enum argument kind)
{
	const struct user_regs_struct *regs = reading->caller->regs;
	const uint64_t registers[REGISTERS] = {regs->rdi, regs->rsi, regs->rdx,
					       regs->rcx, regs->r8,  regs->r9};
	struct format_value value = {.known = true};
	if (kind == FLOAT && reading->floats < FLOAT_REGISTERS)
		return take_float(reading, reading->floats++);
	if (kind == INTEGER && reading->integers < REGISTERS) {
		const unsigned i = reading->integers++;
		value.low =
		    reading->saved ? read_word(reading, reading->saved + i * sizeof(uint64_t)) : registers[i];
		return value;
	}
	if (kind == LONG_FLOAT)
		reading->stack = (reading->stack + 15) & ~UINT64_C(15);
	value.low = read_word(reading, reading->stack);
	reading->stack += sizeof(uint64_t);
	if (kind == LONG_FLOAT) {
		value.high = read_word(reading, reading->stack);
		reading->stack += sizeof(uint64_t);
	}
	return value;
}

static struct format_value next_argument(struct reading *reading, enum argument kind)
{
	if (!reading->by)
		return take_argument(reading, kind);
	reading->lost |= reading->position == 0 || reading->position > POSITIONS;
	return reading->lost ? (struct format_value){.known = false} : reading->by[reading->position - 1];
}

static unsigned read_digits(struct reading *reading)
{
	unsigned number = 0;
	for (; isdigit((unsigned char)*reading->at); reading->at++)
		number = number < 1000000 ? number * 10 + (unsigned)(*reading->at - '0') : number;
	return number;
}

/* The number of the argument, where it has one: digits and a $. */
static unsigned read_position(struct reading *reading)
{
	const char *before = reading->at;
	const unsigned number = read_digits(reading);
	if (number && *reading->at == '$') {
		reading->at++;
		return number;
	}
	reading->at = before;
	return 0;
}

/* A width or precision: digits, or an argument. */
static uint64_t read_number(struct reading *reading, bool scans, struct conversion *conversion)
{
	if (*reading->at != '*')
		return read_digits(reading);
	reading->at++;
	if (scans) {
		conversion->suppressed = true;
		return read_digits(reading);
	}
	const unsigned own = reading->position;
	reading->position = read_position(reading);
	conversion->width_at = reading->position;
	const uint64_t number = (uint32_t)next_argument(reading, INTEGER).low;
	reading->position = own;
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
	reading->position = read_position(reading);
	conversion.flags = reading->at;
	conversion.flags_length = strspn(reading->at, "-+ #0'I");
	reading->at += conversion.flags_length;
	conversion.width = read_number(reading, scans, &conversion);
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

static void add_printed(struct reading *reading, uint64_t bytes)
{
	if (reading->printed != FORMAT_UNKNOWN)
		reading->printed = bytes == FORMAT_UNKNOWN ? bytes : reading->printed + bytes;
}

/* `bytes`: of the string, with the 0 at its end if that is looked at. */
static uint64_t string_bytes(const struct reading *reading, const struct conversion *conversion,
			     uint64_t address, uint64_t bytes)
{
	char last = 1;
	if (!address)
		return FORMAT_UNKNOWN;
	if (bytes > 0)
		(void)target_read(reading->caller->target, address + bytes - 1, &last, 1);
	return format_padded(conversion, bytes - (bytes > 0 && !last));
}

/* Of an argument that isn't a floating-point number. */
static uint64_t bytes_printed(const struct reading *reading, const struct conversion *conversion, char letter,
			      uint64_t value, uint64_t bytes)
{
	if (letter == 's' && conversion->bytes != 8)
		return string_bytes(reading, conversion, value, bytes);
	if (letter == 'c' && conversion->bytes != 8)
		return format_padded(conversion, 1);
	if (letter == 'n')
		return 0;
	return letter && strchr("diouxXp", letter) ? format_integer(conversion, letter, value)
						   : FORMAT_UNKNOWN;
}

static struct touched print_one(struct reading *reading, const struct conversion *conversion, char letter)
{
	struct touched touched = {.size = 0};
	if (is_float(letter)) {
		const struct format_value number =
		    next_argument(reading, conversion->bytes == 16 ? LONG_FLOAT : FLOAT);
		add_printed(reading, format_float(conversion, letter, &number));
		return touched;
	}
	if (letter == 'm') {
		add_printed(reading, FORMAT_UNKNOWN);
		return touched;
	}
	const uint64_t value = next_argument(reading, INTEGER).low;
	if (letter == 's' && conversion->bytes != 8)
		touched = (struct touched){
		    .address = value,
		    .size = memory_string_bytes(reading->caller->target, value, conversion->most)};
	if (letter == 'S' || (letter == 's' && conversion->bytes == 8))
		touched = (struct touched){.address = value,
					   .size = memory_wide_bytes(reading->caller->target, value,
								     conversion->most < FORMAT_WIDEST
									 ? conversion->most
									 : FORMAT_WIDEST)};
	if (letter == 'n')
		touched = (struct touched){.address = value, .size = conversion->bytes, .write = true};
	add_printed(reading, bytes_printed(reading, conversion, letter, value, touched.size));
	return touched;
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
	const bool one = letter == 'c' || letter == 'C', text = one || (letter && strchr("sS[", letter));
	const bool wide = letter == 'S' || letter == 'C' || (text && conversion->bytes == 8);
	const uint64_t characters = one && !conversion->width ? 1 : conversion->width + !one;
	const bool word =
	    conversion->allocated || letter == 'p' || (conversion->bytes > 8 && !is_float(letter));
	const uint64_t bytes = word   ? 8
			       : text ? characters * (wide ? sizeof(wchar_t) : 1)
				      : conversion->bytes;
	return (struct touched){.address = next_argument(reading, INTEGER).low, .size = bytes, .write = true};
}

/* From the argument after the format on, or where a va_list there says. */
static void begin(struct reading *reading, const struct memory_format *format)
{
	struct list list;
	*reading = (struct reading){.caller = reading->caller, .stack = reading->caller->stack};
	for (unsigned i = 0; i <= format->argument; i++)
		(void)take_argument(reading, INTEGER);
	if (!format->listed)
		return;
	const uint64_t at = take_argument(reading, INTEGER).low;
	reading->lost |= target_read(reading->caller->target, at, &list, sizeof(list)) != STATUS_OK;
	if (reading->lost)
		return;
	reading->integers = list.integers / 8;
	reading->floats = list.floats < 8 * REGISTERS ? 0 : (list.floats - 8 * REGISTERS) / 16;
	reading->stack = list.stack;
	reading->saved = list.saved;
}

static enum argument kind_of(const struct conversion *conversion, char letter, bool scans)
{
	if (scans || !is_float(letter))
		return INTEGER;
	return conversion->bytes == 16 ? LONG_FLOAT : FLOAT;
}

/* All arguments of a format that names them by number, whose kinds tell where they are. False: it doesn't. */
static bool read_by_number(const struct reading *from, const char *text, bool scans,
			   struct format_value by[POSITIONS])
{
	enum argument kinds[POSITIONS] = {INTEGER};
	struct reading reading = *from;
	unsigned most = 0;
	memset(by, 0, POSITIONS * sizeof(*by));
	reading.by = by;
	for (reading.at = text; (reading.at = strchr(reading.at, '%'));) {
		reading.at++;
		const struct conversion conversion = read_conversion(&reading, scans);
		const unsigned position = reading.position;
		if (!*reading.at)
			break;
		if (position && position <= POSITIONS)
			kinds[position - 1] = kind_of(&conversion, *reading.at, scans);
		most = position > most ? position : most;
		most = conversion.width_at > most ? conversion.width_at : most;
		reading.at++;
	}
	reading = *from;
	for (unsigned i = 0; i < most && i < POSITIONS; i++)
		by[i] = take_argument(&reading, kinds[i]);
	return most > 0;
}

/* Does what it makes of the argument go by the locale: a point, characters of more than a byte, a message? */
static bool is_localized(const struct conversion *conversion, char letter, const struct memory_format *format)
{
	const bool text = letter && strchr("sc[", letter);
	return is_float(letter) || letter == 'm' || letter == 'S' || letter == 'C' ||
	       (text && (format->wide || conversion->bytes == 8)) || format_has_flag(conversion, '\'') ||
	       format_has_flag(conversion, 'I');
}

/* Of the format that much, or its beginning; false: not all of it. */
static bool read_narrow(const struct target *target, uint64_t address, char text[FORMAT_ROOM + 1])
{
	const uint64_t bytes = memory_string_bytes(target, address, FORMAT_ROOM);
	const bool read = bytes > 0 && target_read(target, address, text, bytes) == STATUS_OK;
	text[read ? bytes : 0] = 0;
	return read && !text[bytes - 1];
}

/* The same of wide characters, of which those that are no ASCII stand for themselves alone. */
static bool read_wide(const struct target *target, uint64_t address, char text[FORMAT_ROOM + 1])
{
	wchar_t one = 1;
	size_t length = 0;
	while (length < FORMAT_ROOM && one &&
	       target_read(target, address + length * sizeof(one), &one, sizeof(one)) == STATUS_OK)
		text[length++] = one >= 0 && one <= SCHAR_MAX ? (char)one : '?';
	text[length] = 0;
	return !one;
}

/* Without those that store nothing. */
static size_t drop_empty(struct touched *at, size_t length)
{
	size_t kept = 0;
	for (size_t i = 0; i < length; i++)
		if (at[i].size > 0)
			at[kept++] = at[i];
	return kept;
}

/* The next conversion, and what it touches, without an address: nothing. False: the format is over, or what comes can't be told. */
static bool read_one(struct reading *reading, const struct memory_format *format, struct scanned *scanned,
		     struct touched *one)
{
	const size_t plain = strcspn(reading->at, "%");
	*one = (struct touched){.size = 0};
	add_printed(reading, plain);
	reading->at += plain;
	if (!*reading->at++)
		return false;
	const struct conversion conversion = read_conversion(reading, format->scans);
	const char letter = *reading->at;
	if (!letter || reading->lost) {
		add_printed(reading, FORMAT_UNKNOWN);
		return false;
	}
	reading->at++;
	if (letter == '%') {
		add_printed(reading, 1);
		return true;
	}
	reading->localized |= is_localized(&conversion, letter, format);
	*one =
	    format->scans ? scan_one(reading, &conversion, letter) : print_one(reading, &conversion, letter);
	if (format->scans)
		scanned_add(scanned, &conversion, letter);
	return !reading->lost;
}

size_t memory_format_touched(const struct memory_caller *caller, const struct memory_format *format,
			     struct touched *at, size_t room, bool *whole, uint64_t *printed)
{
	char text[FORMAT_ROOM + 1];
	struct format_value by[POSITIONS];
	struct reading reading = {.caller = caller, .stack = caller->stack};
	struct scanned scanned = {.length = 0};
	struct touched one;
	uint64_t address = 0;
	size_t length = 0;
	for (unsigned i = 0; i <= format->argument; i++)
		address = take_argument(&reading, INTEGER).low;
	*printed = FORMAT_UNKNOWN;
	const bool all = format->wide ? read_wide(caller->target, address, text)
				      : read_narrow(caller->target, address, text);
	begin(&reading, format);
	if (read_by_number(&reading, text, format->scans, by))
		reading.by = by;
	scanned.told = !reading.by;
	for (reading.at = text; !reading.lost && read_one(&reading, format, &scanned, &one);) {
		if (!one.address || !one.size)
			continue;
		if (length == room) {
			*whole = false;
			break;
		}
		scanned_stores(&scanned, length);
		at[length++] = one;
	}
	const bool locale = !reading.lost && reading.localized && caller->states[LOCALE];
	*whole &= !locale || length < room;
	if (locale && length < room)
		at[length++] = (struct touched){.address = caller->states[LOCALE], .size = 1};
	*whole &= all && !reading.lost && scanned_limit(&scanned, caller->target, format->input, text, at);
	if (all && !reading.lost && reading.printed != FORMAT_UNKNOWN)
		*printed = reading.printed + 1;
	return drop_empty(at, length);
}
