#include "breakpoints/python/wait.h"
#include "breakpoints/waits/inspector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Locks and who holds them; threads that wait for others to end. */

enum python_lock_type python_lock_type(struct python *python, uint64_t object, uint64_t word)
{
	static const struct {
		const char *name;
		enum python_lock_type type;
		uint32_t semaphore; /* where the pointer to it is */
	} types[] = {
	    {"_thread.lock", PYTHON_PLAIN_LOCK, PYTHON_LOCK},
	    {"_thread.RLock", PYTHON_REENTRANT, PYTHON_LOCK},
	    {"_queue.SimpleQueue", PYTHON_SIMPLE_QUEUE, PYTHON_LOCK},
	    {"_io.BufferedReader", PYTHON_BUFFER, PYTHON_BUFFER_LOCK},
	    {"_io.BufferedWriter", PYTHON_BUFFER, PYTHON_BUFFER_LOCK},
	    {"_io.BufferedRandom", PYTHON_BUFFER, PYTHON_BUFFER_LOCK},
	};
	char name[PYTHON_TYPE_ROOM];
	if (!python_type_name(python, object, name))
		return PYTHON_NO_LOCK;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(name, types[i].name) == 0 &&
		    python_pointer(python, object + types[i].semaphore) == word)
			return types[i].type;
	return PYTHON_NO_LOCK;
}

size_t python_thread_of_ident(const struct python *python, uint64_t ident)
{
	size_t t = 0;
	while (t < python->length && !(python->threads[t].known && python->threads[t].ident == ident))
		t++;
	return t;
}

/* The thread that is in a `with` block of the lock; the length if none is, or more than one. */
static size_t find_with(const struct python *python, uint64_t lock)
{
	size_t found = python->length, count = 0;
	for (size_t t = 0; t < python->length; t++) {
		const struct python_thread *thread = &python->threads[t];
		bool held = false;
		for (size_t i = 0; i < thread->held_length; i++)
			held |= thread->held[i] == lock;
		found = held ? t : found;
		count += held;
	}
	return count == 1 ? found : python->length;
}

/*
 * A lock that keeps no owner: any thread may unlock it. But a thread in a `with` block of it does so when leaving that, and would
 * fail if another one had.
 */
static bool waits_for_plain(struct python *python, const struct python_frame *user, struct wait *wait)
{
	wait->call = "Lock.acquire";
	python_name_object(python, user, "threading.", "Lock", wait);
	const size_t holder = find_with(python, wait->object);
	wait->certain = !wait->timed;
	if (holder == python->length)
		return true;
	wait_say(wait, "in a with block");
	return wait_add_holder(wait, (uint32_t)holder);
}

/* It is held by the thread of this pthread_self(), if there is one. */
static bool held_by_ident(struct python *python, uint64_t ident, struct wait *wait)
{
	const size_t holder = ident ? python_thread_of_ident(python, ident) : python->length;
	if (holder == python->length)
		return true;
	wait->certain = !wait->timed;
	return wait_add_holder(wait, (uint32_t)holder);
}

static bool waits_for_reentrant(struct python *python, const struct python_frame *user, struct wait *wait)
{
	uint64_t owner, count;
	wait->call = "RLock.acquire";
	python_name_object(python, user, "threading.", "RLock", wait);
	if (!python_word(python, wait->object + PYTHON_RLOCK_OWNER, &owner) ||
	    !python_word(python, wait->object + PYTHON_RLOCK_COUNT, &count) || !count || count > UINT32_MAX)
		return true;
	wait->count = (uint32_t)count;
	return held_by_ident(python, owner, wait);
}

/* While a module is imported others that import it wait for this. */
static bool waits_for_import(struct python *python, const struct python_frame *frame, struct wait *wait)
{
	uint64_t owner;
	const uint64_t lock = python_local(python, frame, 0);
	if (!python_frame_is(python, frame, "<frozen importlib._bootstrap>", "_ModuleLock", "acquire"))
		return false;
	char *module = python_text(python, python_attribute(python, lock, "name"));
	free(wait->name);
	if (asprintf(&wait->name, "the import of %s", module ? module : "a module") < 0)
		wait->name = NULL;
	free(module);
	wait->object = lock;
	wait->call = "_ModuleLock.acquire";
	if (python_number(python, python_attribute(python, lock, "owner"), &owner))
		held_by_ident(python, owner, wait);
	return true;
}

static bool waits_for_buffer(struct python *python, const struct python_frame *user, struct wait *wait)
{
	char type[PYTHON_TYPE_ROOM];
	wait->call = "acquire_lock";
	python_name_object(python, user, "",
			   python_type_name(python, wait->object, type) ? type : "_io.Buffered", wait);
	return held_by_ident(python, python_pointer(python, wait->object + PYTHON_BUFFER_OWNER), wait);
}

bool python_waits_for_lock(struct python *python, uint32_t t, enum python_lock_type type)
{
	const struct python_thread *thread = &python->threads[t];
	const struct python_frame *user = python_user_frame(thread);
	struct wait *wait = &python->waits[t].wait;
	wait->kind = WAIT_MUTEX;
	switch (type) {
	case PYTHON_REENTRANT:
		return waits_for_reentrant(python, user, wait);
	case PYTHON_BUFFER:
		return waits_for_buffer(python, user, wait);
	default:
		return waits_for_import(python, &thread->frames[0], wait) ||
		       waits_for_plain(python, user, wait);
	}
}

bool python_waits_for_end(struct python *python, uint32_t t, size_t of)
{
	struct wait *wait = &python->waits[t].wait;
	const bool last =
	    python_frame_is(python, &python->threads[t].frames[0], "threading.py", "", "_shutdown");
	wait->kind = WAIT_JOIN;
	wait->call = last ? "threading._shutdown" : "Thread.join";
	wait->object = 0;
	wait->certain = !wait->timed;
	return wait_add_holder(wait, (uint32_t)of);
}

/* The program ends when all its threads have, but for those that are daemons. */
bool python_waits_for_all_ends(struct python *python, uint32_t t)
{
	struct python_wait *found = &python->waits[t];
	for (uint32_t i = 0; i < python->length; i++) {
		uint64_t daemon;
		if (i == t || !python->threads[i].self ||
		    !python_number(python, python_attribute(python, python->threads[i].self, "_daemonic"),
				   &daemon) ||
		    daemon)
			continue;
		found->found = true;
		if (!wait_add_holder(&found->wait, i))
			return false;
	}
	found->wait.kind = WAIT_JOIN;
	found->wait.call = "threading._shutdown";
	found->wait.certain = true;
	return true;
}
