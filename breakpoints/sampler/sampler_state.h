#ifndef FMC_BREAKPOINTS_SAMPLER_SAMPLER_STATE_H
#define FMC_BREAKPOINTS_SAMPLER_SAMPLER_STATE_H

#include "breakpoints/effects/memory_calls.h"
#include "breakpoints/instructions/touched.h"
#include "breakpoints/sampler/doors.h"
#include "breakpoints/sampler/log_memory.h"
#include "breakpoints/sampler/releases.h"
#include "breakpoints/sites/sites.h"
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/sampling.h>

#define NO_SITE UINT32_MAX

/* Why not every access of an execution has been told. */
enum missed {
	MISSED_RESTS = 1,  /* traps were left out for a while */
	MISSED_UNTOLD = 2, /* an instruction's operand can't be told, or a function isn't decoded */
	MISSED_LOG = 4,	   /* entries of the log were lost */
	MISSED_VFORK = 8,  /* a process that shares the memory passed traps */
	MISSED_NEW = 16,   /* functions that give out memory can't have a trap */
};

#define SETTLED_MOST 4096
#define ASIDE_MOST   4
#define TOLD_ROOM    (1u << 12) /* so that it stays in the processor's first cache */

struct tally;
struct ranges;

/* An instruction with a number: what its entries in the log stand for. */
struct numbered_site {
	uint64_t place;
	uint16_t bytes;
	bool writes;
	uint8_t entries; /* of the log that it writes */
	uint32_t call;	 /* sampler->calls, plus 1; 0: it is none */
};

/* A site that calls a function, and what that touches. */
struct numbered_call {
	uint32_t site;
	uint8_t after; /* where it returns to, which of its values; NO_VALUE: that isn't told */
	struct value_ranges ranges;
};

/* Where a function returns to, and the place that what it touches is told for; 0: the function's own. */
struct caller {
	uint64_t after, place;
};
#define CALLERS 256

struct sampler {
	const struct entries *entries; /* of the target, borrowed */
	struct modules modules;
	struct sites sites;
	struct releases releases;
	struct operands *operands;
	struct doors doors;
	bool active, stacks;
	bool sees_new; /* sampler_see_new() */
	bool
	    logs; /* the target has the log, and room for doors: traps stay where they are as long as there aren't too many hits */
	bool sparing; /* traps rest now */
	struct tally *tallies;
	uint32_t tallies_length;
	uint32_t resting; /* the site whose trap is out because somebody is passing it */
	uint64_t passing; /* where a thread goes on that has met a trap; 0: where it stands */
	bool comes_back;  /* there, from a function: its return address goes from the stack */
	uint32_t turn;
	uint64_t hits;		  /* of traps */
	struct unfollowed called; /* in this execution */
	char unfollowed[200];	  /* the same, as unfollowed_text() */
	unsigned missed;
	struct numbered_site *numbered; /* by their numbers, until code is looked through again */
	uint32_t numbered_length;
	struct numbered_call *calls; /* the same */
	uint32_t calls_length;
	struct caller callers[CALLERS]; /* seen lately */
	struct ranges *ranges;		/* NULL: none has a number yet */
	uint64_t filtered;		/* pages of the target's table of keys that aren't empty, as bits */
	const struct sampler_memory *memory; /* borrowed */
	struct log_memory *
	    shared; /* of the present target's; NULL: it shares none, and what it has is read and written from outside */
	struct log_entry *log;		/* as last read, where nothing is shared */
	uint32_t settled[SETTLED_MOST]; /* words of lines that aren't 0 */
	uint32_t settled_length;	/* SETTLED_MOST: there are more */
	uint64_t *
	    told; /* TOLD_ROOM: what has been told since the turn began, or memory was given back; 0: nothing */
	const uint64_t *standing; /* sampler_stand() */
	size_t standing_length;
	uint64_t aside[ASIDE_MOST]; /* of these: where threads don't stand in this turn any more */
	uint32_t aside_length;
	uint32_t again; /* how often what has been told was met there in this turn */
	uint64_t states[MEMORY_STATES];
	struct memory_tokens tokens;
	bool main_left;	  /* the first thread has called pthread_exit */
	bool last_leaves; /* sampler_last_leaves() */
};

/* code.c: the sites of the code that the target has now, where it has changed; none, with all that was made for them. */
enum status code_learn(struct sampler *sampler, const struct entries *entries, const struct target *target);
void code_forget(struct sampler *sampler);
/* Is it code that may have sites, and none of libc's? */
bool code_is_watched(const struct sampler *sampler, uint64_t address);

/* calling.c: functions of libraries that the code calls. A thread stands at the site of one: what that is about to touch. */
size_t calling_touched(struct sampler *sampler, const struct site *site, struct tracee *tracee,
		       const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST]);
/* The same from the values of the call that the log has, but for what needn't be told any more. */
size_t calling_logged(struct sampler *sampler, const struct numbered_call *call, const uint64_t *values,
		      struct touched at[TOUCHED_MOST]);
/* The same where nobody knows that: it is noted. True: it needn't be again. */
bool calling_unknown(struct sampler *sampler, const struct site *site, const struct target *target,
		     const struct user_regs_struct *regs);
