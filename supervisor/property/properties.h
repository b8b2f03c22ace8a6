#ifndef FMC_SUPERVISOR_PROPERTY_PROPERTIES_H
#define FMC_SUPERVISOR_PROPERTY_PROPERTIES_H

#include "supervisor/temporal/automaton.h"
#include "supervisor/temporal/formula.h"
#include "supervisor/temporal/state_graph.h"

#include <fmc/supervisor/property.h>

#include <sys/uio.h>

struct property {
	struct property_spec spec;     /* with a text of its own */
	struct expression *expression; /* NULL: PROPERTY_LTL */
	uint32_t number;	       /* as the user gave it, from 1; 0: an expression in a formula */
	uint32_t bit;		       /* PROPERTY_PROP: which proposition it is */
	uint32_t formula;	       /* PROPERTY_LTL: as a whole, */
	uint32_t rest;		       /* and after the present state; */
	struct automaton opposite;     /* and of its negation */
	size_t opposite_at;	       /* where its states are in course.sets, in words */
};

/* An expression as it is at one of the places where it is to hold. */
struct assertion {
	size_t property, mark; /* indices */
	struct expression *expression;
};

/* What is to hold where threads come to places: process_marks. */
struct assertions {
	struct assertion *at;
	size_t length, room;
	uint64_t *marks; /* addresses of places, each once */
	size_t marks_length, marks_room;
	uint32_t reached;   /* properties to whose places a thread has come in this execution, as bits */
	uint32_t thread;    /* the one that stands at one of them now; NO_THREAD: nobody does */
	bool asserted;	    /* since the last state some has been looked at, */
	bool roamed, roams; /* and has read memory that may be anywhere; or some does */
};

/*
 * What formulas are about: which propositions held in each state so far, and after it what was left of each formula, and in which states
 * the automaton of its negation can be. Where a state of the program comes again with the same states of the automata, nothing that a
 * formula could tell apart comes of another round.
 */
struct course {
	struct formulas formulas;
	uint32_t formulas_count, propositions;
	uint64_t *states; /* after so many transitions */
	uint32_t *rests;  /* formulas_count for each state */
	uint64_t *sets;	  /* set_words for each state */
	size_t set_words;
	size_t room;		   /* states */
	bool counts;		   /* some formula tells how often one is repeated */
	bool failed;		   /* no memory */
	struct state_graph *graph; /* of all executions; NULL: no memory, or no formula */
};

/*
 * All memory that some expressions read at fixed addresses, and what they ask about threads, as it is in the present state. It is taken at
 * once, and compared as bytes.
 */
struct snapshot_of_seen {
	const struct expression **expressions; /* borrowed */
	size_t expressions_length, expressions_room;
	struct iovec *ranges; /* iov_base is an address in the target */
	size_t ranges_length;
	struct iovec *spans; /* ranges that are near to each other are read as one, into `raw`: */
	size_t spans_length;
	uint8_t *raw;
	size_t *places; /* where in it each range is */
	uint8_t *now, *before;
	size_t size; /* of the ranges, then of the answers to atoms: */
	size_t memory;
	bool readable; /* all ranges could be read */
	bool taken;    /* `before` is that of this execution's state before */
};

struct properties {
	struct property *at; /* what was asked for, then expressions in formulas */
	size_t length, room;
	struct course course;
	struct process *process;
	bool bound;
	bool moves; /* something is read through pointers: nobody can say what changed */
	struct snapshot_of_seen seen;
	struct assertions assertions;
	struct snapshot_of_seen asserted; /* what those are about */
	const struct model *model;	  /* of the state that is looked at */
};

/* list.c: one more; NULL without memory, or if what is in *problem is wrong with its text, which is copied. */
struct property *properties_add(struct properties *properties, const struct property_spec *spec,
				uint32_t number, struct expression_problem *problem);

/* seen.c: one more expression, which has been bound; room for what they read; false without memory. Take it anew; *changed: is it other than before? */
bool seen_add(struct snapshot_of_seen *seen, const struct expression *expression);
bool seen_prepare(struct snapshot_of_seen *seen);
void seen_release(struct snapshot_of_seen *seen);
void seen_take(struct properties *properties, struct snapshot_of_seen *seen, bool *changed);

/* The state as expressions see it: as it was taken, or, in the middle of a transition, as it is. */
struct expression_world seen_world(struct properties *properties);
struct expression_world seen_live_world(struct properties *properties, const struct expression_frame *frame);

/* specs.c: the place that a PROPERTY_ASSERT is about, to be freed. */
char *property_place(const struct property_spec *spec);

/* assertions.c */
void assertions_release(struct assertions *assertions);

#define TEXT_SHOWN   84 /* columns of an expression in a message */
#define VALUES_SHOWN 104

/* say.c: "'count <= 4' is false: count = 5"; in `expression` its names have been bound. */
void property_say_violated(const struct property *property, const struct expression *expression,
			   const struct expression_world *world, const char *why, char message[256]);
/* Where it is wrong, as one line: "--always 'count <= 4', column 1: ..." */
void property_say_problem(const struct property *property, const struct expression_problem *problem,
			  char message[256]);

/*
 * atoms.c: what is asked about threads. The second: all that it depends on, part by part, so that what two transitions change of it is seen
 * of each of them in whichever order they come.
 */
bool atom_holds(struct properties *properties, const struct expression_atom *atom);
#define ATOM_PARTS 16
void atom_parts(struct properties *properties, const struct expression_atom *atom, uint8_t parts[ATOM_PARTS]);

/* course.c: parse the formulas, whose names and expressions become properties; false: no memory, or what isn't agreed. */
bool course_prepare(struct properties *properties, struct expression_problem *problem, size_t *wrong);
void course_release(struct course *course);
/* The state after so many transitions is the present one. `changed`: some proposition may be other than before. False without memory. */
bool course_take(struct properties *properties, size_t transitions, bool changed);
/* Which formula can't be fulfilled any more; after the last state, which stays: or isn't. NULL: none. */
const struct property *course_broken(struct properties *properties, size_t transitions, bool stays);
/* The same if the states from `loop` on come again and again, the one after `transitions` being that at `loop`. */
const struct property *course_broken_by_loop(struct properties *properties, size_t transitions, size_t loop);
/* As execution_monitor.come. */
void course_come(struct properties *properties, const struct trace *trace, const uint64_t before[3],
		 const uint64_t now[3]);
/* Are the automata in other states after `transitions` than they were after `before`? */
bool course_differs(const struct properties *properties, size_t transitions, size_t before);

#endif
