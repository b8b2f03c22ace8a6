/* Does a foreign process look as if it were stuck for good? */
#include "supervisor/foreign/foreign_run.h"

#include <fmc/tracer/call_traits.h>
#include <sys/syscall.h>

/* Sleeps until another thread or process wakes it; the time-out is the fourth argument. */
static bool sleeps_for_ever(const struct foreign_run *run, const struct run_thread *thread)
{
	const struct foreign_event *standing = foreign_standing(run->foreign, thread->tracee);
	return thread->turn == TURN_CALLS && foreign_in_call(run->foreign, thread->tracee) &&
	       standing->number == SYS_futex && call_may_wait(standing->number, standing->arguments) &&
	       standing->arguments[3] == 0;
}

/* The thread that it waits for: the holder of the mutex that it has tried to lock last. NULL: none. */
static const struct run_thread *waits_for(const struct foreign_run *run, const struct run_thread *thread)
{
	struct object_state state;
	pid_t owner;
	if (!sleeps_for_ever(run, thread) || thread->last.kind != OP_MUTEX_LOCK ||
	    thread->last.object >= run->objects_length ||
	    markers_peek(run->markers, foreign_target(run->foreign), CLASS_MUTEX,
			 run->objects[thread->last.object].address, &state, &owner) != STATUS_OK)
		return NULL;
	for (uint32_t i = 0; i < run->threads_length; i++)
		if (run->threads[i].turn != TURN_GONE && run->threads[i].tid == owner)
			return &run->threads[i];
	return NULL;
}

static bool leads_to_cycle(const struct foreign_run *run, const struct run_thread *thread)
{
	for (uint32_t steps = 0; thread && steps <= run->threads_length; steps++)
		thread = waits_for(run, thread);
	return thread != NULL;
}

bool foreign_run_stuck(const struct foreign_run *run)
{
	uint32_t sleeping = 0, present = 0;
	for (uint32_t i = 0; i < run->threads_length; i++) {
		if (run->threads[i].turn == TURN_GONE)
			continue;
		present++;
		sleeping += sleeps_for_ever(run, &run->threads[i]);
		if (leads_to_cycle(run, &run->threads[i]))
			return true;
	}
	return sleeping == present;
}
