#include "breakpoints/code/unfollowed.h"
#include "breakpoints/code/memory_parts.h"

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 4

struct unfollowed_function {
	struct memory_call call; /* comes first */
	bool missed, watched;
	char name[];
};

/*
 * They touch nothing of the program's, or what no other thread can have: numbers and settings of the process, signal sets on the stack, texts of the thread's own,
 * the functions that begin and end a program; malloc's blocks come from nowhere, and the sampler follows those that give them back.
 */
static const char *const quiet[] = {
    "abort",
    "abs",
    "labs",
    "llabs",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "atexit",
    "on_exit",
    "__libc_start_main",
    "__gmon_start__",
    "__stack_chk_fail",
    "__assert_fail",
    "__assert_perror_fail",
    "__assert",
    "__errno_location",
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "aligned_alloc",
    "memalign",
    "valloc",
    "malloc_usable_size",
    "mmap",
    "mmap64",
    "munmap",
    "mprotect",
    "madvise",
    "getpid",
    "getppid",
    "gettid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getpagesize",
    "sysconf",
    "sched_yield",
    "sched_getcpu",
    "sleep",
    "usleep",
    "alarm",
    "pause",
    "close",
    "dup",
    "dup2",
    "dup3",
    "lseek",
    "lseek64",
    "ftruncate",
    "fchmod",
    "fchown",
    "posix_fadvise",
    "getpriority",
    "setpriority",
    "nice",
    "strerror",
    "wcwidth",
    "iswprint",
    "iswcntrl",
    "fsync",
    "fdatasync",
    "isatty",
    "raise",
    "kill",
    "time",
    "clock",
    "difftime",
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "longjmp",
    "siglongjmp",
    "_longjmp",
    "__longjmp_chk",
    "toupper",
    "tolower",
    "__ctype_b_loc",
    "__ctype_toupper_loc",
    "__ctype_tolower_loc",
    "signal",
    "__sysv_signal",
    "sigpending",
    "sigsuspend",
    "sigaction",
    "sigprocmask",
    "sigemptyset",
    "sigaddset",
    "sigfillset",
    "sigdelset",
    "sigismember",
    "dlopen",
    "dlsym",
    "dlclose",
    "dlerror",
    "call_once",
    "__tls_get_addr",
    "fmc_point",
    "fmc_choose",
    "fmc_access",
    "eventfd",
    "epoll_create1",
    "socket",
    "listen",
    "shutdown",
    "getauxval",
    "__fdelt_chk",
    "ntohs",
    "htons",
    "ntohl",
    "htonl",
    "nanosleep",
    "clock_nanosleep",
    "fflush",
    "flockfile",
    "funlockfile",
    "ftrylockfile",
    "ftruncate64",
    "setsid",
    "setpgid",
    "getpgid",
    "tcgetpgrp",
    "umask",
    "prctl",
    "mlock",
    "posix_madvise",
    "sync_file_range",
    "gnu_get_libc_version",
    "gai_strerror",
    "dirfd",
    "ceil",
    "floor",
    "sqrt",
    "__gxx_personality_v0",
    "_Unwind_Resume",
};

/* The thread library's, whose objects are the model's; the C++ language's own: exceptions, static variables, new, delete, threads. */
static const char *const quiet_kinds[] = {"pthread_",
					  "sem_",
					  "mtx_",
					  "cnd_",
					  "thrd_",
					  "tss_",
					  "__pthread_",
					  "__cxa_",
					  "_Unwind_",
					  "_ITM_",
					  "_Zn",
					  "_Zd",
					  "_ZSt9terminatev",
					  "_ZNSt6thread",
					  "_ZNSt18condition_variable",
					  "_ZNSt9exception",
					  "_ZNSaI",
					  "_ZNSt8ios_base4Init"};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The table is sorted when it is first looked through: a program may have a hundred thousand functions. */
static bool is_in_table(const char *name)
{
	static const char *sorted[sizeof(quiet) / sizeof(quiet[0])];
	if (!sorted[0]) {
		memcpy(sorted, quiet, sizeof(quiet));
		qsort(sorted, sizeof(quiet) / sizeof(quiet[0]), sizeof(quiet[0]), by_name);
	}
	return bsearch(&name, sorted, sizeof(quiet) / sizeof(quiet[0]), sizeof(quiet[0]), by_name) != NULL;
}

