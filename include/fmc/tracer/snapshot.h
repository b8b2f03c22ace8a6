#ifndef FMC_TRACER_SNAPSHOT_H
#define FMC_TRACER_SNAPSHOT_H

#include <fmc/tracer/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/*
 * A snapshot: a process that isn't fmc's, as it stood at one moment. Of a live process all threads are stopped for some
 * milliseconds, what a report needs is copied, and they are let go before anything slow is done; a core file is the same
 * without the process.
 *
 * Nothing is ever written to the process, no signal is sent to it, and no system call of it is cut short in a way that it could
 * notice (LIMITS.md 11), but for one: a write to a pipe or socket that fills up in the microseconds in which its thread, which
 * was running before, is stopped, may return with a part written, as after any signal.
 */
struct snapshot;

/* No system call: the thread was running code of its own. */
#define NO_SYSCALL (-1)

struct snapshot_thread {
	pid_t tid;     /* as this machine numbers it */
	pid_t number;  /* as the process itself does (pid namespaces); what stands in its mutexes */
	char name[64]; /* the kernel's name of it, which pthread_setname_np() sets; empty: not known */
	char state;    /* as in proc(5): R, S, D, T, Z ...; 0: not known */
	/*
	 * partial: the thread wasn't stopped, since it sleeps in a system call that this would have cut short, or can't be
	 * (state D). rip and rsp are right then, fs_base is right or 0, the others are 0. In state R (it was about to sleep
	 * so) or Z rip and rsp are 0, too.
	 */
	struct user_regs_struct regs;
	bool partial;
	long
	    syscall; /* in which it is, or NO_SYSCALL; SYS_restart_syscall: one that was interrupted before */
	uint64_t arguments[6];
	uint64_t cpu_ns;  /* processor time so far */
	uint64_t started; /* in clock ticks since the system was started; 0: not known */
};

struct snapshot_mapping {
	uint64_t low, high;
	uint64_t offset; /* in the file */
	bool readable, writable, executable, shared;
	uint64_t device, inode; /* 0 without a file */
	const char *path; /* as the process sees it; "[heap]", "[stack]" ...; NULL: none. The snapshot's. */
};

/*
 * Look at a live process. `standing` (may be NULL) is called while nothing of it runs: what it reads with snapshot_read() is
 * kept as it is then; it has to be quick, and runs on a thread of its own. The threads' stacks, from their stack pointers on,
 * and libc's structs at fs_base are kept in any case. A partial thread may run during that; if it did, its state is R
 * in the end.
 *
 * STATUS_OK: all threads run again. Otherwise *snapshot is NULL, `why` holds one line for the user that says what to do, and
 * the process is as it was: STATUS_NOT_FOUND (no such process, or it ended meanwhile), STATUS_DENIED (not permitted, traced
 * by another), STATUS_UNSUPPORTED (32-bit, a zombie, a kernel thread), STATUS_INTERRUPTED, STATUS_NO_MEMORY.
 */
enum status snapshot_take(pid_t pid, void (*standing)(void *context, struct snapshot *snapshot),
			  void *context, struct snapshot **snapshot, char why[256]);

/*
 * A process of fmc's own, all of whose threads stand and stay so until the snapshot is freed: they are numbered as its tracees
 * are, those without registers left out. STATUS_OK; STATUS_GONE, STATUS_NO_MEMORY with *snapshot NULL.
 */
struct target;
enum status snapshot_of_target(struct target *target, struct snapshot **snapshot);

/* Look at a core file; program: the file that it is of, NULL: as the core file says. STATUS_NOT_FOUND, STATUS_MALFORMED,
 * STATUS_UNSUPPORTED, STATUS_NO_MEMORY with *snapshot NULL and `why`. */
enum status snapshot_of_core(const char *path, const char *program, struct snapshot **snapshot,
			     char why[256]);

void snapshot_free(struct snapshot *snapshot); /* NULL is allowed */

pid_t snapshot_pid(const struct snapshot *snapshot); /* 0: not known */
bool snapshot_is_core(const struct snapshot *snapshot);
int snapshot_signal(const struct snapshot *snapshot); /* that made the core file; 0: none */
/* The number of the thread that got it by its own doing; 0: none, or it was sent from outside. */
pid_t snapshot_signalled(const struct snapshot *snapshot);
uint64_t snapshot_still_ns(const struct snapshot *snapshot); /* how long the process stood still */
const char *snapshot_program(
    const struct snapshot *snapshot); /* path of the program as the process sees it; never NULL */
uint64_t snapshot_auxiliary(const struct snapshot *snapshot,
			    uint64_t type); /* of its auxiliary vector; 0: none */

/* The main thread first, then in the order in which they were made; of a core file as far as their numbers tell it. */
size_t snapshot_threads(const struct snapshot *snapshot);
const struct snapshot_thread *snapshot_thread(const struct snapshot *snapshot, size_t i);

/* In ascending order of addresses. */
size_t snapshot_mappings(const struct snapshot *snapshot);
const struct snapshot_mapping *snapshot_mapping(const struct snapshot *snapshot, size_t i);

/*
 * Memory as it was then. STATUS_NOT_FOUND: not all of it was kept. What can't have been changed since (mapped from a file,
 * not writable) can always be read.
 */
enum status snapshot_read(struct snapshot *snapshot, uint64_t address, void *to, size_t size);

/* Does the live process still have there what was copied? False also if that can't be told. */
bool snapshot_unchanged(struct snapshot *snapshot, uint64_t address, size_t size);

/*
 * Open a mapped file as the process sees it (through its own root: containers; or though it was deleted). A descriptor to
 * be closed; -1: it can't be had.
 */
int snapshot_open(const struct snapshot *snapshot, const struct snapshot_mapping *mapping);

#endif
