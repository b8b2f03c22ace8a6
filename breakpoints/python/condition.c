#include "breakpoints/python/wait.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Waiting for what Python's library makes of locks: conditions, events, semaphores, barriers, queues, futures. */

#define CLIMB_MOST 8 /* frames of the library around a wait */

/* Functions of Python's library that wait, and what for. */
static const struct method {
	const char *file, *type, *name, *call;
	enum wait_kind kind;
} methods[] = {
    {"threading.py", "Condition", "wait", "Condition.wait", WAIT_COND},
    {"threading.py", "Condition", "wait_for", "Condition.wait_for", WAIT_COND},
    {"threading.py", "Event", "wait", "Event.wait", WAIT_COND},
    {"threading.py", "Semaphore", "acquire", "Semaphore.acquire", WAIT_SEMAPHORE},
    {"threading.py", "BoundedSemaphore", "acquire", "Semaphore.acquire", WAIT_SEMAPHORE},
    {"threading.py", "Barrier", "_wait", "Barrier.wait", WAIT_BARRIER},
    {"threading.py", "Barrier", "_enter", "Barrier.wait", WAIT_BARRIER},
    {"threading.py", "Barrier", "wait", "Barrier.wait", WAIT_BARRIER},
    {"queue.py", "Queue", "get", "Queue.get", WAIT_COND},
    {"queue.py", "Queue", "put", "Queue.put", WAIT_COND},
    {"queue.py", "Queue", "join", "Queue.join", WAIT_COND},
    {"_base.py", "Future", "result", "Future.result", WAIT_COND},
    {"_base.py", "Future", "exception", "Future.exception", WAIT_COND},
};

static const struct method *method_of(struct python *python, const struct python_frame *frame)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (python_frame_is(python, frame, methods[i].file, methods[i].type, methods[i].name))
			return &methods[i];
	return NULL;
}

static void set_name(struct wait *wait, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set_name(struct wait *wait, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	free(wait->name);
	if (vasprintf(&wait->name, format, arguments) < 0)
		wait->name = NULL;
	va_end(arguments);
}

void python_name_object(struct python *python, const struct python_frame *user, const char *module,
			const char *type, struct wait *wait)
{
	const char *variable = python_variable(python, user, wait->object);
	if (variable)
		set_name(wait, "%s%s %s", module, type, variable);
	else
		set_name(wait, "%s%s at 0x%llx", module, type, (unsigned long long)wait->object);
}

/*
 * Waiting for a condition is waiting for a lock of the thread's own that notify() unlocks. The functions around it say what
 * it is for: an event, a queue.
 */
bool python_waits_for_condition(struct python *python, uint32_t t)
{
	const struct python_thread *thread = &python->threads[t];
	const struct method *method = method_of(python, &thread->frames[0]);
	const struct python_frame *frame = &thread->frames[0];
	if (method != &methods[0])
		return false;
	for (size_t i = 1; i < thread->frames_length && i < CLIMB_MOST; i++) {
		const struct method *outer = method_of(python, &thread->frames[i]);
		if (!outer)
			break;
		method = outer;
		frame = &thread->frames[i];
	}
	char type[PYTHON_TYPE_ROOM];
	struct wait *wait = &python->waits[t].wait;
	wait->kind = method->kind;
	wait->call = method->call;
	wait->object = python_local(python, frame, 0);
	wait->certain = !wait->timed;
	wait->handler = t == 0;
	const bool known = python_type_name(python, wait->object, type);
	const char *module = strcmp(method->file, "queue.py") == 0	 ? "queue."
			     : strcmp(method->file, "threading.py") == 0 ? "threading."
									 : "";
	const bool own = known && !strstr(type, method->type);
	python_name_object(python, python_user_frame(thread), own ? "" : module, known ? type : method->type,
			   wait);
	return true;
}

void python_waits_for_simple_queue(struct python *python, uint32_t t)
{
	struct wait *wait = &python->waits[t].wait;
	wait->kind = WAIT_COND;
	wait->call = "SimpleQueue.get";
	wait->certain = !wait->timed;
	wait->handler = t == 0;
	python_name_object(python, python_user_frame(&python->threads[t]), "queue.", "SimpleQueue", wait);
}
