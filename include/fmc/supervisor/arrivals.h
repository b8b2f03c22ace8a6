#ifndef FMC_SUPERVISOR_ARRIVALS_H
#define FMC_SUPERVISOR_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Signals that somebody outside sends the program, each once, whenever it could take it. As text: `INT,TERM:2`, the number being that of a
 * thread among the program's own, from 1; without one it is sent to the process.
 */
#define ARRIVALS_MOST 8
#define ARRIVALS_TEXT 256 /* of any, with its zero */
struct arrivals {
	struct arrival {
		int signal;
		uint32_t thread; /* 0: the process */
	} at[ARRIVALS_MOST];
	uint32_t length;
};

/* Add those that the text names. False: it isn't of that form, or there are too many; some may have been added. */
bool arrivals_parse(struct arrivals *arrivals, const char *text);

/* The text of them; empty if there are none. */
void arrivals_text(const struct arrivals *arrivals, char text[ARRIVALS_TEXT]);

#endif
