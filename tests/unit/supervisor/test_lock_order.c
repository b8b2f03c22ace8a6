/* Which traces have locks taken in both orders, and threads that nobody joins. */
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/supervisor/lock_order.h>
#include <stdlib.h>

static struct trace trace;

static void setup(void)
{
	trace_init(&trace);
}

static void teardown(void)
{
	trace_release(&trace);
}

static struct transition *did(uint32_t t, enum op_kind kind, uint32_t object, int64_t result)
{
	struct transition transition = {
	    .thread = t,
	    .op = {.kind = (uint16_t)kind, .object = object, .object2 = NO_OBJECT},
	    .result = result,
	    .result_valid = true,
	    .created = NO_THREAD,
	};
	ck_assert(trace_push(&trace, &transition));
	return &trace.at[trace.length - 1];
}

static void nested(uint32_t t, enum op_kind lock, uint32_t outer, uint32_t inner)
{
	did(t, OP_MUTEX_LOCK, outer, 0);
	did(t, lock, inner, 0);
	did(t, OP_MUTEX_UNLOCK, inner, 0);
	did(t, OP_MUTEX_UNLOCK, outer, 0);
}

static bool inverted(void)
{
	struct lock_inversion inversion;
	return lock_order_find(&trace, &inversion);
}

START_TEST(both_orders)
{
	struct lock_inversion inversion;
	nested(0, OP_MUTEX_LOCK, 0, 1);
	ck_assert(!inverted());
	nested(1, OP_MUTEX_LOCK, 1, 0);
	ck_assert(lock_order_find(&trace, &inversion));
	ck_assert_uint_eq(inversion.takes[0], 1);
	ck_assert_uint_eq(inversion.takes[1], 5);
	ck_assert_uint_eq(inversion.held[0], 0);
	ck_assert_uint_eq(inversion.held[1], 1);
}
END_TEST

START_TEST(one_thread_in_both_orders)
{
	nested(0, OP_MUTEX_LOCK, 0, 1);
	nested(0, OP_MUTEX_LOCK, 1, 0);
	ck_assert(!inverted());
}
END_TEST

START_TEST(under_a_guard)
{
	for (uint32_t t = 0; t < 2; t++) {
		did(t, OP_MUTEX_LOCK, 2, 0);
		nested(t, OP_MUTEX_LOCK, t, 1 - t);
		did(t, OP_MUTEX_UNLOCK, 2, 0);
	}
	ck_assert(!inverted());
}
END_TEST

static void create(uint32_t t, uint32_t created)
{
	struct transition *transition = did(t, OP_THREAD_CREATE, NO_OBJECT, 0);
	transition->created = created;
	transition->births = 1;
}

START_TEST(before_the_thread_was_created)
{
	create(0, 2);
	nested(0, OP_MUTEX_LOCK, 0, 1);
	create(0, 1);
	nested(1, OP_MUTEX_LOCK, 1, 0);
	ck_assert(!inverted());
	/* T3 was there before. */
	nested(2, OP_MUTEX_LOCK, 1, 0);
	ck_assert(inverted());
}
END_TEST

START_TEST(after_the_thread_was_joined)
{
	create(0, 1);
	create(0, 2);
	nested(1, OP_MUTEX_LOCK, 1, 0);
	did(0, OP_THREAD_JOIN, 1, 0);
	nested(0, OP_MUTEX_LOCK, 0, 1);
	ck_assert(!inverted());
	nested(2, OP_MUTEX_LOCK, 1, 0);
	ck_assert(inverted());
}
END_TEST

/* An order that is handed on: T2 is joined before T3 is created. */
START_TEST(one_thread_after_the_other)
{
	create(0, 1);
	nested(1, OP_MUTEX_LOCK, 1, 0);
	did(0, OP_THREAD_JOIN, 1, 0);
	create(0, 2);
	nested(2, OP_MUTEX_LOCK, 0, 1);
	ck_assert(!inverted());
}
END_TEST

static void pair(enum op_kind gives, enum op_kind takes, int64_t arg)
{
	nested(0, OP_MUTEX_LOCK, 0, 1);
	did(0, gives, 5, 0);
	did(1, takes, 5, 0)->op.arg = arg;
	nested(1, OP_MUTEX_LOCK, 1, 0);
}

START_TEST(after_a_signal)
{
	pair(OP_COND_SIGNAL, OP_COND_RELOCK, 0);
	ck_assert(!inverted());
	trace_clear(&trace);
	pair(OP_COND_SIGNAL, OP_COND_RELOCK, 110); /* it has timed out */
	ck_assert(inverted());
}
END_TEST

