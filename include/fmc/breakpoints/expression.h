#ifndef FMC_BREAKPOINTS_EXPRESSION_H
#define FMC_BREAKPOINTS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct places;

/*
 * Expressions in C over the variables of a program: what holds of a state between two transitions. They read and never
 * write.
 *
 *     text -(parse)-> tree -(bind)-> addresses and types -(evaluate)-> a value
 *
 * Operators and conversions are those of C on integers, bool, char, float, double, enumerations and pointers. Names are variables
 * with a fixed address (`count`, `bank::total`, `queue.c::head`, `'my-file.c'::head`, `function::counter`), constants of
 * enumerations, members, elements; objects of the symbol table where there is no debug information, as unsigned numbers of their
 * size. What is about threads (struct expression_atom) is answered by who knows of threads.
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

/* The text that it was made of. */
const char *expression_text(const struct expression *expression);

enum expression_atom_kind {
	ATOM_AT, /* at(T2, f), at(T2, f.c:31): the thread's pending operation stands in this function, in this line */
	ATOM_HOLDS,  /* holds(T1, lock): it is the one that holds the lock */
	ATOM_WAITS,  /* waits(T1, lock): it is about to use this object, and can't now */
	ATOM_EXITED, /* exited(T1) */
};

struct expression_atom {
	enum expression_atom_kind kind;
	uint32_t thread;  /* T1 is 0 */
	uint64_t address; /* of the lock */
	char *place;	  /* ATOM_AT: of the function, or of the file where line isn't 0 */
	int line;
};

/* The state in which it is evaluated. Both may be asked for anything at any time; false of read: nothing is there. */
struct expression_world {
	void *context;
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	bool (*atom)(void *context, const struct expression_atom *atom);
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

/* The atoms in it. */
const struct expression_atom *const *expression_atoms(const struct expression *expression, size_t *length);

#endif
