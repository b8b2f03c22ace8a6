#ifndef FMC_BREAKPOINTS_TRAPS_ANSWERED_H
#define FMC_BREAKPOINTS_TRAPS_ANSWERED_H

#include "breakpoints/instructions/instruction.h"
#include "breakpoints/symbols/modules.h"
#include <fmc/tracer/target.h>

/*
 * Instructions of a program whose results differ from run to run: the processor's counter of time (RDTSC, RDTSCP), its random
 * numbers (RDRAND, RDSEED), and the number of the processor (RDTSCP, RDPID). fmc answers them as it does system calls of that kind.
 *
 * And PAUSE, which needs no answer: it does nothing but take time, some 50 cycles, in a virtual machine at times a thousand as much. The
 * thread that a loop with it waits for can't run meanwhile, and OpenMP's run-time libraries go round 300,000 times before they sleep. NOP is in its place.
 */
enum answered_kind {
	ANSWERED_NOT,
	ANSWERED_TICKS,		      /* RDTSC */
	ANSWERED_TICKS_AND_PROCESSOR, /* RDTSCP */
	ANSWERED_RANDOM,
	ANSWERED_PROCESSOR,
	ANSWERED_PAUSE, /* never: it is replaced */
};

struct answered {
	uint64_t address; /* in the process */
	uint8_t kind;	  /* enum answered_kind */
	uint8_t length;	  /* of the instruction */
	uint8_t bytes;	  /* of the result, where a register is named that takes it: */
	uint8_t word;	  /* which one, in words of struct user_regs_struct */
	uint8_t first;	  /* byte of the instruction: */
	uint8_t planted;  /* what takes its place */
};

struct answered_set {
	struct answered *at; /* in ascending order */
	size_t length;
};

/* Is the instruction one of these? Its address and kind are told, and what belongs to that. */
bool answered_parse(const struct instruction *instruction, struct answered *answered);

/*
 * Add those of the module that are certainly instructions (instructions/sweep.h). A module without file has none. Without STATUS_OK some
 * may be missing: STATUS_NO_MEMORY, STATUS_INTERRUPTED.
 */
enum status answered_add(struct answered_set *set, const struct module *module);
void answered_release(struct answered_set *set);

/* The one with a trap at this address, NULL if there is none. */
const struct answered *answered_at(const struct answered_set *set, uint64_t address);

/* Is one in this range? */
bool answered_within(const struct answered_set *set, uint64_t address, uint64_t size);

/* Give the tracee, which stands before it, the result. It then stands after it. STATUS_OK, STATUS_GONE. */
enum status answered_give(const struct answered *answered, struct tracee *tracee);

/* Put traps and NOPs in their places, or take them out. */
enum status answered_plant(const struct answered_set *set, struct target *target, bool planted);

/* Put back in `bytes`, which were read from `address` on, what they have taken the place of. */
void answered_hide(const struct answered_set *set, uint64_t address, uint8_t *bytes, size_t size);

#endif
