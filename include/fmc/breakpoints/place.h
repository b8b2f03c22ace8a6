#ifndef FMC_BREAKPOINTS_PLACE_H
#define FMC_BREAKPOINTS_PLACE_H

#include <fmc/tracer/target.h>

/*
 * Places and names for people: code addresses as function, file and line; data addresses as variables;
 * stacks. Works from the target's modules and their debug information where there is any, symbols where not.
 */
struct places;

struct place {
	uint64_t address;
	const char *function; /* demangled if C++; NULL if unknown; owned by the places */
	const char *file;     /* last component of the source's path; NULL if unknown; owned by the places */
	const char *source;   /* all of that path, of the same owner */
	int line;	      /* 0 if unknown */
	const char *module;   /* last component of the module's path; NULL if outside of all */
	uint64_t offset;      /* in the module */
	/* In libc (also a static one), the loader, another shared library, or a header of the system's: not
	 * the program's own code */
	bool library;
};

struct places *places_new(void);
void places_free(struct places *places);

/* Learn the modules of this process; to be called again when they may have changed. Cheap when nothing has.
 */
enum status places_update(struct places *places, struct target *target);

/*
 * What is known of a code address. Return addresses are looked up one byte before when `is_return`. Where the compiler put a
 * function of a system's header in line, file and line are those of its call in the program's own source, and it isn't
 * `library` code: in optimised C++ most operations are in such code.
 */
void places_find(struct places *places, uint64_t address, bool is_return, struct place *place);

/*
 * The functions that one frame of a stack stands for, innermost first: those that the compiler put in line there, which the
 * debug information tells, then the one that places_find() names. The first has the line of the address, headers' lines too, each
 * other one that of the call. Returns how many there are, from 1 to `room`, which is at least 1; the outermost is always there.
 */
size_t places_frames(struct places *places, uint64_t address, bool is_return, struct place at[], size_t room);

/*
 * The stack of a stopped tracee, innermost first: where it stands (a planted trap itself, not after it),
 * then return addresses. Returns the number of frames.
 */
size_t places_stack(struct places *places, struct tracee *tracee, uint64_t frames[], size_t room);

/*
 * A name for a data address: `forks[2]`, `pool.lock`, `heap +0x2a0` (from the heap's start), `stack of T3
 * -0x20` (from the end of the stack's mapping, which is where it is in every execution). Always writes
 * something, at most `room` bytes with the terminating zero.
 */
void places_name(struct places *places, struct target *target, uint64_t address, char *name, size_t room);

/* Are threads meant to come to some data at the same time, by its type in the debug information? */
enum meant {
	MEANT_UNKNOWN,
	MEANT_NOT,
	MEANT_SHARED, /* it is volatile or atomic, or part of what is */
};

/* Of a variable with a fixed address. */
enum meant places_meant(struct places *places, uint64_t address);

/*
 * Longer names for a report, of objects that have no variable of their own: by what the variables of the functions call them in
 * which their users are: `account.lock at heap +0x2a0`, `queue.lock in main at stack of T1 -0x40`. The stacks of all threads
 * are looked at once there is such an object. The target has to stand until the namer is freed.
 */
struct namer;
struct namer *namer_new(struct places *places, struct target *target, uint32_t threads); /* NULL: no memory */
void namer_add(struct namer *namer, uint32_t thread,
	       struct tracee *tracee); /* T1 is 0; a thread that isn't added is gone */

/*
 * size: of the object, at least. users: threads that use it or are about to, by their numbers. False: nothing more is known than
 * places_name() says; then the name is untouched.
 */
bool namer_name(struct namer *namer, uint64_t address, uint64_t size, const uint32_t *users, size_t length,
		char *name, size_t room);
/* The same of what namer_name() was asked about last, if it has found a name. */
enum meant namer_meant(const struct namer *namer);
void namer_free(struct namer *namer); /* NULL is allowed */

/* The build-id of the main program (index 0) or of module i as hex digits, with its path; false past the last
 * one. */
bool places_module(const struct places *places, size_t i, const char **path, char build_id[65]);

/*
 * The address of the function or object that the C library defines by this name, also a static one; 0 if there is none. It
 * looks through symbol tables each time.
 */
uint64_t places_libc_symbol(const struct places *places, const char *name);

#endif
