/* How many bytes scanf() stores of strings: as many as it does when fmc itself reads what the program is about to read. */
#include "breakpoints/effects/memory_conversion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_INPUT 65536
#define NUMBER_BYTES  16 /* of the longest number */

void scanned_add(struct scanned *scanned, const struct conversion *conversion, char letter)
{
	if (conversion->suppressed)
		return;
	const bool text = letter == 's' || letter == 'S' || letter == '[', wide = conversion->bytes == 8;
	/* Blocks that it makes, wide characters, and "%as", which means either. */
	scanned->told &=
	    !conversion->allocated && letter && !strchr("SCa", letter) && !(wide && (text || letter == 'c'));
	scanned->open |= text && !conversion->width && !conversion->allocated;
	if (scanned->length < SCANNED_MOST)
		scanned->conversions[scanned->length] =
		    (struct scanned_one){.text = text, .counts = letter != 'n', .at = SIZE_MAX};
	scanned->length++;
}

void scanned_stores(struct scanned *scanned, size_t at)
{
	if (scanned->length > 0 && scanned->length <= SCANNED_MOST)
		scanned->conversions[scanned->length - 1].at = at;
}

/* The text there; NULL: it isn't known as a whole. */
static char *read_text(const struct target *target, uint64_t address, uint64_t *bytes)
{
	*bytes = address ? memory_string_bytes(target, address, LONGEST_INPUT) : 0;
	char *text = *bytes ? malloc(*bytes) : NULL;
	if (text && target_read(target, address, text, *bytes) == STATUS_OK && !text[*bytes - 1])
		return text;
	free(text);
	return NULL;
}

/* Of conversions the first ones store something, as many as the result says. */
static void take_lengths(const struct scanned *scanned, int result, const char *stored, size_t room,
			 struct touched *at)
{
	int counted = 0;
	for (size_t i = 0; i < scanned->length; i++) {
		const struct scanned_one *one = &scanned->conversions[i];
		if (one->text && one->at != SIZE_MAX)
			at[one->at].size = counted < result ? strlen(stored + i * room) + 1 : 0;
		counted += one->counts;
	}
}

bool scanned_limit(const struct scanned *scanned, const struct target *target, uint64_t input,
		   const char *format, struct touched *at)
{
	int (*const scan)(const char *, const char *, ...) = sscanf;
	uint64_t bytes;
	if (!scanned->told || scanned->length > SCANNED_MOST)
		return !scanned->open;
	char *text = read_text(target, input, &bytes);
	const size_t room = bytes + NUMBER_BYTES;
	char *stored = text ? calloc(SCANNED_MOST, room) : NULL, *to[SCANNED_MOST];
	if (stored) {
		for (size_t i = 0; i < SCANNED_MOST; i++)
			to[i] = stored + i * room;
		const int result = scan(text, format, to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7],
					to[8], to[9], to[10], to[11], to[12], to[13], to[14], to[15]);
		take_lengths(scanned, result, stored, room, at);
	}
	free(stored);
	free(text);
	return stored || !scanned->open;
}
