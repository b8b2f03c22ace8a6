/*
 * What operations mean, by scripts: each is a table of steps with what the model must say to each.
 */
#include "supervisor/model_state.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* Expected marks of an effect. */
enum { YIELD = 1, BLOCKED = 2, TIMED_OUT = 4, ASLEEP = 8, UNKNOWN = 16, WRITES2 = 32 };

enum action {
	DO = 1, /* come to the operation and perform it: result, marks */
	STUCK,	/* come to it, not enabled */
	LATE,	/* come to it, not ready, its only choice a time-out */
	GO,	/* perform what is pending: result, marks */
	STILL,	/* what is pending is not enabled */
	WAYS,	/* come to it, as many choices as `result` */
	EXIT,
};

struct row {
	enum action action;
	uint32_t t;
	enum op_kind kind;
	uint32_t object;
	int64_t result;
	unsigned marks;
	uint32_t object2;
	int64_t arg, arg2, arg3;
	unsigned flags;
	int32_t choice;
	uint32_t word, word2, value2;
};

struct script {
	const char *name;
	struct object_state objects[3];
	struct row rows[32];
};

#define THREADS 5

#define NORMAL                                                                                               \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_NORMAL, NO_THREAD, 0                                                      \
	}
#define RECURSIVE                                                                                            \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_RECURSIVE, NO_THREAD, 0                                                   \
	}
#define ERRORCHECK                                                                                           \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_ERRORCHECK, NO_THREAD, 0                                                  \
	}
#define ADAPTIVE                                                                                             \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_ADAPTIVE, NO_THREAD, 0                                                    \
	}
#define ROBUST(t)                                                                                            \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_ROBUST | (t), NO_THREAD, 0                                                \
	}
#define COND                                                                                                 \
	{                                                                                                    \
		CLASS_COND, 0, NO_THREAD, 0                                                                  \
	}
#define SEM(n)                                                                                               \
	{                                                                                                    \
		CLASS_SEM, 0, NO_THREAD, (n)                                                                 \
	}
#define FUTEX                                                                                                \
	{                                                                                                    \
		CLASS_FUTEX, 0, NO_THREAD, 0                                                                 \
	}

#define ALL_BITS 0xffffffff
#define WAKE_OP(op, arg, cmp, cmparg)                                                                        \
	((int64_t)((uint32_t)(op) << 28 | (uint32_t)(cmp) << 24 | ((arg)&0xfffu) << 12 | ((cmparg)&0xfffu)))

