#ifndef FMC_BREAKPOINTS_OP_H
#define FMC_BREAKPOINTS_OP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Visible operations: the closed set of what one thread does that another can notice.
 *
 * Threads and objects are small numbers here: threads in the order of their creation from 0 (shown as T1, T2
 * ...), objects in the order of their first use in the execution. Addresses live elsewhere.
 */
enum op_kind {
	OP_NONE,
	OP_THREAD_START,  /* a thread's birth: what every thread has pending when it is created */
	OP_THREAD_CREATE, /* object: unused until the thread exists */
	OP_THREAD_JOIN,
	OP_THREAD_TRYJOIN,
	OP_THREAD_TIMEDJOIN,
	OP_THREAD_DETACH,
	OP_THREAD_CANCEL,
	OP_THREAD_TESTCANCEL,
	OP_THREAD_CANCELSTATE, /* arg: PTHREAD_CANCEL_ENABLE or _DISABLE */
	OP_THREAD_CANCELTYPE,  /* arg: PTHREAD_CANCEL_DEFERRED or _ASYNCHRONOUS */
	OP_MUTEX_INIT,	       /* arg: enum mutex_type with MUTEX_ROBUST */
	OP_MUTEX_DESTROY,
	OP_MUTEX_LOCK,
	OP_MUTEX_TRYLOCK,
	OP_MUTEX_TIMEDLOCK,
	OP_MUTEX_UNLOCK,
	OP_MUTEX_CONSISTENT,
	OP_MUTEX_SETPRIOCEILING, /* waits until it is free, and leaves it free; arg: the ceiling */
	OP_COND_INIT,
	OP_COND_DESTROY,
	OP_COND_WAIT,	   /* object: condition variable, object2: mutex; unlocks and falls asleep */
	OP_COND_TIMEDWAIT, /* the same with a time-out */
	OP_COND_ASLEEP,	   /* set by the model: until signalled (OP_COND_RELOCK) or timed out */
	OP_COND_RELOCK,	   /* set by the model: woken, takes the mutex again; arg: 0 or ETIMEDOUT */
	OP_COND_SIGNAL,
	OP_COND_BROADCAST,
	OP_RWLOCK_INIT, /* arg: enum rwlock_type */
	OP_RWLOCK_DESTROY,
	OP_RWLOCK_RDLOCK,
	OP_RWLOCK_TRYRDLOCK,
	OP_RWLOCK_TIMEDRDLOCK,
	OP_RWLOCK_WRLOCK,
	OP_RWLOCK_TRYWRLOCK,
	OP_RWLOCK_TIMEDWRLOCK,
	OP_RWLOCK_UNLOCK,
	OP_BARRIER_INIT, /* arg: how many threads meet */
	OP_BARRIER_DESTROY,
	OP_BARRIER_WAIT,   /* falls asleep unless it is the last one */
	OP_BARRIER_ASLEEP, /* set by the model: until the last one comes */
	OP_BARRIER_RESUME, /* set by the model: all have met, returns to the program */
	OP_SPIN_INIT,
	OP_SPIN_DESTROY,
	OP_SPIN_LOCK,
	OP_SPIN_TRYLOCK,
	OP_SPIN_UNLOCK,
	OP_ONCE,     /* pthread_once: the first runs the routine, others wait until it has returned */
	OP_ONCE_END, /* the first is back from the routine; arg: 1 if it ran to its end, 0 if it was left */
	OP_GUARD_ACQUIRE, /* of a C++ static variable: as OP_ONCE, the routine being the program's code */
	OP_GUARD_RELEASE, /* the variable is initialised */
	OP_GUARD_ABORT,	  /* its initialisation has thrown */
	OP_SEM_INIT,	  /* arg: value */
	OP_SEM_DESTROY,
	OP_SEM_OPEN,
	OP_SEM_CLOSE,
	OP_SEM_WAIT,
	OP_SEM_TRYWAIT,
	OP_SEM_TIMEDWAIT,
	OP_SEM_POST,
	OP_SEM_GETVALUE,
	OP_YIELD,	/* sched_yield */
	OP_SLEEP,	/* nanosleep and its kin; arg: nanoseconds */
	OP_POLL,	/* poll, select, epoll with a time-out; arg: nanoseconds */
	OP_POLL_CHANGE, /* epoll_ctl() */
	OP_FUTEX_WAIT, /* object: word; arg3: its address; arg: expected value, arg2: bit set (0xffffffff for the plain forms
			     of WAIT and WAKE); a time-out if OP_TIMED */
	OP_FUTEX_ASLEEP,  /* set by the model: until woken, or timed out if OP_TIMED */
	OP_FUTEX_RESUME,  /* set by the model: woken, returns to the program */
	OP_FUTEX_WAKE,	  /* arg: how many, arg2: bit set */
	OP_FUTEX_REQUEUE, /* object -> object2; arg: to wake, arg2: to move, arg3: expected value if
			     OP_COMPARE */
	OP_FUTEX_WAKE_OP, /* object, object2; arg and arg2: to wake at each, arg3: the encoded operation */
	OP_MEMORY_READ,	  /* fmc_point(): the program is about to read; arg: how many bytes, arg2: address */
	OP_MEMORY_WRITE, /* the same, to write; arg3: where as many bytes are that it reads for that, 0: nowhere (but see OP_AWAITS) */
	OP_MEMORY_FLUSH, /* the thread's oldest store that waits in its buffer reaches memory; arg, arg2: as above */
	/*
	 * Calls on objects of the kernel that threads share. arg: how many bytes are to be written, of an eventfd the number; arg2: 1 if
	 * it never waits. Those of a socket are on the queue that they read from or write to.
	 */
	OP_PIPE_READ,
	OP_PIPE_WRITE,
	OP_PIPE_CLOSE,
	OP_EVENTFD_READ,
	OP_EVENTFD_WRITE,
	OP_EVENTFD_CLOSE,
	OP_SOCKET_RECEIVE,
	OP_SOCKET_SEND,
	OP_SOCKET_CLOSE, /* close() or shutdown(); object2: the queue of the other end */
	/* The same. arg: 1 if it changes the object; arg3: set by the model, 1 and what it found there when it would have waited. */
	OP_FILE_LOCK_SET, /* flock() or fcntl(); of both: arg also LOCK_OF_PROCESS */
	OP_FILE_LOCK_CLOSE,
	OP_SEMSET_CHANGE, /* semop() */
	OP_SEMSET_CONTROL,
	OP_QUEUE_SEND,
	OP_QUEUE_RECEIVE,
	OP_QUEUE_CONTROL,
	OP_FILE_READ, /* what it holds, or how long it is; arg is also 1 where the place is moved that the next read or write begins at */
	OP_FILE_WRITE, /* object2: what tells of it (inotify), if there is something */
	OP_NAME_LOOK,  /* open(), stat() and their like look for a file by its name */
	OP_NAME_CHANGE, /* they make it, or take it away. object2: the other name of rename() or link(), if it is about one */
	OP_CONNECTION_OPEN,   /* connect(), on who listens there */
	OP_CONNECTION_LISTEN, /* listen() there, or bind() to the address */
	OP_CONNECTION_ACCEPT,
	OP_CONNECTION_RECEIVE,
	OP_CONNECTION_SEND,
	OP_CONNECTION_CLOSE,
	/*
	 * From what one object holds into another one without coming to the program: tee(), splice(), sendfile(), copy_file_range(). They wait for both.
	 * Those of FILE_TO_FILE, CONNECTION_* are as above; arg of the others: how many bytes; of all: arg2: bits of enum kernel_never.
	 */
	OP_PIPE_TO_PIPE, /* object -> object2 */
	OP_PIPE_TO_SOCKET,
	OP_PIPE_TO_FILE,
	OP_PIPE_FROM_FILE, /* object2 -> object */
	OP_SOCKET_TO_PIPE,
	OP_SOCKET_FROM_FILE,
	OP_FILE_TO_FILE,
	OP_CONNECTION_TO_PIPE,
	OP_CONNECTION_FROM_PIPE,
	OP_CONNECTION_FROM_FILE,
	OP_FIFO_OPEN, /* open(), by a name; object2: what it holds. arg is 1 */
	/*
	 * A signal is sent to a thread of the program, object, or to the program: NO_OBJECT. arg: which. arg2: to the program: the threads that may
	 * get it, as bits by number; to a thread of another process: SIGNAL_ACROSS; arg3: those of them, of the one thread bit 0, that take it before they
	 * do anything else.
	 */
	OP_SIGNAL_SEND,
	/*
	 * Set by the model in place of what the thread had pending (model_under()), whose kind arg2 is: the handlers of its signals run; arg: the
	 * first of these. With OP_INTERRUPTS: choice 0: they come while it waits there, and end that with EINTR; 1: before.
	 */
	OP_SIGNAL_TAKE,
	/* A timer is set anew: the thread that stands for it as it was set before, object, comes to nothing from now on. */
	OP_TIMER_SET,
	OP_TIMER_EXPIRE, /* a timer that is read from (timerfd_create(2)) has expired once more */
	OP_CHOOSE,	 /* fmc_choose(); arg: how many choices */
	OP_OUTPUT,	 /* something is written to standard output, or to a buffer of it */
	/*
	 * exit_group; arg: status; arg2: 1 if its parent may notice the signal that comes of it; arg3: the thread that takes it before it does
	 * anything else, from 1; 0: none.
	 */
	OP_PROCESS_EXIT,
	OP_PROCESS_WAIT, /* wait4(), waitid() for processes that are followed; arg: the first thread of the one that is waited for, or
			    ANY_PROCESS; arg2: enum process_wait */
	OP_PROCESS_FORK, /* a process is made that has a copy of all memory: locks that others hold are taken in it for ever */
	OP_SYSCALL, /* a system call that waits for something outside of the model; arg: its number */
	OP_KINDS,   /* how many are built in; as an answer: none */
	OP_USER	    /* the first of those that a plug-in describes: op_add() */
};

