#ifndef FMC_SUPERVISOR_PROCESS_H
#define FMC_SUPERVISOR_PROCESS_H

#include <fmc/breakpoints/call.h>
#include <fmc/breakpoints/loops.h>
#include <fmc/breakpoints/shared.h>
#include <fmc/supervisor/arrivals.h>
#include <fmc/supervisor/driving.h>
#include <fmc/supervisor/knowledge.h>
#include <fmc/supervisor/machine.h>
#include <fmc/supervisor/manner.h>
#include <fmc/supervisor/sharing.h>
#include <fmc/supervisor/waking.h>
#include <fmc/tracer/image.h>
#include <fmc/tracer/origin.h>

/*
 * The machine that is a real process: the one place of the supervisor that speaks to tracer and breakpoints.
 */
struct process;
struct places;

/*
 * Lets the threads run in the process's stead, to stop them on their way and to show them to a user. With a pilot
 * entry points have plain traps, threads have the same numbers in every execution, and all of these begin at the
 * program's entry point.
 */
enum pilot_way {
	PILOT_WAITS,
	PILOT_RUNS,
	PILOT_STEPS, /* one instruction, then STOP_STEP, whoever wants to see it on its way */
};

struct process_pilot {
	void *context;
	/*
	 * Wait until `thread` meets what concerns the process, as target_wait() does with a time-out. PILOT_WAITS: it has been let go;
	 * otherwise it is stopped and has to be let go first, with this signal. `own`: it runs a function for fmc, nobody is to see it.
	 */
	enum status (*run)(void *context, uint32_t thread, enum pilot_way way, int signal, bool own,
			   int timeout_ms, struct stop *stop);
	/* Bytes that were read from there: what the pilot's own traps have taken the place of. */
	void (*hide)(void *context, uint64_t address, uint8_t *bytes, size_t size);
	/*
	 * Put the pilot's own traps into the memory of the running thread's process, or take them out: while a loop is examined, or a child
	 * runs in it; or take them out of a copy of that memory, which is another process's.
	 */
	void (*plant)(void *context, struct target *target, bool planted);
};

/*
 * Who is told of each access to memory that processes share (process_options.follow) while there are several, and the thread stands before it: by
 * the program's plain instructions, functions of libraries that it calls, and the first time atomic ones.
 */
struct process_scout {
	void *context;
	void (*meet)(void *context, uint32_t thread, uint64_t instruction, const struct module_place *place,
		     uint64_t address);
};

struct process_options {
	struct program program; /* output and error are ignored if capture is set */
	enum origin_kind origin;
	bool capture; /* keep what the target writes to 1 and 2 in memory: process_output() */
	/*
	 * After so much CPU time without an operation, a thread is stepped to find the loop that it is in, so that it is preempted
	 * there from then on (loops.h); in milliseconds, 0 never. Where output is captured the execution is run anew with it.
	 */
	uint32_t spin_ms;
	bool spin_report;    /* a loop without a `pause` that changes nothing ends the execution (END_SPIN) */
	struct loops *loops; /* those that are known; new ones are added. NULL: the process keeps its own */
	struct shared
	    *shared;  /* descriptors that threads share, the same of these: calls on them are operations */
	/*
	 * Processes that the program makes are supervised, too: their threads are threads of the execution, and what they share is
	 * one object. Not with an image.
	 */
	bool follow;
	/*
	 * Where machine_ops.let_ahead() allows it threads pass mutexes that nobody else has or waits for without stops (mutex_leads.h), and calls on connections
	 * with others that never wait (transfer_leads.h). Not with `follow`, `verify`, `tso` or a pilot.
	 */
	bool ahead;
	bool verify;  /* stop at every return of a native function, to check the model's predictions */
	bool atomics; /* atomic instructions of the program and its libraries are operations, */
	const struct promoted *promoted; /* and these plain ones, borrowed; NULL: none */
	const struct process_scout *
	    scout; /* who is told of accesses to memory that processes share, borrowed; NULL: nobody */
	bool tso; /* stores of those wait in buffers (x86-TSO), which needs `atomics` */
	/*
	 * process_uncontrolled() tells of what a verdict on all executions misses: of atomic instructions where they aren't
	 * operations the first in an execution, and of files that threads share.
	 */
	bool note_unseen;
	bool own_network; /* nobody else is in the network that fmc is in, so whoever connects to sockets of it is the program */
	bool restores_files; /* those that an execution changes are as before when it has ended (kept_files.h); not with an image */
	const char *waking; /* rules of who is woken (waking.h); NULL: every way is a choice */
	/*
	 * How long to wait for something outside (a pipe from another process ...) when nothing else can run, in
	 * milliseconds; 0: for ever, and signals may come from there, too.
	 */
	uint32_t outside_ms;
	/*
	 * What is written to standard output is an operation (OP_OUTPUT), and with `capture` kept apart: process_printed(). Not with an image.
	 */
	bool outputs;
	struct driving driving; /* a client that runs beside each execution */
	struct arrivals arrivals; /* signals that come from outside; not with `follow`, nor with an image */
	bool variables;		/* keep which variables of its environment it asks for: process_variables() */
	bool places; /* find the program's own frame for operations that libraries make (slower; for replays)
		      */
	const struct process_pilot *pilot; /* NULL: nobody; outlives the process */
};

