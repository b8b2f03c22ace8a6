#ifndef FMC_BREAKPOINTS_EFFECTS_MEMORY_CONVERSION_H
#define FMC_BREAKPOINTS_EFFECTS_MEMORY_CONVERSION_H

#include "breakpoints/effects/memory_calls.h"

/* Conversions of formats: of printf() how many bytes they make, of scanf() how many they store. */

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

/* An argument; of a floating-point number its bytes. */
struct format_value {
	uint64_t low, high;
	bool known;
};

#define FORMAT_WIDEST 4096 /* a greater width or precision isn't looked at */

bool format_has_flag(const struct conversion *conversion, char flag);

/* So many bytes with what fills them up to its width; FORMAT_UNKNOWN. */
uint64_t format_padded(const struct conversion *conversion, uint64_t bytes);

/* How many bytes printf() makes of a number, where the locale doesn't group its digits; FORMAT_UNKNOWN. letter: d, i, o, u, x, X, p; a, e, f, g in either case. */
uint64_t format_integer(const struct conversion *conversion, char letter, uint64_t value);
uint64_t format_float(const struct conversion *conversion, char letter, const struct format_value *value);

/*
 * What a format of scanf()'s stores, conversion after conversion. told: its arguments come one after the other, each a place for what is
 * stored there.
 */
#define SCANNED_MOST 16
struct scanned_one {
	bool text;   /* a string */
	bool counts; /* ... in the result */
	size_t at;   /* its number among the ranges that are told; SIZE_MAX: it has none */
};
struct scanned {
	struct scanned_one conversions[SCANNED_MOST];
	size_t length; /* of those that store something, more than SCANNED_MOST aren't kept */
	bool told;
	bool open; /* there is a string without a limit */
};
void scanned_add(struct scanned *scanned, const struct conversion *conversion, char letter);
/* What the last one stores has this number. */
void scanned_stores(struct scanned *scanned, size_t at);

/*
 * Let strings in `at` be as long as what is read from the string at `input` makes them, 0 where they aren't come to. input 0: it isn't
 * known. False: there is one that may have any length.
 */
bool scanned_limit(const struct scanned *scanned, const struct target *target, uint64_t input,
		   const char *format, struct touched *at);

#endif
