#ifndef FMC_BREAKPOINTS_CALL_H
#define FMC_BREAKPOINTS_CALL_H

#include <fmc/breakpoints/op.h>
#include <fmc/breakpoints/promoted.h>
#include <fmc/tracer/target.h>

/* Calls of libc's functions that copy and fill memory, which can be operations: memcpy(), memset(). */
enum copy_kind {
	COPY_NONE,
	COPY_MEMORY, /* from the second argument to the first one, which it returns, as many bytes as the third says */
	COPY_TO_END, /* the same, and it returns the end */
	COPY_FILL,   /* with the second argument's lowest byte */
	COPY_CHECKED =
	    4, /* added to these: the fourth argument is how much room there is, and there has to be enough */
};

/*
 * How many bytes from an address on are accessed at once, of those up to `end` that an instruction accesses: processors promise that of eight
 * bytes at most, in one cache line (Intel SDM volume 3, 9.1.1).
 */
uint64_t access_part(uint64_t address, uint64_t end);

/* What it does, checked or not. */
static inline enum copy_kind copy_kind_of(enum copy_kind copies)
{
	return (enum copy_kind)(copies & ~COPY_CHECKED);
}

/*
 * A stop decoded: which operation a thread stands before, with the addresses of what it is about.
 * The supervisor turns the addresses into object numbers.
 */
struct call {
	struct op op; /* object, object2 unset */
	/*
	 * Addresses; 0 if none. THREAD_JOIN and its kin: the pthread_t. THREAD_CREATE: where the pthread_t
	 * will be stored. SEM_OPEN: 0, the semaphore is what the function returns.
	 */
	uint64_t object, object2;
	uint64_t entry;		 /* the trap's address; 0 for a system call */
	uint64_t return_address; /* into the caller; for system calls the address after the instruction */
	uint64_t start_routine;	 /* THREAD_CREATE */
	int descriptor;		 /* OP_OUTPUT: of the stream; -1: it has none */
	bool libc_own;		 /* made by libc or the loader for itself: not a visible operation */
	bool asks; /* for the variable of the environment whose name is at `object`; no operation */
	bool c11;  /* a function of <threads.h>: other results, see call_result() */
	int timeout_argument; /* which argument points to the time-out of a timed call; -1: none */
	bool instruction;     /* no call but an instruction of the program: see entries_step() */
	bool
	    apart; /* it reads and writes in two accesses: OP_MEMORY_READ, which is followed by OP_MEMORY_WRITE */
	/*
	 * What it accesses may be seen in parts, of which `op` and `object` are about one, in the order of their addresses: all of it, from
	 * `whole` on; 0 bytes: there are no parts.
	 */
	uint64_t whole, whole_bytes;
	enum copy_kind copies; /* what it calls if it is such a call; op is about a part of what that does */
	bool
	    calls; /* it calls a function of a library's, which op is about: all that it touches. Or it is the first instruction after, which uses the result */
	bool
	    releases; /* it is the first instruction of a function that gives memory back, which op is about unless it is OP_NONE */
	bool waits; /* its write is a plain store, which may wait in a buffer of its processor's */
	bool
	    unwatched; /* an atomic instruction that is no operation: passed by entries_pass(), once, or by entries_step() */
	bool
	    scouts; /* an access to `object`, and `object2` if that isn't 0, which is no operation: see entries_scout() */
	bool compiled;		/* an access to memory that the compiler has told of: fmc_access() */
	bool counts_references; /* and one of the C++ library's own, to `object` */
	bool loads;		/* the loader has mapped or unmapped modules: see entries_look_again() */
	bool
	    answered; /* an instruction that fmc answers, by entries_pass(): see entries_answer_instructions() */
	bool
	    user; /* of a function that a plug-in describes; its beginning, too, is passed by entries_step() */
};

/*
 * What the function called returns where its pthread counterpart returns `result` (0 or an errno): the same,
 * or thrd_busy, thrd_timedout, thrd_nomem, thrd_error for the C11 names. Serves to complete a call and to
 * compare what the real function returned with the model.
 */