/* On failure NULL, *status, and `why` holds one line for the user. Options are copied, what they point to is
 * borrowed. */
struct process *process_new(const struct process_options *options, enum status *status, char why[256]);
void process_free(struct process *process);

struct machine *process_machine(struct process *process);

/* Transitions of the last execution that threads have made without a stop (process_options.ahead). */
uint64_t process_passed(const struct process *process);
/* And calls on connections, which are no operations. */
uint64_t process_passed_calls(const struct process *process);

/* Find the program's own frames from now on, or no longer (as options.places). */
void process_find_places(struct process *process, bool on);

/*
 * Who is to see which memory the program's code touches, all of it or a sample (sampling.h, process_look_exact()). What a thread touches
 * is told in this order, of its own accesses and those of others, and before its transition ends; an instruction that touches the same once more in a
 * transition may be left out. It is named by access->place; the thread stands before it if it is among `places`, or behind it
 * somewhere in the transition. All of this outlives the executions.
 */
struct process_look {
	void *context;
	void (*access)(void *context, const struct memory_access *access);
	const size_t *transition; /* what is told now is part of it; NULL: access->transition is 0 */
	bool sift; /* only what sharing_find() needs is told (sift.h), if no `places` are given */
	bool (*ordered)(void *context, uint32_t first, size_t earlier, uint32_t second,
			size_t present); /* of sift_begin(); not asked under total store order */
	bool stacks;			 /* as sampler_start() */
	const uint64_t *places;
	size_t places_length;
	bool news; /* memory that is given out is told, too, as sampler_see_new() sees it */
	/* With that: the thread stands where it has called the function that comes back with this new memory; NULL: nobody wants to know. */
	void (*allocated)(void *context, uint32_t thread, uint64_t address, uint64_t size);
};

/* In executions from now on; NULL: no longer. False without memory, or with a pilot. */
bool process_look(struct process *process, const struct process_look *look);

/* Could processes of some execution so far have had memory in common (process_options.follow)? */
bool process_shares_memory(const struct process *process);

/* While an execution is looked at: an operation of this thread's is about to make this access, which is told like the others. */
void process_look_operation(struct process *process, const struct memory_access *access);

/* Of the last execution that was looked at: what wasn't, as sampler_left_out(), or why nothing was; empty: nothing. */
const char *process_unseen(const struct process *process);

/*
 * Has every access of the last execution been told, since its second thread began, as sampler_exact()? Else why not, as a list.
 */
#define PROCESS_LOOK_WHY 320
bool process_look_exact(const struct process *process, char why[PROCESS_LOOK_WHY]);

/* Functions through which it may have touched memory unseen, as sampler_unfollowed(); empty: there are none. */
const char *process_unfollowed(const struct process *process);

/*
 * Could the instruction at this address, which a look has told of, be an operation of its own (process_options.promoted)? Then where
 * it is, and *apart: it reads, then writes, or copies. Of what touches memory through a function of a library's only its call can, and not what
 * repeats itself.
 */
bool process_promotable(const struct process *process, uint64_t address, struct module_place *place,
			bool *apart);

/*
 * The same of a thread that stands where a function is about to give memory back, told with this place: then the places of its call
 * and of the function are to be promoted.
 */
bool process_releases(const struct process *process, uint32_t thread, uint64_t place,
		      struct module_place *call, struct module_place *function);

/*
 * From now on states are told apart by these variables (selection.h) instead of memory and registers. Once the modules are known
 * (process_places()). False: `why` is a line.
 */
bool process_select_state(struct process *process, const char *variables, char why[320]);

/*
 * Who is to see threads come to some instructions of the program, before they execute them (marks.h), from its beginning on. Executions that
 * begin with what the first one has done up to its first operation don't come to what is before that.
 */
struct process_marks {
	void *context;
	/* Where they are; asked once, when the first target stands at its beginning. False: there are none, and `why` is a line. */
	bool (*find)(void *context, const uint64_t **at, size_t *length, char why[256]);
	/*
	 * The thread stands before number i of them, its registers as the program has them there but for the program counter. False: the execution
	 * ends there as END_VIOLATED, with this number and text.
	 */
	bool (*arrive)(void *context, uint32_t thread, size_t i, int *number, char text[256]);
};

