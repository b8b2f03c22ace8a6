#ifndef FMC_BREAKPOINTS_SPOTS_H
#define FMC_BREAKPOINTS_SPOTS_H

#include <fmc/tracer/must_check.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct places;

/*
 * Where threads come to, as people say it: a line of a source (`queue.c:42`, `src/queue.c:42`), a function (`push`), an instruction of it
 * (`push+0x12`), or its address (`0x401136`). A line and a function may have code in many places.
 */
struct spots {
	uint64_t *at; /* addresses of instructions, each once */
	size_t length;
};

#define SPOTS_WHY 200

/* Is the text of that form? Else `why` says which there are. */
bool spots_check(const char *text, char why[SPOTS_WHY]);

/* Find them in the modules that these places know. False: `why` says why there is none, and what is near; nothing is to be released. */
bool spots_find(struct spots *spots, struct places *places, const char *text, char why[SPOTS_WHY]);
void spots_release(struct spots *spots);

#endif
