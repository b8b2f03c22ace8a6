/*
 * What there is to say about each kind of operation, in one table.
 */
#include <fmc/breakpoints/op.h>
#include <stddef.h>
#include <string.h>

/* What others ask of a kind, as op.h says in full at the function named here. */
enum op_trait {
	WAITS = 1 << 0,		   /* op_waits() */
	REWINDS = 1 << 1,	   /* op_rewinds() */
	QUEUES = 1 << 2,	   /* op_queues() */
	TIMED = 1 << 3,		   /* op_timed(): always */
	MAY_BE_TIMED = 1 << 4,	   /* op_timed(): with OP_TIMED */
	TAKES = 1 << 5,		   /* op_takes(): if it has succeeded */
	TAKES_ANYHOW = 1 << 6,	   /* op_takes(): whatever its result */
	READS = 1 << 7,		   /* op_reads() */
	INITIALISES = 1 << 8,	   /* op_initialises() */
	DESTROYS = 1 << 9,	   /* op_destroys() */
	ASLEEP = 1 << 10,	   /* op_is_asleep() */
	BY_MODEL = 1 << 11,	   /* op_is_by_model() */
	OUTSIDE = 1 << 12,	   /* op_waits_outside() */
	ERRORS = 1 << 13,	   /* op_returns_error() */
	NEGATIVE_ERRORS = 1 << 14, /* op_returns_negative() */
	INTERRUPTIBLE = 1 << 15,   /* op_interruptible(); so are those that wait outside */
	MAY_BE_ALONE = 1 << 16,	   /* op_knows_objects(): with one object, too */
};

/* Small: a transition asks some twenty times. */
struct op_entry {
	const char *name;
	uint8_t class, class2; /* enum object_class */
	uint32_t traits;       /* enum op_trait */
};
_Static_assert(CLASS_ALL <= UINT8_MAX, "a class has room");

