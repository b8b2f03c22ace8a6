#ifndef FMC_BREAKPOINTS_OP_ENTRY_TABLE_H
#define FMC_BREAKPOINTS_OP_ENTRY_TABLE_H

#include <fmc/breakpoints/op.h>
#include <stddef.h>

/* The entry points of the thread library: what a call of each name means and where its arguments are. */

enum entry_shape {
	SHAPE_OBJECT,	     /* (object, ...) */
	SHAPE_OBJECT_NUMBER, /* (object, int, ...) */
	SHAPE_COND_WAIT,     /* (cond, mutex, ...) */
	SHAPE_MUTEX_INIT,    /* (mutex, attributes) */
	SHAPE_MTX_INIT,	     /* (mutex, type), of <threads.h> */
	SHAPE_RWLOCK_INIT,   /* (rwlock, attributes) */
	SHAPE_BARRIER_INIT,  /* (barrier, attributes, count) */
	SHAPE_NUMBER,	     /* (int): no object */
	SHAPE_POINT,	     /* (address, length, write) */
	SHAPE_ACCESS,	     /* fmc_access() of <fmc/breakpoints/access.h> */
	SHAPE_SEM_INIT,	     /* (sem, shared, value) */
	SHAPE_SEM_OPEN,	     /* (name, flags, mode, value) */
	SHAPE_CREATE,	     /* (thread, attributes, routine, argument) */
	SHAPE_THRD_CREATE,   /* (thread, routine, argument) */
	SHAPE_VARIABLE,	     /* (name of a variable of the environment): no operation */
	SHAPE_STDOUT,	     /* (...): writes to the stream stdout */
	SHAPE_STREAM,	     /* (stream, ...): writes to it */
	SHAPE_STREAM_1,	     /* (what, stream) */
	SHAPE_STREAM_3,	     /* (what, size, number, stream) */
	SHAPE_LOADER,	     /* no operation: the loader calls it where it has mapped or unmapped modules */
	SHAPE_USER	     /* what a plug-in makes of it */
};

/* By which code tells of its accesses that was compiled for it, and what its atomic operations begin with. */
#define ENTRY_ACCESS	"fmc_access"
#define COMPILED_ATOMIC "__tsan_atomic"

struct entry_point {
	const char *name;
	uint8_t kind;	 /* enum op_kind */
	uint8_t untimed; /* the kind if the time-out is NULL */
	uint8_t shape;	 /* enum entry_shape */
	int8_t timeout;	 /* which argument is the time-out, counted from 0; -1: none */
	bool c11;	 /* of <threads.h>: other results */
};

/*
 * Is it a function of the program itself, which it defines for fmc? Its body is never run: fmc takes its
 * place.
 */
bool entry_point_is_own(const struct entry_point *point);

/* The names of these, by number; NULL after the last. */
const char *entry_own_name(size_t i);

/* Does the loader call it for debuggers? Needed only where modules that come later are looked at. */
bool entry_point_is_loader(const struct entry_point *point);

/* Is its first argument the object that it operates on, and nothing else of it an object? */
bool entry_point_takes_object(const struct entry_point *point);

/* Is it a function that a plug-in describes? It has no displaced copy; its body is run. */
bool entry_point_is_user(const struct entry_point *point);

/* The entry point with this name, NULL if there is none. */
const struct entry_point *entry_point_find(const char *name);

/* A function by which a program asks for a variable of its environment. It is passed on. NULL: it is none. */
const struct entry_point *entry_point_asking(const char *name);
bool entry_point_asks(const struct entry_point *point);

/* A function by which a program writes to a stream of libc's; NULL: it is none. */
const struct entry_point *entry_point_writing(const char *name);

/* Those by number, for tests; NULL after the last. */
const struct entry_point *entry_point_written(size_t i);

/* Add one of a kind that a plug-in describes; the name is borrowed. False: there are too many. */
bool entry_point_add(const char *name, enum op_kind kind);

/* Those that have been added, by number; NULL after the last. */
const struct entry_point *entry_point_added(size_t i);

/* All that are built in, for tests. */
const struct entry_point *entry_points(size_t *length);

#endif
