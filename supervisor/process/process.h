#ifndef FMC_SUPERVISOR_PROCESS_PROCESS_H
#define FMC_SUPERVISOR_PROCESS_PROCESS_H

#include <fmc/breakpoints/call.h>
#include <fmc/breakpoints/mutex_leads.h>
#include <fmc/breakpoints/place.h>
#include <fmc/breakpoints/rounds.h>
#include <fmc/breakpoints/selection.h>
#include <fmc/breakpoints/transfer_leads.h>
#include <fmc/supervisor/process.h>
#include <fmc/supervisor/tried.h>
#include <fmc/supervisor/unwatched.h>
#include <fmc/tracer/contents.h>
#include <fmc/tracer/origin.h>

#include "supervisor/execution/retries.h"
#include "supervisor/process/look.h"

/* So many pthread_once calls within each other are followed. */
#define ONCE_ROOM 4

/* How a thread stood before one of its last instructions that are operations. */
#define FRAME_BELOW 128 /* functions may keep something so far below the stack pointer (psABI) */
#define FRAME_BYTES 512
struct retry_frame {
	uint64_t flags;	  /* the register */
	uint64_t address; /* of the memory around the stack pointer that is kept; 0: it couldn't be read */
	uint8_t bytes[FRAME_BYTES];
};

/* What a call of a library's function reads, with what was there. */
#define CALLED_RANGES 4
#define CALLED_BYTES  64 /* of each */
struct called {
	uint32_t length; /* 0: that isn't known, or is more than is kept */
	struct called_range {
		uint64_t address, size;
		uint8_t bytes[CALLED_BYTES];
	} at[CALLED_RANGES];
};

/* A round of a loop that changes nothing as long as memory is what it was when the thread went it last: see accesses/awaits.c. */
#define AWAITED_LOADS 24
#define AWAITED_BYTES 16
struct awaited {
	uint32_t length; /* how many operations it has; 0: there is no such round */
	uint32_t next;	 /* which of them the thread comes to next */
	uint32_t span;	 /* how many of its last operations tell what each of them has found */
	uint64_t registers[RETRY_REGISTERS], flags; /* where it begins */
	struct retry accesses[OP_ROUND_MOST];
	struct awaited_load {
		uint64_t address, size;
		uint8_t bytes[AWAITED_BYTES];
	} loads[AWAITED_LOADS]; /* all that it reads, operations or not */
	uint32_t loads_length;
};

/*
 * An instruction whose access to memory is made of several operations, and has begun: what it has read so far, by which it goes in the end,
 * and what it writes (accesses/apart.c).
 */
#define APART_BYTES 64
struct apart {
	uint64_t entry; /* of the instruction; 0: none has */
	uint64_t size;	/* bytes that it has read */
	uint8_t read[APART_BYTES], written[APART_BYTES];
};

/*
 * Stores of a thread's that others don't see yet (before/stores.c), the oldest first: operations, as many as the model knows of, and after
 * each the stores behind it that are none. While the thread runs they are in memory, and what was there before them is here.
 */
#define STORES_ROOM 64
#define STORE_BYTES 8 /* of an operation */
struct store {
	uint64_t address, size, place;
	bool operation;
	uint8_t bytes[WAITING_BYTES], under[WAITING_BYTES];
};

struct stores {
	struct store at[STORES_ROOM];
	uint32_t length, operations;
	uint32_t steps; /* instructions since the last operation among them */
	bool in_memory;
	int signal;    /* whose handler waits for them; the thread gets it as it goes on. 0: none */
	bool at_fence; /* it stands before an instruction that waits for them, and that is no operation */
	/*
	 * Whether what the thread does next may come before or after a flush is to be known also where the flush has come before: so it goes on
	 * instruction by instruction after the store of an operation, whether that waits or not, up to what waits for stores. fenced: it has come to
	 * such an instruction since its last operation (OP_FENCED).
	 */
	bool open, fenced;
	struct call
	    held; /* the operation that waits for them; the thread has OP_MEMORY_FLUSH pending instead */
};