int64_t call_result(const struct call *call, int64_t result);

/*
 * The program's code as fmc sees it: its modules, their entry points and the traps planted there. One for all
 * executions of a program (addresses are the same in each).
 */
struct entries;

struct entries *entries_new(void);
void entries_free(struct entries *entries);

/*
 * At the origin: find the modules of the target and plant the traps that notice the first thread (thread
 * creation); the others follow with entries_plant_all(). Traps are written to this target's memory; where
 * things are is kept from one target to the next. STATUS_NOT_FOUND: there is no thread library in it.
 */
enum status entries_plant_first(struct entries *entries, struct target *target);
enum status entries_plant_all(struct entries *entries, struct target *target);

/* Plain traps at all entry points, which change nothing that the program sees. Before the first target. */
void entries_without_doors(struct entries *entries);

/*
 * The program as it would be without fmc. hide: in `bytes`, read from `address` of the target, put back what traps and jumps have
 * taken the place of. pc: where a thread stands that is in or at fmc's copy of an instruction. at_copy: the entry point before
 * whose displaced first instruction it stands, 0 if that isn't so.
 */
void entries_hide(const struct entries *entries, uint64_t address, uint8_t *bytes, size_t size);
uint64_t entries_visible_pc(const struct entries *entries, uint64_t pc);
uint64_t entries_at_copy(const struct entries *entries, uint64_t pc);

/*
 * Is the program counter between two of the program's instructions, after fmc's copy of the one, or where rounds of a loop are
 * counted? Who steps goes on until that isn't so.
 */
bool entries_is_between(const struct entries *entries, uint64_t pc);

/* From now on the functions that ask for variables of the environment are decoded, too (call.asks). Before the first target. */
void entries_watch_variables(struct entries *entries);

/*
 * From now on functions that write to a stream of libc's are decoded, as OP_OUTPUT, whatever it leads to. One that the program calls is
 * told, not those that libc calls in its course. Before the first target.
 */
void entries_watch_output(struct entries *entries);

/*
 * What becomes of atomic instructions, those of libc's and the loader's own insides excepted. Before the first target.
 *
 *     ATOMICS_IGNORED   nothing
 *     ATOMICS_NOTED     each makes one stop (call.unwatched) in a target, and none once it has been passed
 *     ATOMICS_SWITCHED  they are operations (OP_MEMORY_READ, OP_MEMORY_WRITE), as are plain loads and stores that name one of their
 *                       objects by its address; those that can't be, since nobody can tell what they access, are noted
 */
enum atomics_use { ATOMICS_IGNORED, ATOMICS_NOTED, ATOMICS_SWITCHED };
void entries_use_atomics(struct entries *entries, enum atomics_use use);

/*
 * With ATOMICS_SWITCHED these instructions are operations, too, as far as they access memory by an operand; kept, not copied. Before
 * the first target.
 */
void entries_promote(struct entries *entries, const struct promoted *promoted);

/*
 * From now on plain accesses that may be to memory which processes share are decoded, each time, as no operation (call.scouts): passed by
 * entries_step(). Not those of the stack pointer and a constant, nor of variables by their addresses. Before the first target.
 */
void entries_scout(struct entries *entries);

/*
 * The place of an address, as modules are now; false: it is in none, or the module's name is too long. And the reverse, in the
 * modules of the origin; 0: it has none of that name.
 */
bool entries_place(const struct entries *entries, uint64_t address, struct module_place *place);
uint64_t entries_place_address(const struct entries *entries, const struct module_place *place);

/*
 * Has the code that ends at `after`, whose last bytes these are, called a function of a library's there? Then *call is where that
 * instruction begins, if it can be an operation (call.copies, call.calls), else 0.
 */
#define ENTRIES_CALL_BYTES 6
bool entries_call_before(const struct entries *entries, uint64_t after,
			 const uint8_t code[ENTRIES_CALL_BYTES], uint64_t *call);

/*
 * A thread stands at the beginning of a function by which memory is given back, and that is promoted: then this is an operation (call.releases) where
 * it comes back so many bytes after a promoted place.
 */
