#ifndef FMC_BREAKPOINTS_SAMPLER_TEXT_H
#define FMC_BREAKPOINTS_SAMPLER_TEXT_H

#include <fmc/tracer/target.h>

/*
 * Pages of a target's memory that are changed in many places: each is read once, and written once if it has been changed. What isn't
 * mapped reads as nothing, and isn't written.
 */
struct text_page {
	uint64_t number;
	bool there, changed;
	uint8_t bytes[4096];
};

struct text {
	struct target *target;
	struct text_page **at; /* in ascending order */
	size_t length;
	struct text_page *last;
	bool failed; /* no memory: what couldn't be read isn't there */
};

void text_begin(struct text *text, struct target *target);

/* Copy from there; false: not all is there. */
bool text_read(struct text *text, uint64_t address, uint8_t *bytes, size_t size);
/* Write there, if all is there; false: it isn't. */
bool text_write(struct text *text, uint64_t address, const uint8_t *bytes, size_t size);

/* Write what has been changed, and end. */
void text_end(struct text *text);

#endif
