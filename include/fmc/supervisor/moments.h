#ifndef FMC_SUPERVISOR_MOMENTS_H
#define FMC_SUPERVISOR_MOMENTS_H

#include <fmc/breakpoints/call.h>
#include <fmc/breakpoints/reader.h>

/*
 * When sleeps and time-outs end, as op.end has it: in nanoseconds of what CLOCK_MONOTONIC shows the program. It is told from the call, whoever
 * asks.
 */
struct moments {
	int64_t monotonic, realtime; /* what these clocks show now */
	const struct reader *reader; /* of the program's memory */
};

/* So much after a moment; no further than can be said. */
int64_t moments_later(int64_t moment, int64_t ns);

/* A struct timespec of the program's; false: there is none. */
bool moments_read(const struct reader *reader, uint64_t address, int64_t *ns);

/* Could it have an end? */
bool moments_may_end(const struct call *call);

/*
 * Of a function's call, a sleep, a futex's wait or a wait for descriptors, with these four arguments; 0: it has no end that is known. A wait for
 * something else (OP_SYSCALL) isn't known here.
 */
int64_t moments_end(const struct moments *now, const struct call *call, const uint64_t arguments[4]);

#endif