/* Rows leave out what is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const struct script scripts[] = {
    {"join",
     {},
     {
	 {STUCK, 0, OP_THREAD_JOIN, 1},
	 {DO, 2, OP_THREAD_TRYJOIN, 1, 16, YIELD},
	 {LATE, 2, OP_THREAD_TIMEDJOIN, 1},
	 {GO, 2, .result = 110, .marks = TIMED_OUT | YIELD | BLOCKED, .choice = CHOICE_TIMEOUT},
	 {EXIT, 1},
	 {GO, 0, .result = 0},
	 {DO, 2, OP_THREAD_JOIN, 1, 0, UNKNOWN}, /* joined already */
	 {EXIT, 3},
	 {DO, 2, OP_THREAD_TRYJOIN, 3, 0},
	 {EXIT, 4},
	 {DO, 2, OP_THREAD_TIMEDJOIN, 4, 0},
     }},
    {"join of oneself, of each other, of nobody known",
     {},
     {
	 {DO, 0, OP_THREAD_JOIN, 0, 35},
	 {DO, 0, OP_THREAD_TIMEDJOIN, 0, 35},
	 {DO, 0, OP_THREAD_TRYJOIN, 0, 16, YIELD},
	 {STUCK, 0, OP_THREAD_JOIN, 1},
	 {DO, 1, OP_THREAD_JOIN, 0, 35, BLOCKED},
	 {STILL, 0},
	 {DO, 2, OP_THREAD_JOIN, NO_OBJECT, 0, UNKNOWN},
	 {DO, 2, OP_THREAD_TIMEDJOIN, NO_OBJECT, 0, UNKNOWN},
	 {STUCK, 2, OP_THREAD_JOIN, 3}, /* a circle of three is a deadlock */
	 {STUCK, 3, OP_THREAD_JOIN, 4},
	 {STUCK, 4, OP_THREAD_JOIN, 2},
     }},
    {"who waits for something of the caller's number doesn't join it",
     {{CLASS_MUTEX, MUTEX_NORMAL, 2, 2}},
     {
	 {STUCK, 1, OP_MUTEX_LOCK, 0},
	 {STUCK, 0, OP_THREAD_JOIN, 1},
	 {DO, 2, OP_MUTEX_UNLOCK, 0, 0}, /* once is enough, it isn't recursive */
	 {GO, 1, .result = 0},
	 {LATE, 1, OP_THREAD_TIMEDJOIN, 2},
	 {DO, 2, OP_THREAD_JOIN, 1, 35, BLOCKED},
     }},
    {"detach and create",
     {},
     {
	 {DO, 0, OP_THREAD_CREATE, NO_OBJECT, 0, UNKNOWN},
	 {DO, 0, OP_THREAD_DETACH, 1, 0, UNKNOWN},
	 {DO, 0, OP_THREAD_JOIN, 1, 0, UNKNOWN},
	 {DO, 0, OP_THREAD_TRYJOIN, 1, 16, YIELD},
	 {EXIT, 1},
	 {DO, 0, OP_THREAD_JOIN, 1, 0, UNKNOWN},
	 {DO, 0, OP_THREAD_DETACH, 1, 0, UNKNOWN},
     }},
    {"normal mutex",
     {NORMAL, ADAPTIVE},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {STUCK, 1, OP_MUTEX_LOCK, 0},
	 {DO, 2, OP_MUTEX_TRYLOCK, 0, 16, YIELD},
	 {LATE, 2, OP_MUTEX_TIMEDLOCK, 0},
	 {GO, 2, .result = 110, .marks = TIMED_OUT | YIELD | BLOCKED, .choice = CHOICE_TIMEOUT},
	 {DO, 2, OP_MUTEX_DESTROY, 0, 16},
	 {DO, 0, OP_MUTEX_TRYLOCK, 0, 16, YIELD},
	 {LATE, 0, OP_MUTEX_TIMEDLOCK, 0},
	 {GO, 0, .result = 110, .marks = TIMED_OUT | YIELD | BLOCKED, .choice = CHOICE_TIMEOUT},
	 {DO, 0, OP_MUTEX_CONSISTENT, 0, 22},
	 {DO, 2, OP_MUTEX_UNLOCK, 0, 0}, /* by a stranger */
	 {GO, 1, .result = 0},
	 {STUCK, 1, OP_MUTEX_LOCK, 0}, /* for ever */
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {GO, 1, .result = 0},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 0},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 0}, /* free already */
	 {DO, 1, OP_MUTEX_TRYLOCK, 1, 0},
	 {STUCK, 1, OP_MUTEX_LOCK, 1},
     }},
    {"recursive mutex",
     {RECURSIVE, {CLASS_MUTEX, MUTEX_RECURSIVE, 0, UINT32_MAX}},
     {
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 1},
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 0, OP_MUTEX_TRYLOCK, 0, 0},
	 {DO, 0, OP_MUTEX_TIMEDLOCK, 0, 0},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 1},
	 {DO, 1, OP_MUTEX_TRYLOCK, 0, 16, YIELD},
	 {STUCK, 1, OP_MUTEX_LOCK, 0},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {STILL, 1},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {GO, 1, .result = 0},
	 {DO, 0, OP_MUTEX_LOCK, 1, 11}, /* the count is full */
	 {DO, 0, OP_MUTEX_TRYLOCK, 1, 11, YIELD},
     }},
    {"error-checking mutex",
     {ERRORCHECK},
     {
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 1},
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 0, OP_MUTEX_LOCK, 0, 35},
	 {DO, 0, OP_MUTEX_TIMEDLOCK, 0, 35},
	 {DO, 0, OP_MUTEX_TRYLOCK, 0, 16, YIELD},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 1},
	 {STUCK, 1, OP_MUTEX_LOCK, 0},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {DO, 0, OP_MUTEX_DESTROY, 0, 0},
	 {GO, 1, .result = 0, .marks = UNKNOWN}, /* used after its destruction */
	 {DO, 0, OP_MUTEX_INIT, 0, 0, .arg = MUTEX_NORMAL},
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 0},
     }},
    {"a mutex stays held by who has exited",
     {NORMAL},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {STUCK, 1, OP_MUTEX_LOCK, 0},
	 {EXIT, 0},
	 {STILL, 1},
	 {DO, 2, OP_MUTEX_INIT, 0, 0, .arg = MUTEX_NORMAL},
	 {GO, 1, .result = 0},
     }},
    {"robust mutex made consistent",
     {ROBUST(MUTEX_NORMAL)},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 0, OP_MUTEX_CONSISTENT, 0, 22},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 1},
	 {STUCK, 1, OP_MUTEX_LOCK, 0},
	 {EXIT, 0},
	 {DO, 2, OP_MUTEX_UNLOCK, 0, 1},
	 {DO, 2, OP_MUTEX_CONSISTENT, 0, 22},
	 {GO, 1, .result = 130},
	 {DO, 2, OP_MUTEX_TRYLOCK, 0, 16, YIELD},
	 {EXIT, 1}, /* dead again, not repaired */
	 {DO, 2, OP_MUTEX_TRYLOCK, 0, 130},
	 {DO, 2, OP_MUTEX_CONSISTENT, 0, 0},
	 {DO, 2, OP_MUTEX_CONSISTENT, 0, 22},
	 {DO, 2, OP_MUTEX_UNLOCK, 0, 0},
	 {DO, 3, OP_MUTEX_TIMEDLOCK, 0, 0},
	 {DO, 4, OP_MUTEX_DESTROY, 0, 0}, /* held; glibc doesn't mind */
     }},
    {"robust mutex beyond recovery",
     {ROBUST(MUTEX_RECURSIVE), ROBUST(MUTEX_ERRORCHECK)},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 0, OP_MUTEX_LOCK, 1, 0},
	 {DO, 0, OP_MUTEX_TRYLOCK, 1, 35, YIELD},
	 {DO, 0, OP_MUTEX_LOCK, 1, 35},
	 {EXIT, 0},
	 {DO, 1, OP_MUTEX_TIMEDLOCK, 0, 130},
	 {DO, 1, OP_MUTEX_LOCK, 0, 0},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 131}, /* one level less, and a complaint */
	 {STUCK, 2, OP_MUTEX_LOCK, 0},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 0},
	 {GO, 2, .result = 131},
	 {DO, 2, OP_MUTEX_TRYLOCK, 0, 131, YIELD | BLOCKED},
	 {DO, 2, OP_MUTEX_TIMEDLOCK, 0, 131},
	 {DO, 2, OP_MUTEX_CONSISTENT, 0, 22},
	 {DO, 2, OP_MUTEX_UNLOCK, 0, 1},
	 {DO, 1, OP_MUTEX_INIT, 0, 0, .arg = MUTEX_RECURSIVE | MUTEX_ROBUST},
	 {DO, 1, OP_MUTEX_LOCK, 0, 0},
	 {DO, 1, OP_MUTEX_TRYLOCK, 1, 130},
     }},
    {"each robust mutex has its own owner",
     {ROBUST(MUTEX_NORMAL), ROBUST(MUTEX_NORMAL), NORMAL},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 1, OP_MUTEX_LOCK, 1, 0},
	 {DO, 1, OP_MUTEX_LOCK, 2, 0},
	 {EXIT, 1},
	 {STUCK, 2, OP_MUTEX_LOCK, 0},
	 {STUCK, 3, OP_MUTEX_LOCK, 2},
	 {DO, 4, OP_MUTEX_LOCK, 1, 130},
     }},
    {"condition variable: signal, broadcast",
     {COND, NORMAL},
     {
	 {DO, 0, OP_COND_INIT, 0, 0},
	 {DO, 0, OP_COND_SIGNAL, 0, 0, BLOCKED}, /* lost */
	 {DO, 0, OP_COND_BROADCAST, 0, 0, BLOCKED},
	 {DO, 0, OP_MUTEX_LOCK, 1, 0},
	 {DO, 0, OP_COND_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, 1},
	 {STILL, 0},
	 {DO, 1, OP_MUTEX_LOCK, 1, 0},
	 {DO, 1, OP_COND_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, 1, .flags = OP_TIMED},
	 {STILL, 1},
	 {DO, 2, OP_MUTEX_LOCK, 1, 0},
	 {DO, 2, OP_COND_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, 1},
	 {DO, 3, OP_MUTEX_LOCK, 1, 0},
	 {WAYS, 3, OP_COND_SIGNAL, 0, 3},
	 {GO, 3, .result = 0, .marks = BLOCKED, .choice = 1},
	 {STILL, 0},
	 {STILL, 1}, /* woken, but the mutex is held */
	 {WAYS, 3, OP_COND_SIGNAL, 0, 2},
	 {DO, 3, OP_COND_BROADCAST, 0, 0, BLOCKED},
	 {DO, 3, OP_MUTEX_UNLOCK, 1, 0},
	 {GO, 2, .result = 0, .marks = BLOCKED},
	 {STILL, 0},
	 {STILL, 1},
	 {DO, 2, OP_MUTEX_UNLOCK, 1, 0},
	 {GO, 1, .result = 0, .marks = BLOCKED},
	 {DO, 1, OP_MUTEX_UNLOCK, 1, 0},
	 {GO, 0, .result = 0, .marks = BLOCKED},
	 {DO, 0, OP_COND_DESTROY, 0, 0},
	 {STUCK, 1, OP_MUTEX_LOCK, 1},
     }},
    {"condition variable: time-out",
     {COND, NORMAL},
     {
	 {DO, 0, OP_MUTEX_LOCK, 1, 0},
	 {DO, 0, OP_COND_TIMEDWAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, 1},
	 {DO, 1, OP_MUTEX_LOCK, 1, 0},
	 {GO, 0, .marks = ASLEEP | BLOCKED | UNKNOWN | TIMED_OUT | YIELD, .choice = CHOICE_TIMEOUT},
	 {STILL, 0},
	 {WAYS, 1, OP_COND_SIGNAL, 0, 1},
	 {GO, 1, .result = 0, .marks = BLOCKED}, /* nobody sleeps any more */
	 {DO, 1, OP_MUTEX_UNLOCK, 1, 0},
	 {GO, 0, .result = 110, .marks = BLOCKED},
	 {STUCK, 1, OP_MUTEX_LOCK, 1},
     }},
    {"condition variable: the mutex objects",
     {COND, RECURSIVE, ROBUST(MUTEX_NORMAL)},
     {
	 {DO, 0, OP_COND_WAIT, 0, 1, BLOCKED, 1}, /* not held */
	 {DO, 0, OP_COND_WAIT, 0, 1, BLOCKED, 2},
	 {DO, 0, OP_MUTEX_LOCK, 1, 0},
	 {DO, 1, OP_COND_TIMEDWAIT, 0, 1, BLOCKED, 1},
	 {DO, 0, OP_MUTEX_LOCK, 1, 0},
	 {DO, 0, OP_COND_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, 1}, /* still held once */
	 {DO, 1, OP_MUTEX_TRYLOCK, 1, 16, YIELD},
	 {DO, 1, OP_COND_SIGNAL, 0, 0, BLOCKED},
	 {GO, 0, .result = 0, .marks = BLOCKED},
	 {DO, 0, OP_MUTEX_UNLOCK, 1, 0},
	 {DO, 0, OP_MUTEX_UNLOCK, 1, 0},
	 {DO, 0, OP_MUTEX_UNLOCK, 1, 1},
	 {DO, 0, OP_MUTEX_LOCK, 2, 0},
	 {DO, 0, OP_COND_TIMEDWAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, 2},
	 {DO, 1, OP_MUTEX_LOCK, 2, 0},
	 {EXIT, 1},
	 {GO, 0, .marks = ASLEEP | BLOCKED | UNKNOWN | TIMED_OUT | YIELD, .choice = CHOICE_TIMEOUT},
	 {GO, 0, .result = 130, .marks = BLOCKED},		     /* goes before the time-out */
	 {DO, 0, OP_COND_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, 2}, /* gives up repairing it */
	 {DO, 2, OP_COND_SIGNAL, 0, 0, BLOCKED},
	 {GO, 0, .result = 131, .marks = BLOCKED},
     }},
    {"semaphore",
     {SEM(1), SEM(INT32_MAX)},
     {
	 {DO, 0, OP_SEM_WAIT, 0, 0},
	 {STUCK, 0, OP_SEM_WAIT, 0},
	 {DO, 1, OP_SEM_TRYWAIT, 0, -1, YIELD},
	 {LATE, 1, OP_SEM_TIMEDWAIT, 0},
	 {GO, 1, .result = -1, .marks = TIMED_OUT | YIELD | BLOCKED, .choice = CHOICE_TIMEOUT},
	 {DO, 1, OP_SEM_POST, 0, 0},
	 {GO, 0, .result = 0},
	 {DO, 1, OP_SEM_INIT, 0, 0, .arg = 2},
	 {DO, 1, OP_SEM_TIMEDWAIT, 0, 0},
	 {DO, 1, OP_SEM_TRYWAIT, 0, 0},
	 {STUCK, 0, OP_SEM_WAIT, 0},
	 {DO, 1, OP_SEM_POST, 1, -1}, /* overflow */
	 {DO, 1, OP_SEM_INIT, 1, -1, .arg = INT64_C(0x80000000)},
	 {DO, 1, OP_SEM_WAIT, 1, 0},
	 {DO, 1, OP_SEM_POST, 1, 0},
	 {DO, 1, OP_SEM_GETVALUE, 1, 0},
	 {DO, 1, OP_SEM_DESTROY, 1, 0},
	 {DO, 1, OP_SEM_OPEN, NO_OBJECT, 0, UNKNOWN},
	 {DO, 1, OP_SEM_CLOSE, 0, 0, UNKNOWN},
	 {DO, 1, OP_SEM_WAIT, NO_OBJECT, 0, UNKNOWN},
     }},
    {"no progress, the outside, the end",
     {},
     {
	 {DO, 0, OP_YIELD, NO_OBJECT, 0, YIELD},
	 {DO, 0, OP_SLEEP, NO_OBJECT, 0, YIELD | BLOCKED, .arg = 1000},
	 {STUCK, 0, OP_POLL, NO_OBJECT},
	 {LATE, 0, OP_POLL, NO_OBJECT, .flags = OP_TIMED},
	 {GO, 0, .marks = TIMED_OUT | YIELD | BLOCKED, .choice = CHOICE_TIMEOUT},
	 {DO, 0, OP_POLL, NO_OBJECT, 0, UNKNOWN, .flags = OP_TIMED | OP_READY},
	 {STUCK, 0, OP_SYSCALL, NO_OBJECT},
	 {DO, 0, OP_SYSCALL, NO_OBJECT, 0, UNKNOWN, .flags = OP_READY}, /* came to be ready */
	 {LATE, 0, OP_SYSCALL, NO_OBJECT, .flags = OP_TIMED},
	 {GO, 0, .marks = TIMED_OUT | YIELD | BLOCKED | UNKNOWN, .choice = CHOICE_TIMEOUT},
	 {DO, 0, OP_PROCESS_EXIT, NO_OBJECT, 0, UNKNOWN},
     }},
    {"futex: wait and wake",
     {FUTEX},
     {
	 {DO, 0, OP_FUTEX_WAKE, 0, 0, BLOCKED, .arg = 1, .arg2 = ALL_BITS},
	 {DO, 0, OP_FUTEX_WAIT, 0, -11, BLOCKED, .arg = 1, .arg2 = ALL_BITS, .word = 2},
	 {DO, 0, OP_FUTEX_WAIT, 0, -22, BLOCKED, .arg = 1, .arg2 = 0, .word = 1},
	 {DO, 0, OP_FUTEX_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, .arg = -1, .arg2 = 2, .word = UINT32_MAX},
	 {DO, 1, OP_FUTEX_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, .arg = 1, .arg2 = 1, .word = 1},
	 {DO, 2, OP_FUTEX_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, .arg = 1, .arg2 = 3, .word = 1,
	  .flags = OP_TIMED},
	 {DO, 3, OP_FUTEX_WAKE, 0, -22, BLOCKED, .arg = 1, .arg2 = 0},
	 {WAYS, 3, OP_FUTEX_WAKE, 0, 3, .arg = 1, .arg2 = ALL_BITS},
	 {WAYS, 3, OP_FUTEX_WAKE, 0, 3, .arg = 2, .arg2 = ALL_BITS},
	 {WAYS, 3, OP_FUTEX_WAKE, 0, 1, .arg = 3, .arg2 = ALL_BITS},
	 {WAYS, 3, OP_FUTEX_WAKE, 0, 3, .arg = 0, .arg2 = ALL_BITS}, /* to wake none wakes one */
	 {WAYS, 3, OP_FUTEX_WAKE, 0, 2, .arg = 1, .arg2 = 1},
	 {DO, 3, OP_FUTEX_WAKE, 0, 0, BLOCKED, .arg = 1, .arg2 = 4},
	 {DO, 3, OP_FUTEX_WAKE, 0, 1, BLOCKED, .arg = 1, .arg2 = 1},
	 {STILL, 0},
	 {GO, 1, .result = 0, .marks = BLOCKED},
	 {GO, 2, .result = -110, .marks = TIMED_OUT | YIELD | BLOCKED, .choice = CHOICE_TIMEOUT},
	 {DO, 3, OP_FUTEX_WAKE, 0, 1, BLOCKED, .arg = INT32_MAX, .arg2 = ALL_BITS},
	 {GO, 0, .result = 0, .marks = BLOCKED},
     }},
    {"futex: requeue",
     {FUTEX, FUTEX},
     {
	 {DO, 0, OP_FUTEX_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, .arg2 = 1},
	 {DO, 1, OP_FUTEX_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, .arg2 = 2},
	 {DO, 2, OP_FUTEX_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, .arg2 = 4},
	 {DO, 3, OP_FUTEX_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, .arg2 = 8},
	 {DO, 4, OP_FUTEX_REQUEUE, 0, -11, BLOCKED, 1, 1, 1, 7, OP_COMPARE, .word = 8},
	 {DO, 4, OP_FUTEX_REQUEUE, 0, -22, BLOCKED, 1, -1, 1},
	 {DO, 4, OP_FUTEX_REQUEUE, 0, -22, BLOCKED, 1, 1, -1},
	 {DO, 4, OP_FUTEX_REQUEUE, 0, 0, BLOCKED, 1, 0, 0},
	 {DO, 4, OP_FUTEX_REQUEUE, 0, 3, BLOCKED, 0, 0, 3}, /* onto itself: counts, moves nobody */
	 {DO, 4, OP_FUTEX_REQUEUE, 0, 3, BLOCKED, 1, 1, 2, 7, OP_COMPARE, .word = 7},
	 {GO, 0, .result = 0, .marks = BLOCKED},
	 {STILL, 1},
	 {STILL, 2},
	 {WAYS, 4, OP_FUTEX_WAKE, 0, 1, .arg = 1, .arg2 = ALL_BITS},
	 {WAYS, 4, OP_FUTEX_WAKE, 1, 2, .arg = 1, .arg2 = ALL_BITS},
	 {GO, 4, .result = 1, .marks = BLOCKED, .choice = 1},
	 {GO, 2, .result = 0, .marks = BLOCKED},
	 {DO, 4, OP_FUTEX_REQUEUE, 1, 1, BLOCKED, 0, 0, 9},
	 {DO, 4, OP_FUTEX_WAKE, 0, 2, BLOCKED, .arg = 9, .arg2 = ALL_BITS},
	 {GO, 1, .result = 0, .marks = BLOCKED},
	 {GO, 3, .result = 0, .marks = BLOCKED},
     }},
    {"futex: wake_op",
     {FUTEX, FUTEX},
     {
	 {DO, 0, OP_FUTEX_WAIT, 0, 0, ASLEEP | BLOCKED | UNKNOWN, .arg2 = 1},
	 {DO, 1, OP_FUTEX_WAIT, 1, 0, ASLEEP | BLOCKED | UNKNOWN, .arg2 = 1},
	 {DO, 2, OP_FUTEX_WAIT, 1, 0, ASLEEP | BLOCKED | UNKNOWN, .arg2 = 1},
	 {DO, 4, OP_FUTEX_WAKE_OP, 0, -38, BLOCKED, 1, 1, 1, WAKE_OP(5, 1, 0, 0)},
	 {DO, 4, OP_FUTEX_WAKE_OP, 0, -38, BLOCKED | WRITES2, 1, 1, 1, WAKE_OP(0, 1, 6, 0), .value2 = 1},
	 {DO, 4, OP_FUTEX_WAKE_OP, 0, 1, BLOCKED | WRITES2, 1, 9, 9, WAKE_OP(1, -1, 0, 7), .word2 = 6,
	  .value2 = 5}, /* 6 == 7 fails */
	 {GO, 0, .result = 0, .marks = BLOCKED},
	 {STILL, 1},
	 {DO, 4, OP_FUTEX_WAKE_OP, 0, 1, BLOCKED | WRITES2, 1, 1, 1, WAKE_OP(8, 4, 2, 0), .word2 = UINT32_MAX,
	  .value2 = 16}, /* set 1 << 4; -1 < 0 holds */
	 {GO, 1, .result = 0, .marks = BLOCKED},
	 {STILL, 2},
     }},
};