/* Signals that others have sent to a thread, which the kernel doesn't know of until it takes them: see handlers/takes.c. */
#define SIGNALS_MOST 8
struct signals_sent {
	siginfo_t at[SIGNALS_MOST];
	uint32_t length;
};

/* Who sends signals and is no thread of the program's: see handlers/arrive.c. Those from outside come first. */
#define SENDERS_MOST 40
struct sender {
	enum sender_kind { SENDER_OUTSIDE, SENDER_ALARM, SENDER_TIMER, SENDER_DESCRIPTOR } kind;
	bool armed; /* it is yet to send one */
	int signal;
	uint32_t own; /* SENDER_OUTSIDE: to this thread among the program's own, from 1; 0: to the process */
	uint32_t receiver; /* NO_THREAD: the process */
	uint32_t timer;	   /* SENDER_TIMER: by what the program knows it, */
	uint64_t value;	   /* and what its handler is told */
	int32_t clock;
	int descriptor; /* SENDER_DESCRIPTOR: the program's, by which its expiries are read; it sends no signal */
	int64_t end,
	    interval; /* of a timer: the moment at which it sends, and how long after that again, 0: never */
	uint32_t thread; /* that stands for it now; NO_THREAD: none so far */
};

struct senders {
	struct sender at[SENDERS_MOST];
	uint32_t length;
};

/* What a thread waits for that would lock some of a file for its process: see process/file_locks.c. */
struct lock_range {
	uint64_t first, last;
	bool writes;
};
struct lock_wait {
	pid_t
	    owner; /* of the lock that is in its way, as the kernel calls the process; none: it is an open file's */
	uint64_t inode;
	struct lock_range range;
	uint64_t since; /* so many transitions had been made */
};

/* A thread of the process, by its number in the model. */
struct process_thread {
	struct tracee *tracee; /* NULL when it is gone, and of one with a sender */
	uint32_t sender;       /* it stands for process.senders.at[sender - 1]; 0: it is the program's own */
	uint32_t space;	       /* that of its process */
	struct call
	    call;  /* what it is stopped before; entry and return address belong to the stop, not to the op */
	pid_t tid; /* as the program knows it; also when it is gone */
	uint64_t pthread; /* what the program knows it by */
	uint64_t start_routine;
	uint64_t
	    tid_word; /* cleared and woken by the kernel when the thread exits (CLEARTID); 0 if unknown */
	/*
	 * Where it runs the routine of a pthread_once, innermost last. The end of it is seen at the next stop
	 * after, of which it takes the place (OP_ONCE_END): `after` is what the thread is really stopped at.
	 */
	uint64_t once[ONCE_ROOM];
	uint32_t once_length;
	struct call after;
	bool exiting; /* and after that it exits */
	struct stop death;
	uint64_t native; /* where it begins the function that it performs, which can't wait; 0: none */
	/* Its pending yield is a loop of its own, not a system call; but before an instruction, see accesses/retries.c */
	bool spinning;
	struct retries retries;
	struct retry_frame frames[RETRIES_ROOM]; /* as retries.at */
	struct called called[RETRIES_ROOM];	 /* the same, of calls */
	struct awaited awaited;
	struct apart apart;
	struct stores stores;
	bool at_head;	      /* at the head of a loop in which rounds are counted */
	uint32_t loop_yields; /* in a row, or times when it could have yielded to nobody */
	char absent[120];     /* OP_ABSENT: what it would do */
	struct {
		bool closes; /* its pending operation is to close this descriptor, as its process exits: */
		int descriptor;
		struct call exit;
	} leaving;
	bool sends_to_several; /* processes: its pending operation is about one of those */
	struct lock_wait lock_wait;
	bool unlocks; /* files, as its process becomes another program */
	bool
	    refused; /* what it is about to wait for would never come, which the kernel says instead: EDEADLK */
	struct opening {
		bool holds; /* fmc has this end of the FIFO open for it: */
		int held;
		uint64_t id; /* that of its pipe */
		bool writes;
		bool met;	     /* the other end has been opened since */
	} opening;		     /* it waits in open(): fifos.c */
	struct signals_sent signals; /* to it, not taken yet */
	struct handling {
		uint64_t where, stack;
	} handling; /* it is in the handler of one, which has come before the instruction there; 0: in none */
	struct {
		bool known, ready;
		uint64_t transitions; /* that had been made then */
	} asked;		      /* before/outside.c: what the kernel has said of its wait */
};