/* So many kinds and classes may be added to those that are built in. */
#define OP_USER_MOST	64
#define CLASS_USER_MOST 16
#define OP_ALL		(OP_USER + OP_USER_MOST)
#define CLASS_ALL	(CLASS_USER + CLASS_USER_MOST)

enum op_flag {
	OP_TIMED = 1,	/* has a finite time-out: timing out is a choice. Implied by the TIMED kinds */
	OP_COMPARE = 2, /* FUTEX_REQUEUE: CMP_REQUEUE */
	OP_READY = 4,  /* OP_SYSCALL, OP_POLL, with OP_AWAITS: the machine knows that it would complete now */
	OP_QUEUED = 8, /* set by the model: has come to the object and stands in its queue (enum wakeup) */
	OP_WAITS = 16, /* OP_QUEUED for kinds of plug-ins; their object records the waiter */
	OP_ABSENT = 32,	  /* OP_SYSCALL: in a copy of a process, needs what the copy lacks: never ready */
	OP_BUFFERED = 64, /* OP_MEMORY_WRITE: only its own thread sees it, until it is flushed */
	/*
	 * OP_MEMORY_READ, OP_MEMORY_WRITE: ends a round of a loop that leaves everything as it is, as long as nobody else changes
	 * what the thread's last accesses have found; arg3: how many of those count, at most OP_ROUND_MOST. So it waits until somebody does.
	 */
	OP_AWAITS = 128,
	OP_FENCED =
	    1024, /* OP_MEMORY_READ, OP_BUFFERED: since the operation before it the thread has waited for its buffer to be empty */
	OP_INSTRUCTION =
	    256, /* OP_MEMORY_READ, OP_MEMORY_WRITE: that of the one instruction that ends at `place` */
	/*
	 * The same kinds: begins a round of such a loop, and the one that the thread has just gone has left all as it was; arg3 as with OP_AWAITS. An
	 * execution without that round comes to all that this one can come to, so who runs all orders needn't let the thread go on
	 * (policy.once_round).
	 */
	OP_VAIN = 512,
	OP_INTERRUPTS = 2048, /* OP_SIGNAL_TAKE: see there */
	/*
	 * OP_POLL: asks whether there is something to read, or room to write, and that hangs on the model's objects alone whose numbers are bits of arg2;
	 * arg3: see enum op_asked.
	 */
	OP_ASKS = 4096,
	OP_MOVES =
	    8192, /* of a file, which something is transferred from: it is read at a place that this moves */
	/* OP_SIGNAL_SEND: to a thread of another process, which it is the end of, if arg3 says that it takes it. OP_SIGNAL_TAKE: it is. */
	OP_ENDS = 16384,
	/*
	 * OP_POLL: asks a set of epoll, which has what is ready in the order in which it came to be. Of calls on objects of the kernel: they may be in
	 * one. OP_POLL_CHANGE: bits of arg2 as with OP_ASKS, of what is put into the set; without this flag the model doesn't know of that.
	 */
	OP_IN_SETS = 32768,
};