/* Bring all threads from their birth to running code. */
static void run_all(struct model *m)
{
	struct effect effect;
	for (uint32_t t = 0; t < model_threads(m); t++)
		if (model_pending(m, t)->kind == OP_THREAD_START)
			model_perform(m, t, CHOICE_DEFAULT, NULL, &effect);
}

static struct model *new_model(uint32_t threads, uint32_t objects)
{
	struct model *m = model_init(malloc(model_bytes(threads, objects)), threads, objects);
	while (model_add_thread(m) != NO_THREAD)
		;
	run_all(m);
	return m;
}

static void come_to(struct model *m, const struct row *row)
{
	struct op op = {
	    .kind = (uint16_t)row->kind,
	    .flags = (uint16_t)row->flags,
	    .object = row->object,
	    .object2 = op_class2(row->kind) == CLASS_NONE ? NO_OBJECT : row->object2,
	    .arg = row->arg,
	    .arg2 = row->arg2,
	    .arg3 = row->arg3,
	};
	model_set_pending(m, row->t, &op);
}

static unsigned marks_of(const struct effect *effect)
{
	return (effect->yield ? YIELD : 0u) | (effect->blocked ? BLOCKED : 0u) |
	       (effect->timed_out ? TIMED_OUT : 0u) | (effect->asleep ? ASLEEP : 0u) |
	       (effect->result_known ? 0u : UNKNOWN) | (effect->writes2 ? WRITES2 : 0u);
}

