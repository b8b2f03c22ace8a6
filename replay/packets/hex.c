/* Bytes as hex digits. */
#include "replay/packets/hex.h"

void gdb_hex_add(struct text *text, const void *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = bytes;
	for (size_t i = 0; i < length; i++) {
		const char pair[] = {digits[from[i] >> 4], digits[from[i] & 15]};
		text_add(text, pair, sizeof pair);
	}
}

bool gdb_hex_decode(const char *digits, size_t length, unsigned char *to)
{
	for (size_t i = 0; i + 1 < length; i += 2) {
		int high = text_hex_digit(digits[i]), low = text_hex_digit(digits[i + 1]);
		if (high < 0 || low < 0)
			return false;
		to[i / 2] = (unsigned char)(high << 4 | low);
	}
	return length % 2 == 0;
}
