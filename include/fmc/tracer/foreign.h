#ifndef FMC_TRACER_FOREIGN_H
#define FMC_TRACER_FOREIGN_H

#include <fmc/tracer/target.h>

/*
 * A foreign process that fmc didn't start, whose threads are traced for a while: they stop at both ends of each system call.
 *
 * The process must be none the worse for it whenever its tracer ends, be it by SIGKILL between two instructions. Then the
 * kernel lets all threads go from where they stand. So no thread is ever stepped, no trap instruction is written, no register
 * is changed but where the thread goes on rightly with the new ones; a stop before the delivery of a signal isn't reaped
 * (WNOWAIT), since the kernel then still knows the signal when the tracer is gone; and a system call that answers EINTR
 * because it was stopped is told to begin again. One thing is out of reach: a thread that stands right before a system call
 * when its tracer ends is in it with a signal pending, which makes epoll_wait() and its kin answer EINTR. So no thread is left
 * there for long, and a tracer should be a process that nobody has a reason to kill.
 *
 * Nothing detaches a thread, which would have the same effect: the threads are let go by the end of the thread of fmc that
 * has traced them, which leaves alone those that sleep in a system call. Everything here is to be called by one thread.
 *
 * Every wait for such a process is in tracer/foreign/wait.c, every request that lets a thread of it run in tracer/foreign/hold.c.
 */
struct foreign;

enum foreign_kind {
	FOREIGN_NONE,	   /* nothing has been heard of the thread yet */
	FOREIGN_CALL,	   /* before a system call, which isn't begun */
	FOREIGN_RETURN,	   /* after a system call, still in the kernel */
	FOREIGN_PAUSED,	   /* after foreign_interrupt() */
	FOREIGN_BORN,	   /* a new thread, which has run nothing yet */
	FOREIGN_SIGNAL,	   /* signal `number` is about to be delivered: resume at once, which delivers it */
	FOREIGN_SUSPENDED, /* by job control: resuming doesn't make it run */
	FOREIGN_EXITED,	   /* the thread is gone; resume nothing */
	FOREIGN_EXEC,	   /* the process has replaced its image, this is its only thread */
	FOREIGN_ENDED,	   /* the process is gone; value as waitpid() gives it */
};

struct foreign_event {
	enum foreign_kind kind;
	struct tracee *tracee; /* NULL with FOREIGN_ENDED */
	long number;	       /* FOREIGN_CALL: system call; FOREIGN_SIGNAL: signal */
	uint64_t arguments[6]; /* FOREIGN_CALL */
	uint64_t rip, rsp;     /* FOREIGN_CALL, FOREIGN_RETURN */
	int value;
};

/*
 * A process that isn't traced yet; its memory can be read. STATUS_OK; else *foreign is NULL and `why` holds a line for the
 * user: STATUS_NOT_FOUND, STATUS_DENIED, STATUS_NO_MEMORY.
 */
enum status foreign_new(pid_t pid, struct foreign **foreign, char why[256]);

/*
 * Trace all its threads and stop them. SIGCHLD should be blocked in all threads of the caller. STATUS_OK; else `why` holds a
 * line: STATUS_NOT_FOUND, STATUS_DENIED, STATUS_TIMEOUT (a thread doesn't stop, or is in the middle of a transfer that must
 * not be cut short), STATUS_NO_MEMORY. In this case, too, the calling thread has to end for all to be let go.
 */
enum status foreign_open(struct foreign *foreign, char why[256]);

/*
 * Threads that stand right before a system call go into it. The last thing before the calling thread ends.
 */
void foreign_release(struct foreign *foreign);

/* Forgets the process. Its threads are let go when the calling thread ends. NULL is allowed. */
void foreign_free(struct foreign *foreign);

/* The process and its threads, to read registers and memory. None of its functions that let run may be called. */
struct target *foreign_target(const struct foreign *foreign);

/* What the thread was last seen at. */
const struct foreign_event *foreign_standing(const struct foreign *foreign, const struct tracee *tracee);

/* Is it let go into a system call, from which it will come back with a stop? */
bool foreign_in_call(const struct foreign *foreign, const struct tracee *tracee);

/*
 * Children that the process makes are shown once, stopped, unless they share its memory, and go their own way.
 */
void foreign_on_child(struct foreign *foreign, void (*shown)(void *context, pid_t child), void *context);

/* STATUS_OK and *event; STATUS_TIMEOUT. The tracee of a FOREIGN_SIGNAL has to be resumed before the next call. */
enum status foreign_wait(struct foreign *foreign, int timeout_ms, struct foreign_event *event);

/* Let a stopped thread run on to its next event. That it is gone the next wait tells. */
void foreign_resume(struct foreign *foreign, struct tracee *tracee);

/* Make a running thread stop (FOREIGN_PAUSED; something else may come first). */
enum status foreign_interrupt(struct foreign *foreign, struct tracee *tracee);

/*
 * Stop every thread that runs; those in a system call are left there unless `calls`. STATUS_OK; STATUS_TIMEOUT; STATUS_GONE: the process
 * has ended or runs another program.
 */
enum status foreign_stop(struct foreign *foreign, bool calls, int timeout_ms);

/* Where a thread that is stopped or in a system call stands in its own code. False: it can't be told now. */
bool foreign_place(const struct foreign *foreign, struct tracee *tracee, uint64_t *rip, uint64_t *rsp);

/* Give a stopped thread its changed registers now. */
enum status foreign_set_registers(struct tracee *tracee);

#endif