#define REMAINS_BYTES 56 /* as large as the largest object of libc's that can be made without a call */

/*
 * An object of the kernel's has no address, but descriptors: of a pipe one that reads and one that writes, of a queue of a socket's the
 * socket that receives and the one that sends, of an eventfd twice the same. -1: nobody has one any more.
 */
#define KERNEL_MOST 256
#define KERNEL_NAME 32
struct kernel_object {
	uint64_t
	    id; /* by which the kernel tells it from others of its class; of a queue the receiving socket's */
	uint64_t sender; /* of a queue: the sending socket's */
	int descriptors[2];
	uint32_t spaces[2]; /* whose they are */
	uint32_t full; /* a write of so many bytes has been found to wait, 0: none has since the last read */
	bool gone;     /* it has no descriptors; another one may get its id */
	bool named;    /* of a FIFO with a name, which may be opened again */
	bool others;   /* such a one that the program hasn't made: others may open it, too */
	char name[KERNEL_NAME]; /* of a file */
};

struct process_object {
	enum object_class class;
	uint64_t
	    address; /* where the thread has it that has come to it last, whose space that is, with the memory of then */
	uint32_t space, memory;
	uint64_t key; /* what it goes by: spaces_key() */
	struct kernel_object kernel;
	uint8_t remains[REMAINS_BYTES]; /* of a destroyed one: what was there when the function returned */
};

struct object_slot {
	uint64_t key;
	uint32_t class;
	uint32_t number; /* NO_OBJECT: the slot is free */
};

/* A set of loop heads, by their numbers. */
struct heads {
	uint64_t bits[LOOPS_MOST / 64];
	uint32_t length; /* how many it has */
};

#define UNCONTROLLED_ROOM 1024 /* for remarks of an execution */

/* How executions begin, once that is known: see starts/beginning.c. */
struct beginning {
	uint32_t starts; /* executions so far */
	bool refused;	 /* it can't be kept */
	/* Where it can't because files have been changed: somebody wants one process that has come there, which is this; NULL: it hasn't yet. */
	bool wanted;
	struct target *lent;
	struct own_files apart; /* what that one has open for writing */
	struct call call;
	struct output_mark output;
	struct heads counting;
	bool watches_channels, watches_standard;
	uint64_t sent;
	char uncontrolled[UNCONTROLLED_ROOM];
};

/* The same of executions that start from a saved image: see starts/bring_up.c. */
struct brought_up {
	struct process_copy *copy; /* NULL: not yet, or it can't be kept */
	struct model *model;
	bool places; /* find_places at that time */
	bool refused;
};

/* How clocks follow real time: time.c. */
struct pace {
	uint64_t
	    real; /* when the present wait for something outside began, on clock_now(); 0: there was none yet */
	int64_t moment;	      /* what the clocks showed then */
	uint64_t transitions; /* so many had been made then */
	uint64_t waited;      /* nanoseconds since something last came from there */
	uint64_t in_vain;     /* the same without child processes, over all executions */
	uint32_t hurried;     /* time-outs since then that came before their time */
};

