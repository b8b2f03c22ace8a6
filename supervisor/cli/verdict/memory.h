#ifndef FMC_SUPERVISOR_CLI_VERDICT_MEMORY_H
#define FMC_SUPERVISOR_CLI_VERDICT_MEMORY_H

#include <fmc/supervisor/saved.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What samples of the executions' accesses to memory have shown: for the verdict. */

/* The threads that touch it, and where. */
struct memory_use {
	char *place; /* "order/reversible_race.c:4", "race+0x1189" */
	uint32_t thread;
};

/* What threads share without an operation that orders them. */
struct memory_variable {
	char *name;
	struct memory_use *uses; /* in the order of places, each by its threads in theirs */
	size_t length;
};

struct memory_seen {
	uint32_t executions; /* that were looked at */
	char *unseen;	     /* what of the program wasn't, or why nothing was; NULL: nothing */
	struct memory_variable *variables;
	size_t length;
};

void memory_seen_release(struct memory_seen *seen); /* and makes it empty */

/* One more use of a variable; what is known already changes nothing. False without memory. */
bool memory_seen_add(struct memory_seen *seen, const char *name, const char *place, uint32_t thread);

/* All of another's, but not what those haven't looked at. False without memory. */
bool memory_seen_add_all(struct memory_seen *seen, const struct memory_seen *more);

/* Variables and their uses, for a later run. load: those are added. False if the bytes can't be that, or without memory. */
void memory_seen_save(const struct memory_seen *seen, struct saver *saver);
bool memory_seen_load(struct memory_seen *seen, struct loader *loader);

/* What isn't looked at; the first text stays. */
void memory_seen_leave_out(struct memory_seen *seen, const char *what);

/*
 * "counter at order/reversible_race.c:4 by T2 and T3; flag at a.c:1 by T2 and b.c:2 by T1": at most so many variables and so many places of
 * each, and how many more there are. 0: all.
 */
void memory_seen_print(const struct memory_seen *seen, size_t most, FILE *stream);

#endif