/* Of an operation that transfers: for which of its objects it never waits. */
enum kernel_never { KERNEL_NEVER = 1, KERNEL_NEVER2 = 2 };

#define OP_ROUND_MOST 8
#define OP_ASKED_MOST 64

/*
 * Bits of arg3 of an OP_POLL with OP_ASKS; above them, for one that has found nothing and sleeps, a digest of how its objects stood then, from 1 on.
 */
enum op_asked {
	OP_ASKED_READY = 1, /* there is something that nobody else can take */
	OP_ASKED_TRIES =
	    2, /* the model doesn't know whether there is: the kernel is asked when the thread's turn has come, and again when an object is another one */
	OP_ASKED_BITS = 2
};

/* It may wait for a lock that belongs to a process, or change what processes that wait for such locks wait for, those of any file. */
#define LOCK_OF_PROCESS 2

#define SIGNAL_ACROSS 1

#define ANY_PROCESS (-1)
enum process_wait {
	PROCESS_NO_WAIT = 1,
	PROCESS_KEEP = 2 /* the one that it finds can be waited for again */
};

enum object_class {
	CLASS_NONE,
	CLASS_THREAD,
	CLASS_MUTEX,
	CLASS_COND,
	CLASS_RWLOCK,
	CLASS_BARRIER,
	CLASS_SPIN,
	CLASS_ONCE, /* also the guard of a C++ static variable */
	CLASS_SEM,
	CLASS_FUTEX,
	CLASS_MEMORY, /* what begins at one address: accesses of other lengths there are on one object */
	CLASS_PIPE,   /* objects of the kernel, from here on: also FIFOs */
	CLASS_EVENTFD,
	CLASS_SOCKET, /* what one end of a pair is to receive */
	CLASS_FILE_LOCK,
	CLASS_SEMSET, /* of System V */
	CLASS_QUEUE,  /* of messages, of System V or POSIX */
	CLASS_FILE,   /* what is in a regular file */
	CLASS_NAME,   /* of a file, in its folder */
	CLASS_CONNECTION, /* of sockets with a name: both directions, those who listen, or what comes to one that has no other end */
	CLASS_FIFO, /* with a name: who has opened it, and who waits in open() for its other end */
	CLASSES,
	CLASS_USER /* as OP_USER: class_add() */
};

