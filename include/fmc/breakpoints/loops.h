#ifndef FMC_BREAKPOINTS_LOOPS_H
#define FMC_BREAKPOINTS_LOOPS_H

#include <fmc/breakpoints/module_place.h>

/*
 * Loops in which threads have computed for long without an operation, each known by one of its instructions, its head.
 * Threads are preempted there after so many rounds, in every execution alike: so a head is found by time once, and
 * kept for all executions to come, in schedules, too.
 */
#define LOOPS_MOST 256

struct loop {
	struct module_place head;
	uint32_t rounds; /* before the first yield */
	uint64_t from;	 /* counted from this transition of the execution on */
};

/* Heads are added after the others and don't change. May be in memory that processes share. */
struct loops {
	uint32_t length;
	uint32_t busy; /* somebody is adding one */
	struct loop at[LOOPS_MOST];
};

/* A table that processes share which this one forks later; NULL without memory. NULL may be released. */
struct loops *loops_shared(void);
void loops_release(struct loops *shared);

/* How many there are now. */
uint32_t loops_length(const struct loops *loops);

/* False: it is known already, or there is no room. */
bool loops_add(struct loops *loops, const struct loop *loop);

/* As a line of a schedule has it: "MODULE+0xOFFSET ROUNDS", with " from TRANSITION" where that isn't the first. */
#define LOOP_TEXT (MODULE_PLACE_TEXT + 40)
void loop_print(const struct loop *loop, char text[LOOP_TEXT]);
bool loop_parse(const char *text, struct loop *loop);

#endif
