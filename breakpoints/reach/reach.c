#include "breakpoints/reach/reach.h"
#include "breakpoints/waits/inspector.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Which other processes can end the waits of some. */

static void forget(struct wait *wait)
{
	free(wait->reach.at);
	wait->reach = (struct reach){0};
}

/* Files and processes, of which the kernel tells more than the process's memory. */
static bool is_of_kernel(enum wait_kind kind)
{
	return kind == WAIT_PIPE || kind == WAIT_SOCKET || kind == WAIT_FILE_LOCK || kind == WAIT_CHILD;
}

static bool look(const struct reached *reached)
{
	const long number = reached->thread->syscall;
	switch (reached->wait->kind) {
	case WAIT_PIPE:
		return number == SYS_open || number == SYS_openat ? reach_opening(reached) : reach_pipe(reached);
	case WAIT_SOCKET:
		return reach_socket(reached);
	case WAIT_FILE_LOCK:
		return reach_file_lock(reached);
	case WAIT_CHILD:
		return reach_child(reached);
	case WAIT_SYSCALL:
	case WAIT_SEMAPHORE:
		if (number == SYS_semop || number == SYS_semtimedop)
			return reach_set(reached);
		return reach_memory(reached);
	default:
		return reach_memory(reached);
	}
}

static bool reach_one(const struct reached *reached)
{
	struct wait *wait = reached->wait;
	forget(wait);
	if (wait->kind == WAIT_NOTHING || wait->kind == WAIT_STOPPED)
		return true;
	if (is_of_kernel(wait->kind) && !call_is_the_same(reached->snapshot, reached->thread))
		return true;
	if (!look(reached))
		return false;
	if (reached->inspection->requests && wait_is_requested(wait->kind))
		wait->reach.closed = false;
	/* Where nobody else can, any of its own threads may. */
	if (wait->reach.closed && wait->reach.length == 0 && wait->holders_length == 0)
		wait->certain = !wait->timed && !wait->guessed;
	if (!is_of_kernel(wait->kind))
		return true;
	wait->outsider = wait->reach.length ? wait->reach.at[0].pid : 0;
	wait->certain = wait->reach.closed && wait->reach.length == 0 && !wait->timed;
	return true;
}

enum status inspections_reach(const struct looked *looked, size_t length)
{
	struct world world = {0};
	bool memory = true;
	for (size_t i = 0; i < length; i++) {
		struct reached reached = {
		    .world = &world, .snapshot = looked[i].snapshot, .inspection = looked[i].inspection};
		for (size_t t = 0; t < looked[i].inspection->length && memory; t++) {
			reached.thread = snapshot_thread(looked[i].snapshot, t);
			reached.wait = &looked[i].inspection->threads[t].wait;
			memory = reach_one(&reached);
		}
	}
	ends_release(&world.ends);
	shared_maps_release(&world.maps);
	return memory ? STATUS_OK : STATUS_NO_MEMORY;
}