/* Bytes of state of an object whose class a plug-in describes. */
#define OBJECT_USER_BYTES 64

enum mutex_type {
	MUTEX_NORMAL,
	MUTEX_RECURSIVE,
	MUTEX_ERRORCHECK,
	MUTEX_ADAPTIVE, /* behaves as MUTEX_NORMAL */
	MUTEX_TYPE_MASK = 3,
	MUTEX_ROBUST = 4,   /* added to the type */
	MUTEX_PRIORITY = 8, /* priority inheritance or ceiling: no difference to the model */
	MUTEX_CEILING = 16, /* added to that: a ceiling, which can be set */
};

/* glibc's kinds. The second lets readers in as the first does. */
enum rwlock_type { RWLOCK_READERS, RWLOCK_READERS_TOO, RWLOCK_WRITERS };

enum once_state { ONCE_NEW, ONCE_RUNS, ONCE_DONE };

/*
 * Who gets an object that several wait for. Only WAKE_ANY takes in everything that POSIX allows; with the
 * others a thread that can't have the object comes to it in one transition, which fixes its place in the
 * queue, and gets it in another.
 */
enum wakeup {
	WAKE_ANY,     /* whoever is scheduled, every waiter being a choice */
	WAKE_FIFO,    /* the first to come; none overtakes */
	WAKE_LIFO,    /* the last to come */
	WAKE_READERS, /* rwlock: no writer gets it while a reader waits */
	WAKE_WRITERS, /* rwlock: no reader gets it while a writer waits; what RWLOCK_WRITERS does */
	WAKEUPS
};