static struct op_entry ops[OP_ALL] = {
    [OP_NONE] = {"none", CLASS_NONE, CLASS_NONE, 0},
    [OP_THREAD_START] = {"thread_start", CLASS_NONE, CLASS_NONE, 0},
    [OP_THREAD_CREATE] = {"thread_create", CLASS_THREAD, CLASS_NONE, ERRORS},
    [OP_THREAD_JOIN] = {"thread_join", CLASS_THREAD, CLASS_NONE, WAITS | ERRORS},
    [OP_THREAD_TRYJOIN] = {"thread_tryjoin", CLASS_THREAD, CLASS_NONE, ERRORS},
    [OP_THREAD_TIMEDJOIN] = {"thread_timedjoin", CLASS_THREAD, CLASS_NONE, WAITS | TIMED | ERRORS},
    [OP_THREAD_DETACH] = {"thread_detach", CLASS_THREAD, CLASS_NONE, ERRORS},
    [OP_THREAD_CANCEL] = {"thread_cancel", CLASS_THREAD, CLASS_NONE, ERRORS},
    [OP_THREAD_TESTCANCEL] = {"thread_testcancel", CLASS_NONE, CLASS_NONE, ERRORS},
    [OP_THREAD_CANCELSTATE] = {"thread_cancelstate", CLASS_NONE, CLASS_NONE, ERRORS},
    [OP_THREAD_CANCELTYPE] = {"thread_canceltype", CLASS_NONE, CLASS_NONE, ERRORS},
    [OP_MUTEX_INIT] = {"mutex_init", CLASS_MUTEX, CLASS_NONE, INITIALISES | ERRORS},
    [OP_MUTEX_DESTROY] = {"mutex_destroy", CLASS_MUTEX, CLASS_NONE, DESTROYS | ERRORS},
    [OP_MUTEX_LOCK] = {"mutex_lock", CLASS_MUTEX, CLASS_NONE, WAITS | REWINDS | QUEUES | TAKES | ERRORS},
    [OP_MUTEX_TRYLOCK] = {"mutex_trylock", CLASS_MUTEX, CLASS_NONE, TAKES | ERRORS},
    [OP_MUTEX_TIMEDLOCK] = {"mutex_timedlock", CLASS_MUTEX, CLASS_NONE,
			    WAITS | REWINDS | QUEUES | TIMED | TAKES | ERRORS},
    [OP_MUTEX_UNLOCK] = {"mutex_unlock", CLASS_MUTEX, CLASS_NONE, ERRORS},
    [OP_MUTEX_CONSISTENT] = {"mutex_consistent", CLASS_MUTEX, CLASS_NONE, ERRORS},
    [OP_MUTEX_SETPRIOCEILING] = {"mutex_setprioceiling", CLASS_MUTEX, CLASS_NONE, WAITS | ERRORS},
    [OP_COND_INIT] = {"cond_init", CLASS_COND, CLASS_NONE, INITIALISES | ERRORS},
    [OP_COND_DESTROY] = {"cond_destroy", CLASS_COND, CLASS_NONE, DESTROYS | ERRORS},
    [OP_COND_WAIT] = {"cond_wait", CLASS_COND, CLASS_MUTEX, WAITS | REWINDS | ERRORS},
    [OP_COND_TIMEDWAIT] = {"cond_timedwait", CLASS_COND, CLASS_MUTEX, WAITS | REWINDS | ERRORS},
    [OP_COND_ASLEEP] = {"cond_asleep", CLASS_COND, CLASS_MUTEX, MAY_BE_TIMED | ASLEEP | BY_MODEL | ERRORS},
    [OP_COND_RELOCK] = {"cond_relock", CLASS_COND, CLASS_MUTEX, QUEUES | TAKES_ANYHOW | BY_MODEL | ERRORS},
    [OP_COND_SIGNAL] = {"cond_signal", CLASS_COND, CLASS_NONE, ERRORS},
    [OP_COND_BROADCAST] = {"cond_broadcast", CLASS_COND, CLASS_NONE, ERRORS},
    [OP_RWLOCK_INIT] = {"rwlock_init", CLASS_RWLOCK, CLASS_NONE, INITIALISES | ERRORS},
    [OP_RWLOCK_DESTROY] = {"rwlock_destroy", CLASS_RWLOCK, CLASS_NONE, DESTROYS | ERRORS},
    [OP_RWLOCK_RDLOCK] = {"rwlock_rdlock", CLASS_RWLOCK, CLASS_NONE,
			  WAITS | REWINDS | QUEUES | READS | ERRORS},
    [OP_RWLOCK_TRYRDLOCK] = {"rwlock_tryrdlock", CLASS_RWLOCK, CLASS_NONE, READS | ERRORS},
    [OP_RWLOCK_TIMEDRDLOCK] = {"rwlock_timedrdlock", CLASS_RWLOCK, CLASS_NONE,
			       WAITS | REWINDS | QUEUES | TIMED | READS | ERRORS},
    [OP_RWLOCK_WRLOCK] = {"rwlock_wrlock", CLASS_RWLOCK, CLASS_NONE,
			  WAITS | REWINDS | QUEUES | TAKES | ERRORS},
    [OP_RWLOCK_TRYWRLOCK] = {"rwlock_trywrlock", CLASS_RWLOCK, CLASS_NONE, TAKES | ERRORS},
    [OP_RWLOCK_TIMEDWRLOCK] = {"rwlock_timedwrlock", CLASS_RWLOCK, CLASS_NONE,
			       WAITS | REWINDS | QUEUES | TIMED | TAKES | ERRORS},
    [OP_RWLOCK_UNLOCK] = {"rwlock_unlock", CLASS_RWLOCK, CLASS_NONE, ERRORS},
    [OP_BARRIER_INIT] = {"barrier_init", CLASS_BARRIER, CLASS_NONE, INITIALISES | ERRORS},
    [OP_BARRIER_DESTROY] = {"barrier_destroy", CLASS_BARRIER, CLASS_NONE, DESTROYS | ERRORS},
    [OP_BARRIER_WAIT] = {"barrier_wait", CLASS_BARRIER, CLASS_NONE, WAITS | REWINDS | ERRORS},
    [OP_BARRIER_ASLEEP] = {"barrier_asleep", CLASS_BARRIER, CLASS_NONE, ASLEEP | BY_MODEL | ERRORS},
    [OP_BARRIER_RESUME] = {"barrier_resume", CLASS_BARRIER, CLASS_NONE, BY_MODEL | ERRORS},
    [OP_SPIN_INIT] = {"spin_init", CLASS_SPIN, CLASS_NONE, INITIALISES | ERRORS},
    [OP_SPIN_DESTROY] = {"spin_destroy", CLASS_SPIN, CLASS_NONE, DESTROYS | ERRORS},
    [OP_SPIN_LOCK] = {"spin_lock", CLASS_SPIN, CLASS_NONE, WAITS | TAKES | ERRORS},
    [OP_SPIN_TRYLOCK] = {"spin_trylock", CLASS_SPIN, CLASS_NONE, TAKES | ERRORS},
    [OP_SPIN_UNLOCK] = {"spin_unlock", CLASS_SPIN, CLASS_NONE, ERRORS},
    [OP_ONCE] = {"once", CLASS_ONCE, CLASS_NONE, WAITS | TAKES_ANYHOW | ERRORS},
    [OP_ONCE_END] = {"once_end", CLASS_ONCE, CLASS_NONE, ERRORS},
    [OP_GUARD_ACQUIRE] = {"once_guard_acquire", CLASS_ONCE, CLASS_NONE, WAITS | TAKES_ANYHOW | ERRORS},
    [OP_GUARD_RELEASE] = {"once_guard_release", CLASS_ONCE, CLASS_NONE, ERRORS},
    [OP_GUARD_ABORT] = {"once_guard_abort", CLASS_ONCE, CLASS_NONE, ERRORS},
    [OP_SEM_INIT] = {"sem_init", CLASS_SEM, CLASS_NONE, INITIALISES | ERRORS},
    [OP_SEM_DESTROY] = {"sem_destroy", CLASS_SEM, CLASS_NONE, DESTROYS | ERRORS},
    [OP_SEM_OPEN] = {"sem_open", CLASS_SEM, CLASS_NONE, ERRORS},
    [OP_SEM_CLOSE] = {"sem_close", CLASS_SEM, CLASS_NONE, ERRORS},
    [OP_SEM_WAIT] = {"sem_wait", CLASS_SEM, CLASS_NONE,
		     WAITS | REWINDS | QUEUES | TAKES | ERRORS | INTERRUPTIBLE},
    [OP_SEM_TRYWAIT] = {"sem_trywait", CLASS_SEM, CLASS_NONE, TAKES | ERRORS},
    [OP_SEM_TIMEDWAIT] = {"sem_timedwait", CLASS_SEM, CLASS_NONE,
			  WAITS | REWINDS | QUEUES | TIMED | TAKES | ERRORS | INTERRUPTIBLE},
    [OP_SEM_POST] = {"sem_post", CLASS_SEM, CLASS_NONE, ERRORS},
    [OP_SEM_GETVALUE] = {"sem_getvalue", CLASS_SEM, CLASS_NONE, ERRORS},
    [OP_YIELD] = {"yield", CLASS_NONE, CLASS_NONE, 0},
    [OP_SLEEP] = {"sleep", CLASS_NONE, CLASS_NONE, 0},
    [OP_POLL] = {"poll", CLASS_NONE, CLASS_NONE, MAY_BE_TIMED | OUTSIDE},
    [OP_POLL_CHANGE] = {"poll_change", CLASS_NONE, CLASS_NONE, 0},
    [OP_FUTEX_WAIT] = {"futex_wait", CLASS_FUTEX, CLASS_NONE, WAITS | NEGATIVE_ERRORS | INTERRUPTIBLE},
    [OP_FUTEX_ASLEEP] = {"futex_asleep", CLASS_FUTEX, CLASS_NONE,
			 MAY_BE_TIMED | ASLEEP | BY_MODEL | NEGATIVE_ERRORS},
    [OP_FUTEX_RESUME] = {"futex_resume", CLASS_FUTEX, CLASS_NONE, BY_MODEL | NEGATIVE_ERRORS},
    [OP_FUTEX_WAKE] = {"futex_wake", CLASS_FUTEX, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_FUTEX_REQUEUE] = {"futex_requeue", CLASS_FUTEX, CLASS_FUTEX, NEGATIVE_ERRORS},
    [OP_FUTEX_WAKE_OP] = {"futex_wake_op", CLASS_FUTEX, CLASS_FUTEX, NEGATIVE_ERRORS},
    [OP_MEMORY_READ] = {"memory_read", CLASS_MEMORY, CLASS_NONE, 0},
    [OP_MEMORY_WRITE] = {"memory_write", CLASS_MEMORY, CLASS_NONE, 0},
    [OP_MEMORY_FLUSH] = {"memory_flush", CLASS_MEMORY, CLASS_NONE, 0},
    [OP_PIPE_READ] = {"pipe_read", CLASS_PIPE, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_PIPE_WRITE] = {"pipe_write", CLASS_PIPE, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_PIPE_CLOSE] = {"pipe_close", CLASS_PIPE, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_EVENTFD_READ] = {"eventfd_read", CLASS_EVENTFD, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_EVENTFD_WRITE] = {"eventfd_write", CLASS_EVENTFD, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_EVENTFD_CLOSE] = {"eventfd_close", CLASS_EVENTFD, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_SOCKET_RECEIVE] = {"socket_receive", CLASS_SOCKET, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_SOCKET_SEND] = {"socket_send", CLASS_SOCKET, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_SOCKET_CLOSE] = {"socket_close", CLASS_SOCKET, CLASS_SOCKET, NEGATIVE_ERRORS},
    [OP_FILE_LOCK_SET] = {"file_lock_set", CLASS_FILE_LOCK, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_FILE_LOCK_CLOSE] = {"file_lock_close", CLASS_FILE_LOCK, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_SEMSET_CHANGE] = {"semset_change", CLASS_SEMSET, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_SEMSET_CONTROL] = {"semset_control", CLASS_SEMSET, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_QUEUE_SEND] = {"queue_send", CLASS_QUEUE, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_QUEUE_RECEIVE] = {"queue_receive", CLASS_QUEUE, CLASS_NONE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_QUEUE_CONTROL] = {"queue_control", CLASS_QUEUE, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_FILE_READ] = {"file_read", CLASS_FILE, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_FILE_WRITE] = {"file_write", CLASS_FILE, CLASS_NAME, MAY_BE_ALONE | NEGATIVE_ERRORS},
    [OP_NAME_LOOK] = {"name_look", CLASS_NAME, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_NAME_CHANGE] = {"name_change", CLASS_NAME, CLASS_NAME, MAY_BE_ALONE | NEGATIVE_ERRORS},
    [OP_CONNECTION_OPEN] = {"connection_open", CLASS_CONNECTION, CLASS_NONE,
			    WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_CONNECTION_LISTEN] = {"connection_listen", CLASS_CONNECTION, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_CONNECTION_ACCEPT] = {"connection_accept", CLASS_CONNECTION, CLASS_NONE,
			      WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_CONNECTION_RECEIVE] = {"connection_receive", CLASS_CONNECTION, CLASS_NONE,
			       WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_CONNECTION_SEND] = {"connection_send", CLASS_CONNECTION, CLASS_NONE,
			    WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_CONNECTION_CLOSE] = {"connection_close", CLASS_CONNECTION, CLASS_NONE, NEGATIVE_ERRORS},
    [OP_PIPE_TO_PIPE] = {"pipe_to_pipe", CLASS_PIPE, CLASS_PIPE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_PIPE_TO_SOCKET] = {"pipe_to_socket", CLASS_PIPE, CLASS_SOCKET, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_PIPE_TO_FILE] = {"pipe_to_file", CLASS_PIPE, CLASS_FILE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_PIPE_FROM_FILE] = {"pipe_from_file", CLASS_PIPE, CLASS_FILE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_SOCKET_TO_PIPE] = {"socket_to_pipe", CLASS_SOCKET, CLASS_PIPE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_SOCKET_FROM_FILE] = {"socket_from_file", CLASS_SOCKET, CLASS_FILE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_FILE_TO_FILE] = {"file_to_file", CLASS_FILE, CLASS_FILE, NEGATIVE_ERRORS},
    [OP_CONNECTION_TO_PIPE] = {"connection_to_pipe", CLASS_CONNECTION, CLASS_PIPE,
			       WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_CONNECTION_FROM_PIPE] = {"connection_from_pipe", CLASS_CONNECTION, CLASS_PIPE,
				 WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_CONNECTION_FROM_FILE] = {"connection_from_file", CLASS_CONNECTION, CLASS_FILE,
				 WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_FIFO_OPEN] = {"fifo_open", CLASS_FIFO, CLASS_PIPE, WAITS | OUTSIDE | NEGATIVE_ERRORS},
    [OP_SIGNAL_SEND] = {"thread_kill", CLASS_THREAD, CLASS_NONE, ERRORS},
    [OP_SIGNAL_TAKE] = {"signal_take", CLASS_NONE, CLASS_NONE, 0},
    [OP_TIMER_EXPIRE] = {"timer_expire", CLASS_NONE, CLASS_NONE, 0},
    [OP_TIMER_SET] = {"thread_disarm", CLASS_THREAD, CLASS_NONE, ERRORS},
    [OP_CHOOSE] = {"choose", CLASS_NONE, CLASS_NONE, 0},
    [OP_OUTPUT] = {"output", CLASS_NONE, CLASS_NONE, 0},
    [OP_PROCESS_EXIT] = {"process_exit", CLASS_NONE, CLASS_NONE, 0},
    [OP_PROCESS_WAIT] = {"process_wait", CLASS_NONE, CLASS_NONE, INTERRUPTIBLE},
    [OP_PROCESS_FORK] = {"process_fork", CLASS_NONE, CLASS_NONE, 0},
    [OP_SYSCALL] = {"syscall", CLASS_NONE, CLASS_NONE, MAY_BE_TIMED | OUTSIDE},
};

