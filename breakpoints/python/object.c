#include "breakpoints/python/python.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MOST  512 /* characters that are shown */
#define ITEMS_MOST 4096

bool python_read(struct python *python, uint64_t address, void *to, size_t size)
{
	if (python->reads_left == 0 || address < 4096)
		return false;
	python->reads_left--;
	return snapshot_read(python->snapshot, address, to, size) == STATUS_OK;
}

bool python_word(struct python *python, uint64_t address, uint64_t *word)
{
	return python_read(python, address, word, sizeof(*word));
}

uint64_t python_pointer(struct python *python, uint64_t address)
{
	uint64_t pointer;
	return python_word(python, address, &pointer) ? pointer : 0;
}

/* Objects are aligned, which most words that are none aren't. */
static bool aligned(uint64_t object)
{
	return object && object % 8 == 0;
}

/* A text that ends with a zero byte, or where the room does. */
static bool read_string(struct python *python, uint64_t address, char text[PYTHON_TYPE_ROOM])
{
	size_t length = PYTHON_TYPE_ROOM - 1;
	while (length && !python_read(python, address, text, length))
		length /= 2;
	text[length] = 0;
	return length > 0;
}

bool python_type_name(struct python *python, uint64_t object, char name[PYTHON_TYPE_ROOM])
{
	const uint64_t type = aligned(object) ? python_pointer(python, object + PYTHON_TYPE) : 0;
	const uint64_t text = aligned(type) ? python_pointer(python, type + PYTHON_TYPE_NAME) : 0;
	return text && read_string(python, text, name);
}

bool python_is(struct python *python, uint64_t object, const char *type)
{
	char name[PYTHON_TYPE_ROOM];
	return python_type_name(python, object, name) && strcmp(name, type) == 0;
}

/* How a string is kept: bits of its state. */
enum { KIND_SHIFT = 2, KIND_MASK = 7, COMPACT = 1 << 5, ASCII = 1 << 6 };

struct characters {
	uint64_t address;
	size_t length;
	unsigned width; /* bytes of each */
};

static bool find_characters(struct python *python, uint64_t object, struct characters *characters)
{
	const struct python_layout *layout = &python->layout;
	uint32_t state;
	uint64_t length;
	if (!python_is(python, object, "str") ||
	    !python_read(python, object + PYTHON_TEXT_STATE, &state, 4) ||
	    !python_word(python, object + PYTHON_LENGTH, &length) || !(state & COMPACT))
		return false;
	characters->length = length < TEXT_MOST ? (size_t)length : TEXT_MOST;
	characters->width = state >> KIND_SHIFT & KIND_MASK;
	characters->address = object + (state & ASCII ? layout->text_ascii : layout->text_wide);
	return characters->width == 1 || characters->width == 2 || characters->width == 4;
}

/* At most four bytes, none of them a control character. */
static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)(c < 0x20 || c == 0x7f ? '?' : c);
		return to;
	}
	if (c < 0xa0 || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = '?';
	const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};
	*to++ = (char)(marks[more] | c >> 6 * more);
	for (int i = more - 1; i >= 0; i--)
		*to++ = (char)(0x80 | (c >> 6 * i & 63));
	return to;
}

char *python_text(struct python *python, uint64_t object)
{
	struct characters characters;
	uint8_t bytes[TEXT_MOST * 4];
	if (!find_characters(python, object, &characters) ||
	    (characters.length &&
	     !python_read(python, characters.address, bytes, characters.length * characters.width)))
		return NULL;
	char *text = malloc(characters.length * 4 + 1), *end = text;
	if (!text)
		return NULL;
	for (size_t i = 0; i < characters.length; i++) {
		uint32_t c = 0;
		memcpy(&c, bytes + i * characters.width, characters.width);
		end = put_utf8(end, c);
	}
	*end = 0;
	return text;
}

bool python_text_is(struct python *python, uint64_t object, const char *text)
{
	char *other = python_text(python, object);
	const bool same = other && strcmp(other, text) == 0;
	free(other);
	return same;
}

/* Until 3.11 a signed count of digits; since then the count is above three bits, the lower two of which are 0 for what is positive. */
static bool count_digits(struct python *python, uint64_t object, uint64_t *count)
{
	if (!python_word(python, object + PYTHON_LENGTH, count))
		return false;
	if (python->layout.version < 0x30c)
		return true;
	if (*count & 2)
		return false;
	*count >>= 3;
	return true;
}

bool python_number(struct python *python, uint64_t object, uint64_t *value)
{
	char type[PYTHON_TYPE_ROOM];
	uint32_t digits[2] = {0};
	uint64_t count;
	if (!python_type_name(python, object, type) ||
	    (strcmp(type, "int") != 0 && strcmp(type, "bool") != 0) ||
	    !count_digits(python, object, &count) || count > 2 ||
	    (count && !python_read(python, object + PYTHON_DIGITS, digits, count * sizeof(digits[0]))))
		return false;
	*value = digits[0] | (uint64_t)digits[1] << 30;
	return true;
}

bool python_items(struct python *python, uint64_t object, uint64_t *first, size_t *length)
{
	char type[PYTHON_TYPE_ROOM];
	uint64_t count;
	if (!python_type_name(python, object, type) || !python_word(python, object + PYTHON_LENGTH, &count))
		return false;
	*length = count < ITEMS_MOST ? (size_t)count : ITEMS_MOST;
	if (strcmp(type, "tuple") == 0) {
		*first = object + PYTHON_TUPLE_ITEMS;
		return true;
	}
	*first = python_pointer(python, object + PYTHON_LIST_ITEMS);
	return strcmp(type, "list") == 0 && (*first || count == 0);
}
