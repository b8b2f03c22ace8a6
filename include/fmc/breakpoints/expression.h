#ifndef FMC_BREAKPOINTS_EXPRESSION_H
#define FMC_BREAKPOINTS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

struct places;

/*
 * Expressions in C over the variables of a program: what holds of a state between two transitions. They read and never
 * write.
 *
 *     text -(parse)-> tree -(bind)-> addresses and types -(evaluate)-> a value
 *
 * Operators and conversions are those of C on integers, bool, char, float, double, enumerations, pointers and C++'s references. Names are
 * variables with a fixed address (`count`, `bank::total`, `queue.c::head`, `'my-file.c'::head`, `function::counter`), thread-local ones
 * of a thread (`T2::mine`), constants of enumerations, members, elements; objects of the symbol table where there is no debug
 * information, as unsigned numbers of their size. At a place in the code they are what they are there, parameters and local variables among
 * them. What is about threads (struct expression_atom) is answered by who knows of threads.
 */
struct expression;

/* What is wrong with a text: one line, and where. */
struct expression_problem {
	size_t column; /* from 1; 0: nowhere in particular */
	char text[256];
};

/* NULL: what is in *problem. */
struct expression *expression_parse(const char *text, struct expression_problem *problem);
void expression_free(struct expression *expression); /* NULL is allowed */

/* Find what its names are in the modules that these places know. Once, before all that follows. False: what is in *problem. */
bool expression_bind(struct expression *expression, struct places *places,
		     struct expression_problem *problem);

/*
 * The same of an expression that is evaluated where a thread stands at this instruction, before executing it. What is thread-local is that
 * thread's then, and its local variables have names.
 */
bool expression_bind_at(struct expression *expression, struct places *places, uint64_t pc,
			struct expression_problem *problem);

/* Of one that has been bound at a place: does it need the thread's vector registers? */
bool expression_wants_vectors(const struct expression *expression);

/* The text that it was made of. */
const char *expression_text(const struct expression *expression);

enum expression_atom_kind {
	ATOM_AT, /* at(T2, f), at(T2, f.c:31): the thread's pending operation stands in this function, in this line */
	ATOM_HOLDS,  /* holds(T1, lock): it is the one that holds the lock */
	ATOM_WAITS,  /* waits(T1, lock): it is about to use this object, and can't now */
	ATOM_EXITED, /* exited(T1) */
};

/* The thread that stands at the place where the expression has been bound: `self`. */
#define EXPRESSION_SELF UINT32_MAX

struct expression_atom {
	enum expression_atom_kind kind;
	uint32_t thread;  /* T1 is 0; EXPRESSION_SELF */
	uint64_t address; /* of the lock */
	char *place;	  /* ATOM_AT: of the function, or of the file where line isn't 0 */
	int line;
};

/* How a thread stands at the place where an expression has been bound. */
struct expression_frame {
	const struct user_regs_struct *registers;
	const uint8_t *vectors; /* XMM0 to XMM15, of 16 bytes each; NULL: not known */
};

/* The state in which it is evaluated. All may be asked for anything at any time; false of read and thread_block: nothing is there. */
struct expression_world {
	void *context;
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	bool (*atom)(void *context, const struct expression_atom *atom);
	/* Where the thread has the program's thread-local variables. */
	bool (*thread_block)(void *context, uint32_t thread, uint64_t *address);
	const struct expression_frame *frame; /* NULL: it stands nowhere */
};

/*
 * Is it other than 0? An expression that can't be evaluated, because it divides by 0 or reads where nothing is, is false; `why` says so
 * then, and is empty otherwise.
 */
#define EXPRESSION_WHY 96
bool expression_true(const struct expression *expression, const struct expression_world *world,
		     char why[EXPRESSION_WHY]);

/* What its variables and atoms are: "count = 5, limit = 4". Cut to the room. */
void expression_describe(const struct expression *expression, const struct expression_world *world,
			 char *text, size_t room);

/* Memory that it may read, whatever its value. */
struct expression_range {
	uint64_t address, size;
};

/* All of it, if !*moves. *moves: it reads elsewhere, too, as pointers and indices say. */
const struct expression_range *expression_reads(const struct expression *expression, size_t *length,
						bool *moves);

/* Is this function, as it is demangled, the one that at(T1, name) means: as it is or with its scopes and arguments around it? */
bool expression_means_function(const char *full, const char *name);

/* The atoms in it. */
const struct expression_atom *const *expression_atoms(const struct expression *expression, size_t *length);

#endif
