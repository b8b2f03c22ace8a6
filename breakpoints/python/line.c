#include "breakpoints/python/line.h"

/* Until 3.10: pairs of bytes, a length in bytes of code and a signed difference of lines. */
#define NO_LINE (-128)

static int line_of_deltas(const uint8_t *table, size_t size, int line, int32_t at)
{
	int32_t begin = 0;
	for (size_t i = 0; i + 1 < size; i += 2) {
		begin += table[i];
		if (begin > at)
			break;
		line += (int8_t)table[i + 1];
	}
	return line;
}

static int line_of_ranges(const uint8_t *table, size_t size, int line, int32_t at)
{
	int32_t end = 0;
	for (size_t i = 0; i + 1 < size; i += 2) {
		const int difference = (int8_t)table[i + 1];
		end += table[i];
		if (difference != NO_LINE)
			line += difference;
		if (at < end)
			return difference == NO_LINE ? 0 : line;
	}
	return line;
}

/* Numbers of six bits a byte, the lowest first; bit 6: more follow. */
static uint32_t read_number(const uint8_t *table, size_t size, size_t at)
{
	uint32_t value = 0;
	for (unsigned shift = 0; at < size && shift < 30; at++, shift += 6) {
		value |= (uint32_t)(table[at] & 63) << shift;
		if (!(table[at] & 64))
			break;
	}
	return value;
}

static int signed_number(uint32_t value)
{
	return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

#define ENTRY_BEGINS 0x80 /* in the first byte of each entry; also its form and length are there */
#define CODE_UNIT    2
enum { FORM_ONE_LINE = 10, FORM_NO_COLUMNS = 13, FORM_LONG = 14, FORM_NONE = 15 };

static int line_difference(unsigned form, const uint8_t *table, size_t size, size_t at)
{
	switch (form) {
	case FORM_NO_COLUMNS:
	case FORM_LONG:
		return signed_number(read_number(table, size, at));
	case FORM_NONE:
		return 0;
	default: /* on this line, or on one of the next two */
		return form >= FORM_ONE_LINE ? (int)form - FORM_ONE_LINE : 0;
	}
}

static int line_of_locations(const uint8_t *table, size_t size, int first_line, int32_t at)
{
	int32_t end = 0;
	int64_t line = first_line;
	for (size_t i = 0; i < size;) {
		const unsigned form = table[i] >> 3 & 15;
		end += CODE_UNIT * ((table[i] & 7) + 1);
		line += line_difference(form, table, size, i + 1);
		if (at < end)
			return form == FORM_NONE || line < 0 || line > INT32_MAX ? 0 : (int)line;
		for (i++; i < size && !(table[i] & ENTRY_BEGINS);)
			i++;
	}
	return 0;
}

int python_line(enum python_lines form, const uint8_t *table, size_t size, int first_line, int32_t at)
{
	switch (form) {
	case PYTHON_LINES_DELTAS:
		return line_of_deltas(table, size, first_line, at);
	case PYTHON_LINES_RANGES:
		return line_of_ranges(table, size, first_line, at);
	default:
		return line_of_locations(table, size, first_line, at);
	}
}

/* Numbers as above, but the highest bits first. */
static uint32_t next_number(const uint8_t *table, size_t size, size_t *at)
{
	uint32_t value = 0;
	bool more = true;
	while (*at < size && more) {
		value = value << 6 | (table[*at] & 63);
		more = table[(*at)++] & 64;
	}
	return value;
}

uint32_t python_depth(const uint8_t *table, size_t size, int32_t at)
{
	if (at < 0)
		return 0;
	/* Of each: where it begins, its length, where it leads (all in units of code), the depth and a flag below it. */
	for (size_t i = 0; i < size;) {
		const uint32_t begin = next_number(table, size, &i) * CODE_UNIT;
		const uint32_t length = next_number(table, size, &i) * CODE_UNIT;
		(void)next_number(table, size, &i);
		const uint32_t depth = next_number(table, size, &i) >> 1;
		if ((uint32_t)at >= begin && (uint32_t)at - begin < length)
			return depth;
	}
	return 0;
}
