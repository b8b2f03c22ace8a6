#ifndef FMC_SUPERVISOR_PROCESS_LOOK_H
#define FMC_SUPERVISOR_PROCESS_LOOK_H

#include <fmc/breakpoints/sampling.h>
#include <fmc/supervisor/process.h>
#include <fmc/supervisor/sift.h>

/* Where a thread's memory is: its stack has reached down to `low`, its thread-local variables are at `fs`. */
struct standing {
	uint64_t low, fs; /* 0: not known */
};

/* A page that no other thread has its stack or thread-local variables in, as long as nothing has been seen to change in that. */
struct apart_page {
	uint64_t page, seen;
};
#define APART_PAGES 512

/* Executions in which somebody sees what the program does to memory. */
struct looking {
	const struct process_look *look; /* NULL: nobody */
	struct sampler_memory *memory;	 /* NULL until a target has room for it, or without memory */
	struct sampler *sampler;	 /* NULL until somebody does */
	struct sift *sift;		 /* the same */
	bool begun;			 /* in this execution, */
	bool sifting;			 /* and only what sharing_find() needs is told */
	enum status status;		 /* of the last execution: could it be looked at? */
	struct standing *standings;	 /* of its threads, by their numbers */
	uint32_t standings_length;
	bool coarse;	     /* in it memory was touched by an operation that others may see in more parts */
	bool foreign_local;  /* in it a thread has touched another one's thread-local variables */
	bool unsized;	     /* in it one has given back who knows how much that others may use */
	uint64_t main_stack; /* where that of the first thread ends; 0: not known yet */
	uint64_t others_low,
	    others_high; /* what the stacks and thread-local variables of all others are between */
	uint64_t seen;	 /* counts changes of who the others are, and where they stand */
	struct apart_page apart[APART_PAGES];
};

/* A second thread exists or is about to; libraries have been loaded; a transition of this thread's begins. */
void look_begin(struct process *process);
void look_again(struct process *process);
void look_turn(struct process *process, uint32_t thread);

/*
 * A thread has met one of the look's traps. True: it is to be resumed, else the next wait tells more. `silent`: what it does is
 * part of an operation; memory that is given out for that is something new all the same.
 */
bool look_is_trap(const struct process *process, uint64_t address);
bool look_hit(struct process *process, uint32_t thread, const struct stop *stop, bool silent);

/* It is about to perform the first instruction of a function by which memory is given back, in whose place the entries have their trap. `silent`: as above. */
void look_given_back(struct process *process, uint32_t thread, uint64_t function, bool silent);

/* It is about to perform this instruction, which calls a function of a library's as an operation. */
void look_called(struct process *process, uint32_t thread, uint64_t address);

/* What the thread has done since it was last asked is told, before another one runs. `silent`: as above. */
void look_take(struct process *process, uint32_t thread, bool silent);

/* It is stopped where it may be in code of the look's: it is put to where it is in the program's, and what it has done is told. */
void look_leave(struct process *process, struct tracee *tracee, bool silent);

/* It has come to the head of a loop, in whose place there is no trap of the look's. */
void look_round(struct process *process, uint32_t thread, uint64_t address);

/*
 * It is stepped, with the program's own code before it for as long as that takes: sampler_bare(), sampler_cover(). about: it is about to perform
 * the instruction that it stands before, whose accesses are told.
 */
void look_bare(const struct process *process, struct tracee *tracee, struct bared *bared);
void look_cover(struct process *process, const struct bared *bared);
void look_about(struct process *process, struct tracee *tracee);

/* The same of a process that shares the target's memory. */
bool look_pass(struct process *process, struct tracee *tracee, uint64_t address);

/* All traps go out of this memory, for a while or for good, or come back. */
void look_hide(struct process *process, struct target *target);
void look_show(struct process *process, struct target *target);

/* The target is new, and has one thread: room for what is written in executions that are looked at. */
void look_reserve(struct process *process, struct target *target);

/* The execution is over; the process is. */
void look_end(struct process *process);
void look_release(struct process *process);

#endif
