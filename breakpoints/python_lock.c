#include "breakpoints/python.h"

#include <stdarg.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * What a thread of Python's waits for: the futex word at which it sleeps is that of a lock which one of the values of its
 * innermost frame is, or of the lock of the interpreter.
 */

#define SLOTS_MOST 512
#define CLIMB_MOST 8 /* frames of the library around a wait */

static uint64_t futex_word(const struct subject_thread *thread)
{
	return thread->syscall == SYS_futex || thread->syscall == SYS_restart_syscall ? thread->arguments[0]
										      : 0;
}

static bool within(uint64_t address, uint64_t begin, uint64_t end)
{
	return address >= begin && address < end;
}

static bool add_holder(struct wait *wait, size_t thread)
{
	if (!wait->holders)
		wait->holders = calloc(1, sizeof(*wait->holders));
	if (!wait->holders)
		return false;
	wait->holders[0] = (uint32_t)thread;
	wait->holders_length = 1;
	return true;
}

static void say(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char **text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	free(*text);
	if (vasprintf(text, format, arguments) < 0)
		*text = NULL;
	va_end(arguments);
}

/*
 * The lock of the interpreter: its waits have a time-out, but begin anew until it is free, so that only its holder ends
 * them.
 */
static bool waits_for_gil(struct python *python, uint32_t t, uint64_t word)
{
	const uint64_t gil = python->threads[t].gil;
	struct python_wait *found = &python->waits[t];
	uint32_t locked;
	if (!gil || !within(word, gil + PYTHON_GIL_COND, gil + PYTHON_GIL_SIZE))
		return true;
	found->found = true;
	found->wait = (struct wait){.kind = WAIT_MUTEX, .object = gil, .descriptor = -1, .call = "take_gil"};
	say(&found->wait.name, "the GIL");
	const size_t holder = python_thread_of_state(python, python_pointer(python, gil + PYTHON_GIL_HOLDER));
	if (!within(word, gil + PYTHON_GIL_COND, gil + PYTHON_GIL_MUTEX) ||
	    !python_read(python, gil + PYTHON_GIL_LOCKED, &locked, sizeof(locked)) || locked != 1 ||
	    holder >= python->length || holder == t) {
		say(&found->wait.detail, "about to change hands");
		return true;
	}
	found->wait.certain = true;
	return add_holder(&found->wait, holder);
}

enum lock_type { NO_LOCK, LOCK, RLOCK, SIMPLE_QUEUE };

/* Is the object a lock that sleeps at this word? All begin with a pointer to their semaphore. */
static enum lock_type type_of_lock(struct python *python, uint64_t object, uint64_t word)
{
	static const char *const types[] = {
	    [LOCK] = "_thread.lock", [RLOCK] = "_thread.RLock", [SIMPLE_QUEUE] = "_queue.SimpleQueue"};
	char name[PYTHON_TYPE_ROOM];
	if (object % 8 || python_pointer(python, object + PYTHON_LOCK) != word ||
	    !python_type_name(python, object, name))
		return NO_LOCK;
	for (enum lock_type type = LOCK; type <= SIMPLE_QUEUE; type++)
		if (strcmp(name, types[type]) == 0)
			return type;
	return NO_LOCK;
}

/* The lock that a value is, or is a method or variable of. */
static enum lock_type lock_behind(struct python *python, uint64_t value, uint64_t word, uint64_t *lock)
{
	const uint32_t behind[] = {PYTHON_BOUND_TO, PYTHON_CELL};
	enum lock_type type = type_of_lock(python, *lock = value, word);
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]) && type == NO_LOCK && value % 8 == 0; i++) {
		*lock = python_pointer(python, value + behind[i]);
		type = *lock ? type_of_lock(python, *lock, word) : NO_LOCK;
	}
	return type;
}

static enum lock_type find_lock(struct python *python, const struct python_frame *frame, uint64_t word,
				uint64_t *lock)
{
	enum lock_type type = NO_LOCK;
	const uint64_t first = frame->address + python->layout.frame_locals;
	const uint64_t stack = frame->values;
	for (uint32_t i = 0; i < frame->code->stack && i < SLOTS_MOST && stack && type == NO_LOCK; i++)
		type = lock_behind(python, python_pointer(python, stack + UINT64_C(8) * i), word, lock);
	for (uint32_t i = 0; i < frame->code->locals && i < SLOTS_MOST && type == NO_LOCK; i++)
		type = lock_behind(python, python_pointer(python, first + UINT64_C(8) * i), word, lock);
	return type;
}

