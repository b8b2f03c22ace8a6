#include "breakpoints/waits/inspector.h"
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

/* What a thread waits for that sleeps on a futex word. */

/* libstdc++ marks a guard's first word so while a thread initialises and others sleep: pending, waiting. */
#define GUARD_PENDING 0x100u
#define GUARD_WAITING 0x10000u

#define RUST_FRAMES 4 /* from the system call to the function that waits */

static bool in_once(const struct step *step)
{
	return step->function && strstr(step->function, "pthread_once");
}

/* Within libc its function may have no name. */
static bool may_be_once(const struct step *step)
{
	return step->library && (!step->function || in_once(step));
}

/*
 * Does one of the thread's frames of pthread_once() hold the word's address? Of the thread that waits: another one than that in
 * which it does.
 */
static bool runs_once(struct inspector *inspector, uint32_t thread, const struct futex *futex)
{
	const struct steps *steps = &inspector->steps[thread];
	bool own = thread == futex->thread;
	size_t first = own ? 0 : 1;
	while (own && first < steps->length && !in_once(&steps->at[first++]))
		;
	for (size_t i = first; i + 1 < steps->length; i++) {
		uint64_t word, at = steps->at[i].stack;
		if (at == 0 || !(own ? in_once(&steps->at[i]) : may_be_once(&steps->at[i])))
			continue;
		for (; at < steps->at[i + 1].stack; at += sizeof(word))
			if (inspector_read(inspector, at, &word, sizeof(word)) && word == futex->address)
				return true;
	}
	return false;
}

/* The function that has the static variable: the one that called __cxa_guard_acquire(). NULL without symbols. */
static const char *guarded(const struct inspector *inspector, uint32_t thread, size_t *frame)
{
	const struct steps *steps = &inspector->steps[thread];
	for (*frame = 1; *frame < steps->length; ++*frame)
		if (!steps->at[*frame].library)
			return steps->at[*frame].function;
	return NULL;
}

/* Is the thread in that function, too, but farther: in what the function calls? */
static bool runs_guarded(struct inspector *inspector, uint32_t thread, const struct futex *futex)
{
	size_t own, frame;
	const char *function = guarded(inspector, futex->thread, &own);
	const struct steps *steps = &inspector->steps[thread], *waiting = &inspector->steps[futex->thread];
	for (frame = 1; function && frame < steps->length; frame++)
		if (steps->at[frame].function == function && steps->at[frame].pc != waiting->at[own].pc)
			return true;
	return false;
}

/* The only thread that may be running the initialisation; NOBODY if there is none or more than one. */
static uint32_t find_runner(struct inspector *inspector, const struct futex *futex, bool guard)
{
	uint32_t found = NOBODY;
	for (uint32_t t = 0; t < inspector->inspection->length; t++) {
		if (guard ? t == futex->thread || !runs_guarded(inspector, t, futex)
			  : !runs_once(inspector, t, futex))
			continue;
		if (found != NOBODY)
			return NOBODY;
		found = t;
	}
	return found;
}

/* For a guard the runner is only likely: the function may have come to call something else. */
static void is_once(struct inspector *inspector, const struct futex *futex, bool guard, struct wait *wait)
{
	wait_for(inspector, futex, WAIT_ONCE, futex->address, wait);
	if (guard)
		wait->call = "__cxa_guard_acquire";
	wait_for_any(inspector, futex, wait);
	uint32_t runner = find_runner(inspector, futex, guard);
	if (runner != NOBODY && wait_add_holder(wait, runner))
		wait->certain = wait->certain && !guard;
	wait_say(wait, "initialisation is under way");
}

static bool is_guard(const struct futex *futex)
{
	return (futex->expected & ~GUARD_PENDING) == GUARD_WAITING && futex->shared &&
	       futex->value == futex->expected;
}

/* Which thread the kernel's word for its end belongs to. */
static bool is_join(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		    struct wait *wait)
{
	uint32_t ends = thread_of_number(inspector, (pid_t)futex->expected);
	if (!futex->shared || ends == NOBODY || ends == futex->thread || futex->value != futex->expected)
		return false;
	uint64_t description = snapshot_thread(inspector->snapshot, ends)->regs.fs_base;
	bool fits = inspector->tid_offset && !snapshot_thread(inspector->snapshot, ends)->partial
			? futex->address == description + inspector->tid_offset
			: hint == WAIT_JOIN;
	/* A thread of which no registers are known: its description begins with its own address. */
	uint64_t self;
	if (!fits && inspector->tid_offset &&
	    inspector_read(inspector, futex->address - inspector->tid_offset, &self, sizeof(self)))
		fits = self == futex->address - inspector->tid_offset;
	if (!fits)
		return false;
	wait_for(inspector, futex, WAIT_JOIN, 0, wait);
	wait->certain = wait_add_holder(wait, ends) && !futex->timed;
	return true;
}

