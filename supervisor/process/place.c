#include "supervisor/process/process.h"

#include <stdio.h>

/* Where in the program's own code a thread is. */

uint64_t process_own_place(struct process *process, struct tracee *tracee, uint64_t address)
{
	enum { DEPTH = 32 };
	uint64_t frames[DEPTH];
	struct place place;
	/* The program is where it is, as long as it is the same; what else is loaded may have changed. */
	places_find(process->places, address, true, &place);
	if (place.module && !place.library)
		return address;
	(void)places_update(process->places, process->target); /* else places are of what was known before */
	places_find(process->places, address, true, &place);
	if (!place.library)
		return address;
	size_t length = places_stack(process->places, tracee, frames, DEPTH);
	for (size_t i = 1; i < length; i++) {
		places_find(process->places, frames[i], true, &place);
		if (place.module && !place.library)
			return frames[i];
	}
	return address;
}

void process_describe_place(struct process *process, struct tracee *tracee, uint64_t after,
			    char text[PLACE_ROOM])
{
	struct place place = {.file = NULL};
	places_find(process->places, process_own_place(process, tracee, after), true, &place);
	*text = '\0';
	if (place.file)
		snprintf(text, PLACE_ROOM, " (at %.70s:%d)", place.file, place.line);
}
