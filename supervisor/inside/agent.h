#ifndef FMC_SUPERVISOR_INSIDE_AGENT_H
#define FMC_SUPERVISOR_INSIDE_AGENT_H

#include <fmc/supervisor/agent.h>
#include <fmc/supervisor/manner.h>

#include "supervisor/execution/retries.h"
#include "supervisor/policy/state.h"

#include <signal.h>
#include <sys/stat.h>

/*
 * The inside of the agent: a machine whose threads are green, on the one thread that the kernel knows.
 *
 *     loop.c       turns: a plan comes, a trace goes
 *     machine.c    the machine: threads perform operations
 *     stand.c      a thread stands before an operation: which one, on which objects
 *     accesses.c   instructions that are operations
 *     vectors.c    vector registers, which count there
 *     calls.c      system calls of the program's that are answered
 *     signals.c    what it sets of signals
 *     time.c       its clocks
 *     files.c      files that it reads
 *     written.c    and writes
 *     mapped.c     files that it maps
 *     settings.c   what it sets and asks for of open files, and its working folder
 *     go.c         from the agent to a thread and back
 *     pages.c      memory as it was at first
 *     spaces.c     memory that the program maps
 *     holes.c      memory of its first that it unmaps
 *     checkpoints.c    executions that begin in the middle
 *     arena.c, memory.c, words.c, no_plugin.c    in place of a libc
 */
#define AGENT_ONCE    4
#define AGENT_VECTORS 2496 /* bytes, for those that AVX-512 has */
#define REGION	      ((struct agent_region *)AGENT_REGION)

struct agent_thread {
	struct agent_context context;
	struct call call; /* before which it stands */
	uint64_t pthread;
	uint64_t tid_word;
	uint64_t signal_mask;
	stack_t alternate; /* for handlers */
	int32_t tid;
	int32_t nice;
	bool nice_known; /* else it is as nice as all are at first */
	bool placed;	 /* it has said where its memory is to be taken from */
	struct affinity affinity;
	bool exited;
	int64_t used; /* nanoseconds of the processor that it has used, as it is told */
	uint64_t
	    after_call; /* the function that it performs returns to the agent first, and then there; 0: it doesn't */
	/* Where it runs the routine of a pthread_once, innermost last; the end of that takes the place of `after`, before which it stands. */
	uint64_t once[AGENT_ONCE];
	uint32_t once_length;
	struct call after;
	/* Where it stands before an instruction: where that is performed, and of one that reads and writes apart what it has read. */
	uint64_t copy, read;
	struct retries retries;
	bool aside; /* its vector registers have been laid aside: */
	uint8_t vectors[AGENT_VECTORS] __attribute__((aligned(64)));
};

#define AGENT_REMAINS 56 /* as large as the largest object of libc's that can be made without a call */
struct agent_object {
	uint64_t address;
	enum object_class class;
	uint8_t remains[AGENT_REMAINS]; /* of a destroyed one: what was there when the function returned */
};

/* As rt_sigaction(2) of the kernel has it. */
struct agent_action {
	uint64_t handler, flags, restorer, mask;
};

#define AGENT_HANDLERS 16
struct agent_handler {
	int signal;
	struct agent_action action;
};

#define AGENT_ASKED	  64
#define AGENT_OWN_NUMBERS 900 /* of descriptors, from there on */
#define AGENT_USERS	  4

/* What is put back at a checkpoint as a whole. */
struct agent_now {
	uint32_t threads, alive, objects; /* how many */
	uint32_t calls;			  /* that decide where the kernel maps next */
	uint64_t brk;
	struct policy_random random;
	int64_t elapsed, used; /* since the beginning: of time, and of processor time */
	uint64_t printed;      /* bytes of output */
	uint32_t opened;       /* files that threads have opened while there were others */
	struct agent_handler handlers[AGENT_HANDLERS]; /* that the program has set: */
	struct agent_range holes[AGENT_HOLES];	       /* that it has unmapped of the areas: */
	uint8_t hole_rights[AGENT_HOLES];
	uint32_t handlers_length, holes_length, told_length;
	struct agent_range told[AGENT_TOLD]; /* as agent_left.told */
	int64_t places[AGENT_FILES];	     /* as agent_region.places */
	bool closed[AGENT_FILES];   /* it has had these open at the beginning, and nothing else since */
	uint8_t waits[AGENT_FILES]; /* what it has set for these: whether calls wait; 0: nothing */
	struct agent_users {
		uint32_t length;
		bool more;
		struct agent_use at[AGENT_USERS]; /* the last one of each thread */
	} users[AGENT_FILES];			  /* who uses these while there are others */
	struct agent_closing closings[AGENT_CLOSINGS];
	uint32_t closings_length;
	struct agent_name written[AGENT_NAMES]; /* files that it has opened to write */
	/* Names that threads have asked for while there were others; all: there were too many. */
	struct {
		uint64_t digest;
		uint32_t thread;
	} asked[AGENT_ASKED];
	uint32_t written_length, asked_length;
	bool asked_all;
};

