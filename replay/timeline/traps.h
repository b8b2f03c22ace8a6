#ifndef FMC_REPLAY_TIMELINE_TRAPS_H
#define FMC_REPLAY_TIMELINE_TRAPS_H

#include <fmc/replay/timeline.h>
#include <fmc/supervisor/touching.h>

struct timeline;
struct target;
struct tracee;

/* Addresses are places (timeline.h) but where bytes of the memory that is meant are spoken of. */
struct user_break {
	uint64_t address;
	uint8_t original;
	bool planted; /* else it is at a trap of fmc's, or where nothing is: */
	bool waiting; /* for a library that isn't there yet */
};

struct user_watch {
	uint64_t address;
	uint8_t size;
	enum timeline_access access;
	bool everywhere; /* also in other processes, where this memory is shared with them */
};

#define WATCHES	    4
#define TRAP_FLAG   0x100u   /* of the processor: stepped */
#define RESUME_FLAG 0x10000u /* and: what is to be told before this instruction has been told */

/* What stops a run on its way; one set is the user's, others serve to come to a place again. */
struct traps {
	struct user_break *breaks;
	size_t breaks_length, breaks_room;
	struct user_watch watches[WATCHES];
	size_t watches_length;
	/* Before instructions there, as EVENT_BREAKPOINT; nothing is planted, so these may be no instructions. */
	uint64_t befores[TOUCHING_MOST];
	size_t befores_length;
};

bool traps_has_break(const struct traps *traps, uint64_t address);
bool traps_add_break(struct traps *traps, uint64_t address);
void traps_remove_break(struct traps *traps, uint64_t address);
void traps_clear(struct traps *traps);
bool traps_copy(struct traps *to, const struct traps *from); /* false without memory */
bool traps_same(const struct traps *a, const struct traps *b);
void traps_release(struct traps *traps);
/* The watchpoint that has some of these bytes; WATCHES: none of those in force. `traps` may be NULL. */
size_t traps_touched(const struct traps *traps, uint64_t address, size_t size);

/* The processor watches so many bytes there. */
bool watch_is_possible(uint64_t address, size_t size);
/* These are in force from now on; NULL: none. */
void traps_use(struct timeline *timeline, struct traps *traps);
/* The target is gone, and what was planted in it. */
void traps_forget(struct timeline *timeline);
/* Plant those that aren't yet, or have been overwritten, in the present target. */
void traps_renew(struct timeline *timeline);
/* Plant those in force in this memory, or take them out. */
void traps_plant(struct timeline *timeline, struct target *target, bool planted);
/* Is this arrival at a breakpoint one that the user wants to stop at? */
bool traps_stop(const struct timeline *timeline, uint32_t thread, uint64_t address);
/* Let a thread have the watchpoints in force; which has it hit? WATCHES: none. */
void traps_arm(struct timeline *timeline, uint32_t thread, struct tracee *tracee);
size_t traps_hit(struct timeline *timeline, struct tracee *tracee);
/* Is it to be stopped before an instruction there, at an address of the running thread's? */
bool traps_has_before(const struct traps *traps, uint64_t address);
/* The byte that one in force has taken the place of, in the memory that is meant; false if there is none planted. */
bool traps_original(const struct timeline *timeline, uint64_t address, uint8_t *original);
void traps_hide(const struct timeline *timeline, uint64_t address, uint8_t *bytes, size_t size);

#endif
