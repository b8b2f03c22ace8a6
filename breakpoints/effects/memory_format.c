/* What printf() and scanf() touch by the arguments that their format is about. */
#include "breakpoints/effects/memory_calls.h"

#include <ctype.h>
#include <string.h>

#define FORMAT_ROOM 2048 /* of a longer format the beginning is looked at */

/*
 * Integers and pointers are handed over in six registers, then on the stack; floating-point numbers in eight others, then there, too. A
 * va_list says where the next of each is.
 */
#define REGISTERS	6
#define FLOAT_REGISTERS 8
#define WIDEST		4096 /* a greater width or precision isn't looked at */
#define POSITIONS	32   /* of arguments that a format names by number */

/* As the psABI has it. */
struct list {
	uint32_t integers, floats; /* offsets of the next ones among the registers that were saved */
	uint64_t stack, saved;
};

struct reading {
	const struct memory_caller *caller;
	const char *at;	    /* in the format */
	unsigned integers;  /* so many registers are used up */
	unsigned floats;    /* the same */
	uint64_t stack;	    /* where the next argument is that isn't in one */
	uint64_t saved;	    /* where registers are that a va_list is about; 0: they are the caller's */
	const uint64_t *by; /* arguments by number; NULL: one after the other */
	unsigned position;  /* the number that the next conversion names; 0: none */
	bool lost;	    /* what comes next can't be told */
	bool open;	    /* what is stored has no limit that is known */
	uint64_t printed;   /* bytes so far; FORMAT_UNKNOWN */
};

enum argument { INTEGER, FLOAT, LONG_FLOAT };

/* Between the percent sign and its letter. */
struct conversion {
	bool suppressed;   /* scanf: nothing is stored */
	bool allocated;	   /* scanf: a pointer to a block is */
	uint64_t most;	   /* bytes of a string */
	uint8_t bytes;	   /* of an integer */
	unsigned width_at; /* the argument that a width or precision names by number; 0: none */
	const char *flags; /* in the format */
	size_t flags_length;
	uint64_t width;
};

static uint64_t read_word(struct reading *reading, uint64_t address)
{
	uint64_t value = 0;
	reading->lost |= target_read(reading->caller->target, address, &value, sizeof(value)) != STATUS_OK;
	return value;
}

/* A floating-point number is passed over. */
static uint64_t take_argument(struct reading *reading, enum argument kind)
{
	const struct user_regs_struct *regs = reading->caller->regs;
	const uint64_t registers[REGISTERS] = {regs->rdi, regs->rsi, regs->rdx,
					       regs->rcx, regs->r8,  regs->r9};
	if (kind == FLOAT && reading->floats++ < FLOAT_REGISTERS)
		return 0;
	if (kind == INTEGER && reading->integers < REGISTERS) {
		const unsigned i = reading->integers++;
		return reading->saved ? read_word(reading, reading->saved + i * sizeof(uint64_t))
				      : registers[i];
	}
	if (kind == LONG_FLOAT)
		reading->stack = (reading->stack + 15) & ~UINT64_C(15);
	const uint64_t address = reading->stack;
	reading->stack += kind == LONG_FLOAT ? 16 : sizeof(uint64_t);
	return kind == INTEGER ? read_word(reading, address) : 0;
}

