#ifndef FMC_TRACER_LIVE_LIVE_H
#define FMC_TRACER_LIVE_LIVE_H

#include "tracer/target/tracee.h"

#include <fmc/tracer/live.h>

/* What there is to know of a traced thread beside its struct tracee, by the same index. */
struct live_thread {
	struct live_event last;
	bool in_call;	  /* resumed from LIVE_CALL */
	bool interrupted; /* its LIVE_PAUSED is still to come */
	bool suspended;	  /* listens for the end of a job-control stop */
};

struct live {
	struct target *target;
	int folder; /* /proc/PID */
	struct live_thread *threads;
	uint32_t threads_room;
	void (*shown)(void *context, pid_t child);
	void *shown_context;
	bool over; /* the process is gone, or runs another program */
};

/* NULL without memory. */
struct tracee *live_add(struct live *live, pid_t tid);
struct live_thread *live_thread_of(const struct live *live, const struct tracee *tracee);

#define LIVE_OPTIONS                                                                                         \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |            \
	 PTRACE_O_TRACEEXEC)

#endif
