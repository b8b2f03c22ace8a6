#ifndef FMC_BREAKPOINTS_SAMPLING_H
#define FMC_BREAKPOINTS_SAMPLING_H

#include <fmc/breakpoints/call.h>

/*
 * The accesses that a target's code makes to memory: trap instructions in the place of those of the program's and
 * its libraries' that may touch memory which threads share. An instruction that is met gets a door, where it can have one: a jump to
 * code that writes the access into a log and performs the instruction, so that all accesses are seen (sampler_exact()). libc, the loader and the runtime of C++ are left out, but for what
 * well-known functions of theirs do for the code that calls them; so are thread-local variables and read-only data.
 *
 * Where there is no memory for doors, or instructions without one are met too often, this is a sample: a trap is out while a thread
 * passes it, and comes back after the instruction, or at the thread's next trap when there have been many, until the thread has met
 * it often enough; so a loop is seen a few times, and each thread sees each instruction.
 *
 * One target at a time, exactly one of whose threads runs. Calls that give memory back are seen each time.
 */
struct sampler;

/* Memory for the log that targets share with fmc, if they can: one for all targets of a machine. NULL without memory. It outlives the sampler. */
struct sampler_memory;
struct sampler_memory *sampler_memory_new(void);
void sampler_memory_free(struct sampler_memory *memory);

struct sampler *sampler_new(const struct sampler_memory *memory); /* NULL without memory */
void sampler_free(struct sampler *sampler);

/* Memory that an instruction is about to touch. */
struct touched {
	uint64_t address, size;
	uint64_t
	    place; /* in the code of whoever has called a function that does it; 0: the instruction itself */
	uint32_t
	    site; /* number of an instruction that always touches so many bytes, until code is looked through again; 0: none */
	bool write; /* else it only reads */
	bool locked; /* by a function of libc's that locks it meanwhile */
	bool frees; /* it is given back; without `write` its size is a guess */
	bool
	    lingers; /* it stays where it is, and functions that are seen give it out again: until then nobody may touch it */
	bool
	    inner; /* by libc for itself; a thread's end gives what it has kept of what was given back to others */
	bool
	    gives; /* it is new memory, and isn't touched: the thread has called the function that comes back with it (sampler_see_new()) */
	uint64_t room; /* of new memory: so many bytes from its beginning are nobody else's */
};

#define TOUCHED_MOST                                                                                         \
	16 /* a string instruction reads at one place and writes at another; printf() has arguments */

/*
 * Plant the traps into this target, whose own ones (entries_plant_all()) are planted. `stacks`: also where an address is
 * relative to the stack pointer. The modules' code is looked through when it isn't known yet. STATUS_OK; else there are none.
 */
enum status sampler_start(struct sampler *sampler, const struct entries *entries, struct target *target,
			  bool stacks);

/* From the next start on threads stand before the instructions at these addresses when what they touch is told, each time; `places` outlives that. */
void sampler_stand(struct sampler *sampler, const uint64_t *places, size_t length);

/* From the next start on: are functions that give out memory to be seen each time? At first they aren't. */
void sampler_see_new(struct sampler *sampler, bool on);

/* The target may have loaded libraries, or got rid of some: the same with these. */
enum status sampler_look_again(struct sampler *sampler, const struct entries *entries, struct target *target);

/* The target is gone, or has had all it can take. */
void sampler_end(struct sampler *sampler);
bool sampler_active(const struct sampler *sampler);

/* Take all traps out of this memory (that of a forked process, too), or put those back that were there. */
void sampler_hide(const struct sampler *sampler, struct target *target);
void sampler_show(struct sampler *sampler, struct target *target);

/* A transition of this thread's begins. */
void sampler_turn(struct sampler *sampler, struct target *target, uint32_t thread);

bool sampler_is_trap(const struct sampler *sampler, uint64_t address);

/*
 * The thread has met the trap at this address: what it is about to touch, at most TOUCHED_MOST ranges, *length of them. Then
 * sampler_go() lets it pass; *resume: the thread is to be resumed, else something has come between that the next wait tells.
 */
enum status sampler_hit(struct sampler *sampler, struct tracee *tracee, uint32_t thread, uint64_t address,
			struct touched at[TOUCHED_MOST], size_t *length);

/*
 * The same of a thread that stands at the beginning of a function by which memory is given back, where the entries have a trap of their own;
 * how many ranges. is_release: can such a function's calls be promoted (call.releases)? They are told with the last byte of the code of theirs for a place, but for
 * libc's own.
 */
size_t sampler_release(struct sampler *sampler, struct tracee *tracee, uint32_t thread,
		       struct touched at[TOUCHED_MOST]);
bool sampler_is_release(const struct sampler *sampler, uint64_t address);

/*
 * In this execution the last of all threads has ended, and what happens now is libc's doing for the process's end: functions of
 * atexit(), destructors. All that others have done comes before it.
 */
