#include "breakpoints/python/wait.h"
#include "breakpoints/waits/inspector.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * What a thread of Python's waits for: the futex word at which it sleeps is that of a lock which one of the values of its
 * innermost frame is, or of the lock of the interpreter.
 */

#define SLOTS_MOST 512

static uint64_t futex_word(const struct snapshot_thread *thread)
{
	return thread->syscall == SYS_futex || thread->syscall == SYS_restart_syscall ? thread->arguments[0]
										      : 0;
}

static bool within(uint64_t address, uint64_t begin, uint64_t end)
{
	return address >= begin && address < end;
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
	found->wait.name = strdup("the GIL");
	const size_t holder = python_thread_of_state(python, python_pointer(python, gil + PYTHON_GIL_HOLDER));
	if (!within(word, gil + PYTHON_GIL_COND, gil + PYTHON_GIL_MUTEX) ||
	    !python_read(python, gil + PYTHON_GIL_LOCKED, &locked, sizeof(locked)) || locked != 1 ||
	    holder >= python->length || holder == t) {
		wait_say(&found->wait, "about to change hands");
		return true;
	}
	found->wait.certain = found->wait.begins_anew = true;
	return wait_add_holder(&found->wait, (uint32_t)holder);
}

/* What lies behind a value: itself, what it is a method of, what it is the variable of. */
static enum python_lock_type lock_behind(struct python *python, uint64_t value, uint64_t word, uint64_t *lock)
{
	const uint32_t behind[] = {PYTHON_BOUND_TO, PYTHON_CELL};
	enum python_lock_type type = python_lock_type(python, *lock = value, word);
	for (size_t i = 0; i < 2 && type == PYTHON_NO_LOCK && value % 8 == 0; i++) {
		*lock = python_pointer(python, value + behind[i]);
		type = *lock ? python_lock_type(python, *lock, word) : PYTHON_NO_LOCK;
	}
	return type;
}

static enum python_lock_type find_lock(struct python *python, const struct python_frame *frame, uint64_t word,
				       uint64_t *lock)
{
	enum python_lock_type type = PYTHON_NO_LOCK;
	const uint64_t first = frame->address + python->layout.frame_locals;
	const uint64_t stack = frame->values;
	for (uint32_t i = 0; i < frame->code->stack && i < SLOTS_MOST && stack && type == PYTHON_NO_LOCK; i++)
		type = lock_behind(python, python_pointer(python, stack + UINT64_C(8) * i), word, lock);
	for (uint32_t i = 0; i < frame->code->locals && i < SLOTS_MOST && type == PYTHON_NO_LOCK; i++)
		type = lock_behind(python, python_pointer(python, first + UINT64_C(8) * i), word, lock);
	return type;
}

/* The thread whose lock of this kind is unlocked when it ends. */
static size_t thread_that_unlocks(const struct python *python, uint64_t lock)
{
	size_t t = 0;
	while (t < python->length && python->threads[t].ends != lock)
		t++;
	return t;
}

static bool waits_for(struct python *python, uint32_t t, enum python_lock_type type)
{
	const size_t ends = thread_that_unlocks(python, python->waits[t].wait.object);
	if (type == PYTHON_PLAIN_LOCK && ends < python->length)
		return python_waits_for_end(python, t, ends);
	if (type == PYTHON_PLAIN_LOCK && python_waits_for_condition(python, t))
		return true;
	if (type != PYTHON_SIMPLE_QUEUE)
		return python_waits_for_lock(python, t, type);
	python_waits_for_simple_queue(python, t);
	return true;
}

/* The simple queue that is among the values of the frame, or whose method is; 0: none. */
static uint64_t find_simple_queue(struct python *python, const struct python_frame *frame)
{
	for (uint32_t i = 0; i < frame->code->stack && i < SLOTS_MOST; i++) {
		uint64_t queue = python_pointer(python, frame->values + UINT64_C(8) * i);
		if (python_is(python, queue, "builtin_function_or_method") ||
		    python_is(python, queue, "builtin_method"))
			queue = python_pointer(python, queue + PYTHON_BOUND_TO);
		if (python_is(python, queue, "_queue.SimpleQueue"))
			return queue;
	}
	return 0;
}

/* Since 3.13 some wait without a lock, at a semaphore on their own stack: those who join, and simple queues. */
#define PARKED_MOST 65536

static bool waits_parked(struct python *python, uint32_t t, uint64_t word)
{
	const struct python_frame *frame = &python->threads[t].frames[0];
	const uint64_t stack = snapshot_thread(python->snapshot, t)->regs.rsp;
	struct python_wait *found = &python->waits[t];
	if (!within(word, stack, stack + PARKED_MOST))
		return true;
	if (python_frame_is(python, frame, "threading.py", "Thread", "join")) {
		const size_t of = python_thread_of_self(python, python_local(python, frame, 0));
		found->found = of < python->length;
		return !found->found || python_waits_for_end(python, t, of);
	}
	if (python_frame_is(python, frame, "threading.py", "", "_shutdown"))
		return python_waits_for_all_ends(python, t);
	found->wait.object = find_simple_queue(python, frame);
	found->found = found->wait.object;
	if (found->found)
		python_waits_for_simple_queue(python, t);
	return true;
}

bool python_wait(struct python *python, uint32_t t)
{
	const struct python_thread *thread = &python->threads[t];
	struct python_wait *found = &python->waits[t];
	const struct snapshot_thread *standing = snapshot_thread(python->snapshot, t);
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
	const enum python_lock_type type = find_lock(python, &thread->frames[0], word, &lock);
	if (type == PYTHON_NO_LOCK)
		return waits_parked(python, t, word);
	found->found = true;
	found->wait.object = lock;
	return waits_for(python, t, type);
}
