#ifndef FMC_REPLAY_TIMELINE_COROUTINE_H
#define FMC_REPLAY_TIMELINE_COROUTINE_H

#include <stdbool.h>

/*
 * A function on a stack of its own, that can stop in the middle of what it does and be gone on with later. All in one
 * kernel thread, since the kernel lets only that thread trace which began it.
 */
struct coroutine;

/* NULL without memory. The body is begun by the first coroutine_resume(). */
struct coroutine *coroutine_new(void (*body)(void *context), void *context);

/* It must have returned, or never been begun. NULL is allowed. */
void coroutine_free(struct coroutine *coroutine);

/* Go on with it until it yields or returns; false if it has returned. */
bool coroutine_resume(struct coroutine *coroutine);

/* From inside: back to where it was resumed. */
void coroutine_yield(struct coroutine *coroutine);

#endif
