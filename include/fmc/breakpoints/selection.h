#ifndef FMC_BREAKPOINTS_SELECTION_H
#define FMC_BREAKPOINTS_SELECTION_H

#include <fmc/breakpoints/expression.h>

/*
 * Variables of a program as a list: "forks, phil[*].eating, queue.c::head, lock_*". Names are as in expressions, or patterns of them, as are those of
 * members: all that fit are meant. A name, a member or an element is all of its bytes, and [*] every element of an array. Pointers aren't followed.
 */
struct selection {
	struct expression_range *at; /* in the order of the list */
	size_t length, room;
};

void selection_release(struct selection *selection);

/* False: what is in *problem, and nothing is selected. */
bool selection_find(struct selection *selection, struct places *places, const char *text,
		    struct expression_problem *problem);

#endif