enum agent_waits { AGENT_WAITS = 1, AGENT_DOESNT_WAIT };

struct agent {
	struct machine machine; /* first */
	uint64_t check_low;
	struct model_block *block;
	uint64_t tid_word; /* the main thread's */
	struct agent_thread threads[AGENT_THREADS];
	struct agent_object objects[AGENT_OBJECTS]; /* by number */
	struct agent_now now;
	struct outcome *outcome; /* of the thread that runs */
	uint64_t epoch; /* of checkpoints: how often something has come up that those before don't have */
	uint64_t check_high;
};

extern struct agent agent;

/* The attempt is over: this is for fmc. Ends the way of the thread that runs; returns true. */
bool agent_refuse(enum agent_refusal why, uint64_t detail);

/* go.c: how a thread came back. */
enum arrival {
	ARRIVED_AT_DOOR, /* before the entry `number` */
	ARRIVED_AT_CALL, /* before the system call `number`, which it would go on after at rip */
	ARRIVED_BACK,	 /* from a function that it was made to call: rax is the result */
	ARRIVED_BEFORE,	 /* the instruction `number` */
	ARRIVED_AFTER,	 /* it has been performed */
};

/* Where a function returns to that is to come back: ARRIVED_BACK. */
void agent_back(void) __attribute__((visibility("hidden")));

/* Let a thread go on from this context, until it arrives; the context is then where it stands. */
enum arrival go(struct agent_context *context, uint64_t *number);

/* Registers have been set by something else: any of them, or only the control words of floating point. */
void go_forget(void);
void go_controls(void);

/* Make it call a function of the program's from a context at a function's entry, which stays as it is. False: it came elsewhere. */
bool go_call(const struct agent_context *context, uint64_t function, uint64_t argument, int64_t *result);

/* A system call of the agent's own. */
int64_t own_call(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);

/* stand.c: true if the thread stands before an operation of the program's (outcome->next), or the attempt is over; false: it goes on. */
bool stand_at_door(struct agent_thread *thread, uint64_t entry);
bool stand_before(struct agent_thread *thread, const struct call *call);
void objects_forget(void); /* there are others from now on */
/* Has it come back from the routine of a pthread_once, or is it in one? And OP_ONCE_END has been performed: as stand_before(). */
bool stand_after_once(const struct agent_thread *thread);
bool stand_behind_once(struct agent_thread *thread);

/* accesses.c: as stand_at_door(). True: what it stands before has been performed, and it goes on from there; false: it stands, or the attempt is over. */
bool stand_at_instruction(struct agent_thread *thread, uint64_t number);
bool access_perform(struct agent_thread *thread, struct outcome *outcome);

/*
 * vectors.c. turn: this thread goes on; keep: those that are in the registers are laid aside, too, if they count; forget: they don't.
 * False: there are some that it doesn't know how to keep.
 */
void vectors_begin(void);
bool vectors_turn(struct agent_thread *thread);
bool vectors_keep(void);
void vectors_forget(void);

/* calls.c: true if the way ends here; else the call is answered, and the thread goes on. */
bool answer_call(struct agent_thread *thread, long number);
/* Have all others been joined? */
bool is_alone(const struct agent_thread *thread);

/* signals.c: as answer_call(). begin: on the program's own stack is nobody yet; start: a thread begins. */
bool signals_answer(struct agent_thread *thread, long number);
void signals_begin(void);
void signals_start(struct agent_thread *thread);

/* time.c: what CLOCK_MONOTONIC shows, and it shows this moment from now on, if that is yet to come. */
int64_t time_now(void);
void time_reach(int64_t moment);
/* When what the thread stands before ends: op.end. */
int64_t time_end(const struct agent_thread *thread, const struct call *call);
/* As answer_call(). */
bool time_answer(struct agent_thread *thread, long number);

/* files.c: as answer_call(). Has the program files open that it has opened in this execution? And they are closed. */
bool files_answer(struct agent_thread *thread, long number);
bool files_any(void);
/* Is it standard output or error, of which what is written is nobody's, and open? */
bool files_is_output(const struct agent_thread *thread, uint64_t descriptor);
/* Is it a file that was open at the beginning, and that nobody else has used? It is the thread's then. */
bool files_is_first(const struct agent_thread *thread, uint64_t descriptor);
/* The same of others, too: where it is read is said each time. */
bool files_reads_anywhere(const struct agent_thread *thread, uint64_t descriptor);
/* As files_is_first(), or has the thread opened it itself? */
bool files_is_threads(const struct agent_thread *thread, uint64_t descriptor);
void files_close(void);
/* After files_close(): of what was open at the beginning these are closed. */
void files_return(const bool closed[AGENT_FILES]);
/* Is the open file one that is kept, and not made up as it is read? And has no other thread opened it? */
bool files_is_kept(int64_t descriptor);
bool files_note(const struct agent_thread *thread, const struct stat *file);
/* Is it open to be read, by any descriptor? */
bool files_has_open(const struct stat *file);
/* One that the thread has opened itself to write, or that it had open so at the beginning and nobody else has used. */
bool files_is_written(const struct agent_thread *thread, uint64_t descriptor);