#define MEMORY_ALL                                                                                           \
	(INT64_C(1)                                                                                          \
	 << 47) /* OP_MEMORY_READ, OP_MEMORY_WRITE: arg of one that may be about any memory, from address 0 on */

#define NO_OBJECT UINT32_MAX
#define NO_THREAD UINT32_MAX

struct op {
	uint16_t kind;	/* enum op_kind */
	uint16_t flags; /* enum op_flag */
	uint32_t
	    object; /* thread number for the CLASS_THREAD operations, else object number; NO_OBJECT if none */
	uint32_t object2; /* NO_OBJECT if none */
	int64_t arg, arg2, arg3;
	/*
	 * When a sleep or a time-out ends by itself, in nanoseconds of a machine's own time; 0: it isn't timed, or not known.
	 * Doesn't count in comparisons.
	 */
	int64_t end;
	uint64_t place; /* code address that the program continues at: where a person looks; 0 if unknown */
};

/*
 * A choice: which way an operation with several outcomes goes.
 *
 * CHOICE_DEFAULT is the only one of most operations. For operations that wake some of several waiters the
 * choices are 0, 1, ... (0 = the longest waiting first); model_choices() numbers them.
 */
#define CHOICE_DEFAULT	0
#define CHOICE_TIMEOUT	(-1)
#define CHOICE_SPURIOUS (-2)
#define CHOICE_FLUSH	(-3) /* not yet: the oldest of its stores that wait reaches memory before */

/* How an object stands when it is first used: initialised statically or before fmc began to look. */
struct object_state {
	enum object_class class;
	uint32_t type; /* mutex: enum mutex_type; rwlock: enum rwlock_type */
	uint32_t
	    owner; /* mutex, spinlock: holding thread or NO_THREAD; rwlock: the writer; once: who runs it */
	/*
	 * mutex: how often locked; rwlock: how many readers; spinlock: 1 if held; semaphore: value; barrier:
	 * how many meet; once: enum once_state; object of the kernel: how much there is to read, of an eventfd the lower half,
	 * of one that op_is_tried() how often it has been changed;
	 * else: how many sleep there
	 */
	uint32_t count;
	uint32_t wakeup;   /* enum wakeup */
	uint32_t spurious; /* condition variable: how many spurious wakeups there may still be */
	uint32_t
	    standing; /* object of the kernel: enum kernel_standing; of an eventfd the upper half of its number; of one that op_is_tried(): 1 + who
			 has changed it last, 0: nobody */
	uint32_t sleepers; /* how many sleep there or stand in its queue; not for model_add_object() */
	/*
	 * Semaphore: its value when it was initialised or first seen, less the waits since that succeeded, 0 at
	 * least: how many more would succeed without any post. Not for model_add_object()
	 */
	uint32_t unspent;
	bool destroyed;			      /* and not initialised since */
	uint64_t user[OBJECT_USER_BYTES / 8]; /* from CLASS_USER on, and not to be believed else */
};

/*
 * How an object of the kernel stands. What else it has depends on how its memory is laid out: a write is tried, and if the kernel
 * lets it wait, none of so many bytes goes until something has been read; those bytes are counted from KERNEL_FULL on.
 */
enum kernel_standing {
	KERNEL_READS = 1,  /* a read doesn't wait: there is something, or nobody can write any more */
	KERNEL_WRITES = 2, /* a write doesn't wait: it fails, as nobody can read any more */
	KERNEL_PAGES =
	    4, /* of a pipe: all its pages are used, and what is moved there gets none of them, though a write may */
	KERNEL_FULL = 8,
};
#define KERNEL_FULL_MOST (UINT32_MAX / KERNEL_FULL)

/* In place of how much there is to read, after an operation on two objects. */
#define KERNEL_BYTES_UNKNOWN UINT32_MAX

/* The policy with this name; WAKEUPS if there is none, or none for objects of this class. */
enum wakeup wakeup_by_name(enum object_class class, const char *name);

/* The class with this name ("mutex", "cond" ...); CLASSES if there is none. */
enum object_class class_by_name(const char *name);