/* Functions of Python's library that wait, and what for. */
static const struct method {
	const char *file, *type, *name, *call;
	enum wait_kind kind;
} methods[] = {
    {"threading.py", "Condition", "wait", "Condition.wait", WAIT_COND},
    {"threading.py", "Condition", "wait_for", "Condition.wait_for", WAIT_COND},
    {"threading.py", "Event", "wait", "Event.wait", WAIT_COND},
    {"threading.py", "Semaphore", "acquire", "Semaphore.acquire", WAIT_SEMAPHORE},
    {"threading.py", "BoundedSemaphore", "acquire", "Semaphore.acquire", WAIT_SEMAPHORE},
    {"threading.py", "Barrier", "_wait", "Barrier.wait", WAIT_BARRIER},
    {"threading.py", "Barrier", "_enter", "Barrier.wait", WAIT_BARRIER},
    {"threading.py", "Barrier", "wait", "Barrier.wait", WAIT_BARRIER},
    {"queue.py", "Queue", "get", "Queue.get", WAIT_COND},
    {"queue.py", "Queue", "put", "Queue.put", WAIT_COND},
    {"queue.py", "Queue", "join", "Queue.join", WAIT_COND},
    {"_base.py", "Future", "result", "Future.result", WAIT_COND},
    {"_base.py", "Future", "exception", "Future.exception", WAIT_COND},
};

static const struct method *method_of(struct python *python, const struct python_frame *frame)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (python_frame_is(python, frame, methods[i].file, methods[i].type, methods[i].name))
			return &methods[i];
	return NULL;
}

/* "threading.Event stop", "queue.Queue at 0x7f..." */
static void name_object(struct python *python, const struct python_frame *frame, const char *module,
			const char *type, struct wait *wait)
{
	const char *variable = python_variable(python, frame, wait->object);
	if (variable)
		say(&wait->name, "%s%s %s", module, type, variable);
	else
		say(&wait->name, "%s%s at 0x%llx", module, type, (unsigned long long)wait->object);
}

/* The first frame from i on that isn't in the part of the library that is about threads. */
static const struct python_frame *user_frame(const struct python_thread *thread, size_t i)
{
	static const char *const files[] = {"threading.py", "queue.py", "_base.py"};
	for (; i < thread->frames_length; i++) {
		const char *file = thread->frames[i].code->file;
		bool library = false;
		for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++)
			library |= file && strcmp(file, files[k]) == 0;
		if (!library)
			return &thread->frames[i];
	}
	return NULL;
}

/*
 * Waiting for a condition is waiting for a lock of the thread's own that notify() unlocks. The functions around it say what
 * it is for: an event, a queue.
 */
static bool waits_for_condition(struct python *python, uint32_t t, struct python_wait *found)
{
	const struct python_thread *thread = &python->threads[t];
	const struct method *method = method_of(python, &thread->frames[0]);
	const struct python_frame *frame = &thread->frames[0];
	if (method != &methods[0])
		return false;
	for (size_t i = 1; i < thread->frames_length && i < CLIMB_MOST; i++) {
		const struct method *outer = method_of(python, &thread->frames[i]);
		if (!outer)
			break;
		method = outer;
		frame = &thread->frames[i];
	}
	char type[PYTHON_TYPE_ROOM];
	struct wait *wait = &found->wait;
	wait->kind = method->kind;
	wait->call = method->call;
	wait->object = python_local(python, frame, 0);
	wait->certain = !wait->timed;
	found->wait.handler = t == 0;
	const bool known = python_type_name(python, wait->object, type);
	const char *module = strcmp(method->file, "queue.py") == 0	 ? "queue."
			     : strcmp(method->file, "threading.py") == 0 ? "threading."
									 : "";
	const bool own = known && !strstr(type, method->type);
	name_object(python, user_frame(thread, 0), own ? "" : module, known ? type : method->type, wait);
	return true;
}

/* Who is in a `with` block of the lock; the length if nobody is, or more than one. */
static size_t find_with(const struct python *python, uint64_t lock)
{
	size_t found = python->length, count = 0;
	for (size_t t = 0; t < python->length; t++) {
		const struct python_thread *thread = &python->threads[t];
		bool held = false;
		for (size_t i = 0; i < thread->held_length; i++)
			held |= thread->held[i] == lock;
		found = held ? t : found;
		count += held;
	}
	return count == 1 ? found : python->length;
}

static bool waits_for_lock(struct python *python, const struct python_frame *user, struct wait *wait)
{
	wait->kind = WAIT_MUTEX;
	wait->call = "Lock.acquire";
	name_object(python, user, "threading.", "Lock", wait);
	const size_t holder = find_with(python, wait->object);
	wait->certain = !wait->timed;
	if (holder == python->length)
		return true;
	say(&wait->detail, "in a with block");
	return add_holder(wait, holder);
}

