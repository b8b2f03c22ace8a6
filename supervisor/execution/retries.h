#ifndef FMC_SUPERVISOR_EXECUTION_RETRIES_H
#define FMC_SUPERVISOR_EXECUTION_RETRIES_H

#include <fmc/breakpoints/call.h>

/*
 * The last accesses to memory of a thread that came to nothing: is it in a loop of instructions that are operations and that gets nowhere?
 * while (atomic_exchange(&lock, 1)); The thread comes back to one of them with the same registers, has performed nothing but such
 * instructions since, and none has changed its object. Only another thread can end that, so such a round is a yield, pending before the
 * instruction. A loop that counts its rounds in a register, while (!done) n++; is known by a load that has found the same so many times,
 * and one that changes memory goes on for so long that it has to be taken for a wait in the end: else it would never let anybody else run.
 *
 * All of it goes by what the caller has seen, so that it is the same for each machine.
 */
#define RETRIES_ROOM	OP_ROUND_MOST
#define RETRY_REGISTERS 16 /* the general ones, without the flags */
struct retries {
	struct retry {
		uint64_t entry, object; /* the instruction's address and its operand's */
		uint64_t bytes;		/* how many it accesses */
		uint64_t
		    word; /* what was there; of a call of a library's function a digest of that, 0: not known */
		bool calls; /* it is such a call */
		uint64_t registers[RETRY_REGISTERS];
	} at[RETRIES_ROOM]; /* number `length` modulo its size is next */
	uint32_t length;
	uint32_t since;	 /* the first of them after the thread's last yield */
	uint64_t word;	 /* what the object was before the present one */
	bool open;	 /* whether the last one has changed its object isn't known yet */
	uint32_t in_row; /* such instructions since the thread's last other operation */
	uint32_t tries;	 /* how often since then a round has been tried out: see accesses/awaits.c */
};

/* The thread performs this access; its object holds `word`. */
void retries_add(struct retries *retries, const struct call *call, uint64_t word,
		 const uint64_t registers[RETRY_REGISTERS]);

/* And has performed it. True: the object is as it was. */
bool retries_added(struct retries *retries, const struct call *call, uint64_t word);

/* Has it come to this one in a round that has changed nothing, or for so long that it may be waiting? `word`: what is there, of a load. */
bool retries_are_round(const struct retries *retries, const struct call *call, uint64_t word,
		       const uint64_t registers[RETRY_REGISTERS]);

/* Does it look at what is there, so that `word` counts? */
static inline bool retries_load(const struct call *call)
{
	return call->op.kind == OP_MEMORY_READ && !call->apart;
}

/* How many accesses there have been since the one at this instruction, to the same place; 0: none was. */
uint32_t retries_since(const struct retries *retries, const struct call *call);

/* What tells a round of so many accesses from others, but for what it reads besides: where the thread stands, and what the accesses have found. */
uint64_t retries_key(const struct retries *retries, uint32_t length, const struct call *call,
		     const uint64_t registers[RETRY_REGISTERS]);

/* How often a round may be tried out: the first ones may still be on their way into the loop, or into functions that are bound as they are called. */
#define RETRIES_TRIED 3

/*
 * Something has been done that a round which changes nothing doesn't have (break); the same, and a round in a row of such instructions is
 * over (anew), or an operation of another kind comes between (over). The thread has called sched_yield(), which such a round may do.
 */
void retries_break_off(struct retries *retries);
void retries_anew(struct retries *retries);
void retries_over(struct retries *retries);
void retries_yielded(struct retries *retries);

#endif