/* The name in schedule files, such as "mutex_lock"; never NULL. */
const char *op_name(enum op_kind kind);

/* The kind with this name; OP_KINDS if there is none. */
enum op_kind op_by_name(const char *name);

/*
 * Add a kind of operations on objects of this class, which has been added before, or a class. They stay for the life of
 * the program and are to be complete before the first model is made. The number; that of the kind or class that has been
 * added under this name already. OP_KINDS, CLASSES: the name is malformed, or one of fmc's own, or the kind is known as one
 * on another class, or there are too many.
 */
enum op_kind op_add(const char *name, enum object_class class);
enum object_class class_add(const char *name);

/* Is there such a kind? */
bool op_known(enum op_kind kind);

/* How many classes and kinds have been added. */
unsigned op_added(void);
unsigned class_added(void);

/* The class of op.object for this kind. CLASS_NONE: the operation has no object. */
enum object_class op_class(enum op_kind kind);

/* The same for op.object2. */
enum object_class op_class2(enum op_kind kind);

/*
 * What else there is to know of a kind, a column each in the table of op.c. Kinds that a plug-in adds answer false, but for
 * op_takes(). So does what is no kind.
 */

/* A call of the program's that may have to wait: for an object to be free, a thread to end, a wakeup. */
bool op_waits(enum op_kind kind);

/* May a signal's handler end its wait, so that it fails with EINTR? */
bool op_interruptible(enum op_kind kind);

/* One that waits, and can be taken out of its wait inside libc and called anew: breakpoints/entries/rewind.c undoes it. */
bool op_rewinds(enum op_kind kind);

/* Does it wait for an object that is handed over in an order (enum wakeup)? */
bool op_queues(enum op_kind kind);

/* Does the wait that this operation is end by itself? What falls asleep first (OP_COND_TIMEDWAIT) isn't itself the wait. */
bool op_timed(const struct op *op);

/*
 * Does performing it make its thread the holder of the object, or take one off a semaphore? `failed`: it has returned an error,
 * which matters to most. Those who only read aren't holders. Kinds that a plug-in adds may be.
 */
bool op_takes(enum op_kind kind, bool failed);

/* A reader's lock of a read-write lock. */
bool op_reads(enum op_kind kind);

/* Does it make an object, whatever was there before; or end one? */
bool op_initialises(enum op_kind kind);
bool op_destroys(enum op_kind kind);

/* Is a thread with this pending asleep in its object's queue, until others or time make another kind of it? */
bool op_is_asleep(enum op_kind kind);

/* Is it set by the model alone, to go on with a call that the thread is in? These include those that are asleep. */
bool op_is_by_model(enum op_kind kind);

/* Has it all objects that its kind has (op_class(), op_class2())? Some have a second one only now and then. */
bool op_knows_objects(const struct op *op);

/* Does it wait for something that the model doesn't know, which the machine is asked for (OP_READY)? */
bool op_waits_outside(enum op_kind kind);

/* Is it a call on an object of the kernel, of one of these classes? The kernel is asked what the object is like after each but: */
bool op_in_kernel(enum op_kind kind);
bool class_in_kernel(enum object_class class);

/* Of these it is asked before each call, and not after it, whether it would wait. */
bool op_is_tried(enum op_kind kind);
/* The same of an operation: it may be a call that asks for several. */
bool op_tries(const struct op *op);

/* Is one of its objects such that the kernel is asked afterwards what it is like by then (struct observation)? */
bool op_is_told(enum op_kind kind);
enum tried { TRIED_GOES, TRIED_WAITS, TRIED_FAILS };

/* Results: are they error numbers, positive as those of POSIX's threads, or negative as the kernel's? */
bool op_returns_error(enum op_kind kind);
bool op_returns_negative(enum op_kind kind);

/*
 * Is the result what memory held? It is for people: what is the same otherwise may have other addresses and times there, so it isn't
 * compared.
 */
bool op_shows_memory(enum op_kind kind);

/* How many bytes an object of this class of glibc's takes; 0: not known. */
uint32_t class_bytes(enum object_class class);

/* "thread", "mutex", "cond" ...; never NULL. */
const char *class_name(enum object_class class);

#endif