START_TEST(after_a_barrier)
{
	pair(OP_BARRIER_WAIT, OP_BARRIER_WAIT, 0);
	ck_assert(!inverted());
}
END_TEST

START_TEST(after_a_semaphore)
{
	did(0, OP_SEM_INIT, 5, 0)->op.arg = 0;
	pair(OP_SEM_POST, OP_SEM_WAIT, 0);
	ck_assert(!inverted());
	/* Nobody had to wait for this post. */
	trace_clear(&trace);
	did(0, OP_SEM_INIT, 5, 0)->op.arg = 1;
	pair(OP_SEM_POST, OP_SEM_WAIT, 0);
	ck_assert(inverted());
}
END_TEST

START_TEST(only_tried)
{
	nested(0, OP_MUTEX_TRYLOCK, 0, 1);
	nested(1, OP_MUTEX_LOCK, 1, 0);
	ck_assert(!inverted());
	nested(0, OP_MUTEX_LOCK, 0, 1);
	ck_assert(inverted());
}
END_TEST

/* The ceiling's mutex is waited for, and not held afterwards. */
START_TEST(only_for_a_ceiling)
{
	did(0, OP_MUTEX_SETPRIOCEILING, 0, 0);
	did(0, OP_MUTEX_LOCK, 1, 0);
	did(0, OP_MUTEX_UNLOCK, 1, 0);
	nested(1, OP_MUTEX_LOCK, 1, 0);
	ck_assert(!inverted());
	did(2, OP_MUTEX_LOCK, 0, 0);
	did(2, OP_MUTEX_SETPRIOCEILING, 1, 0);
	ck_assert(inverted());
}
END_TEST

START_TEST(given_back_by_a_wait)
{
	did(0, OP_MUTEX_LOCK, 0, 0);
	struct transition *wait = did(0, OP_COND_WAIT, 3, 0);
	wait->op.object2 = 0;
	wait->result_valid = false;
	did(0, OP_MUTEX_LOCK, 1, 0);
	nested(1, OP_MUTEX_LOCK, 1, 0);
	ck_assert(!inverted());
	/* It comes back to it while it holds the other one. */
	did(0, OP_COND_RELOCK, 3, 110)->op.object2 = 0;
	nested(1, OP_MUTEX_LOCK, 0, 1);
	ck_assert(inverted());
}
END_TEST

START_TEST(threads_left)
{
	const struct thread_end gone = {.blocker = NO_THREAD};
	/* The last one is nobody's: it stands for a timer. */
	for (uint32_t t = 0; t < 5; t++)
		ck_assert(trace_push_thread(&trace, &gone));
	trace.end = END_EXIT;
	struct transition *create = did(0, OP_THREAD_CREATE, NO_OBJECT, 0);
	create->created = 1;
	create->op.arg = 1; /* detached */
	did(0, OP_THREAD_CREATE, NO_OBJECT, 0)->created = 2;
	did(0, OP_THREAD_CREATE, NO_OBJECT, 0)->created = 3;
	did(0, OP_THREAD_JOIN, 2, 0);
	ck_assert_uint_eq(leaked_thread(&trace), 3);
	did(0, OP_THREAD_TRYJOIN, 3, 16);
	ck_assert_uint_eq(leaked_thread(&trace), 3);
	did(0, OP_THREAD_DETACH, 3, 0);
	ck_assert_uint_eq(leaked_thread(&trace), NO_THREAD);
}
END_TEST

/* More than are looked for at once. */
START_TEST(one_of_many_left)
{
	const struct thread_end gone = {.blocker = NO_THREAD};
	ck_assert(trace_push_thread(&trace, &gone));
	for (uint32_t t = 1; t < 200; t++) {
		ck_assert(trace_push_thread(&trace, &gone));
		did(0, OP_THREAD_CREATE, NO_OBJECT, 0)->created = t;
	}
	trace.end = END_EXIT;
	for (uint32_t t = 1; t < 200; t++)
		if (t != 131)
			did(0, OP_THREAD_JOIN, t, 0);
	ck_assert_uint_eq(leaked_thread(&trace), 131);
	did(0, OP_THREAD_JOIN, 131, 0);
	ck_assert_uint_eq(leaked_thread(&trace), NO_THREAD);
}
END_TEST

SUITE("lock order", 0, setup, teardown, TEST(both_orders), TEST(one_thread_in_both_orders),
      TEST(under_a_guard), TEST(before_the_thread_was_created), TEST(after_the_thread_was_joined),
      TEST(one_thread_after_the_other), TEST(after_a_signal), TEST(after_a_barrier), TEST(after_a_semaphore),
      TEST(only_tried), TEST(only_for_a_ceiling), TEST(given_back_by_a_wait), TEST(threads_left),
      TEST(one_of_many_left))
