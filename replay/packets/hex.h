#ifndef FMC_REPLAY_PACKETS_HEX_H
#define FMC_REPLAY_PACKETS_HEX_H

#include "replay/text/text.h"

/* Bytes as pairs of hex digits, as GDB's remote protocol has them. */

/* Add them to the text. */
void gdb_hex_add(struct text *text, const void *bytes, size_t length);

/*
 * Turn an even number of digits into bytes; `to` may be where the digits are. False if anything else is among them.
 */
bool gdb_hex_decode(const char *digits, size_t length, unsigned char *to);

#endif
