#ifndef FMC_BREAKPOINTS_FRAME_H
#define FMC_BREAKPOINTS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* One frame of a stack, for people; owns its texts. */
struct frame {
	uint64_t address;
	char *function; /* NULL if unknown, like file */
	char *file;	/* last component of: */
	char *source;	/* the path of the source, absolute where the debug information has it so */
	int line;
	char *module;
	uint64_t offset;
	bool library; /* not the program's own code: of a library, or of a header of the system's */
	bool inlined; /* shares the frame of the machine with the next one, in which it is in line */
};

static inline void frames_free(struct frame *frames, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		free(frames[i].function);
		free(frames[i].file);
		free(frames[i].source);
		free(frames[i].module);
	}
	free(frames);
}

#endif