static bool contains(const char *text, const char *part)
{
	return text && strstr(text, part);
}

static const struct rust_wait {
	const char *part, *end;
	enum wait_kind kind;
	const char *call;
} rust_waits[] = {
    {"futex::Mutex", "::lock_contended", WAIT_MUTEX, "Mutex::lock"},
    {"futex::Condvar", "::wait_optional_timeout", WAIT_COND, "Condvar::wait"},
    {"futex::Condvar", "::wait_timeout", WAIT_COND, "Condvar::wait_timeout"},
    {"futex::Condvar", "::wait", WAIT_COND, "Condvar::wait"},
    {"futex::RwLock", "::read_contended", WAIT_READ, "RwLock::read"},
    {"futex::RwLock", "::write_contended", WAIT_WRITE, "RwLock::write"},
    {"sync::barrier::Barrier", "::wait", WAIT_BARRIER, "Barrier::wait"},
    {"once::futex::Once", "::call", WAIT_ONCE, "Once::call_once"},
    {"once::futex::Once", "::wait", WAIT_ONCE, "Once::wait"},
    {"std::thread", "::park", WAIT_FUTEX, "thread::park"},
    {"std::thread", "::park_timeout", WAIT_FUTEX, "thread::park_timeout"},
};

static const struct rust_wait *rust_wait_of(const char *function)
{
	for (size_t i = 0; function && i < sizeof(rust_waits) / sizeof(rust_waits[0]); i++) {
		size_t length = strlen(function), end = strlen(rust_waits[i].end);
		if (length > end && strcmp(function + length - end, rust_waits[i].end) == 0 &&
		    strstr(function, rust_waits[i].part))
			return &rust_waits[i];
	}
	return NULL;
}

/* Rust's locks are single words that keep no owner; only the functions' names tell what they are. */
static bool is_rust(struct inspector *inspector, const struct futex *futex, struct wait *wait)
{
	const struct steps *steps = &inspector->steps[futex->thread];
	const struct rust_wait *found = NULL;
	for (size_t i = 0; i < steps->length && i < RUST_FRAMES && !found; i++)
		found = rust_wait_of(steps->at[i].function);
	if (!found)
		return false;
	wait->kind = found->kind;
	wait->call = found->call;
	wait->object = futex->address;
	wait->timed = futex->timed;
	wait_for_any(inspector, futex, wait);
	wait_say(wait, "a futex word of Rust's, which keeps no owner");
	return true;
}

static void is_word(const struct inspector *inspector, const struct futex *futex, struct wait *wait)
{
	const struct steps *steps = &inspector->steps[futex->thread];
	wait->kind = WAIT_FUTEX;
	wait->call = "futex";
	wait->object = futex->address;
	wait->timed = futex->timed;
	if (futex->readable)
		wait_for_any(inspector, futex, wait);
	for (size_t i = 0; i < steps->length && i < 3; i++)
		if (contains(steps->at[i].function, "lll_lock_wait_private"))
			wait_say(wait, "a lock of libc's own");
	if (!wait->detail && futex->readable)
		wait_say(wait, "value %u", futex->value);
}

/* One of libc's objects. */
static bool is_object(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		      struct wait *wait)
{
	if (hint == WAIT_ONCE) {
		is_once(inspector, futex, false, wait);
		return true;
	}
	return inspector->musl
		   ? musl_wait(inspector, futex, hint, wait)
		   : glibc_lock(inspector, futex, hint, wait) || glibc_wait(inspector, futex, hint, wait);
}

/* What looks like such an object, in code of which nothing is known, may be anything. */
static void mark_guess(const struct inspector *inspector, const struct futex *futex, struct wait *wait)
{
	wait->guessed = true;
	wait_for_any(inspector, futex, wait);
}

void wait_on_futex(struct inspector *inspector, const struct futex *futex, struct wait *wait)
{
	const char *call = NULL;
	const enum wait_kind hint = stack_says(inspector, futex->thread, &call);
	const enum waiter waiter = stack_waiter(inspector, futex->thread);
	const bool guard = hint == WAIT_ONCE && strcmp(call, "__cxa_guard_acquire") == 0;
	if (!futex->readable) {
		is_word(inspector, futex, wait);
		return;
	}
	if (is_guard(futex) && (guard || waiter == WAITER_UNKNOWN)) {
		is_once(inspector, futex, true, wait);
		return;
	}
	if (is_join(inspector, futex, hint, wait) || is_rust(inspector, futex, wait))
		return;
	if (waiter == WAITER_OTHER || !is_object(inspector, futex, hint, wait))
		is_word(inspector, futex, wait);
	else if (waiter == WAITER_UNKNOWN)
		mark_guess(inspector, futex, wait);
}
