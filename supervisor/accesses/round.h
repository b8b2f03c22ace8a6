#ifndef FMC_SUPERVISOR_ACCESSES_ROUND_H
#define FMC_SUPERVISOR_ACCESSES_ROUND_H

#include "supervisor/way/way.h"

#include <fmc/supervisor/tried.h>

/*
 * A round of a loop that waits for memory, tried out by a thread that stands at its beginning (awaits.c): it is stepped through it with
 * memory as it has seen it, and then all is put back.
 */
#define STORES_MOST 32
#define FOUND_MOST  (OP_ROUND_MOST * CALLED_RANGES)

/* Bytes of memory as they were. */
struct laid_aside {
	uint64_t address, size;
	uint8_t bytes[WAITING_BYTES];
};

struct round {
	struct process *process;
	struct process_thread *thread;
	uint64_t entry;
	struct user_regs_struct regs;	  /* at its beginning */
	struct retry seen[OP_ROUND_MOST]; /* the thread's last accesses: since it was here before */
	uint32_t length;
	const struct called *called[OP_ROUND_MOST]; /* of those that are calls */
	struct laid_aside found[FOUND_MOST];	    /* what is there in truth */
	uint32_t finds;
	struct laid_aside stored[STORES_MOST]; /* what was there before the round's stores */
	uint32_t stores;
	uint8_t vectors[EXTENDED_ROOM], after[EXTENDED_ROOM];
	size_t vectors_size;
	/* The round just gone is to be gone once more: by what each of its accesses has found, with what was there when it began. */
	bool again;
	uint32_t next; /* of its accesses */
	const struct retry_frame *frame;
	/* What it reads that it hasn't written itself, but for what its accesses find; unclear: that can't be told. */
	struct tried_round reads;
	bool unclear;
};

/*
 * vain.c: may this instruction be part of a round that is gone once more? It goes by general registers, flags and memory alone, and
 * what it takes from the stack was there when that began.
 */
bool round_knows_instruction(const struct round *round);

/* Is what is there now what was there when the round just gone began? False, too, where that isn't known. */
bool round_had_before(const struct round *round, uint64_t address, uint64_t size);

/* Before and after an access: does the thread come to the same one as in the round just gone? It is made to find the same. And has it left that? */
bool round_access_again(struct round *round, const struct call *call);
bool round_access_left(const struct round *round);

#endif