/* When child processes may end: children.c. */
struct children {
	enum { CHILDREN_END, CHILDREN_HELD, CHILDREN_END_ASLEEP } stage;
	bool planned;
	uint64_t before; /* those that end before the next transition, if that is known */
};

/* What threads can wait for each other by, in the kernel: see uses/channels.c and uses/names.c. */
enum channel_kind {
	CHANNEL_NONE,
	CHANNEL_PIPE,
	CHANNEL_EVENTFD,
	CHANNEL_SOCKET,
	CHANNEL_OTHER,
	CHANNEL_SEMAPHORE,
	CHANNEL_QUEUE,
	CHANNEL_LOCK,
	CHANNEL_CONTENT,
	CHANNEL_POSITION,
	CHANNEL_NAME,
	CHANNEL_MEMORY,
	CHANNEL_SIGNAL,
	CHANNEL_FOLDER,
	CHANNEL_LISTING,
	CHANNEL_ATTRIBUTE,
	CHANNEL_UMASK,
	CHANNEL_LIMIT,
	CHANNEL_PRIORITY,
	CHANNEL_IDENTITY,
	CHANNEL_HANDLER,
	CHANNEL_SETTING,
	CHANNEL_DESCRIPTOR,
	CHANNEL_NUMBERS,
	CHANNEL_STATE,
	CHANNELS
};

/* uses/uses.c: which threads have used which of them, from the second thread on. */
enum use { USE_DEPENDS = 1, USE_CHANGES = 2, USE_SHARED = 4 };

/* The same of objects of the kernel whose calls can be operations: see uses/kernel_uses.c. */
#define KERNEL_DESCRIPTORS 8
struct kernel_use {
	enum object_class class;
	uint64_t id;
	uint32_t thread; /* the first that has used it */
	bool several;	 /* another one has, too */
	bool shared;	 /* and that matters */
	bool unfollowed; /* in a way that can't be an operation */
	bool own;	 /* nobody else had it */
	bool changed;	 /* of a file: what it holds */
	bool mapped;	 /* and since then some of it has been mapped */
	int file;	 /* by what a file is known in all executions */
	uint32_t length; /* descriptors of calls that weren't operations: */
	int descriptors[KERNEL_DESCRIPTORS];
};

/* What a socket is, and the numbers of its names. */
struct socket_ends {
	int type;
	bool listens, connected;
	bool near;   /* nobody on another machine is concerned */
	bool inside; /* the kernel says that this process has both ends */
	uint64_t own, peer;
};

struct uses {
	struct channel_use *at; /* open addressing */
	size_t length, room;
	struct kernel_use kernel[KERNEL_MOST];
	uint32_t kernel_length;
	bool followed;		    /* what the present call does with its descriptor is known there */
	uint64_t followed_files[2]; /* the files that it is on; 0: none */
	int followed_end;	    /* its descriptor of a pipe, a counter or a socket; -1: it has none */
	struct {
		uint64_t one, other;
	} pairs[32]; /* of sockets, by the numbers of their files */
	uint32_t pairs_length;
	struct {
		uint64_t socket; /* the number of its file; 0: nothing is kept here */
		struct socket_ends ends;
	} connected[256];	/* uses/kernel_connections.c */
	struct gone_file *gone; /* uses/gone.c: in the order of their numbers */
	size_t gone_length, gone_room;
	struct ordered_use *
	    ordered; /* uses/unordered.c: in the order of kinds and numbers; and pairs that are to be judged */
	size_t ordered_length, ordered_room;
	struct use_pair *use_pairs;
	size_t use_pairs_length, use_pairs_room;
	bool ahead; /* what is noted belongs to the operation before which the thread stands */
	int leaving; /* fmc's own descriptor of a file that may be gone when its call has returned, plus 1; 0: there is none */
};

/*
 * A program that one of the processes runs, and what is known of its code, over all executions: binaries.c. The first is the one that executions begin with.
 */
struct binary {
	uint64_t key; /* which files are mapped where, at its beginning */
	struct entries *entries;
	struct places *places;
};

