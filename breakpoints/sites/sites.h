#ifndef FMC_BREAKPOINTS_SITES_SITES_H
#define FMC_BREAKPOINTS_SITES_SITES_H

#include "breakpoints/effects/unfollowed.h"
#include "breakpoints/instructions/instruction.h"
#include "breakpoints/stubs/stub.h"
#include "breakpoints/symbols/modules.h"

struct memory_call;

/* Instructions that may touch memory which threads share. */
struct site {
	uint64_t address;
	uint8_t first; /* byte of the instruction, as in the file */
	bool stack;    /* its address is the stack pointer and a constant */
	bool
	    blind; /* what it touches can't be told, nor, where a function begins that can't be decoded, what that does */
	bool planted; /* a trap is there */
	const struct memory_call
	    *call;	  /* it leads to this function of a library; NULL: it touches memory itself */
	bool jumps;	  /* there: whoever has called it is on the stack */
	bool entry;	  /* the function begins here: libraries may call it, too */
	uint32_t counted; /* for the sampler: its tally plus 1, 0: none */
	/* For the sampler: */
	uint32_t door;		 /* plus 1; 0: none has been tried */
	uint32_t ahead;		 /* the door at an instruction ahead of it, plus 1; 0: there is none */
	uint8_t met_again;	 /* how often its trap has been met since, UINT8_MAX at most */
	uint8_t made_anew;	 /* how often its door has been */
	uint32_t number;	 /* of what it does by itself, plus 1; 0: none yet */
	struct stub_call values; /* of its call, if it has a number */
	uint16_t bytes;		 /* of its operand; 0: not known */
	bool writes;
	bool relied; /* a door's jump goes on here: the bytes stay as they are */
	bool held;   /* a stub stands for it in the present target */
	bool stands; /* in the present target threads are to stand here */
};

/* A module's addresses that direct jumps and calls lead to, as bits from `low` on. */
struct landings {
	uint64_t low, high;
	uint8_t *bits;
};

/* A word with the address of a function of a library's, by which it may be called from where there is no site. */
struct word {
	uint64_t address;
	const struct memory_call *call;
};

struct sites {
	struct site *at; /* in ascending order within each module */
	size_t length;
	char left_out[256];	      /* as sampler_left_out() says */
	struct unfollowed unfollowed; /* functions that they may call */
	struct landings *landings;    /* where direct jumps and calls lead, for each module */
	size_t landings_length;
	struct word *words;
	size_t words_length;
	uint64_t
	    thread_bytes; /* of their thread-local variables in each thread, those of libraries that are loaded later left aside */
};

/*
 * Add those of the module: all that are certainly instructions (instructions/sweep.h), but for what is thread-local, read-only, or the jump of
 * a linkage table to what is known to touch none, and for atomic instructions, which are operations or told of elsewhere. STATUS_NO_MEMORY: not all of them.
 */
enum status sites_add(struct sites *sites, const struct module *module);
/* Those of its functions that are part of containers (pure_functions.h). The same. */
enum status sites_add_pure(struct sites *sites, const struct module *module);
/* After the last of these: all in ascending order. */
void sites_sort(struct sites *sites);

/* Bit k, up to 4: a direct jump or call of the same module leads to k bytes from the address. */
uint8_t sites_met(const struct sites *sites, uint64_t address);

void sites_release(struct sites *sites);

/* The module of this name, or what a function of this name does, isn't looked at. */
void sites_leave_out(struct sites *sites, const char *name, const char *why);

#endif
