/* How many bytes printf() makes of numbers. */
#include "breakpoints/effects/memory_conversion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NULL_POINTER	 "(nil)"
#define LONG_FLOAT_BYTES 10 /* the others are none of it */

bool format_has_flag(const struct conversion *conversion, char flag)
{
	return memchr(conversion->flags, flag, conversion->flags_length) != NULL;
}

/* As the locale has it. */
static bool is_grouped(const struct conversion *conversion)
{
	return format_has_flag(conversion, '\'') || format_has_flag(conversion, 'I');
}

static bool is_precise(const struct conversion *conversion)
{
	return conversion->most != UINT64_MAX;
}

/* A sign that positive numbers have, too. */
static bool has_sign(const struct conversion *conversion)
{
	return format_has_flag(conversion, '+') || format_has_flag(conversion, ' ');
}

/* Padded to its width, of which a negative one that is an argument is too large to be looked at. */
uint64_t format_padded(const struct conversion *conversion, uint64_t bytes)
{
	if (conversion->width > FORMAT_WIDEST)
		return FORMAT_UNKNOWN;
	return bytes < conversion->width ? conversion->width : bytes;
}

static uint64_t count_digits(uint64_t number, unsigned base)
{
	uint64_t digits = 0;
	for (; number > 0; number /= base)
		digits++;
	return digits;
}

static uint64_t pointer_bytes(const struct conversion *conversion, uint64_t value)
{
	if (conversion->flags_length > 0 || is_precise(conversion))
		return FORMAT_UNKNOWN;
	return format_padded(conversion, value ? 2 + count_digits(value, 16) : strlen(NULL_POINTER));
}

uint64_t format_integer(const struct conversion *conversion, char letter, uint64_t value)
{
	const bool is_signed = letter == 'd' || letter == 'i', precise = is_precise(conversion);
	const unsigned base = letter == 'o' ? 8 : letter == 'x' || letter == 'X' ? 16 : 10;
	const unsigned unused = conversion->bytes < 8 ? 64 - 8u * conversion->bytes : 0;
	const bool negative = is_signed && (value << unused) >> 63;
	const uint64_t number = negative ? (0 - value) << unused >> unused : value << unused >> unused;
	const uint64_t least = precise ? conversion->most : 1, own = count_digits(number, base);
	uint64_t digits = own < least ? least : own;
	if (letter == 'p')
		return pointer_bytes(conversion, value);
	if (is_grouped(conversion) || (precise && conversion->most > FORMAT_WIDEST))
		return FORMAT_UNKNOWN;
	if (format_has_flag(conversion, '#') && base == 8 && digits == own)
		digits++;
	if (format_has_flag(conversion, '#') && base == 16 && number > 0)
		digits += 2;
	return format_padded(conversion, digits + (negative || (is_signed && has_sign(conversion))));
}

/* By value alone, which a long double has as well; but for its digits in base 16, whose first one differs. */
static int float_bytes(char letter, int precision, long double value, bool is_long)
{
	switch (letter) {
	case 'a':
	case 'A':
		return is_long ? snprintf(NULL, 0, "%.*La", precision, value)
			       : snprintf(NULL, 0, "%.*a", precision, (double)value);
	case 'e':
	case 'E':
		return snprintf(NULL, 0, "%.*Le", precision, value);
	case 'f':
	case 'F':
		return snprintf(NULL, 0, "%.*Lf", precision, value);
	default:
		return snprintf(NULL, 0, "%.*Lg", precision, value);
	}
}

uint64_t format_float(const struct conversion *conversion, char letter, const struct format_value *value)
{
	const int precision = is_precise(conversion) ? (int)conversion->most : -1;
	long double long_number = 0;
	double number;
	if (!value->known || is_grouped(conversion) || format_has_flag(conversion, '#') ||
	    (is_precise(conversion) && conversion->most > FORMAT_WIDEST))
		return FORMAT_UNKNOWN;
	memcpy(&long_number, value, LONG_FLOAT_BYTES);
	memcpy(&number, &value->low, sizeof(number));
	const bool is_long = conversion->bytes == 16;
	const long double shown = is_long ? long_number : (long double)number;
	const bool positive = !signbit(shown);
	const int bytes = float_bytes(letter, precision, shown, is_long);
	return bytes < 0 ? FORMAT_UNKNOWN
			 : format_padded(conversion, (uint64_t)bytes + (positive && has_sign(conversion)));
}
