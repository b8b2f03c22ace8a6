#ifndef FMC_TRACER_ANSWERS_OUTSIDE_H
#define FMC_TRACER_ANSWERS_OUTSIDE_H

#include <stdint.h>

/* What has to be looked at before a process that was saved may perform a system call. */
enum outside_rule {
	FREE = 1, /* nothing: it concerns nobody else */
	USES,	  /* the descriptor in the first argument */
	USES_TWO, /* those in the first two */
	KEEPS,	  /* fcntl(): what is missing may be closed and doubled, not used */
	OWN,	  /* the process or thread in the first argument, which has to be one of its own; 0: itself */
	OWN_LATER,	  /* that in the second */
	OPENS,		  /* path and flags in the first two */
	OPENS_AT,	  /* in the second and third */
	CLONES,		  /* flags in the first */
	CLONES_BY_STRUCT, /* flags in the first word of a struct */
	POLLS,		  /* descriptors in an array */
	SELECTS,	  /* in sets of bits */
	SENDS_TO,	  /* descriptor and address */
	SENDS_MESSAGE,	  /* address in a struct */
	CONTROLS_SET,	  /* epoll_ctl() */
	NEVER,		  /* whatever it is, it concerns others */
};

/* Of this system call. *text: for people, what it does to a descriptor or a process, or with NEVER at all; may be NULL. */
enum outside_rule outside_rule(long number, const char **text);

#endif
