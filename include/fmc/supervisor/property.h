#ifndef FMC_SUPERVISOR_PROPERTY_H
#define FMC_SUPERVISOR_PROPERTY_H

#include <fmc/breakpoints/expression.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>

/*
 * What is to hold of a program's states, said in expressions on its variables, and looked at between transitions by a monitor of an execution;
 * or each time that a thread comes to a place in the code.
 */
enum property_kind {
	PROPERTY_ALWAYS, /* holds of every state */
	PROPERTY_NEVER,	 /* of none */
	PROPERTY_PROP,	 /* "name=expression": what formulas call by this name */
	PROPERTY_ASSERT, /* holds whenever a thread comes to `place` */
	PROPERTY_LTL, /* a formula of linear temporal logic on such names and on {expressions} is fulfilled by each execution */
	PROPERTY_KINDS
};

/* One of them, as text: borrowed. */
struct property_spec {
	enum property_kind kind;
	const char *text;
	const char *place; /* PROPERTY_ASSERT: as spots.h says, of so many bytes */
	size_t place_length;
};

#define PROPERTIES_MOST 32

struct property_specs {
	struct property_spec at[PROPERTIES_MOST];
	size_t length;
};

/* "always", "ltl" ...: the word before its text in schedules, and the option's name. */
const char *property_word(enum property_kind kind);

/* Add "always count <= 4" to the list, or "assert-at queue.c:42 count <= 4"; false: it isn't of that form, or the list is full. */
bool property_specs_add(struct property_specs *specs, const char *text);

/* How many bytes of "queue.c:42 count <= 4" say the place, up to the first blank that isn't in quotes. */
size_t property_place_length(const char *text);

/* That form, to be freed; NULL without memory. */
char *property_spec_text(const struct property_spec *spec);

#define PROPERTY_WHY 320

/* Is the text one of this kind, as far as that can be seen without the program? Else `why` is one line that says where it isn't. */
bool property_check(const struct property_spec *spec, char why[PROPERTY_WHY]);

/* Does each name in a formula stand for something? Else `why` says which doesn't. */
bool property_specs_agree(const struct property_specs *specs, char why[PROPERTY_WHY]);

/* Is there a formula with X, so that no two operations are independent? */
bool property_specs_count(const struct property_specs *specs);

/* Of PROPERTY_PROP the length of its name, else 0; and its expression. */
size_t property_name(const struct property_spec *spec);
const char *property_expression(const struct property_spec *spec);

struct properties;

/* Those of the list, which have been checked and agree. NULL: no memory. The texts are copied. */
struct properties *properties_new(const struct property_specs *specs);
void properties_free(struct properties *properties); /* NULL is allowed */

/*
 * Who looks at executions of this process. What the expressions' names are is found out once, at the first state of the first
 * execution: one that means nothing there ends it with STATUS_NOT_FOUND. Both are borrowed.
 */
struct execution_monitor properties_monitor(struct properties *properties, struct process *process);

/*
 * Executions have ended in cycles that go on for ever, as the formulas allow (END_ALLOWED). Have they all the same come to each state of the program, and
 * gone each way from it, and does no way through these break a formula? Then nothing is left to be run. Else `why` says what is, of "them", the cycles.
 */
bool properties_all_gone(const struct properties *properties, char why[PROPERTY_WHY]);

/*
 * Who sees threads of this process come to places; false: no property is about some. What isn't found there is told as above. To be asked after
 * properties_monitor().
 */
bool properties_marks(struct properties *properties, struct process_marks *marks);

#endif
