#ifndef FMC_BREAKPOINTS_TRAPS_STATE_H
#define FMC_BREAKPOINTS_TRAPS_STATE_H

#include "breakpoints/effects/memory_calls.h"
#include "breakpoints/op/entry_table.h"
#include "breakpoints/sites/atomics.h"
#include "breakpoints/stubs/slot.h"
#include "breakpoints/symbols/modules.h"
#include "breakpoints/traps/answered.h"
#include "breakpoints/traps/patches.h"
#include <fmc/breakpoints/call.h>
#include <fmc/breakpoints/marks.h>
#include <fmc/breakpoints/rounds.h>

/* One planted entry point. */
struct trap {
	uint64_t address;
	uint64_t size; /* of the function; 0 if unknown */
	const struct entry_point *point;
	const struct module *module;
	bool is_default; /* the version of the name that new programs bind to */
	bool by_door;	 /* a jump to the slot's door instead of a trap instruction */
	uint64_t stop;	 /* where the trap instruction is that a call of the function meets */
	uint64_t copy; /* its displaced first instructions; none for functions that fmc takes the place of */
};

/* A module that an execution has loaded on its way. Others may have another one there. */
struct loaded {
	char *path;
	uint64_t low;
	struct answered_set answered;
	bool has_atomics; /* they have been looked for: */
	struct atomics atomics;
	struct patches patches;
	bool mapped; /* when the target was last looked at */
};

/*
 * Where the rounds of a loop are counted. By jump: the head's instruction, and if it is short those after it, are replaced by a
 * jump to the slot's counter, which stands at the end of what is a door elsewhere, right before the copy of the instructions. The
 * slot is where the jump's bytes are trap instructions at the beginnings of further ones, should anybody jump to one. By trap: the
 * head's first byte is replaced.
 */
struct head {
	uint64_t address; /* 0: not known */
	bool by_jump;
	uint32_t starts; /* of the further instructions: see stubs/displace.h */
	uint64_t at;	 /* where the slot is in the target's memory */
	struct slot slot;
	uint8_t planted[5], original[5]; /* by trap the first one only */
	uint32_t left;			 /* by trap: rounds until it is met */
};

struct entries {
	struct modules modules;
	struct trap *traps; /* in ascending order of addresses */
	size_t traps_length;
	uint32_t *hash; /* index into traps plus 1, 0: free; open addressing */
	uint32_t hash_mask;
	struct range *own; /* code and data of libc and the loader */
	size_t own_length;
	struct range *told; /* functions whose atomic instructions fmc_access() has told of */
	size_t told_length;
	bool musl;
	unsigned mangled; /* which of entry_own_name() the program has under a name of C++'s only, as bits */
	enum atomics_use atomics_use;
	bool without_doors;
	bool watch_variables; /* which variables of the environment are asked for */
	bool watch_output;    /* functions that write to streams are operations */
	bool answers;	      /* instructions whose results differ from run to run: */
	struct answered_set answered;
	const struct promoted *promoted; /* borrowed; NULL: none */
	bool scouts; /* entries_scout() */
	bool atomics_found;
	struct atomics atomics; /* of the modules at the origin */
	uint64_t states[MEMORY_STATES]; /* with these: what libc keeps to itself, where */
	struct modules now;	/* as the target was last looked at: */
	struct loaded *loaded;	/* those that came later, of all executions */
	size_t loaded_length;
	uint64_t page;	       /* where the slots are, 0 before they have been made */
	struct page *contents; /* a slot for each trap, in the same order */
	struct patches first, rest;
	struct operands *operands;		    /* entries/entry_fences.c; NULL until it is asked */
	struct head heads[LOOPS_MOST + MARKS_MOST]; /* of loops, then marks */
	uint32_t loops_length, marks_length;	    /* those after so many have never been used */
};

/* Find the entry points of the present modules: traps, hash, own, musl. */
enum status entries_discover(struct entries *entries);