static void go(struct model *m, const struct row *row, const char *where)
{
	struct observation seen = {row->word, row->word2};
	struct effect effect;
	ck_assert_msg(model_has_choice(m, row->t, row->choice), "%s: choice not open", where);
	model_perform(m, row->t, row->choice, &seen, &effect);
	ck_assert_msg(marks_of(&effect) == row->marks, "%s: marks %#x", where, marks_of(&effect));
	if (effect.result_known)
		ck_assert_msg(effect.result == row->result, "%s: result %ld", where, (long)effect.result);
	if (effect.writes2)
		ck_assert_msg(effect.value2 == row->value2, "%s: value2 %#x", where, effect.value2);
	ck_assert_msg((model_pending(m, row->t)->kind != OP_NONE) == effect.asleep, "%s: pending", where);
}

static void play(struct model *m, const struct row *row, const char *where)
{
	uint32_t t = row->t;
	if (row->action == EXIT) {
		model_thread_exit(m, t);
		ck_assert_msg(model_exited(m, t) && !model_enabled(m, t), "%s", where);
		return;
	}
	if (row->action != GO && row->action != STILL)
		come_to(m, row);
	switch (row->action) {
	case DO:
	case GO:
		ck_assert_msg(model_enabled(m, t), "%s: not enabled", where);
		go(m, row, where);
		return;
	case LATE:
		ck_assert_msg(model_enabled(m, t) && !model_ready(m, t), "%s", where);
		ck_assert_msg(model_choices(m, t) == 1 && model_choice(m, t, 0) == CHOICE_TIMEOUT, "%s",
			      where);
		ck_assert_msg(!model_has_choice(m, t, 0), "%s", where);
		return;
	case WAYS:
		ck_assert_msg(model_choices(m, t) == row->result, "%s: %u ways", where, model_choices(m, t));
		for (uint32_t i = 0; i < model_choices(m, t); i++)
			ck_assert_msg(model_has_choice(m, t, model_choice(m, t, i)), "%s", where);
		ck_assert_msg(!model_has_choice(m, t, (int32_t)row->result), "%s", where);
		ck_assert_msg(!model_has_choice(m, t, CHOICE_TIMEOUT), "%s", where);
		return;
	default:
		ck_assert_msg(!model_enabled(m, t) && !model_ready(m, t), "%s: enabled", where);
		ck_assert_msg(model_choices(m, t) == 0 && !model_has_choice(m, t, 0), "%s", where);
		ck_assert_msg(!model_has_choice(m, t, CHOICE_TIMEOUT), "%s", where);
	}
}

START_TEST(test_script)
{
	const struct script *script = &scripts[_i];
	struct model *m = new_model(THREADS, 3);
	for (size_t i = 0; i < 3 && script->objects[i].class != CLASS_NONE; i++)
		ck_assert_uint_eq(model_add_object(m, &script->objects[i]), i);
	ck_assert_uint_eq(script->rows[31].action, 0);
	for (const struct row *row = script->rows; row->action; row++) {
		char where[96];
		snprintf(where, sizeof where, "%s, row %td", script->name, row - script->rows);
		play(m, row, where);
		const char *sentence = model_check(m);
		ck_assert_msg(!sentence, "%s: not true that %s", where, sentence);
	}
	free(m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("model");
	TCase *tcase = tcase_create("scripts");
	tcase_add_loop_test(tcase, test_script, 0, sizeof scripts / sizeof *scripts);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