/* A process that is followed, and its memory: spaces.c. */
struct space {
	struct target *target; /* until the execution ends, though it is over */
	uint32_t first,
	    forker; /* its first thread, and the thread that its memory is a copy of; NO_THREAD: none of the program's */
	uint32_t memory; /* each program that a process becomes has one of its own */
	uint32_t copied; /* the memory that it began as a copy of; NO_MEMORY: none */
	uint32_t binary,
	    binary_before; /* its program, and the one that it was until so many transitions had been made: */
	uint64_t replaced_at;
	struct heads counting;
	bool over;
	int status; /* that it has exited with */
};

/* Is what is mapped there shared? As it was found in this transition. */
#define SCOUTED_PAGE  4096
#define SCOUTED_PAGES 256
struct scouted_page {
	uint64_t page; /* plus 1 */
	uint64_t transition;
	uint32_t memory;
	bool shared;
};

/* A file of which some is mapped as shared memory. */
struct shared_file {
	uint64_t device, inode;
};

/* System calls that are no operations, and that threads make without stops: calls/transfers.c. */
#define TRANSFER_SITES 32
struct transfers {
	bool planted, let;
	bool pass[TRANSFER_DESCRIPTORS];
	int end;			/* none from there on */
	uint64_t sites[TRANSFER_SITES]; /* where calls go on that were met before */
	uint32_t sites_length;
};

/* What a thread has performed without stops, which the execution doesn't know of yet: way/ahead.c. */
struct ahead {
	bool planted;
	struct passes *passes; /* NULL: nothing passes */
	struct transfers transfers;
	struct mutex_leads leads;
	struct call calls[MUTEX_LEADS]; /* one of each that has stopped; entry 0: none has */
	struct {
		uint64_t mutex; /* 0: none */
		uint32_t object;
	} names[LEAD_NAMES];
	size_t most;	    /* so many may be passed */
	uint64_t read, let; /* calls of the target's */
	uint64_t told;	    /* of this execution, so far */
	struct passed_call passed[LEAD_PASSES];
	uint32_t length, next; /* of these; it stands before the one before `next` */
	uint32_t thread;
	bool stopped; /* and then it meets this */
	struct stop stop;
};

/* What is known of descriptors that may be sets of epoll's: before/sets.c. */
#define KNOWN_SETS 32
struct sets {
	uint64_t changes; /* system calls so far by which they may be others */
	bool unseen;	  /* others are made without a stop */
	struct known_set {
		bool known;
		int descriptor;
		int copy;	    /* of a set, fmc's own; -1: there is none */
		uint64_t changes;   /* when that was asked for */
		bool is_one;	    /* and then: */
		bool reads_signals; /* there is a descriptor of signals in it */
		bool asked_made, made;
		bool foreign; /* a connection with others is in it, which is no object here */
	} at[KNOWN_SETS];
};

struct process_file;
struct drive;