/* Before its first execution. Copied. */
void process_mark(struct process *process, const struct process_marks *marks);

/* The kind of origin in use. */
enum origin_kind process_origin(const struct process *process);

/* The functions that a plug-in describes and the last program to have had threads doesn't have; an empty list: none. */
void process_missing(const struct process *process, char text[160]);

/* As entries_mangled(), of the last program to have had threads. */
const char *process_mangled(const struct process *process, size_t i);

/* As entries_compiled() and entries_uncompiled(), of the same. */
#define PROCESS_UNCOMPILED 160
bool process_compiled(const struct process *process, char uncompiled[PROCESS_UNCOMPILED]);

/* After how much CPU time a thread is examined: options.spin_ms. */
uint32_t process_spin_ms(const struct process *process);

/* Did the program start a second thread in the last execution? */
bool process_threaded(const struct process *process);

/* While an execution is at its end or between transitions: */
struct target *process_target(struct process *process);			 /* NULL if it is gone */
struct tracee *process_tracee(struct process *process, uint32_t thread); /* NULL if it is gone */

/* What a thread was doing as its execution was broken off. */
enum whereabouts {
	WHERE_STANDS,	/* stopped between two transitions, or nothing is known of it */
	WHERE_COMPUTES, /* it ran, without an operation */
	WHERE_WAITS,	/* it slept in the kernel, for something outside of the model */
};
#define PROCESS_WHERE 240

/*
 * The same for people, with its place: "T2 computes in compute at comp.c:3", and how far its client was, if it has one. At the end of an execution; a thread that runs is
 * stopped for it.
 */
enum whereabouts process_where(struct process *process, uint32_t thread, char text[PROCESS_WHERE]);

/*
 * Processes that are followed (options.follow): one of them is meant by process_target(), process_entries() and process_places(). While
 * an execution runs that is the one of the thread that runs, and nobody else changes it. Each program that a process becomes has a memory of
 * its own; memories are numbered in the order in which they come, from 0: one process has memory 0.
 */
#define NO_MEMORY UINT32_MAX
/* That in which the thread runs now; NO_MEMORY if its process is over. */
uint32_t process_memory_of(const struct process *process, uint32_t thread);
/* The memory that this one began as a copy of; NO_MEMORY: none, a program has begun in it. */
uint32_t process_memory_copied(const struct process *process, uint32_t thread);
/* That of the process which is meant. */
uint32_t process_memory_shown(const struct process *process);
/* Mean the process that has it; false if none has. */
bool process_memory_show(struct process *process, uint32_t memory);
/*
 * Has memory `other` what is at this address of the first one, since a file, or memory without a name, is mapped as shared in both? Then *there is
 * where. Of a memory that isn't there now it is believed that the other one has inherited it, if `related`.
 */
bool process_memory_shares(const struct process *process, uint32_t memory, uint64_t address, uint32_t other,
			   bool related, uint64_t *there);

/* By which operations on memory name this address of the memory that is meant. False: none so far has been on what is mapped there. */
bool process_memory_key(const struct process *process, uint64_t address, uint64_t *key);

/* What a thread is stopped before; of one that hasn't started, only the operation. */
const struct call *process_call(const struct process *process, uint32_t thread);

/* Of the last transition; one that was a misuse isn't performed. */
const struct performed *process_performed(const struct process *process);

/*
 * `address`, where the stopped thread is, if it is the program's own code, else the innermost frame of its stack that is: for what
 * libraries do.
 */
uint64_t process_own_place(struct process *process, struct tracee *tracee, uint64_t address);

/* Of the last execution, also when it is over: */
/*
 * Total store order, for somebody who looks at the process: bytes that were read from there become what is in memory to all threads, with what a
 * thread has stored to places that no other one accesses, whether it is on its way or not. settle: a copy of the process made now gets
 * that as its memory. waiting: the thread's n-th store that is an operation and isn't in memory yet, the oldest first. False: there is none.
 */
struct process_waiting {
	uint32_t object;
	uint64_t address, size;
	int64_t value;
};
void process_show_memory(const struct process *process, uint64_t address, uint8_t *bytes, size_t size);
void process_settle_memory(const struct process *process, struct target *copy);
bool process_waiting_store(struct process *process, uint32_t thread, uint32_t n,
			   struct process_waiting *waiting);

uint64_t process_object(const struct process *process, uint32_t object);	/* address */
uint64_t process_start_routine(const struct process *process, uint32_t thread); /* 0 for thread 0 */

struct places *process_places(struct process *process);
const struct entries *process_entries(const struct process *process);

