#ifndef FMC_FRAME_H
#define FMC_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* One frame of a stack, for people; owns its texts. */
struct frame {
	uint64_t address;
	char *function; /* NULL if unknown, like file */
	char *file;
	int line;
	char *module;
	uint64_t offset;
	bool library; /* not the program's own code: of a library, or of a header of the system's */
	bool inlined; /* shares the frame of the machine with the next one, in which it is in line */
};

#endif