struct process {
	struct machine machine; /* first: a machine is cast to its process */
	struct process_options options;
	struct origin *origin;
	struct entries *entries;
	struct places *places;
	struct target *target;
	struct binary *binaries;
	size_t binaries_length, binaries_room;
	struct space *spaces; /* all processes of this execution; none where children aren't followed */
	size_t spaces_length, spaces_room;
	uint32_t space;	    /* the present one */
	uint32_t memories;  /* so many there have been */
	bool shares_memory; /* some of them have, or may have, in any execution so far */
	struct shared_file *regions;
	size_t regions_length, regions_room;
	struct scouted_page scouted[SCOUTED_PAGES];
	struct model_block *model;
	struct process_thread *threads;
	uint32_t threads_length, threads_room;
	struct process_object *objects; /* by number */
	uint32_t objects_length, objects_room;
	struct object_slot *slots; /* hash table over them */
	uint32_t slots_length;
	struct pace pace;
	struct children children;
	bool hope_lost; /* that was too long: the next wait is left to the kernel */
	bool
	    tries_others; /* a call has failed on an object that others have as well, in this execution: it may not the next time */
	uint64_t passing_answers; /* as many had been given when that began */
	bool watches_asks;	  /* the same of calls that ask, from here on (before/asks.c) */
	bool threaded;	 /* a second thread exists or is about to: operations are visible from here on */
	bool controlled; /* until it was threaded nothing had happened that a copy wouldn't know of */
	bool strayed;	 /* such a thing has been remarked on */
	bool signalled;	 /* a signal may be pending at a thread that is stopped */
	uint64_t
	    sent; /* signals that its threads have sent each other, or that come of its processes' ends, as bits; 0 is signal 1 */
	struct senders senders;
	bool disturbed; /* so at any time: it has timers, or is sent signals through fmc */
	bool
	    has_children; /* that aren't followed, or the signal of the end of one waits for a thread (signals_settle()) */
	struct tried_rounds *tried; /* NULL: none have been */
	struct loops *loops;	    /* the options', or: */
	struct loops own_loops;
	uint32_t known;	       /* so many of them are in use in this execution */
	struct shared *shared; /* the options', or: */
	struct shared own_shared;
	uint32_t shared_known;	      /* so many of them are in use in this execution */
	bool has_learned;	      /* it has learned of others just now */
	bool looked_for_code;	      /* made before the program began: it is the same in each execution, */
	bool has_made_code;	      /* there is some */
	uint32_t kernel[KERNEL_MOST]; /* the objects of the kernel among all, */
	uint32_t kernel_length;
	struct kernel_place
	    *kernel_places; /* where names of files among them are, over all executions: kernel_names.c */
	uint32_t kernel_places_length;
	struct heads counting;	   /* those that are counted in this target */
	uint64_t transitions;	   /* of this execution */
	uint32_t ran_last;	   /* who performed the last of them, where loops are known */
	uint32_t owed[LOOPS_MOST]; /* rounds to go on with after the first one, which is looked at */
	uint64_t idle[2];	   /* a digest of all when a thread had been alone in a loop for long, */
	uint64_t idle_since;	   /* and when the first one was made: clock_now() */
	struct ahead *ahead;	   /* NULL: threads stop at each operation */
	bool going; /* with a pilot: the running thread is to be let go when it is waited for */
	int going_signal;
	bool
	    has_common; /* it has what copies of the process would share: a FIFO with a name, semaphores, queues */
	bool has_channels, watches_channels, looked_for_channels;
	bool
	    closes_standard; /* some execution has closed standard input, output or errors while there were other threads: */
	bool watches_standard; /* with watches_channels: theirs as well */
	struct uses uses;
	struct sets sets;
	struct contents *contents;		 /* of the target; NULL: not asked for yet */
	struct contents_source *contents_source; /* of all that are copied from the same process */
	struct selection selection; /* by which states are told apart; empty: by all memory in use */
	struct performed performed;
	int locks_turn; /* while this execution is the one that locks files; -1 */
	int files_turn; /* while no other one may change the files that this program changes; -1, -2: waited in vain */
	bool locks_in_vain; /* it has been waited for others' locks of files */
	bool find_places;
	bool names_objects;   /* rules of waking are for objects with names */
	uint64_t waking_used; /* which rules were for an object that has been met */
	int capture;	      /* memfd, or -1 */
	int printed;	      /* the same of standard output alone (options.outputs) */
	struct beginning beginning;
	char **variables; /* of the environment: names that were asked for */
	size_t variables_length;
	struct brought_up brought_up;
	bool bringing_up; /* threads are on their way to their first operations */
	struct looking looking;
	char *output;
	char uncontrolled[UNCONTROLLED_ROOM];
	char changing[160];	    /* process_changing(): a file of the kernel's, */
	char looked[200];	    /* or what it was told of a file of its own */
	struct process_file *files; /* that have been written in any execution */
	size_t files_length;
	struct unwatched unwatched; /* of this execution */
	struct drive *drive;	    /* the client that runs beside it; NULL: none */
	struct process_marks marks; /* find NULL: nobody looks for any */
	const uint64_t *marked;	    /* where they are, once that is known */
	size_t marked_length;
};