static const char *classes[CLASS_ALL] = {
    [CLASS_NONE] = "none",
    [CLASS_THREAD] = "thread",
    [CLASS_MUTEX] = "mutex",
    [CLASS_COND] = "cond",
    [CLASS_RWLOCK] = "rwlock",
    [CLASS_BARRIER] = "barrier",
    [CLASS_SPIN] = "spin",
    [CLASS_ONCE] = "once",
    [CLASS_SEM] = "sem",
    [CLASS_FUTEX] = "futex",
    [CLASS_MEMORY] = "memory",
    [CLASS_PIPE] = "pipe",
    [CLASS_EVENTFD] = "eventfd",
    [CLASS_SOCKET] = "socket",
    [CLASS_FILE_LOCK] = "file_lock",
    [CLASS_SEMSET] = "semset",
    [CLASS_QUEUE] = "queue",
    [CLASS_FILE] = "file",
    [CLASS_NAME] = "name",
    [CLASS_CONNECTION] = "connection",
    [CLASS_FIFO] = "fifo",
};

/* After those: what has been added, and the names. */
#define LONGEST_NAME 31
static unsigned ops_added, classes_added;
static char op_names[OP_USER_MOST][LONGEST_NAME + 1], class_names[CLASS_USER_MOST][LONGEST_NAME + 1];

