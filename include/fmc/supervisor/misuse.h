#ifndef FMC_SUPERVISOR_MISUSE_H
#define FMC_SUPERVISOR_MISUSE_H

#include <fmc/supervisor/model.h>

/*
 * Misuse of the thread library: calls whose behaviour POSIX leaves undefined, seen before they are performed.
 *
 * What POSIX and glibc define as an error return is none: EPERM of an error-checking mutex, EBUSY of a try,
 * EDEADLK. A relock of a normal mutex is a deadlock and found as such. Pure, as the model is.
 */
enum misuse {
	MISUSE_NONE,
	MISUSE_UNLOCK_FREE,
	MISUSE_UNLOCK_OTHERS,
	MISUSE_DESTROY_HELD,
	MISUSE_DESTROY_WAITED,
	MISUSE_DESTROYED,
	MISUSE_UNMADE,
	MISUSE_TWO_MUTEXES,
	MISUSE_WAIT_WITHOUT,
	MISUSE_JOIN_GONE,
	MISUSE_OVERFLOW,
	MISUSES
};

/* What is wrong with the pending operation of t in the present state. */
enum misuse misuse_of(const struct model *m, uint32_t t);

/* A sentence's end with %1 for the name of the object, %2 for that of the second: "unlocks %1, which ..." */
const char *misuse_text(enum misuse misuse);

#endif
