#ifndef FMC_BREAKPOINTS_WAITS_INSPECTOR_H
#define FMC_BREAKPOINTS_WAITS_INSPECTOR_H

#include "breakpoints/names/naming.h"
#include "breakpoints/waits/descriptors.h"
#include <fmc/breakpoints/wait.h>

/* What is known of a snapshot while it is looked at; one for an inspection. */

struct inspector {
	struct snapshot *snapshot;
	struct places *places;
	struct inspection *inspection;
	uint32_t *by_number; /* the threads in ascending order of their numbers */
	struct steps *steps; /* of each thread */
	bool musl;
	uint64_t tid_offset; /* of its number in a thread's description, from fs_base on; 0: not known */
	int glibc;	     /* minor version: 36 of 2.36; 0: not known; -1: not looked for yet */
};

/* A futex wait as the kernel was asked for it. */
struct futex {
	uint32_t thread;
	uint64_t address;
	uint32_t expected; /* the value at which to sleep */
	uint32_t value;	   /* what is there */
	int command;	   /* FUTEX_WAIT ... */
	bool readable;	   /* value was kept */
	bool shared;	   /* other processes may wake it */
	bool timed;
};

#define NOBODY UINT32_MAX

/* The thread that the process itself knows by this number; NOBODY if there is none. */
uint32_t thread_of_number(const struct inspector *inspector, pid_t number);

/* The thread whose description (struct pthread) begins here; NOBODY. */
uint32_t thread_of_description(const struct inspector *inspector, uint64_t address);

/* snapshot_read(); true if all was kept. */
bool inspector_read(const struct inspector *inspector, uint64_t address, void *to, size_t size);

/* The mapping that covers the address; NULL if none does. */
const struct snapshot_mapping *mapping_of(const struct inspector *inspector, uint64_t address);

/* Fill in inspector->steps[thread], and the frames of the inspection. False without memory. */
bool stack_make(struct inspector *inspector, uint32_t thread);

/* A name of the thread: the kernel's, if it is its own, or that of its start routine. Owned; NULL. */
char *thread_name(const struct inspector *inspector, uint32_t thread);

/*
 * What the functions in which the thread stands say of its wait: the innermost one of libc's with a meaning, or the one of C++'s
 * library that waits for a static variable. Further out than that code nothing of the wait is to be found: what has called
 * syscall(2), say, has a word of its own. WAIT_NOTHING: none has. *call takes its public name.
 */
enum wait_kind stack_says(const struct inspector *inspector, uint32_t thread, const char **call);

/* Whose code is it that waits? */
enum waiter {
	WAITER_LIBC,	/* libc's: the word is one of its objects' */
	WAITER_OTHER,	/* somebody else's, through syscall(2) or without */
	WAITER_UNKNOWN, /* in a static program without symbols that can't be told */
};
enum waiter stack_waiter(const struct inspector *inspector, uint32_t thread);

/* The system call in which the thread is, or NO_SYSCALL; what restart_syscall restarts, if that can be told. */
long call_number(const struct inspector *inspector, uint32_t thread);

/* Is the thread of a live process, which runs again, in the very call in which it was found? */
bool call_is_the_same(const struct snapshot *snapshot, const struct snapshot_thread *standing);

/* "futex" ...; NULL: unknown. */
const char *syscall_name(long number);

/* What the thread waits for. */
void wait_find(struct inspector *inspector, uint32_t thread, struct wait *wait);
void wait_on_futex(struct inspector *inspector, const struct futex *futex, struct wait *wait);

/*
 * Is the futex word that of an object of glibc (of musl)? `hint`: what the stack says, WAIT_NOTHING if that isn't known;
 * then memory alone has to be beyond doubt. Fills in what is found.
 */
bool glibc_lock(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		struct wait *wait);
bool glibc_wait(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		struct wait *wait);
bool glibc_meeting(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		   struct wait *wait);
bool musl_wait(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
	       struct wait *wait);

/* A wait of this kind for an object at this address: what is common to all. */
void wait_for(const struct inspector *inspector, const struct futex *futex, enum wait_kind kind,
	      uint64_t object, struct wait *wait);

/*
 * The object is held by the thread of this number, which may be one of another process or of none. Certain where nobody
 * else can let go of it: in memory that isn't shared.
 */
void wait_held_by(const struct inspector *inspector, pid_t number, struct wait *wait);

/* Any thread of the process may end it; certain where nobody else can, and no wake-up is on its way. */
void wait_for_any(const struct inspector *inspector, const struct futex *futex, struct wait *wait);

/* One more holder; false without memory. */
bool wait_add_holder(struct wait *wait, uint32_t thread);

/* Free what it owns, and clear it. */
void wait_release(struct wait *wait);

/* Would a request of the process's own to the kernel (io_uring, asynchronous I/O) do what ends such a wait? */
bool wait_is_requested(enum wait_kind kind);

/* Set the evidence. */
void wait_say(struct wait *wait, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Look at what a thread waits for whose system call is about a descriptor, its first argument. wait->writes is set. */
void wait_on_descriptor(struct inspector *inspector, uint32_t thread, struct wait *wait);
void wait_on_several(struct inspector *inspector, uint32_t thread, struct wait *wait); /* poll, select */
void wait_on_epoll(struct inspector *inspector, uint32_t thread, struct wait *wait);
void wait_on_opening(struct inspector *inspector, uint32_t thread, struct wait *wait); /* open, openat */
void wait_on_file_lock(struct inspector *inspector, uint32_t thread, struct wait *wait);

#endif