static const char *const wakeups[WAKEUPS] = {
    [WAKE_ANY] = "any",		[WAKE_FIFO] = "fifo",	    [WAKE_LIFO] = "lifo",
    [WAKE_READERS] = "readers", [WAKE_WRITERS] = "writers",
};

/* Kinds also come from schedule files, so that a wrong one is answered and not trusted. One that is free has no class. */
static const struct op_entry *op_entry(enum op_kind kind)
{
	return (unsigned)kind < OP_ALL ? &ops[kind] : &ops[OP_NONE];
}

bool op_known(enum op_kind kind)
{
	return (unsigned)kind < OP_ALL && ops[kind].name;
}

unsigned op_added(void)
{
	return ops_added;
}

unsigned class_added(void)
{
	return classes_added;
}

const char *op_name(enum op_kind kind)
{
	const char *name = op_entry(kind)->name;
	return name ? name : ops[OP_NONE].name;
}

enum op_kind op_by_name(const char *name)
{
	for (unsigned kind = 0; kind < OP_USER + ops_added; kind++)
		if (ops[kind].name && strcmp(ops[kind].name, name) == 0)
			return (enum op_kind)kind;
	return OP_KINDS;
}

/* Words of schedules, as fmc's own are. */
static bool is_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
	return name[0] >= 'a' && name[0] <= 'z' && length <= LONGEST_NAME && name[length] == '\0';
}

