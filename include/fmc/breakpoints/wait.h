#ifndef FMC_BREAKPOINTS_WAIT_H
#define FMC_BREAKPOINTS_WAIT_H

#include <fmc/breakpoints/frame.h>
#include <fmc/breakpoints/place.h>
#include <fmc/tracer/snapshot.h>

/*
 * What the threads of a snapshot wait for: from the registers, the memory of libc's objects and the kernel's view, without
 * anything having been watched before. Works without symbols.
 */
enum wait_kind {
	WAIT_NOTHING, /* it runs, or could */
	WAIT_MUTEX,
	WAIT_COND,
	WAIT_SEMAPHORE,
	WAIT_READ,  /* a read-write lock, to read */
	WAIT_WRITE, /* the same, to write */
	WAIT_BARRIER,
	WAIT_JOIN,  /* for the end of another thread */
	WAIT_ONCE,  /* for another thread's initialisation: pthread_once, static variables of C++ */
	WAIT_SPIN,  /* runs, in pthread_spin_lock */
	WAIT_FUTEX, /* a word of which nothing more is known */
	WAIT_PIPE,  /* to read or to write: `writes` */
	WAIT_SOCKET,
	WAIT_FILE_LOCK,
	WAIT_CHILD, /* another process's end */
	WAIT_SLEEP,
	WAIT_POLL, /* several descriptors */
	WAIT_SIGNAL,
	WAIT_SYSCALL, /* any other system call */
	WAIT_STOPPED, /* by job control */
	WAIT_KINDS
};

/* Another process that can end a wait. */
struct reaching {
	pid_t pid;
	char name[16];
	bool near;   /* of a socket: it only has the same end of it, which it may shut down */
	bool hidden; /* it was tried to look at it, which isn't permitted */
};

/*
 * Who else can end a wait for something that processes share: a pipe, a socket, a file's lock, shared memory, the end of a child.
 * Empty, and not closed, where that isn't known, and for waits that only concern this process.
 */
struct reach {
	struct reaching *at; /* each by any of its threads, unless `thread` says which one; owned */
	size_t length;
	pid_t thread; /* the only one of them that can, as this machine numbers it; 0: any */
	bool own;     /* threads of this process can, too */
	bool closed;  /* nobody else can */
	bool
	    followed; /* who looks at them together: all have been looked at, and `holders` are their threads */
};

/* "mutex", "cond" ...: as in JSON; never NULL. */
const char *wait_kind_name(enum wait_kind kind);

struct wait {
	enum wait_kind kind;
	const char *
	    call; /* function of libc, or name of the system call: "pthread_mutex_lock", "epoll_wait"; NULL: runs */
	uint64_t object; /* its address; 0: none (descriptors, joins) */
	/* For people: "forks[1]", "account.lock at heap +0x2a0", "pipe 5", "socket 7 to 127.0.0.1:80"; owned; NULL: none. The
	 * same for all threads that wait for one object, another for each other object. */
	char *name;
	int descriptor; /* -1: none */
	bool timed;	/* it will end by itself */
	bool writes;
	bool
	    begins_anew; /* its system call ends again and again, and is entered again until the holder ends the wait */
	bool handler; /* a handler of a signal could end it, whatever its kind: Python's run in between */
	/*
	 * What it is was told from memory alone, without knowing whose code it is that waits: the kind and the holders may be
	 * wrong. `certain` says then that only threads of this process can end it, any of them.
	 */
	bool guessed;
	/*
	 * Who alone can end it, as indices of the snapshot's threads: the holder of a lock (several readers of a read-write
	 * lock, as far as they are known), the thread that is joined. `certain`: nobody else can. Owned.
	 *
	 * None: a lock whose holder isn't known; or what any thread may end (condition variables, semaphores, barriers, pipes
	 * whose both ends are in the process). Then certain says that only threads of this process can: the object isn't
	 * shared with another one, no wake-up is on its way.
	 */
	uint32_t *holders;
	size_t holders_length;
	bool certain;
	/* The holder is no thread of this process: this number; it is gone for good: dead. 0: there is none such. */
	pid_t outsider;
	bool outsider_dead;
	struct reach reach;
	uint32_t
	    count; /* semaphore: its value; barrier: how many are still to come; mutex: how often it is locked */
	uint64_t mutex; /* condition variable: its mutex, if it can be told; else 0 */
	char *
	    detail; /* evidence, a few words: "value 0", "2 of 3 have come", "robust, its owner has died"; owned; NULL */
};

/* So large the object is at least: libc's as its kind is, any other a word. */
uint64_t wait_object_bytes(const struct wait *wait);

/* All that is said of one thread. */
struct inspected_thread {
	char *name; /* its own, or that of its start routine: "eat"; owned; NULL: not known */
	struct wait wait;
	struct frame *frames; /* innermost first; owned */
	size_t frames_length;
	bool cut;     /* there are more, which weren't kept */
	bool guessed; /* some frames after the first were found by looking through the stack */
};

struct inspection {
	struct inspected_thread *threads; /* in the order of the snapshot's */
	size_t length;
	bool symbols;  /* of the program are there */
	pid_t sharer;  /* another process that has the same memory; 0: none; -1: that can't be told */
	bool requests; /* the kernel may be working for it in the background: io_uring, asynchronous I/O */
	char *
	    note; /* what isn't shown, or can't be certain, and why: one line; owned; NULL: nothing of the kind */
};

/* For snapshot_take(): keep what inspection_make() will want to read. The context is ignored. */
void inspection_prepare(void *context, struct snapshot *snapshot);

/* STATUS_OK or STATUS_NO_MEMORY; what can't be found out is left empty. */
enum status inspection_make(struct snapshot *snapshot, struct inspection *inspection);
void inspection_release(struct inspection *inspection);

/*
 * Look again who else can end the waits of some live processes, as it is now: what was said of that before is forgotten.
 * STATUS_OK, STATUS_NO_MEMORY.
 */
struct looked {
	struct snapshot *snapshot;
	struct inspection *inspection;
};
enum status inspections_reach(const struct looked *looked, size_t length);

#endif
