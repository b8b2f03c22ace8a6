#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_STRETCHES_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_STRETCHES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Executable bytes in a row. */
struct stretch {
	uint64_t low; /* in the process */
	size_t size;
	const uint8_t *code; /* the file's: valid as long as it is open */
	uint8_t *marks;	     /* a byte for each, 0 at first */
};

/* In ascending order. */
struct stretches {
	struct stretch *at;
	size_t length;
};

/* All of a file that is mapped with this bias. False: without memory for all of them. */
bool stretches_find(struct stretches *stretches, Elf *elf, uint64_t bias);
void stretches_release(struct stretches *stretches);

/* The one that has this address; NULL: none. */
struct stretch *stretch_at(const struct stretches *stretches, uint64_t address);

#endif
