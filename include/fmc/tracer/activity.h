#ifndef FMC_TRACER_ACTIVITY_H
#define FMC_TRACER_ACTIVITY_H

#include <fmc/tracer/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What the kernel says of the threads of a running process without anything being stopped: enough to tell, from two readings,
 * which threads have run in between.
 */
struct activity {
	pid_t tid;
	char state;	    /* as in proc(5); 0: it was gone before it could be read */
	uint64_t cpu_ns;    /* processor time so far */
	uint64_t queued_ns; /* how long it has waited for a processor, ready to run */
	uint64_t
	    runs; /* how often it was put on a processor, or taken from one where the kernel counts but that */
	bool asleep; /* on no processor and not about to be, and so it was all the time while this was read */
	long syscall; /* in which it sleeps; -1: in none, it runs, or it isn't known */
	uint64_t arguments[6];
	uint64_t stack, place; /* its stack pointer and where it is, if it sleeps */
};

/* In ascending order of tid. STATUS_OK, *list to be freed; STATUS_NOT_FOUND: no such process; STATUS_NO_MEMORY. */
enum status activity_read(pid_t pid, struct activity **list, size_t *length);

/* The one of this number; NULL if there is none. */
const struct activity *activity_find(const struct activity *list, size_t length, pid_t tid);

/*
 * Has it slept all the time from the one reading of it to the other, in one call? Those of one process that have, between two
 * readings of all of them, slept all at once: when the first reading was over.
 */
bool activity_slept(const struct activity *before, const struct activity *after);

/*
 * Has the process handlers that a signal from outside could call at any time? Not counted are those of its thread library and
 * those of faults. True also where it isn't known.
 */
bool activity_handlers(pid_t pid);

/*
 * Another process that has the same memory (CLONE_VM, vfork(2)), and so may change whatever this one's threads wait for. 0: none;
 * -1: that can't be told.
 */
pid_t activity_sharer(pid_t pid);

/* Is the process in a control group that is frozen, or being so? Its threads look as if they slept then. */
bool activity_frozen(pid_t pid);

#endif