/* Is the thread stopped before a system call, at its pending operation? Its program counter is after the instruction. */
bool process_in_syscall(const struct process *process, uint32_t thread);

/* The loops that are known now. */
const struct loops *process_loops(const struct process *process);

/* The descriptors that threads are known to share. */
const struct shared *process_shared(const struct process *process);

/* How many of both there are: executions with others needn't be alike. */
uint32_t process_learned(const struct process *process);

/* How many of each there are; how many the present execution goes by, or the last one did. */
struct knowledge process_knows(const struct process *process);
struct knowledge process_knew(const struct process *process);

/* Does its pending yield stand for a loop of its own that has no head, at no certain place in it? */
bool process_spins(const struct process *process, uint32_t thread);

/*
 * A copy of the process between two transitions, with all that is known of it; any number of others can be made of it. Not where processes are
 * followed. Needs a pilot or a program that is started from an image, captured output, and STATUS_UNSUPPORTED as origin_take_image() says. process_restore() takes the place of an execution's
 * start: it is for an execution whose model is restored to the same moment.
 */
struct process_copy;
enum status process_save(struct process *process, struct process_copy **copy);
enum status process_restore(struct process *process, const struct process_copy *copy);
void process_copy_free(struct process_copy *copy);	      /* NULL is allowed */
uint64_t process_copy_bytes(const struct process_copy *copy); /* memory of its own */
/* The same of one that may be in the middle of a transition, as bare image; the caller's. */
enum status process_image(struct process *process, struct image **image);

/*
 * The same as a place to come back to while the same transition is performed: process_enter() takes the place of what the
 * running thread would do up to there, when it is stopped on its way, with the same stops after it as then. `output`
 * is what had been written when the transition began.
 */
struct output_mark {
	uint64_t printed; /* bytes to standard output, where that is kept apart (options.outputs), */
	uint64_t rest;	  /* and all others */
};
struct output_mark process_output_mark(const struct process *process);
struct process_midway;
enum status process_save_midway(struct process *process, struct output_mark output,
				struct process_midway **midway);
enum status process_enter(struct process *process, const struct process_midway *midway);
void process_midway_free(struct process_midway *midway);	    /* NULL is allowed */
uint64_t process_midway_bytes(const struct process_midway *midway); /* memory of its own */

/* What the target has written in the last execution; owned by the process, valid until the next.
 * Zero-terminated. */
const char *process_output(struct process *process, size_t *length);

/* The same of what its client and the commands before and after it have written, where it is kept. The end of it, at most PROCESS_CLIENT_OUTPUT bytes; to be freed, NULL: nothing. */
#define PROCESS_CLIENT_OUTPUT 16384
char *process_client_output(const struct process *process, size_t *length);
/* In all executions: for so many nanoseconds its client was waited for as it computed. */
uint64_t process_client_computed(const struct process *process);
/* After so many transitions of the last execution it was started; 0: it wasn't. */
uint64_t process_client_began(const struct process *process);

/*
 * With options.outputs: what it has written to standard output, all of it, to be freed; zero-terminated. NULL without memory. Of
 * process_output() that is the first part.
 */
char *process_printed(const struct process *process, size_t *length);

/* What the program would read from CLOCK_MONOTONIC now: it is told apart from memory. */
int64_t process_clock(const struct process *process);
/* How often it has read one, in the present execution and since the program's start. */
uint64_t process_clock_readings(const struct process *process);

/* What it has written since then, in the same order; to be freed. NULL, and *length 0, if there is nothing. */
char *process_output_from(const struct process *process, struct output_mark from, size_t *length);

/*
 * The names of those variables of the environment that it has asked for so far, each once, in all executions (with
 * options.variables); owned by the process. What it finds by going through `environ` itself isn't among them.
 */
char *const *process_variables(const struct process *process, size_t *length);

/* A rule of options.waking is for an object of this name, and no execution so far had one. */
bool process_waking_idle(const struct process *process, char name[WAKING_NAME]);

/*
 * The first file of /proc that the last execution has read and that says something else each time, with the place; empty if there is
 * none.
 */
const char *process_changing(const struct process *process);

/* The execution is over, and this is its trace: some of that list hangs on what is ordered in it. */
void process_judge_uses(struct process *process, const struct trace *trace);

/* System calls and operations of the last execution that could have made a difference and aren't controlled,
 * by name: a list with "; " between. */
const char *process_uncontrolled(const struct process *process);

/* In such a list: threads open or close descriptors in no order, so that another order may give them other numbers. All else of it is the same. */
#define NUMBERS_AS_GIVEN "numbers of descriptors as they were given"

/* Does such a list name atomic instructions that aren't controlled as process_options.atomics wasn't asked for? */
bool process_names_atomics(const char *uncontrolled);

#endif
