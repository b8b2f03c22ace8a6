#ifndef FMC_TRACER_BESIDE_H
#define FMC_TRACER_BESIDE_H

#include <fmc/tracer/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Commands of a user's that run beside a target, and that nobody supervises. A keeper, a process of fmc's own, starts them by the shell, each
 * in a process group of its own; whatever they leave behind becomes its children. It kills all of them when it is asked to, and when
 * fmc is gone, however that came about.
 */
struct beside;

struct beside_setting {
	const char *const
	    *commands; /* one is started by its place among them; NULL: there is none at this place */
	size_t length;
	const char *directory; /* NULL: the present one */
	int output;	       /* for standard output and error; -1: fmc's own */
};

/* Start the keeper, which takes a copy of the setting. On failure `why` holds one line. Ends with beside_free(), which kills all that is left. */
enum status beside_new(const struct beside_setting *setting, struct beside **beside, char why[256]);
void beside_free(struct beside *beside); /* NULL is allowed */

/* Start one; that before it has ended. STATUS_GONE: the keeper has been killed from outside. */
enum status beside_start(struct beside *beside, size_t command);

/*
 * Wait until it has ended, for so long at most; 0: only look. *status is as waitpid() gives it. STATUS_TIMEOUT; STATUS_INTERRUPTED: the user
 * wants an end; STATUS_GONE as above.
 */
enum status beside_wait(struct beside *beside, int timeout_ms, int *status);

/* Kill it with all that it has started, and wait until they are gone; *left (may be NULL): how many there were beside the command's own process. */
enum status beside_kill(struct beside *beside, size_t *left);

/* What all of its processes do. */
enum beside_rest {
	BESIDE_RUNS, /* somebody computes, or that can't be seen */
	BESIDE_SLEEPS, /* they wait, and somebody goes on after some time, or perhaps by what others than the peer do */
	BESIDE_WAITS, /* they wait without an end, and nobody but the peer can be at the other end of what they have open */
};

/*
 * Of the present moment. `peer` is the process that they talk with; 0: only whether they run is asked for, so not BESIDE_WAITS. *turns changes whenever one of
 * them has been given a processor.
 */
enum beside_rest beside_rest(struct beside *beside, pid_t peer, uint64_t *turns);

#endif