/* entry_atomics.c: find those of the present modules, once. STATUS_INTERRUPTED: none are known, and the next call begins anew. */
enum status entries_find_atomics(struct entries *entries);
/* The one with a trap at this address, NULL if there is none. */
const struct atomic *entries_atomic(const struct entries *entries, uint64_t address);
/* loaded.c: the module that came later and has one there, NULL; *atomic is it. */
const struct loaded *loaded_with(const struct entries *entries, uint64_t address,
				 const struct atomic **atomic);
void loaded_release(struct loaded *loaded);
/* The byte that a trap there stands for; false if there is none of ours. */
bool entries_loaded_byte(const struct entries *entries, uint64_t address, uint8_t *byte);
void entries_hide_loaded(const struct entries *entries, uint64_t address, uint8_t *bytes, size_t size);
/* Take their traps out of this target. */
enum status entries_unplant_loaded(struct entries *entries, struct target *target);
/* A target that begins has none of them. */
void entries_none_loaded(struct entries *entries);
void entries_forget_loaded(struct entries *entries);

/*
 * entry_answered.c: find the instructions of the present modules that are answered; plant traps there and in modules that came
 * later, for as long as this target's are. After ranges of code have been written they have to be planted anew.
 */
enum status entries_find_answered(struct entries *entries);
enum status entries_plant_answered(const struct entries *entries, struct target *target);
enum status entries_unplant_answered(const struct entries *entries, struct target *target);
/* The one at this address, NULL if there is none. */
const struct answered *entries_answered(const struct entries *entries, uint64_t address);
void entries_hide_answered(const struct entries *entries, uint64_t address, uint8_t *bytes, size_t size);
/* Make the tracee, stopped at one, go on. */
enum status entries_answer(const struct entries *entries, struct tracee *tracee,
			   const struct answered *answered);

/* displaced.c: make slots for a page at this address, and the patches, from the unpatched code of the target. */
enum status entries_displace(struct entries *entries, const struct target *target, uint64_t page);
void entries_clear_slots(struct entries *entries);
size_t entries_contents_size(const struct entries *entries);

/*
 * Those that may be in use, loops and marks: for (i = heads_next(entries, HEADS_BEGIN); i < HEADS_END; i = heads_next(entries, i))
 */
#define HEADS_BEGIN UINT32_MAX
#define HEADS_END   (LOOPS_MOST + MARKS_MOST)
static inline uint32_t heads_next(const struct entries *entries, uint32_t i)
{
	i++;
	if (i >= entries->loops_length && i < LOOPS_MOST)
		i = LOOPS_MOST;
	return i >= LOOPS_MOST + entries->marks_length ? HEADS_END : i;
}

/* By trap the head's first byte is replaced, by jump all of it. */
static inline size_t head_planted_size(const struct head *head)
{
	return head->by_jump ? sizeof(head->planted) : 1;
}

static inline bool trap_creates_threads(const struct trap *trap)
{
	return trap->point->kind == OP_THREAD_CREATE;
}

/* The trap that stops at this address, NULL if there is none. */
const struct trap *entries_trap(const struct entries *entries, uint64_t address);

/* The trap of the function at this address, NULL if there is none. */
const struct trap *entries_trap_of(const struct entries *entries, uint64_t function);

/* Make the hash over the addresses where traps stop; false without memory. */
bool entries_hash(struct entries *entries);

/*
 * Heads of loops: take them out of a target, or their bytes out of what was read. Is an address in one's slot? Is a program
 * counter in one between two instructions of the program's? What would the program take it for, 0 if it is in none?
 */
enum status heads_unplant(const struct entries *entries, struct target *target);
void heads_hide(const struct entries *entries, uint64_t address, uint8_t *bytes, size_t size);
bool heads_have(const struct entries *entries, uint64_t address);
bool heads_are_between(const struct entries *entries, uint64_t pc);
uint64_t heads_visible_pc(const struct entries *entries, uint64_t pc);

/* Forget everything known of the modules' code. */
void entries_clear(struct entries *entries);

#endif