static bool waits_for_rlock(struct python *python, const struct python_frame *user, struct wait *wait)
{
	uint64_t owner, count;
	wait->kind = WAIT_MUTEX;
	wait->call = "RLock.acquire";
	name_object(python, user, "threading.", "RLock", wait);
	if (!python_word(python, wait->object + PYTHON_RLOCK_OWNER, &owner) || !owner ||
	    !python_word(python, wait->object + PYTHON_RLOCK_COUNT, &count) || !count || count > UINT32_MAX)
		return true;
	wait->count = (uint32_t)count;
	for (size_t t = 0; t < python->length; t++)
		if (python->threads[t].known && python->threads[t].ident == owner) {
			wait->certain = !wait->timed;
			return add_holder(wait, t);
		}
	return true;
}

static bool waits_for_end(size_t holder, struct wait *wait)
{
	wait->kind = WAIT_JOIN;
	wait->call = "Thread.join";
	wait->object = 0;
	wait->certain = !wait->timed;
	return add_holder(wait, holder);
}

/* The thread whose lock of this kind is unlocked when it ends. */
static size_t thread_that_unlocks(const struct python *python, uint64_t lock)
{
	size_t t = 0;
	while (t < python->length && python->threads[t].ends != lock)
		t++;
	return t;
}

static bool waits_for_simple_queue(struct python *python, uint32_t t, struct python_wait *found)
{
	struct wait *wait = &found->wait;
	wait->kind = WAIT_COND;
	wait->call = "SimpleQueue.get";
	wait->certain = !wait->timed;
	found->wait.handler = t == 0;
	name_object(python, user_frame(&python->threads[t], 0), "queue.", "SimpleQueue", wait);
	return true;
}

static bool waits_for(struct python *python, uint32_t t, enum lock_type type, struct python_wait *found)
{
	const struct python_thread *thread = &python->threads[t];
	struct wait *wait = &found->wait;
	const struct python_frame *user = user_frame(thread, 0);
	const size_t ends = thread_that_unlocks(python, wait->object);
	if (type == LOCK && ends < python->length)
		return waits_for_end(ends, wait);
	if (type == LOCK && waits_for_condition(python, t, found))
		return true;
	if (type == LOCK)
		return waits_for_lock(python, user, wait);
	if (type == RLOCK)
		return waits_for_rlock(python, user, wait);
	return waits_for_simple_queue(python, t, found);
}

/*
 * Since 3.13 some wait without a lock, at a semaphore on their own stack: those who join, and simple queues that are among the
 * values of the innermost frame.
 */
#define PARKED_MOST 65536

static bool waits_parked(struct python *python, uint32_t t, uint64_t word)
{
	const struct python_frame *frame = &python->threads[t].frames[0];
	const uint64_t stack = subject_thread(python->subject, t)->regs.rsp;
	struct python_wait *found = &python->waits[t];
	if (!within(word, stack, stack + PARKED_MOST))
		return true;
	if (python_frame_is(python, frame, "threading.py", "Thread", "join")) {
		const size_t holder = python_thread_of_self(python, python_local(python, frame, 0));
		found->found = holder < python->length;
		return !found->found || waits_for_end(holder, &found->wait);
	}
	for (uint32_t i = 0; i < frame->code->stack && i < SLOTS_MOST; i++) {
		uint64_t queue = python_pointer(python, frame->values + UINT64_C(8) * i);
		if (python_is(python, queue, "builtin_function_or_method") ||
		    python_is(python, queue, "builtin_method"))
			queue = python_pointer(python, queue + PYTHON_BOUND_TO);
		if (!python_is(python, queue, "_queue.SimpleQueue"))
			continue;
		found->found = true;
		found->wait.object = queue;
		return waits_for_simple_queue(python, t, found);
	}
	return true;
}

bool python_wait(struct python *python, uint32_t t)
{
	const struct python_thread *thread = &python->threads[t];
	struct python_wait *found = &python->waits[t];
	const struct subject_thread *standing = subject_thread(python->subject, t);
	const uint64_t word = futex_word(standing);
	if (!thread->known || !word)
		return true;
	if (!waits_for_gil(python, t, word))
		return false;
	if (found->found || thread->frames_length == 0)
		return true;
	uint64_t lock;
	found->wait = (struct wait){.descriptor = -1};
	/* The fourth argument is a time to wait until; only waits with one are taken up again in the other way. */
	found->wait.timed = standing->syscall == SYS_restart_syscall || standing->arguments[3] != 0;
	const enum lock_type type = find_lock(python, &thread->frames[0], word, &lock);
	if (type == NO_LOCK)
		return waits_parked(python, t, word);
	found->found = true;
	found->wait.object = lock;
	return waits_for(python, t, type, found);
}