enum op_kind op_add(const char *name, enum object_class class)
{
	enum op_kind known = op_by_name(name);
	if (known != OP_KINDS)
		return (unsigned)known >= OP_USER && ops[known].class == class ? known : OP_KINDS;
	if (!is_name(name) || (unsigned)class < CLASS_USER || (unsigned)class >= CLASS_USER + classes_added ||
	    ops_added == OP_USER_MOST)
		return OP_KINDS;
	strcpy(op_names[ops_added], name);
	ops[OP_USER + ops_added] = (struct op_entry){op_names[ops_added], class, CLASS_NONE, TAKES_ANYHOW};
	return (enum op_kind)(OP_USER + ops_added++);
}

enum object_class class_add(const char *name)
{
	enum object_class known = class_by_name(name);
	if (known != CLASSES)
		return (unsigned)known >= CLASS_USER ? known : CLASSES;
	if (!is_name(name) || classes_added == CLASS_USER_MOST)
		return CLASSES;
	strcpy(class_names[classes_added], name);
	classes[CLASS_USER + classes_added] = class_names[classes_added];
	return (enum object_class)(CLASS_USER + classes_added++);
}

enum object_class op_class(enum op_kind kind)
{
	return (enum object_class)op_entry(kind)->class;
}

enum object_class op_class2(enum op_kind kind)
{
	return (enum object_class)op_entry(kind)->class2;
}

