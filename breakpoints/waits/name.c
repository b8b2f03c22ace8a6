#include "breakpoints/op/entry_table.h"
#include "breakpoints/waits/inspector.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the functions of a stack tell: the name of a thread, and what it is about to do. */

/* Run-time libraries' functions that lead to what the program gave them to run. */
static bool leads_on(const char *function)
{
	static const char *const prefixes[] = {"std::",	  "core::",	  "alloc::", "<alloc::",
					       "<core::", "<std::",	  "__rust",  "rust_begin",
					       "_start",  "start_thread", "start",   "__clone",
					       "clone",	  "void std::",	  "boost::", "__libc_start"};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0 &&
		    (strchr(prefixes[i], ':') || strncmp(prefixes[i], "__", 2) == 0 ||
		     strcmp(function, prefixes[i]) == 0))
			return true;
	return false;
}

/* The outermost function of the program's own; if there is none, of a library's. */
static const char *start_routine(const struct steps *steps)
{
	const char *of_library = NULL;
	for (size_t i = steps->length; i > 0; i--) {
		const struct step *step = &steps->at[i - 1];
		if (step->foreign || !step->function || leads_on(step->function))
			continue;
		if (step->program)
			return step->function;
		if (!of_library)
			of_library = step->function;
	}
	return of_library;
}

/* Is it what the kernel calls a thread that nobody has named? */
static bool inherited(const struct inspector *inspector, uint32_t thread)
{
	const char *name = snapshot_thread(inspector->snapshot, thread)->name;
	const char *program = snapshot_program(inspector->snapshot), *slash = strrchr(program, '/');
	const char *base = slash ? slash + 1 : program;
	const char *first = snapshot_thread(inspector->snapshot, 0)->name;
	return !*name || (thread > 0 && strcmp(name, first) == 0) || strncmp(name, base, 15) == 0;
}

char *thread_name(const struct inspector *inspector, uint32_t thread)
{
	if (!inherited(inspector, thread))
		return strdup(snapshot_thread(inspector->snapshot, thread)->name);
	const char *function = inspector->steps[thread].cut ? NULL : start_routine(&inspector->steps[thread]);
	if (function)
		return strdup(function);
	return thread == 0 && !snapshot_is_core(inspector->snapshot) ? strdup("main") : NULL;
}

/* Functions inside libc, by which a wait is known where the public one has been left by a jump. */
static const struct {
	const char *function;
	enum wait_kind kind;
	const char *call; /* NULL: the usual one for the kind */
} inner[] = {
    {"pthread_mutex_lock_full", WAIT_MUTEX, NULL},
    {"pthread_mutex_cond_lock", WAIT_MUTEX, "pthread_cond_wait"},
    {"pthread_mutex_cond_lock_full", WAIT_MUTEX, "pthread_cond_wait"},
    {"pthread_mutex_clocklock_common", WAIT_MUTEX, NULL},
    {"pthread_cond_wait_common", WAIT_COND, NULL},
    {"pthread_clockjoin_ex", WAIT_JOIN, NULL},
    {"pthread_timedjoin_ex", WAIT_JOIN, NULL},
    {"pthread_once_slow", WAIT_ONCE, "pthread_once"},
    {"new_sem_wait_slow", WAIT_SEMAPHORE, NULL},
    {"pthread_rwlock_rdlock_full", WAIT_READ, NULL},
    {"pthread_rwlock_wrlock_full", WAIT_WRITE, NULL},
};

static bool inner_says(const char *function, enum wait_kind *kind, const char **call)
{
	const char *bare = function + strspn(function, "_");
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		size_t length = strlen(inner[i].function);
		/* 64: the same for the wider type of times. */
		if (strncmp(bare, inner[i].function, length) != 0 ||
		    (bare[length] && strncmp(bare + length, "64", 2) != 0 && bare[length] != '.'))
			continue;
		*kind = inner[i].kind;
		*call = inner[i].call;
		return true;
	}
	return false;
}

static enum wait_kind kind_of_operation(enum op_kind kind)
{
	static const enum wait_kind kinds[CLASS_ALL] = {
	    [CLASS_THREAD] = WAIT_JOIN,	 [CLASS_MUTEX] = WAIT_MUTEX,	 [CLASS_COND] = WAIT_COND,
	    [CLASS_RWLOCK] = WAIT_WRITE, [CLASS_BARRIER] = WAIT_BARRIER, [CLASS_SPIN] = WAIT_SPIN,
	    [CLASS_ONCE] = WAIT_ONCE,	 [CLASS_SEM] = WAIT_SEMAPHORE,
	};
	if (op_reads(kind))
		return op_waits(kind) ? WAIT_READ : WAIT_NOTHING;
	return op_waits(kind) ? kinds[op_class(kind)] : WAIT_NOTHING;
}

/* libc's way into the kernel for everybody. */
static bool is_door(const struct step *step)
{
	return step->libc && step->function && strcmp(step->function, "syscall") == 0;
}

enum waiter stack_waiter(const struct inspector *inspector, uint32_t thread)
{
	const struct steps *steps = &inspector->steps[thread];
	const struct module *program =
	    inspector->places->modules.length ? &inspector->places->modules.at[0] : NULL;
	if (steps->length && steps->at[0].libc)
		return is_door(&steps->at[0]) ? WAITER_OTHER : WAITER_LIBC;
	bool told = inspector->places->libc_low < inspector->places->libc_high;
	return program && program->is_static && !told ? WAITER_UNKNOWN : WAITER_OTHER;
}

/* Beside libc's own only the guards of C++'s library are looked for: they wait through syscall(2). */
static bool says(const struct step *step, enum wait_kind *kind, const char **call)
{
	if (!step->function)
		return false;
	if (step->libc && inner_says(step->function, kind, call))
		return true;
	const struct entry_point *point = entry_point_find(step->function);
	*kind = point && (step->libc || point->kind == OP_GUARD_ACQUIRE) ? kind_of_operation(point->kind)
									 : WAIT_NOTHING;
	if (*kind != WAIT_NOTHING)
		*call = point->name;
	return *kind != WAIT_NOTHING;
}

enum wait_kind stack_says(const struct inspector *inspector, uint32_t thread, const char **call)
{
	const struct steps *steps = &inspector->steps[thread];
	enum wait_kind kind;
	for (size_t i = 0; i < steps->length && steps->at[i].library; i++) {
		if (says(&steps->at[i], &kind, call))
			return kind;
		if (!steps->at[i].libc)
			break;
	}
	return WAIT_NOTHING;
}
