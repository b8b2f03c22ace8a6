/* Bytes as hex digits. */
#include "gdb_hex.h"

void gdb_hex_add(struct text *text, const void *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = bytes;
	for (size_t i = 0; i < length; i++) {
		const char pair[] = {digits[from[i] >> 4], digits[from[i] & 15]};
		text_add(text, pair, sizeof pair);
	}
}

int gdb_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool gdb_hex_decode(const char *digits, size_t length, unsigned char *to)
{
	for (size_t i = 0; i + 1 < length; i += 2) {
		int high = gdb_hex_digit(digits[i]), low = gdb_hex_digit(digits[i + 1]);
		if (high < 0 || low < 0)
			return false;
		to[i / 2] = (unsigned char)(high << 4 | low);
	}
	return length % 2 == 0;
}