#define ENTRIES_RELEASE_BYTES 1

/* Does the instruction that begins at this address access memory by an operand that can be told? *apart: it reads, then writes. */
bool entries_accesses(const struct entries *entries, const struct target *target, uint64_t address,
		      bool *apart);

/* What was noted at a stop with call.unwatched, in a few words for the user; valid until the next call. */
const char *entries_describe_unwatched(const struct entries *entries, const struct call *call,
				       char text[160]);

/*
 * Code of the program and its libraries between functions that seems to have atomic instructions, so that nothing can be planted
 * there: a few words for the user, empty if there is none. Valid after entries_plant_all().
 */
void entries_lost_atomics(const struct entries *entries, char text[160]);

/*
 * Instructions whose results differ from run to run (RDTSC, RDTSCP, RDRAND, RDSEED, RDPID) are answered from now on, in the modules
 * that are there at the origin or loaded later: before the first target. Each is a stop; after ANSWERS_MOST of them in an execution the processor
 * answers itself. answered_here: does such an instruction stand there that would be answered now? describe: what the one with
 * call.answered asks for, in a few words for the user. given_up: has that been the last one, which isn't answered, or were there too many
 * before the program's beginning?
 */
void entries_answer_instructions(struct entries *entries);
bool entries_answered_here(const struct entries *entries, const struct target *target, uint64_t address);
const char *entries_describe_answered(const struct entries *entries, const struct call *call);
bool entries_given_up(struct target *target);

/*
 * The target may have other modules than before: plant traps at instructions of the new ones that are answered and, if it is
 * threaded, at their atomic ones.
 */
enum status entries_look_again(struct entries *entries, struct target *target, bool threaded);

/* Take the traps out again, for a target that is let go. */
enum status entries_unplant(struct entries *entries, struct target *target);

/* Is this address one of our traps? */
bool entries_is_trap(const struct entries *entries, uint64_t address);

/*
 * Decode STOP_TRAP (address is a trap of ours) or STOP_SYSCALL into a call. op.kind OP_NONE: nothing that fmc
 * knows as an operation, to be passed on. STATUS_NOT_FOUND: a trap that is none of ours.
 *
 * OP_SLEEP until an absolute time: arg is that time, arg2 is 1 and arg3 the clock's id. OP_POLL without
 * OP_TIMED waits for ever. A timed call without a time-out (NULL) comes as its untimed kind.
 */
enum status entries_decode(const struct entries *entries, const struct stop *stop, struct call *call);

/*
 * Make the tracee, stopped at a trap of ours, go on as if the trap weren't there: its program counter is set
 * to a displaced copy of the instructions. No further stop, nothing is resumed here.
 */
enum status entries_pass(const struct entries *entries, struct tracee *tracee, uint64_t trap);

/*
 * Let a tracee that stands before an instruction (call.instruction), or the first one of a function (call.user), perform it, and
 * stop after it. *performed is false where something else came between (a fault, a signal that can't be held back, its end): it
 * is given back with target_push_back(), and the tracee isn't to be resumed before that has been waited for.
 */
enum status entries_step(const struct entries *entries, struct tracee *tracee, uint64_t trap,
			 bool *performed);

/* Where the real function can be called without meeting our trap: its displaced copy. 0 if the program has
 * none. */
uint64_t entries_function(const struct entries *entries, const char *name);

/* The functions that a plug-in describes and the program doesn't have: the i-th, NULL after the last. */
const char *entries_missing(const struct entries *entries, size_t i);

/*
 * The functions that programs define for fmc and this one defines as C++ has them, under a name with its parameters, so that
 * they do nothing: the i-th, NULL after the last.
 */
const char *entries_mangled(const struct entries *entries, size_t i);

/*
 * From where the program goes on after it has told of a write to where it does after telling of a read: does the code go straight on,
 * and nothing but the call at its end write? Then the write hasn't been performed yet: it copies. By the module's file.
 */
bool entries_copy_between(const struct entries *entries, uint64_t low, uint64_t high);

