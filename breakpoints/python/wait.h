#ifndef FMC_BREAKPOINTS_PYTHON_WAIT_H
#define FMC_BREAKPOINTS_PYTHON_WAIT_H

#include "breakpoints/python/python.h"

/* The parts of what a thread waits for. Where they return a truth value, it is false without memory. */

enum python_lock_type {
	PYTHON_NO_LOCK,
	PYTHON_PLAIN_LOCK,   /* threading.Lock */
	PYTHON_REENTRANT,    /* threading.RLock */
	PYTHON_SIMPLE_QUEUE, /* whose lock is free while there is something in it */
	PYTHON_BUFFER,	     /* of a file: it is locked while a thread reads or writes */
};

/* The type of a lock whose semaphore is at this word; PYTHON_NO_LOCK: the object is none, or another one. */
enum python_lock_type python_lock_type(struct python *python, uint64_t object, uint64_t word);

/* The thread whose pthread_self() this is; python->length: none. */
size_t python_thread_of_ident(const struct python *python, uint64_t ident);

/* Set wait->name: "threading.Event stop", "queue.Queue at 0x7f..."; module: with its dot, or "". */
void python_name_object(struct python *python, const struct python_frame *user, const char *module,
			const char *type, struct wait *wait);

/* wait->object is the lock, or the thread waits for the end of another one; `timed` is set. */
bool python_waits_for_lock(struct python *python, uint32_t t, enum python_lock_type type);
bool python_waits_for_end(struct python *python, uint32_t t, size_t of);
bool python_waits_for_all_ends(struct python *python, uint32_t t);
void python_waits_for_simple_queue(struct python *python, uint32_t t);

/* Is the lock that it waits for only part of waiting for a condition, event, queue ...? Then that is what it waits for. */
bool python_waits_for_condition(struct python *python, uint32_t t);

#endif
