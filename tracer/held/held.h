#ifndef FMC_TRACER_HELD_HELD_H
#define FMC_TRACER_HELD_HELD_H

#include "tracer/proc/proc.h"

#include <fmc/tracer/image_file.h>
#include <sys/user.h>

/*
 * A foreign process that is held: how its threads are stopped, asked and let go. Its waits and resumptions are apart from those
 * of targets: what runs here isn't fmc's, has no traps, and is let go by PTRACE_DETACH. Every waitpid() for a held thread
 * and every request that lets one run is in held_stop.c, but for the letting go.
 *
 * Should fmc be killed, the kernel lets all threads go; the stop at a signal's delivery is never taken from the kernel by
 * waiting for it, so that the signal is delivered then, too.
 */
struct held_thread {
	pid_t tid, number;	      /* as this machine and as the process itself number it */
	struct user_regs_struct regs; /* as it stood */
	uint64_t mask;
	bool job_stopped; /* by SIGSTOP and the like, before fmc came */
	bool standing;	  /* it has come to its stop */
	bool gone;
};

struct held {
	pid_t pid;
	struct snapshot *snapshot;   /* owns the folder */
	struct held_thread *threads; /* the main thread first, then by age */
	uint32_t length, room;
	int folder, memory; /* /proc/PID, and mem in it */
	bool gone;
};

enum status held_read(const struct held *held, uint64_t address, void *to, size_t size);
enum status held_write(const struct held *held, uint64_t address, const void *from, size_t size);

/* Of a stopped thread. */
enum status held_set_regs(struct held_thread *thread, const struct user_regs_struct *regs);

/*
 * The registers with which a stopped thread goes on as if nothing had been, also where the kernel knows nothing of the system
 * call that it was in: before that, which begins anew; *call is it, or -1. False: it isn't to be told which it was.
 */
bool held_begin_anew(const struct held *held, const struct held_thread *thread, struct user_regs_struct *regs,
		     int64_t *call);

/* Let a stopped thread run to its next stop at the beginning or the end of a system call. STATUS_GONE: it is dead. */
enum status held_to_call(struct held *held, struct held_thread *thread);

/* Wait for the stop of a thread that has been interrupted. STATUS_TIMEOUT: it waits for a device. */
enum status held_await_rest(struct held_thread *thread);

/* Let it run on to a stop at which it can be left, before it executes any instruction. */
enum status held_to_rest(struct held *held, struct held_thread *thread);

/*
 * Out of a critical section of rseq(2), as the kernel would lead it because it has been stopped; when it has run elsewhere
 * meanwhile the kernel wouldn't know of the section any more.
 */
enum status held_leave_section(struct held *held, struct held_thread *thread);

/* Is a signal on its way to it, or to whichever thread takes it? blocked: only those that are held back. */
bool held_has_signals(const struct held_thread *thread, bool blocked, int *signal);

/* The number after `key` in /proc/PID/status, read with this base; `otherwise` if there is none. */
uint64_t held_status(const struct held *held, const char *key, int base, uint64_t otherwise);

/*
 * held_call.c: system calls that a held thread performs for fmc. If fmc ends in the middle, the thread goes back to where it was
 * by itself: it runs on a chain of return addresses below its stack, whose end restores all of its registers.
 */
struct held_asked {
	struct held *held;
	struct held_thread *thread;
	uint64_t base, size; /* of the bytes below the stack that are in use */
	uint8_t *before;     /* what stood there */
	uint64_t scratch;    /* HELD_SCRATCH bytes there, for arguments and results */
	uint64_t chain;	     /* the stack pointer that calls begin with */
};
#define HELD_SCRATCH 256

/* Code of the process that the chain is made of. STATUS_UNSUPPORTED: it has none. */
struct held_gadgets {
	uint64_t call;	 /* syscall; ret */
	uint64_t number; /* pop rax; ret */
};
enum status held_find_gadgets(const struct held *held, struct held_gadgets *gadgets);

/* STATUS_UNSUPPORTED: there is no room below its stack, and nothing has been done. */
enum status held_ask(struct held *held, struct held_thread *thread, const struct held_gadgets *gadgets,
		     struct held_asked *asked);
enum status held_call(struct held_asked *asked, const struct held_gadgets *gadgets, long number,
		      const uint64_t arguments[6], int64_t *result);
/* Back to where it was. */
enum status held_asked_end(struct held_asked *asked);

#endif