static bool is_quiet(const char *name)
{
	if (is_in_table(name))
		return true;
	for (size_t i = 0; i < sizeof(quiet_kinds) / sizeof(quiet_kinds[0]); i++)
		if (strncmp(name, quiet_kinds[i], strlen(quiet_kinds[i])) == 0)
			return true;
	/* std::__throw_system_error(int) and its like end in an exception. */
	return strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_");
}

/* Where the name is or would be. */
static size_t find(const struct unfollowed *unfollowed, const char *name, bool *there)
{
	size_t low = 0, high = unfollowed->length;
	*there = false;
	while (low < high && !*there) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(unfollowed->at[middle]->name, name);
		*there = order == 0;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return *there ? high : low;
}

static struct unfollowed_function *new_function(const char *name)
{
	const size_t bytes = strlen(name) + 1;
	struct unfollowed_function *function = calloc(1, sizeof(*function) + bytes);
	if (!function)
		return NULL;
	memcpy(function->name, name, bytes);
	function->call = (struct memory_call){.name = function->name, .parts = {{.extent = UNKNOWN}}};
	return function;
}

const struct memory_call *unfollowed_add(struct unfollowed *unfollowed, const char *name)
{
	bool there;
	const size_t at = find(unfollowed, name, &there), after = unfollowed->length - at;
	if (there)
		return &unfollowed->at[at]->call;
	if (!*name || is_quiet(name) || memory_calls_find(name))
		return NULL;
	struct unfollowed_function *function = new_function(name);
	if (!function || !ARRAY_DOUBLE(unfollowed->at, unfollowed->length)) {
		free(function);
		unfollowed->failed = true;
		return NULL;
	}
	memmove(unfollowed->at + at + 1, unfollowed->at + at, after * sizeof(*unfollowed->at));
	unfollowed->at[at] = function;
	unfollowed->length++;
	return &function->call;
}

static struct unfollowed_function *function_of(const struct unfollowed *unfollowed, const char *name)
{
	bool there;
	const size_t at = find(unfollowed, name, &there);
	return there ? unfollowed->at[at] : NULL;
}

void unfollowed_may_be_missed(struct unfollowed *unfollowed, const char *name)
{
	struct unfollowed_function *function = function_of(unfollowed, name);
	if (function)
		function->missed = true;
}

void unfollowed_is_watched(struct unfollowed *unfollowed, const char *name)
{
	struct unfollowed_function *function = function_of(unfollowed, name);
	if (function)
		function->watched = true;
}

bool unfollowed_matters(const struct memory_call *call)
{
	return !((const struct unfollowed_function *)call)->watched;
}

void unfollowed_add_missed(const struct unfollowed *from, struct unfollowed *unfollowed)
{
	unfollowed->failed |= from->failed;
	for (size_t i = 0; i < from->length; i++)
		if (from->at[i]->missed && !from->at[i]->watched)
			(void)unfollowed_add(unfollowed, from->at[i]->name);
}

void unfollowed_text(const struct unfollowed *unfollowed, char *text, size_t room)
{
	const size_t length = unfollowed->length, shown = length > NAMED + 1 ? NAMED : length;
	size_t at = 0;
	*text = 0;
	if (unfollowed->failed)
		snprintf(text, room, "functions that aren't followed");
	if (unfollowed->failed || length == 0)
		return;
	for (size_t i = 0; i < shown && at < room; i++)
		at += (size_t)snprintf(text + at, room - at, "%s%.24s",
				       i == 0 ? "functions that aren't followed: " : ", ",
				       unfollowed->at[i]->name);
	if (shown < length && at < room)
		snprintf(text + at, room - at, " and %zu more", length - shown);
}

void unfollowed_release(struct unfollowed *unfollowed)
{
	for (size_t i = 0; i < unfollowed->length; i++)
		free(unfollowed->at[i]);
	free(unfollowed->at);
	*unfollowed = (struct unfollowed){0};
}