static inline struct process *process_of(struct machine *machine)
{
	return (struct process *)(void *)machine;
}

/* May one of its threads get a signal at any time? Several processes are told of each other's ends. */
static inline bool process_is_disturbed(const struct process *process)
{
	return process->disturbed || process->has_children || process->spaces_length > 1;
}

/* handling.c: the thread stands where it handles signals. begin: from here on, unless it does so already. end: if the handler has returned. */
void handling_begin(struct process_thread *thread, uint64_t where, uint64_t stack);
void handling_end(struct process_thread *thread);

/* objects.c: numbers for addresses */
void objects_clear(struct process *process);
/* Know these instead, by their numbers; false without memory. */
bool objects_restore(struct process *process, const struct process_object *objects, uint32_t length);
uint32_t objects_intern(struct process *process, enum object_class class, uint64_t address, bool initialises);
/* One that has no address; it gets a number that is none. NO_OBJECT without memory. */
uint32_t objects_add(struct process *process, const struct process_object *object,
		     const struct object_state *state);
/* Before an operation that the model would hold back: does the object's memory agree? If not, it is another
 * object. */
void objects_verify(struct process *process, const struct op *op);
/* The destroying function has just returned: remember what is left there. */
void objects_bury(struct process *process, uint32_t object);
/* That is where the present space has this object. */
void objects_point(struct process *process, uint32_t object, uint64_t address);
/* The number of an object that is known already; NO_OBJECT if it isn't. */
uint32_t objects_find(struct process *process, enum object_class class, uint64_t address);
/* Of a thread by what the program calls it; NO_OBJECT if there is none. */
uint32_t threads_by_pthread(const struct process *process, uint64_t pthread);

/* tracee: NULL for one that isn't the program's. NULL without memory. */
struct process_thread *threads_add(struct process *process, struct tracee *tracee);

/*
 * binaries.c. begin: the one that executions begin with; false: no memory. use: the present space runs it. of: what this process has become, which
 * stands at its entry point; NO_BINARY without memory.
 */
#define NO_BINARY UINT32_MAX
bool binaries_begin(struct process *process);
void binaries_use(struct process *process, uint32_t binary);
uint32_t binaries_of(struct process *process, const struct target *target);
void binaries_release(struct process *process);

/*
 * spaces.c. add: NO_SPACE without memory. finish: kill all processes. enter: the thread is being dealt with: its process is the present one; or that
 * of who has come to the object last. end: it has exited, its threads are gone. unfollowed: are there processes that fmc only lets go on? others: are there others that aren't over? alive: threads of
 * the present one. key: what an object at this address goes by. heir: an object in the present space's own memory has this owner, as its memory
 * says, which is a copy: who is that by now? memory: that of the present one. become: this space has another program, whose memory is all new. at: the thread's space is the
 * present one, with the program that it ran before this transition, counted from 0. digest: memory_digest() of all of them. scout: a thread stands before
 * this access; tell of it if it is to memory that processes share. name_memory: let an operation on memory go by spaces_key().
 */