bool sampler_last_leaves(const struct sampler *sampler);

/* As entries_call_before(), whatever traps of the sampler's are there. */
bool sampler_call_before(const struct sampler *sampler, struct target *target, uint64_t after,
			 uint64_t *call);

/* As entries_accesses(), whatever traps of the sampler's are there. */
bool sampler_accesses(const struct sampler *sampler, struct target *target, uint64_t address, bool *apart);

/* What the instruction at this address would touch with these registers, though it can't have a trap; how many ranges. */
size_t sampler_touched(const struct sampler *sampler, const struct tracee *tracee,
		       const struct user_regs_struct *regs, uint64_t address,
		       struct touched at[TOUCHED_MOST]);

/*
 * A thread stands before this call, or use of a result, that is an operation (call.calls): what it is about to touch; how many ranges. at_once:
 * others see all of that or nothing.
 */
size_t entries_touched(const struct entries *entries, struct tracee *tracee, uint64_t address,
		       struct touched at[TOUCHED_MOST], bool *at_once);

/* Before such a call: does it touch no more than these ranges, whose contents are all that it goes by, and only read them? */
bool entries_only_reads(const struct entries *entries, struct tracee *tracee, uint64_t address,
			struct touched at[TOUCHED_MOST], size_t *length);

/* Does it copy a string, from the second argument to the first one, which it returns, or with *to_end where that ends? *room: the third says how much room there is. */
bool entries_copies_string(const struct entries *entries, uint64_t address, bool *to_end, bool *room);

/*
 * A thread that is stepped through its code. bare: where it stands there is the program's own instruction, for as long as a step takes,
 * until cover() puts back what that took the place of. about: what it is about to touch there, as sampler_hit() tells it; how many ranges.
 */
struct bared {
	uint64_t address; /* 0: there was nothing of the sampler's */
	uint8_t planted[16];
};
void sampler_bare(const struct sampler *sampler, struct tracee *tracee, struct bared *bared);
void sampler_cover(struct target *target, const struct bared *bared);
size_t sampler_about(struct sampler *sampler, struct tracee *tracee, uint32_t thread,
		     struct touched at[TOUCHED_MOST]);

enum status sampler_go(struct sampler *sampler, struct tracee *tracee, uint32_t thread, bool *resume);

/* The same of a process that shares the target's memory (vfork): it goes on without the trap. */
enum status sampler_pass(struct sampler *sampler, struct tracee *tracee, uint64_t address);

/*
 * What the thread that ran has written into the log since it was last asked: each range that it has touched, the stack pointer then, and
 * which instruction did, in `touched.place`; several at a time. What was told already in this turn, and not given back since, may be left out. Before
 * anything else is told of the thread, and when it has come to its end. silent: nobody is to be told of accesses, but of new memory, and what
 * traps have told since is forgotten.
 */
struct logged {
	struct touched touched;
	uint64_t stack;
	bool
	    settled; /* set by whoever is told: more of the same kind at these bytes needn't be told in this turn, whichever instruction does it */
};
#define LOGGED_MOST 64 /* at a time */
typedef void sampler_tell(const void *context, struct logged *at, size_t length);
void sampler_drain(struct sampler *sampler, struct target *target, uint64_t stack, bool silent,
		   sampler_tell *tell, const void *context);

/* The thread may be stopped in code of the log's, by a signal or by fmc: then it stands before the instruction in the program. */
void sampler_leave(const struct sampler *sampler, struct tracee *tracee);

/*
 * Memory for the log and its code, before the program runs, in all executions alike, so that nothing is elsewhere in those that are
 * looked at. Where there is none, or one that the program has limited, accesses are sampled.
 */
void sampler_reserve(const struct entries *entries, struct target *target, struct sampler_memory *memory);

/*
 * Has every access of the present execution been told, since the traps were planted, but for what is said above of libc and
 * thread-local variables? Else *why says what is missing, as a list.
 */
#define SAMPLER_WHY 320
bool sampler_exact(const struct sampler *sampler, char why[SAMPLER_WHY]);

/*
 * Modules whose code isn't looked at, and functions that were called with more arguments than are, with the reason:
 * "libx.so (too large)", as a list; empty: none.
 */
const char *sampler_left_out(const struct sampler *sampler);

/* Functions that the code calls, which may touch memory for it, though it isn't known which: one line; empty: there are none. */
const char *sampler_unfollowed(const struct sampler *sampler);

/* Right below what a thread's register fs points to so many bytes at most are its thread-local variables, libc's own left aside. */
uint64_t sampler_thread_bytes(const struct sampler *sampler);

/* How many instructions may be met. */
size_t sampler_sites(const struct sampler *sampler);

/* Is this the name of a function of libc's that works on a stream (FILE), which it locks meanwhile? */
bool sampler_uses_stream(const char *function);

#endif