/* Who calls a function that gives memory back, by where that returns to; 0: libc itself, or it isn't known. */
uint64_t calling_release(const struct sampler *sampler, uint64_t after);
/* An execution begins: what may be called without being seen counts as called. */
void calling_begin(struct sampler *sampler);

/* planting.c: which sites and doors are to be in this target, and them in it; all out of this memory; back what was there. */
void planting_choose(struct sampler *sampler, struct target *target);
void planting_hide(const struct sampler *sampler, struct target *target);
void planting_show(const struct sampler *sampler, struct target *target);
/* The door of a site in the place of its trap, if it has one that fits, and the other way round. */
void planting_reopen(const struct sampler *sampler, struct target *target, const struct site *site);
void planting_close(const struct sampler *sampler, struct target *target, const struct site *site);
/* The trap of one site in or out. */
void planting_put(struct target *target, struct site *site, bool planted);
/* The site at this address; NULL: there is none. */
struct site *planting_site(const struct sampler *sampler, uint64_t address);
/* An instruction that a planted door's stub has, and that isn't the door's first: NULL, or in whose stub, and *piece. */
const struct door *planting_inner(const struct sampler *sampler, uint64_t address,
				  const struct piece **piece);
/* Is there a door at this instruction for a site after it? */
bool planting_is_ahead(const struct sampler *sampler, uint64_t address);
/* Put back into these bytes from there what our traps and doors have taken the place of. */
void planting_reveal(const struct sampler *sampler, uint64_t address, uint8_t *bytes, size_t size);
/* Write a new door into the target: door->planted then, if it fits. */
void planting_open(const struct sampler *sampler, struct target *target, struct door *door);

static inline bool site_is_watched(const struct sampler *sampler, const struct site *site)
{
	return sampler->stacks || !site->stack;
}

/* NULL: none has been made. */
static inline struct door *site_door(const struct sampler *sampler, const struct site *site)
{
	return site->door ? &sampler->doors.at[site->door - 1] : NULL;
}

/*
 * making.c: give the site a door, or a stub to be passed by. Where its instruction's copy is then, to go on there when the site's trap
 * has been told; 0: there is none.
 */
uint64_t making_pass(struct sampler *sampler, struct target *target, struct site *site);
/* The code there without any traps; false: there is none. */
bool making_code(const struct sampler *sampler, struct target *target, uint64_t address,
		 uint8_t code[TOUCHED_CODE]);

/* drain.c: has this been told by the instruction with this number in this turn? From now on it has; a newer one may take an older one's place. */
bool drain_is_told(struct sampler *sampler, uint64_t address, uint32_t number);
void drain_forget(struct sampler *sampler, struct target *target);
/* Give a site whose `bytes` are known its number. False: there are no more. begin: the log of this target is empty. */
bool drain_number(struct sampler *sampler, struct site *site);
/* The same of a site that calls, if it can be told from values. */
bool drain_number_call(struct sampler *sampler, struct site *site);
bool drain_begin(struct sampler *sampler, struct target *target);

/*
 * lines.c: what the thread does to bytes of its own in this turn, so that stubs pass it. begin: of this target nothing is known; what an
 * earlier one has left is given back to the kernel, which is less to do than to clear all where little has been used.
 */
void lines_begin(struct sampler *sampler);
void lines_settle(struct sampler *sampler, uint64_t address, uint64_t bytes, bool write);
void lines_forget(struct sampler *sampler);
void lines_forget_range(struct sampler *sampler, uint64_t address, uint64_t bytes);

/*
 * ranges.c: give what a call in the log touches a number, as instructions have one, if that may be. Without ranges_begin() there are none, until
 * code is looked through again.
 */
#define RANGE_MOST 64 /* bytes of one that has */
void ranges_begin(struct sampler *sampler);
void ranges_number(struct sampler *sampler, struct touched *touched);
void ranges_forget(struct sampler *sampler);

/*
 * compared.c: of what an instruction with these bytes is about to touch, as operands_touched() says, let a string that it compares or searches
 * end where it will. False: it is too long for that.
 */
bool compared_whole(const struct target *target, const uint8_t code[TOUCHED_CODE],
		    const struct user_regs_struct *regs, struct touched *at, size_t length);

/*
 * standing.c: an execution or turn begins; or what has been told in this turn is met again by a thread that stands there. Of a loop that waits that is
 * the same for a long time: for the rest of the turn threads pass there.
 */
void standing_begin(struct sampler *sampler);
void standing_turn(struct sampler *sampler, struct target *target);
void standing_again(struct sampler *sampler, struct target *target, struct site *site);

/* rests.c: how often an instruction is met where traps rest. */
struct tally *rests_tally(struct sampler *sampler, struct site *site); /* NULL without memory */
bool rests_count(struct sampler *sampler, struct tally *tally, uint32_t thread);
bool rests_wanted(const struct sampler *sampler, const struct site *site, uint32_t thread);
bool rests_steps(const struct sampler *sampler); /* the trap is back right after the instruction */
void rests_turn(struct sampler *sampler, struct target *target, uint32_t thread);
void rests_forget(struct sampler *sampler);

#endif