static bool has(enum op_kind kind, unsigned traits)
{
	return op_entry(kind)->traits & traits;
}

bool op_waits(enum op_kind kind)
{
	return has(kind, WAITS);
}

bool op_interruptible(enum op_kind kind)
{
	return has(kind, INTERRUPTIBLE | OUTSIDE);
}

bool op_rewinds(enum op_kind kind)
{
	return has(kind, REWINDS);
}

bool op_queues(enum op_kind kind)
{
	return has(kind, QUEUES);
}

bool op_timed(const struct op *op)
{
	return has(op->kind, TIMED) || (op->flags & OP_TIMED && has(op->kind, MAY_BE_TIMED));
}

bool op_takes(enum op_kind kind, bool failed)
{
	return has(kind, failed ? TAKES_ANYHOW : TAKES | TAKES_ANYHOW);
}

bool op_reads(enum op_kind kind)
{
	return has(kind, READS);
}

bool op_initialises(enum op_kind kind)
{
	return has(kind, INITIALISES);
}

bool op_destroys(enum op_kind kind)
{
	return has(kind, DESTROYS);
}

bool op_is_asleep(enum op_kind kind)
{
	return has(kind, ASLEEP);
}

bool op_is_by_model(enum op_kind kind)
{
	return has(kind, BY_MODEL);
}

bool op_knows_objects(const struct op *op)
{
	const enum op_kind kind = op->kind;
	return (op_class(kind) == CLASS_NONE || op->object != NO_OBJECT) &&
	       (op_class2(kind) == CLASS_NONE || op->object2 != NO_OBJECT || has(kind, MAY_BE_ALONE));
}

bool op_waits_outside(enum op_kind kind)
{
	return has(kind, OUTSIDE);
}

bool class_in_kernel(enum object_class class)
{
	return class >= CLASS_PIPE && class < CLASSES;
}

bool op_in_kernel(enum op_kind kind)
{
	return class_in_kernel(op_class(kind));
}

bool op_is_tried(enum op_kind kind)
{
	return op_class(kind) >= CLASS_FILE_LOCK && op_in_kernel(kind);
}

bool op_tries(const struct op *op)
{
	return op_is_tried(op->kind) ||
	       (op->kind == OP_POLL && op->flags & OP_ASKS && op->arg3 & OP_ASKED_TRIES);
}

static bool is_told(enum object_class class)
{
	return class_in_kernel(class) && class < CLASS_FILE_LOCK;
}

bool op_is_told(enum op_kind kind)
{
	return is_told(op_class(kind)) || is_told(op_class2(kind));
}

bool op_shows_memory(enum op_kind kind)
{
	return op_class(kind) == CLASS_MEMORY;
}

bool op_returns_error(enum op_kind kind)
{
	return has(kind, ERRORS);
}

bool op_returns_negative(enum op_kind kind)
{
	return has(kind, NEGATIVE_ERRORS);
}

uint32_t class_bytes(enum object_class class)
{
	static const uint8_t bytes[CLASS_ALL] = {
	    [CLASS_MUTEX] = 40,	  [CLASS_COND] = 48, [CLASS_RWLOCK] = 56,
	    [CLASS_BARRIER] = 32, [CLASS_SPIN] = 4,  [CLASS_SEM] = 32,
	};
	return (unsigned)class < CLASS_ALL ? bytes[class] : 0;
}

const char *class_name(enum object_class class)
{
	bool known = (unsigned)class < CLASS_ALL && classes[class];
	return known ? classes[class] : classes[CLASS_NONE];
}

enum object_class class_by_name(const char *name)
{
	for (unsigned class = 0; class < CLASS_USER + classes_added; class ++)
		if (classes[class] && strcmp(classes[class], name) == 0)
			return (enum object_class) class;
	return CLASSES;
}

enum wakeup wakeup_by_name(enum object_class class, const char *name)
{
	unsigned wakeup = 0;
	bool queues =
	    class == CLASS_MUTEX || class == CLASS_COND || class == CLASS_SEM || class == CLASS_RWLOCK;
	while (wakeup < WAKEUPS && strcmp(wakeups[wakeup], name) != 0)
		wakeup++;
	if (!queues || (wakeup > WAKE_LIFO && class != CLASS_RWLOCK))
		return WAKEUPS;
	return (enum wakeup)wakeup;
}
