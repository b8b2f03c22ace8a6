#ifndef FMC_SUPERVISOR_CLI_WATCH_LOOK_H
#define FMC_SUPERVISOR_CLI_WATCH_LOOK_H

#include "supervisor/cli/watch/looks.h"
#include "supervisor/cli/watch/watch.h"

#include <fmc/breakpoints/place.h>

/* What looks.c, racing.c and look.c share. */

#define NAME 200

/* An access to be named: the same instruction, thread and some of the bytes when it is come by again. */
struct wanted {
	struct memory_access access;
	char name[NAME], place[NAME]; /* empty until it is */
	char function[NAME];	      /* that the place is in; empty: unknown */
	bool locked;		      /* a function of libc's locks it meanwhile */
	bool state;		      /* it is what a function of libc's goes by */
	enum meant meant;	      /* what it touches */
	struct thread_report report;  /* the stack there, if races are wanted */
	struct allocation block;      /* what it is in, if that was allocated; without a stack: not known */
	bool promotable;
	struct module_place promotes;
	struct module_place through; /* and this one, if it gives memory back */
	bool apart;		     /* the instruction reads, then writes */
};

/* One execution. */
struct look {
	struct watch watch;
	struct races *races;	     /* what is found goes there */
	struct memory_access *pairs; /* what is to be named, two for each pair; NULL: nothing */
	struct wanted *named;	     /* the same, each once, in the order of look_compare() */
	uint64_t *places;	     /* theirs: threads stand there then */
	uint64_t *granules;	     /* what is looked at then */
	size_t named_length;
};

/*
 * look.c. compare: accesses by place, thread and address, for sorting. wanted: the first that is wanted of the same instruction and
 * thread and some of the same bytes, NULL if none is; next: the one after that.
 */
int look_compare(const void *a, const void *b);
bool look_overlap(const struct memory_access *a, const struct memory_access *b); /* some of the same bytes */
struct wanted *look_wanted(const struct look *look, const struct memory_access *access);
struct wanted *look_wanted_next(const struct look *look, const struct wanted *wanted,
				const struct memory_access *access);

/* "race.c:12", "libx.so+0x12" or an address. */
void look_print_place(const struct place *place, char text[NAME]);

/* The same, with an address for the name of what it touches if it wasn't come by. */
struct wanted *look_named(const struct look *look, const struct memory_access *access);

/* The name of what both have touched. */
const char *look_variable(const struct wanted *one, const struct wanted *two);

/* racing.c: the races of the execution that was just run with all its accesses named, into races->list. */
void racing_tell(const struct look *look, const struct trace *trace);

#endif