#define NO_SPACE UINT32_MAX
uint32_t spaces_add(struct process *process, struct target *target, uint32_t first, uint32_t forker);
void spaces_finish(struct process *process);
void spaces_release(struct process *process);
void spaces_enter(struct process *process, uint32_t thread);
void spaces_enter_object(struct process *process, uint32_t object);
void spaces_end(struct process *process, uint32_t space, int status);
bool spaces_unfollowed(const struct process *process);
bool spaces_digest(struct process *process, uint64_t digest[2]);
bool spaces_others(const struct process *process);
uint32_t spaces_alive(const struct process *process);
uint64_t spaces_key(struct process *process, uint64_t address);
bool spaces_is_shared(uint64_t key);
void spaces_scout(struct process *process, uint32_t thread, const struct call *call);
void spaces_name_memory(struct process *process, struct op *op);
uint32_t spaces_heir(const struct process *process, uint32_t owner);
uint32_t spaces_memory(const struct process *process);
void spaces_become(struct process *process, uint32_t space, uint32_t binary);
void spaces_enter_at(struct process *process, uint32_t thread, uint64_t transition);

/*
 * time.c: virtual time. end: when the sleep or time-out before which a thread stands ends, as in struct op. reach: the
 * clocks show this moment now, if it is yet to come. begin: of an execution. pass: let a little real time pass, and the
 * clocks follow it, up to this moment; HOPE_LOST: nothing has come from outside for longer than fmc waits. heard: something
 * has.
 */
int64_t time_end(const struct process *process, struct tracee *tracee, const struct call *call);
int64_t time_now(const struct process *process);
void time_reach(struct process *process, int64_t moment);
void time_begin(struct process *process);
enum hope time_pass(struct process *process, int64_t until);
void time_heard(struct process *process);
/* Of a thread that nobody else of the program could go on beside: it sleeps until then, or until over() says so. */
void time_sleep(struct process *process, int64_t end, bool (*over)(void *context), void *context);
/*
 * Since calls that ask are watched: has a thread been told what a clock shows, or who the parent is, which may be another answer the next time though nobody
 * has done anything? restore: they are watched from here on, or since before a thread has been told so.
 */
bool passing_asked(const struct process *process);
void passing_restore(struct process *process, bool asked);

/*
 * children.c. watch: the target has just begun. let_end, hold: as machine_ops.children and children_held say. let_end_asleep:
 * the thread that runs waits in the kernel, and nobody else can go on.
 */
void children_watch(struct process *process, struct target *target);
void children_let_end(struct process *process, const uint64_t *before);
uint64_t children_hold(struct process *process);
void children_let_end_asleep(struct process *process);

/* watch.c: what this target, of one of its processes, has to ask */
void process_watch_target(struct process *process, struct target *target);

/* variables.c: the thread asks for the variable of its environment whose name is there */
void variables_note(struct process *process, uint64_t name);
void variables_free(struct process *process);

/*
 * place.c: " (at f.c:12)" of the program's instruction that ends before `after`, or of where the program calls the library
 * that this is in; empty if that isn't known.
 */
#define PLACE_ROOM 100
void process_describe_place(struct process *process, struct tracee *tracee, uint64_t after,
			    char text[PLACE_ROOM]);

/*
 * memory.c. begin: the target has just been started. forget: another target takes its place. contents: of the target, NULL without memory. digest: of
 * all of its memory and registers (contents_digest()); false: it can't be had.
 */
void memory_begin(struct process *process);
void memory_forget(struct process *process);
void memory_release(struct process *process);
struct contents *memory_contents(struct process *process);
bool memory_digest(struct process *process, uint64_t digest[2]);

/* remarks.c: how the present transition is performed; the second: in a way of fmc's own */
void process_note(struct process *process, enum manner manner, int64_t result);
void process_note_other(struct process *process, const char *what);
/* A remark for the verdict: something happened that fmc doesn't control. */
void process_remark(struct process *process, const char *text);
/* The same of what has left nothing behind but what a copy of the process has as well. */
void process_remark_copied(struct process *process, const char *text);

/* May an execution that has learned something be run anew from its beginning? Not where somebody has seen what it has printed. */
static inline bool process_begins_anew(const struct process *process)
{
	const struct process_options *options = &process->options;
	return options->capture && !options->pilot && !options->driving.passes_on;
}

#endif
