#ifndef FMC_TRACER_READY_H
#define FMC_TRACER_READY_H

#include <errno.h>
#include <poll.h>

/*
 * What poll(2) tells of an open file within so many milliseconds; 0: none of the events; -1 and errno: it can't be asked. A signal
 * that is pending makes the kernel say EINTR even where it isn't to wait, and each thread that stops sends one: asked again then.
 */
static inline int ready_within(int milliseconds, int descriptor, short events)
{
	struct pollfd one = {.fd = descriptor, .events = events};
	int found;
	do
		found = poll(&one, 1, milliseconds);
	while (found < 0 && errno == EINTR);
	return found > 0 ? one.revents : found;
}

/* The same of this moment. */
static inline int ready_now(int descriptor, short events)
{
	return ready_within(0, descriptor, events);
}

#endif
