#ifndef FMC_TRACER_STATUS_H
#define FMC_TRACER_STATUS_H

#include <fmc/tracer/must_check.h>

/*
 * One result type for everything that can fail for a reason that is not a programming error.
 *
 * A tracee may vanish at any call: STATUS_GONE is a result, not an error.
 */
enum FMC_MUST_CHECK status {
	STATUS_OK = 0,
	STATUS_GONE,	    /* the thread or process has died or been killed */
	STATUS_TIMEOUT,	    /* nothing happened within the given time */
	STATUS_NO_TRACEES,  /* nothing is left to wait for */
	STATUS_INTERRUPTED, /* the user asked to stop (SIGINT, SIGTERM) */
	STATUS_NOT_FOUND,   /* no such file, symbol, object */
	STATUS_DENIED,	    /* the system refuses: permission, Yama, seccomp, container */
	STATUS_UNSUPPORTED, /* the target or the machine is of a kind that fmc can't supervise */
	STATUS_MALFORMED,   /* input that doesn't follow its format */
	STATUS_DIVERGED,    /* an execution didn't follow the schedule that it was given */
	STATUS_NO_MEMORY,
	STATUS_SYSTEM, /* any other system call failed; errno says why */
	STATUS_BUG,    /* fmc contradicted itself */
};

/* A few words in English, without a full stop; never NULL, not to be freed. */
const char *status_text(enum status status);

#endif
