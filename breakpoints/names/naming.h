#ifndef FMC_BREAKPOINTS_NAMES_NAMING_H
#define FMC_BREAKPOINTS_NAMES_NAMING_H

#include "breakpoints/names/locals.h"

/*
 * Names of what has no variable of its own, through the variables of the functions in which threads are: by the type and the
 * member by which they know it, and by where it is: `account.lock at heap +0x2a0`. So it is called the same for all threads,
 * whatever their own variables are called. What is on a stack has the name of the variable that it is in.
 */

/* One step of a thread's stack. */
struct step {
	uint64_t pc;
	uint64_t stack; /* the stack pointer there; 0: not known */
	uint64_t cfa;	/* that after its return; 0: not known for certain, like the registers */
	struct unwound registers;
	bool is_return;	      /* pc is where a call returns to */
	const char *function; /* as places_find() says, like library */
	bool library;
	bool
	    foreign; /* in no module, or in one of those that start threads: libc, the loader, C++'s run-time */
	bool program; /* in the program itself, its libc left out */
	bool libc;    /* in libc's own code */
};

struct steps {
	struct step *at; /* innermost first */
	size_t length;
	bool cut, guessed;
};

/* What places_find() says of where the step is: its function and what follows. */
void step_find(struct places *places, struct step *step, struct place *place);

/* The steps of a stopped tracee's stack, of which `at` has to be freed; none without memory. */
struct steps tracee_steps(struct places *places, struct tracee *tracee);

struct known_scopes;

struct naming {
	struct places *places;
	struct surroundings around; /* whose threads are numbered as `steps` is */
	enum status (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
	const struct steps *steps; /* of each thread */
	uint32_t threads;
	struct known_scopes *known; /* filled as names are made, like the rest */
	size_t known_length;
	size_t objects;
	enum meant meant; /* what was named last */
};

#define NAME_BYTES 256

/*
 * The name of an object that these threads use; the first one that tells it is believed. rust: it is the word of a lock of
 * Rust's. Behind the name comes what a library or language calls such an object, places_kind(). Always writes something; false: it is what
 * places_name_in() says.
 */
bool naming_name(struct naming *naming, const struct sought *sought, const uint32_t *users, size_t length,
		 bool rust, char name[NAME_BYTES]);
void naming_release(struct naming *naming);

#endif