static uint64_t next_argument(struct reading *reading, enum argument kind)
{
	if (!reading->by)
		return take_argument(reading, kind);
	reading->lost |= reading->position == 0 || reading->position > POSITIONS;
	return reading->lost ? 0 : reading->by[reading->position - 1];
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
	const uint64_t number = (uint32_t)next_argument(reading, INTEGER);
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

/* Padded to its width, of which a negative one that is an argument is too large to be looked at. */
static uint64_t padded(const struct conversion *conversion, uint64_t bytes)
{
	if (conversion->width > WIDEST)
		return FORMAT_UNKNOWN;
	return bytes < conversion->width ? conversion->width : bytes;
}

static bool has_flag(const struct conversion *conversion, char flag)
{
	return memchr(conversion->flags, flag, conversion->flags_length) != NULL;
}

static uint64_t count_digits(uint64_t number, unsigned base)
{
	uint64_t digits = 0;
	for (; number > 0; number /= base)
		digits++;
	return digits;
}

static uint64_t integer_bytes(const struct conversion *conversion, char letter, uint64_t value)
{
	const bool is_signed = letter == 'd' || letter == 'i', precise = conversion->most != UINT64_MAX;
	const unsigned base = letter == 'o' ? 8 : letter == 'x' || letter == 'X' ? 16 : 10;
	const unsigned unused = 64 - 8u * conversion->bytes;
	const bool negative = is_signed && (value << unused) >> 63;
	const uint64_t number = negative ? (0 - value) << unused >> unused : value << unused >> unused;
	const uint64_t least = precise ? conversion->most : 1, own = count_digits(number, base);
	uint64_t digits = own < least ? least : own;
	/* As the locale has it, or too much. */
	if (has_flag(conversion, '\'') || has_flag(conversion, 'I') || (precise && conversion->most > WIDEST))
		return FORMAT_UNKNOWN;
	if (has_flag(conversion, '#') && base == 8 && digits == own)
		digits++;
	if (has_flag(conversion, '#') && base == 16 && number > 0)
		digits += 2;
	return padded(conversion, digits + (negative || (is_signed && (has_flag(conversion, '+') ||
								       has_flag(conversion, ' ')))));
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
	return padded(conversion, bytes - (bytes > 0 && !last));
}

/* Of an argument that isn't a floating-point number. */
static uint64_t bytes_printed(const struct reading *reading, const struct conversion *conversion, char letter,
			      uint64_t value, uint64_t bytes)
{
	if (letter == 's' && conversion->bytes != 8)
		return string_bytes(reading, conversion, value, bytes);
	if (letter == 'c' && conversion->bytes != 8)
		return padded(conversion, 1);
	if (letter == 'n')
		return 0;
	return letter && strchr("diouxX", letter) ? integer_bytes(conversion, letter, value) : FORMAT_UNKNOWN;
}

static struct touched print_one(struct reading *reading, const struct conversion *conversion, char letter)
{
	struct touched touched = {.size = 0};
	if (letter == 'm' || is_float(letter)) {
		if (letter != 'm')
			(void)next_argument(reading, conversion->bytes == 16 ? LONG_FLOAT : FLOAT);
		add_printed(reading, FORMAT_UNKNOWN);
		return touched;
	}
	const uint64_t value = next_argument(reading, INTEGER);
	if (letter == 's' && conversion->bytes != 8)
		touched = (struct touched){
		    .address = value,
		    .size = memory_string_bytes(reading->caller->target, value, conversion->most)};
	if (letter == 'S' || (letter == 's' && conversion->bytes == 8))
		touched = (struct touched){
		    .address = value,
		    .size = memory_wide_bytes(reading->caller->target, value,
					      conversion->most < WIDEST ? conversion->most : WIDEST)};
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
	const bool text = letter == 's' || letter == 'c' || letter == '[';
	const bool unlimited = text && letter != 'c' && !conversion->width && !conversion->allocated;
	const uint64_t text_bytes =
	    letter == 'c' ? (conversion->width ? conversion->width : 1) : conversion->width + 1;
	const uint64_t bytes = conversion->allocated || letter == 'p' ? 8
			       : text				      ? text_bytes
								      : conversion->bytes;
	reading->open |= unlimited;
	return (struct touched){.address = next_argument(reading, INTEGER), .size = bytes, .write = true};
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
	const uint64_t at = take_argument(reading, INTEGER);
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
static bool read_by_number(const struct reading *from, const char *text, bool scans, uint64_t by[POSITIONS])
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

size_t memory_format_touched(const struct memory_caller *caller, const struct memory_format *format,
			     struct touched *at, size_t room, bool *whole, uint64_t *printed)
{
	char text[FORMAT_ROOM + 1];
	uint64_t by[POSITIONS], address = 0;
	struct reading reading = {.caller = caller, .stack = caller->stack};
	for (unsigned i = 0; i <= format->argument; i++)
		address = take_argument(&reading, INTEGER);
	const uint64_t bytes = memory_string_bytes(caller->target, address, FORMAT_ROOM);
	size_t length = 0;
	*printed = FORMAT_UNKNOWN;
	if (bytes == 0 || target_read(caller->target, address, text, bytes) != STATUS_OK) {
		*whole = false;
		return 0;
	}
	text[bytes] = 0;
	begin(&reading, format);
	if (read_by_number(&reading, text, format->scans, by))
		reading.by = by;
	reading.at = text;
	*whole &= text[bytes - 1] == 0;
	while (!reading.lost && *reading.at) {
		const size_t plain = strcspn(reading.at, "%");
		add_printed(&reading, plain);
		reading.at += plain;
		if (!*reading.at++)
			break;
		const struct conversion conversion = read_conversion(&reading, format->scans);
		const char letter = *reading.at;
		if (!letter || reading.lost) {
			add_printed(&reading, FORMAT_UNKNOWN);
			break;
		}
		reading.at++;
		if (letter == '%') {
			add_printed(&reading, 1);
			continue;
		}
		const struct touched one = format->scans ? scan_one(&reading, &conversion, letter)
							 : print_one(&reading, &conversion, letter);
		if (reading.lost || !one.address || !one.size)
			continue;
		if (length == room) {
			*whole = false;
			break;
		}
		at[length++] = one;
	}
	*whole &= !reading.lost && !reading.open;
	if (!reading.lost && text[bytes - 1] == 0 && reading.printed != FORMAT_UNKNOWN)
		*printed = reading.printed + 1;
	return length;
}