/*
 * Does the program have code that tells of its accesses (access.h)? And which of its libraries, libc's and the compiler's own left aside,
 * don't: a list of names, cut where there is no more room; empty: none.
 */
bool entries_compiled(const struct entries *entries);

/* Is the program's C library musl? */
bool entries_is_musl(const struct entries *entries);
void entries_uncompiled(const struct entries *entries, char *text, size_t room);

/* What a plug-in says of an object that is seen for the first time. */
void object_init_user(const struct target *target, enum object_class class, uint64_t address,
		      struct object_state *state);

/* What a trap was planted on: a function, or an instruction of the program's. */
#define ENTRY_CODE 8
struct entry {
	const char *name; /* NULL: an instruction */
	uint64_t address;
	uint8_t code[ENTRY_CODE]; /* what is there without the trap */
	bool takes_object;	  /* its first argument is the object */
};

/* By where its trap stops (call.entry). STATUS_NOT_FOUND: no trap does; STATUS_GONE. */
enum status entries_entry(const struct entries *entries, const struct target *target, uint64_t stop,
			  struct entry *entry);

/* Code and data of libc's own, range by range: calls from there and objects in there are no operations. False after
 * the last. */
bool entries_libc_range(const struct entries *entries, size_t i, uint64_t *low, uint64_t *high);

/*
 * Modules that some target has loaded later than at its beginning, and that have no instruction for which there would be a trap: the path of
 * the next one from *i on, beginning with 0, valid until a target goes on. NULL: there is none any more.
 */
const char *entries_plain_later(const struct entries *entries, size_t *i);

/*
 * May stores of this thread's go on waiting in its processor's buffer while it performs the instruction that it stands before? Not if
 * that is a fence (MFENCE, a LOCK prefix, XCHG, CPUID, a system call). *store: what it stores itself, size 0 if it doesn't.
 */
enum may_wait {
	WAITING_GOES_ON,
	WAITING_ENDS,
	WAITING_CUT, /* it can't be told what the instruction stores, or that is too much */
	WAITING_RUNS, /* there is a trap, or nothing that can be read: whoever lets the thread run learns more */
};
#define WAITING_BYTES 64
struct waiting_store {
	uint64_t address, size; /* up to WAITING_BYTES */
};
#define WAITING_CODE 15 /* bytes of code that stand there */
enum may_wait entries_waiting(struct entries *entries, struct tracee *tracee,
			      const uint8_t code[WAITING_CODE], struct waiting_store *store);

/*
 * Which memory that instruction reads as its operand, size 0 if none; what it takes from the stack by itself isn't told. Not where one of
 * the entries' traps is. False: it can't be told.
 */
bool entries_load(struct entries *entries, struct tracee *tracee, struct waiting_store *load);

/*
 * Does an instruction with this code go by general registers, flags and memory alone, and change nothing else? *taken: what it takes from the
 * stack by itself, size 0 if nothing. regs: of the thread before it.
 */
bool entries_is_general(const uint8_t code[WAITING_CODE], const struct user_regs_struct *regs,
			struct waiting_store *taken);

/*
 * Is each of these registers overwritten by the code there before anything reads it, whichever way it goes on? Bits, from the lowest on: rax, rbx,
 * rcx, rdx, rsi, rdi, rbp, rsp, r8 to r15, the arithmetic flags. False when in doubt.
 */
bool entries_are_dead(const struct entries *entries, const struct target *target, uint64_t address,
		      uint32_t registers);

/* Is this address in one of those ranges? */
bool entries_is_libc(const struct entries *entries, uint64_t address);

/* Is this address in the program's file, as it is mapped, rather than in a library or in memory from the system? */
bool entries_in_program(const struct entries *entries, uint64_t address);

/* Where the function of this name is, of several versions the one that new programs get; 0: there is none. */
uint64_t entries_address(const struct entries *entries, const char *name);

/* How libc keeps an object that is seen for the first time: type of a mutex, whether held, a semaphore's
 * value. */
enum status object_peek(const struct target *target, const struct entries *entries, enum object_class class,
			uint64_t address, struct object_state *state, pid_t *owner_tid);

#endif
