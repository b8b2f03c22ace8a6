#include "breakpoints/instructions/marks.h"

#include <string.h>

/* Eight marks at a time, of which most are plain. */
#define EACH UINT64_C(0x0101010101010101)

static bool is_disputed(const struct stretch *stretch, size_t i)
{
	const uint8_t mark = stretch->marks[i];
	const bool after_lock = i > 0 && stretch->marks[i - 1] & START && stretch->code[i - 1] == 0xf0;
	return !(mark & (START | INSIDE)) ||
	       (mark & INSIDE && (mark & START || (mark & TARGET && !after_lock)));
}

static uint64_t eight_marks(const struct stretch *stretch, size_t i)
{
	uint64_t marks;
	memcpy(&marks, stretch->marks + i, sizeof(marks));
	return marks;
}

/* The same bit of each of eight marks, as the lowest one of its byte. */
static uint64_t those_with(uint64_t marks, uint8_t bit)
{
	return marks / bit & EACH;
}

/* Eight marks without a doubt: each is either START, or INSIDE without TARGET. */
static bool are_plain(uint64_t marks)
{
	const uint64_t inside = those_with(marks, INSIDE);
	return (inside ^ those_with(marks, START)) == EACH && !(inside & those_with(marks, TARGET));
}

bool marks_disputed(const struct stretch *stretch, uint64_t low, uint64_t high)
{
	const size_t end = high - stretch->low;
	for (size_t i = low - stretch->low; i < end; i++) {
		if (i + 8 <= end && are_plain(eight_marks(stretch, i)))
			i += 7;
		else if (is_disputed(stretch, i))
			return true;
	}
	return false;
}

bool mark_is_known(uint8_t mark)
{
	return mark & (COVERED | START | INSIDE);
}

static bool are_known(uint64_t marks)
{
	return (those_with(marks, COVERED) | those_with(marks, START) | those_with(marks, INSIDE)) == EACH;
}

size_t marks_known_from(const struct stretch *stretch, size_t i)
{
	while (i + 8 <= stretch->size && are_known(eight_marks(stretch, i)))
		i += 8;
	return i;
}