/* written.c: those that it has open at the beginning. False: there is no room. start: an execution begins. And have they been used since they were put back? */
bool written_begin(void);
void written_start(void);
void written_put_back(void);
bool written_any(void);
/*
 * Of the same: open() of a file to write it: *result; false: by stops. The rest is about descriptors of those that are open. use: it may be changed now. may_ask: what there is by the name is
 * what the kernel says; the thread has asked for it. reads: it may be read. ask: as fstat().
 */
bool written_open(struct agent_thread *thread, uint64_t folder, uint64_t path, uint64_t flags, uint64_t mode,
		  int64_t *result);
bool written_may_ask(const struct agent_thread *thread, uint64_t folder, uint64_t path);
void written_use(uint32_t descriptor);
void written_closed(uint32_t descriptor);
bool written_is(uint64_t descriptor);
bool written_reads(uint64_t descriptor);
int64_t written_flags(uint64_t descriptor);
int64_t written_ask(uint32_t descriptor, struct stat *told);

/* mapped.c: mmap() of a file, as answer_call(). */
bool mapped_file(struct agent_thread *thread);

/* settings.c: as answer_call(). */
bool settings_answer(struct agent_thread *thread, long number);

/* stand.c: the function that destroys it has returned. Before an operation that the model would hold back: if memory doesn't agree it is another object. */
void object_bury(uint32_t number);
void object_verify(const struct op *op);
/* The kernel's word of a thread that has ended: 0, and who waits there is woken. */
void object_clear_word(uint64_t address);

/* stand.c: the program's memory, as decoding reads it. Is this address libc's? */
extern const struct reader agent_reader;
bool is_libc(uint64_t address);

/*
 * spaces.c: memory that the program maps as it runs. Those that return bool: false if that isn't known how to be done, or not the agent's
 * business.
 */
struct space {
	uint64_t low, high;
	uint8_t wanted, actual; /* rights: by the program, and as the kernel has them */
	bool given;		/* the program has it; */
	bool used;		/* or has had it in this execution */
	bool zero;		/* it is to be all zeros when it can be touched */
	bool heap;
};
bool spaces_map(const struct agent_context *context, int64_t *result);
bool spaces_renew(uint64_t low, uint64_t size, uint64_t rights); /* what the program has is mapped anew */
bool spaces_unmap(uint64_t low, uint64_t size);
bool spaces_protect(uint64_t low, uint64_t size, uint64_t rights);
bool spaces_have(uint64_t low, uint64_t size);	  /* the program has all of it */
bool spaces_give_up(uint64_t low, uint64_t size); /* MADV_DONTNEED */
bool spaces_break(uint64_t to, int64_t *result);
/* Before the program's code goes on: rights as it wants them. */
bool spaces_settle(void);
/* An execution begins: the program has none. */
void spaces_begin(void);
const struct space *spaces_with(uint64_t address); /* NULL: there is none */
uint32_t spaces_all(const struct space **at);	   /* how many; valid until the next change */
/* As they were when there were these, and settled. */
bool spaces_return(const struct space *then, uint32_t length);

/*
 * holes.c: what the program unmaps of the memory that was there at first. It stays, but nobody may touch it until it is put back. Where the kernel would map
 * anything then isn't known. unmap: false: that isn't known how to be done.
 */
bool holes_unmap(uint64_t low, uint64_t size);
bool holes_with(uint64_t address);
bool holes_fill(void); /* before anything else is put back; false: the kernel refuses */

/* pages.c: memory as it was at first. */
#define PAGE	     UINT64_C(4096)
#define AGENT_WRITES 2 /* PROT_WRITE */
struct hot_page {      /* one that some execution has written */
	uint64_t address;
	const unsigned char *bytes; /* as it was at first; NULL: in a space */
};
/* Is all of it the program's, to be read and written? */
bool is_readable(uint64_t address, uint64_t size);
void *keep(uint64_t bytes); /* new memory for good, all zeros, in whole pages; NULL: there is none left */
void copy_page(void *to, const void *from);
bool base_take(void);			       /* false: there is too much of it, */
bool base_untold(void);			       /* or before Linux 6.7 the kernel doesn't tell what there is */
bool pages_track(uint64_t low, uint64_t high); /* new memory: the kernel tells what is written there */
bool pages_look(void);			       /* which have been written since; before they are put back */
void base_restore(void);
bool base_is_there(void); /* is all of it as it was? */
uint32_t pages_hot(const struct hot_page **at);
bool pages_zero(uint64_t low, uint64_t high); /* those that are hot */

/* checkpoints.c: after `depth` transitions of an execution, and back to the last one from which the plan can go on. False: there is none. */
void checkpoints_save(const struct execution *execution, size_t depth);
bool checkpoints_return(struct execution *execution, const struct plan *plan, struct trace *trace);

#endif
