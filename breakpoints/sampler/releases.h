#ifndef FMC_BREAKPOINTS_SAMPLER_RELEASES_H
#define FMC_BREAKPOINTS_SAMPLER_RELEASES_H

#include "breakpoints/sites/releasing.h"
#include "breakpoints/stubs/displace.h"
#include "breakpoints/stubs/gate.h"
#include "breakpoints/stubs/stub_room.h"
#include <fmc/breakpoints/sampling.h>

/*
 * Functions that are seen each time. Those that give out memory, if that is wanted: where they come back is seen as well. Those that give memory back, which may be other memory from then on: free, realloc, munmap,
 * operator delete. And those by which threads end: what libc's count of them orders isn't ordered by any operation.
 */
enum release_kind {
	RELEASE_MEMORY,
	RELEASE_THREAD,	 /* pthread_exit */
	RELEASE_PROCESS, /* exit */
	RELEASE_NOTHING, /* malloc */
};

/* How many bytes of new memory it comes back with. */
enum release_gives {
	GIVES_NONE,
	GIVES_FIRST,  /* as the first argument says */
	GIVES_SECOND, /* ... */
	GIVES_THIRD,
	GIVES_PRODUCT, /* of both */
};

#define RELEASE_JUMP 5
#define RELEASE_COPY 128

/* Instead of a trap, a jump to code that writes into the log what the trap would tell. */
struct release_gate {
	struct gate gate; /* then a copy of the function's first instructions */
	uint8_t copy[RELEASE_COPY];
	uint16_t copy_size;
	uint8_t original[RELEASE_JUMP], jump[RELEASE_JUMP];
	bool failed; /* there can't be one */
};

struct release {
	uint64_t address;
	uint64_t size; /* of its code; 0: it isn't known */
	uint64_t copy; /* of its first instruction, that the trap is passed by */
	uint64_t trap; /* where that is: at its beginning, or in the gate */
	enum release_kind kind;
	enum release_gives gives;
	bool gives_pages; /* by the system */
	bool gives_to;	  /* its first argument says where the address of new memory is to be written */
	bool planted;	  /* in the present target */
	bool beside;	  /* the entries have a trap there, and tell of each thread that comes to it */
	uint8_t first;	  /* byte that the trap takes the place of */
	struct release_gate *gates[2];	 /* if new memory isn't seen, and if it is; NULL: not made yet */
	const struct release_gate *gate; /* the one in the present target; NULL: it has none */
	enum releasing_size size_from;
	bool glibc; /* it may be in front of the block */
};

/* A thread in a function that gives out memory: it comes back to a trap, where the return address was. */
struct giving {
	uint32_t thread;
	uint64_t slot, after; /* where that stands on its stack, and what it was */
	const struct release *function;
	uint64_t size;
	uint64_t to;   /* where the address is written; 0: it is returned */
	uint64_t kept; /* what stays if there is none; 0: nothing */
};

struct releases {
	struct release *at;
	size_t length;
	uint64_t trap; /* 0: new memory isn't seen */
	bool unseen;   /* some functions that give out memory can't be, though they are to be seen */
	struct giving *giving;
	size_t giving_length;
	bool has_backs;		   /* there is room for both: */
	struct gate_back backs[2]; /* what comes back from a gate, without and with the word in front */
};

/* What may be planted. */
struct releases_plan {
	const struct entries *entries;
	struct target *target;
	bool giving;		 /* also what does nothing else but give out memory */
	bool stops;		 /* threads are to be stopped there, each time */
	struct stub_room *gates; /* NULL: traps alone */
	bool filters;
	/* Is there an instruction among these bytes that is to have a trap of its own? */
	bool (*is_watched)(const void *context, uint64_t address, uint64_t bytes);
	const void *context;
};

/* Is it a function of libc's allocator? */
static inline bool release_is_libc(const struct release *release)
{
	return release->glibc || release->size_from == RELEASING_GROUP;
}

/* Is it known how much the function gives back? */
static inline bool release_knows_size(const struct release *release)
{
	return release->glibc || release->size_from != RELEASING_FRONT;
}

/* Those of the process's modules. False without memory. */
bool releases_find(struct releases *releases, const struct entries *entries);
void releases_free(struct releases *releases);

/* Write copies and traps, or gates. Those that can't be passed are left out. STATUS_OK; STATUS_GONE, STATUS_NO_MEMORY. */
enum status releases_plant(struct releases *releases, const struct releases_plan *plan);

/* The room for gates is new, or another one: what comes back has its place there first of all, so that it is where it was. */
void releases_take_room(struct releases *releases, struct stub_room *room);

/* All traps in or out. */
void releases_write(const struct releases *releases, struct target *target, bool planted);

/* Put back into these bytes from there what traps and jumps have taken the place of. */
void releases_reveal(const struct releases *releases, uint64_t address, uint8_t *bytes, size_t size);

/* The planted one whose trap is there; that begins there; and the one beside which the entries have a trap. NULL: there is none. */
const struct release *releases_find_trap(const struct releases *releases, uint64_t address);
const struct release *releases_find_at(const struct releases *releases, uint64_t address);
const struct release *releases_find_beside(const struct releases *releases, uint64_t address);

/* Which memory the function is about to give back, from the registers at its beginning. False: none; the kind is RELEASE_MEMORY. */
bool release_touched(const struct releases *releases, const struct release *release,
		     const struct target *target, const struct user_regs_struct *regs,
		     struct touched *touched);

/* The same of what a gate has written. False: it is none that one could have. */
bool release_logged(const struct releases *releases, const struct gate_frees *frees, struct touched *touched);
void release_logged_new(const struct gate_gives *gives, struct touched *touched);

/* A thread stands in the code of a gate: it is where it does all of that again. False: it isn't in any. */
bool releases_leave(const struct releases *releases, struct user_regs_struct *regs);

/* A thread stands at the beginning of a function that gives out memory: it is to be seen where it comes back. */
void release_enter(struct releases *releases, const struct release *release, struct target *target,
		   const struct user_regs_struct *regs, uint32_t thread);

/*
 * It has come back to the trap: the new memory, without room if there is none, and where it goes on. Its registers become those that it has called
 * the function with. 0: none of these is here.
 */
uint64_t release_come_back(struct releases *releases, struct target *target, struct user_regs_struct *regs,
			   uint32_t thread, struct touched *touched);

#endif
