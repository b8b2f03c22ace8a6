#ifndef FMC_TRACER_FOREIGN_FOREIGN_H
#define FMC_TRACER_FOREIGN_FOREIGN_H

#include "tracer/tracee/tracee.h"

#include <fmc/tracer/foreign.h>

/* What there is to know of a traced thread beside its struct tracee, by the same index. */
struct foreign_thread {
	struct foreign_event last;
	bool in_call;	  /* resumed from FOREIGN_CALL */
	bool interrupted; /* its FOREIGN_PAUSED is still to come */
	bool suspended;	  /* listens for the end of a job-control stop */
};

struct foreign {
	struct target *target;
	int folder; /* /proc/PID */
	struct foreign_thread *threads;
	uint32_t threads_room;
	void (*shown)(void *context, pid_t child);
	void *shown_context;
	bool over; /* the process is gone, or runs another program */
};

/* NULL without memory. */
struct tracee *foreign_add(struct foreign *foreign, pid_t tid);
struct foreign_thread *foreign_thread_of(const struct foreign *foreign, const struct tracee *tracee);

#define FOREIGN_OPTIONS                                                                                      \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |            \
	 PTRACE_O_TRACEEXEC)

#endif
