#include "breakpoints/op/entry_table.h"
#include "breakpoints/waits/inspector.h"
#include <fmc/breakpoints/op.h>
#include <fmc/tracer/array.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *wait_kind_name(enum wait_kind kind)
{
	static const char *const names[WAIT_KINDS] = {"nothing", "mutex",   "cond",   "semaphore", "read",
						      "write",	 "barrier", "join",   "once",	   "spin",
						      "futex",	 "pipe",    "socket", "file-lock", "child",
						      "sleep",	 "poll",    "signal", "syscall",   "stopped"};
	return (unsigned)kind < WAIT_KINDS ? names[kind] : "unknown";
}

uint64_t wait_object_bytes(const struct wait *wait)
{
	static const enum object_class classes[WAIT_KINDS] = {
	    [WAIT_MUTEX] = CLASS_MUTEX, [WAIT_COND] = CLASS_COND,    [WAIT_SEMAPHORE] = CLASS_SEM,
	    [WAIT_READ] = CLASS_RWLOCK, [WAIT_WRITE] = CLASS_RWLOCK, [WAIT_BARRIER] = CLASS_BARRIER};
	bool libc = wait->call && !strstr(wait->call, "::") && strcmp(wait->call, "flockfile") != 0;
	const uint32_t bytes = class_bytes(classes[wait->kind]);
	return libc && bytes ? bytes : sizeof(uint32_t);
}

/* The function of libc that waits so, where the stack doesn't name it. */
static const char *usual_call(enum wait_kind kind, bool timed)
{
	switch (kind) {
	case WAIT_MUTEX:
		return timed ? "pthread_mutex_timedlock" : "pthread_mutex_lock";
	case WAIT_COND:
		return timed ? "pthread_cond_timedwait" : "pthread_cond_wait";
	case WAIT_SEMAPHORE:
		return timed ? "sem_timedwait" : "sem_wait";
	case WAIT_READ:
		return timed ? "pthread_rwlock_timedrdlock" : "pthread_rwlock_rdlock";
	case WAIT_WRITE:
		return timed ? "pthread_rwlock_timedwrlock" : "pthread_rwlock_wrlock";
	case WAIT_BARRIER:
		return "pthread_barrier_wait";
	case WAIT_JOIN:
		return timed ? "pthread_timedjoin_np" : "pthread_join";
	case WAIT_ONCE:
		return "pthread_once";
	default:
		return "futex";
	}
}

void wait_for(const struct inspector *inspector, const struct futex *futex, enum wait_kind kind,
	      uint64_t object, struct wait *wait)
{
	const char *call = NULL;
	wait->kind = kind;
	wait->object = object;
	wait->timed = futex->timed;
	stack_says(inspector, futex->thread, &call);
	/* A libc may wait in its function with a time-out also without one. */
	const struct entry_point *point = call ? entry_point_find(call) : NULL;
	bool own = point && (futex->timed || point->timeout < 0);
	wait->call = own ? call : usual_call(kind, futex->timed);
}

bool wait_add_holder(struct wait *wait, uint32_t thread)
{
	if (!ARRAY_ONE_MORE(wait->holders, wait->holders_length))
		return false;
	wait->holders[wait->holders_length++] = thread;
	return true;
}

void wait_release(struct wait *wait)
{
	free(wait->name);
	free(wait->holders);
	free(wait->detail);
	free(wait->reach.at);
	*wait = (struct wait){0};
}

bool wait_is_requested(enum wait_kind kind)
{
	return kind == WAIT_PIPE || kind == WAIT_SOCKET || kind == WAIT_FUTEX;
}

void wait_say(struct wait *wait, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	free(wait->detail);
	wait->detail = strdup(text);
}

/* Numbers of threads outside of the process are the machine's only if the process sees them as we do. */
static bool exists(const struct inspector *inspector, pid_t number)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", (int)number);
	const struct snapshot_thread *first = snapshot_thread(inspector->snapshot, 0);
	return first->tid != first->number || access(path, F_OK) == 0;
}

/* Memory that other processes may have, too. A core file doesn't say it: there every file may be that is no program's. */
static bool is_shared(const struct inspector *inspector, uint64_t address)
{
	const struct snapshot_mapping *mapping = mapping_of(inspector, address);
	if (!mapping || mapping->shared || inspector->inspection->sharer != 0)
		return true;
	return snapshot_is_core(inspector->snapshot) && mapping->path && mapping->path[0] == '/' &&
	       !modules_find(&inspector->places->modules, address);
}

void wait_for_any(const struct inspector *inspector, const struct futex *futex, struct wait *wait)
{
	uint64_t object = wait->object ? wait->object : futex->address;
	/* One that stood or slept in the call had not been woken, whatever stands in the word by now. */
	bool asleep = !snapshot_is_core(inspector->snapshot) &&
		      snapshot_thread(inspector->snapshot, futex->thread)->state != 'R';
	wait->certain =
	    !wait->timed && (asleep || futex->value == futex->expected) && !is_shared(inspector, object);
}

void wait_held_by(const struct inspector *inspector, pid_t number, struct wait *wait)
{
	uint32_t holder = thread_of_number(inspector, number);
	bool shared = is_shared(inspector, wait->object);
	if (holder != NOBODY) {
		wait->certain = wait_add_holder(wait, holder) && !shared && !wait->timed;
		return;
	}
	wait->outsider = number;
	wait->outsider_dead =
	    !shared || (!snapshot_is_core(inspector->snapshot) && !exists(inspector, number));
	wait->certain = wait->outsider_dead && !shared && !wait->timed;
}
