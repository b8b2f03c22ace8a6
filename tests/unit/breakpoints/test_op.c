/* The table of operations: every kind has one name of its own and classes that fit. */
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/breakpoints/op.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_names_lead_back)
{
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		const char *name = op_name((enum op_kind)kind);
		ck_assert(op_known((enum op_kind)kind));
		ck_assert_uint_gt(strlen(name), 0);
		ck_assert_ptr_null(strpbrk(name, " \t\n"));
		ck_assert_uint_eq(op_by_name(name), kind);
	}
}
END_TEST

START_TEST(test_unknown_kinds_and_names)
{
	ck_assert_uint_eq(op_by_name("mutex_lok"), OP_KINDS);
	ck_assert_uint_eq(op_by_name(""), OP_KINDS);
	ck_assert_str_eq(op_name(OP_KINDS), "none");
	ck_assert_str_eq(op_name((enum op_kind) - 1), "none");
	ck_assert_uint_eq(op_class(OP_KINDS), CLASS_NONE);
	ck_assert_uint_eq(op_class2(OP_KINDS), CLASS_NONE);
	ck_assert_str_eq(class_name(CLASSES), "none");
}
END_TEST

/* Names begin with their object's class, so that a person reads off what an operation acts on. */
START_TEST(test_names_begin_with_the_class)
{
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		enum object_class class = op_class((enum op_kind)kind);
		if (class == CLASS_NONE)
			continue;
		const char *prefix = class_name(class);
		ck_assert_int_eq(strncmp(op_name((enum op_kind)kind), prefix, strlen(prefix)), 0);
	}
}
END_TEST

START_TEST(test_second_objects)
{
	static const struct {
		enum op_kind kind;
		enum object_class class, class2;
	} expected[] = {
	    {OP_COND_WAIT, CLASS_COND, CLASS_MUTEX},
	    {OP_COND_TIMEDWAIT, CLASS_COND, CLASS_MUTEX},
	    {OP_COND_ASLEEP, CLASS_COND, CLASS_MUTEX},
	    {OP_COND_RELOCK, CLASS_COND, CLASS_MUTEX},
	    {OP_FUTEX_REQUEUE, CLASS_FUTEX, CLASS_FUTEX},
	    {OP_FUTEX_WAKE_OP, CLASS_FUTEX, CLASS_FUTEX},
	    {OP_THREAD_START, CLASS_NONE, CLASS_NONE},
	    {OP_MUTEX_LOCK, CLASS_MUTEX, CLASS_NONE},
	    {OP_COND_SIGNAL, CLASS_COND, CLASS_NONE},
	    {OP_PROCESS_EXIT, CLASS_NONE, CLASS_NONE},
	    {OP_THREAD_TIMEDJOIN, CLASS_THREAD, CLASS_NONE},
	    {OP_SOCKET_CLOSE, CLASS_SOCKET, CLASS_SOCKET},
	    {OP_NAME_CHANGE, CLASS_NAME, CLASS_NAME},
	    {OP_FILE_WRITE, CLASS_FILE, CLASS_NAME},
	    {OP_NAME_LOOK, CLASS_NAME, CLASS_NONE},
	    {OP_PIPE_TO_PIPE, CLASS_PIPE, CLASS_PIPE},
	    {OP_PIPE_FROM_FILE, CLASS_PIPE, CLASS_FILE},
	    {OP_FILE_TO_FILE, CLASS_FILE, CLASS_FILE},
	    {OP_CONNECTION_TO_PIPE, CLASS_CONNECTION, CLASS_PIPE},
	    {OP_FIFO_OPEN, CLASS_FIFO, CLASS_PIPE},
	};
	unsigned pairs = 0;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		ck_assert_uint_eq(op_class(expected[i].kind), expected[i].class);
		ck_assert_uint_eq(op_class2(expected[i].kind), expected[i].class2);
	}
	for (unsigned kind = 0; kind < OP_KINDS; kind++)
		pairs += op_class2((enum op_kind)kind) != CLASS_NONE;
	ck_assert_uint_eq(pairs, 20);
	const struct op alone = {.kind = OP_NAME_CHANGE, .object = 0, .object2 = NO_OBJECT},
			lacks = {.kind = OP_PIPE_TO_PIPE, .object = 0, .object2 = NO_OBJECT},
			none = {.kind = OP_NAME_CHANGE, .object = NO_OBJECT, .object2 = NO_OBJECT};
	ck_assert(op_knows_objects(&alone) && !op_knows_objects(&lacks) && !op_knows_objects(&none));
}
END_TEST

/* Columns that would contradict each other, or the kind's class. */
START_TEST(test_columns_agree)
{
	const enum op_kind kind = (enum op_kind)_i;
	const enum object_class class = op_class(kind);
	const struct op op = {.kind = (uint16_t)kind}, timed = {.kind = (uint16_t)kind, .flags = OP_TIMED};
	ck_assert(!op_rewinds(kind) || op_waits(kind));
	ck_assert(!op_waits(kind) || class != CLASS_NONE);
	ck_assert(!op_waits(kind) || !op_is_by_model(kind));
	ck_assert(!op_queues(kind) || class == CLASS_MUTEX || class == CLASS_SEM || class == CLASS_RWLOCK ||
		  op_class2(kind) == CLASS_MUTEX);
	ck_assert(!op_is_asleep(kind) || op_is_by_model(kind));
	ck_assert(!op_is_by_model(kind) || class == CLASS_COND || class == CLASS_BARRIER ||
		  class == CLASS_FUTEX);
	ck_assert(!op_reads(kind) || class == CLASS_RWLOCK);
	ck_assert(!op_reads(kind) || !op_takes(kind, false));
	ck_assert(!op_takes(kind, true) || op_takes(kind, false));
	ck_assert(!op_takes(kind, false) || class != CLASS_NONE);
	ck_assert(!op_timed(&op) || op_timed(&timed));
	ck_assert(!op_timed(&op) || op_waits(kind));
	ck_assert(!op_waits_outside(kind) || class == CLASS_NONE || class_in_kernel(class));
	ck_assert_int_eq(op_in_kernel(kind), class >= CLASS_PIPE && class < CLASSES);
	ck_assert(!op_is_tried(kind) || op_in_kernel(kind));
	ck_assert(!op_in_kernel(kind) || op_is_tried(kind) || op_is_told(kind));
	ck_assert(!op_returns_error(kind) || !op_returns_negative(kind));
	ck_assert_int_eq(op_returns_negative(kind), class == CLASS_FUTEX || class_in_kernel(class));
	/* What of an object's calls says nothing of results is one that has none. */
	ck_assert(class == CLASS_NONE || class == CLASS_MEMORY || op_returns_error(kind) ||
		  op_returns_negative(kind));
}
END_TEST

/* Words in names say what a kind does: a column that was forgotten for a new one shows. */
START_TEST(test_columns_follow_names)
{
	const enum op_kind kind = (enum op_kind)_i;
	const char *name = op_name(kind);
	const struct op op = {.kind = (uint16_t)kind};
	const size_t length = strlen(name);
	const bool object = op_class(kind) != CLASS_NONE;
	ck_assert_int_eq(op_initialises(kind), length > 5 && strcmp(name + length - 5, "_init") == 0);
	ck_assert_int_eq(op_destroys(kind), strstr(name, "_destroy") != NULL);
	ck_assert_int_eq(op_is_asleep(kind), strstr(name, "_asleep") != NULL);
	ck_assert_int_eq(op_is_by_model(kind),
			 strstr(name, "_asleep") || strstr(name, "_relock") || strstr(name, "_resume"));
	ck_assert_int_eq(op_reads(kind), strstr(name, "rdlock") != NULL);
	/* A timed wait at a condition variable falls asleep first. */
	if (object && op_class(kind) != CLASS_COND)
		ck_assert_int_eq(op_timed(&op), strstr(name, "_timed") != NULL);
	if (strstr(name, "_timed"))
		ck_assert(op_waits(kind));
	if (strstr(name, "_try"))
		ck_assert(!op_waits(kind));
}
END_TEST

/* A plug-in's kind has the same answers as no kind, but may hold its object. */
START_TEST(test_columns_of_added_kinds)
{
	enum object_class class = class_add("gate");
	enum op_kind kind = op_add("gate_pass", class);
	const struct op op = {.kind = (uint16_t)kind, .flags = OP_TIMED};
	ck_assert_uint_ne(kind, OP_KINDS);
	ck_assert(op_takes(kind, false) && op_takes(kind, true));
	ck_assert(!op_waits(kind) && !op_rewinds(kind) && !op_queues(kind) && !op_timed(&op));
	ck_assert(!op_reads(kind) && !op_initialises(kind) && !op_destroys(kind) && !op_is_asleep(kind));
	ck_assert(!op_is_by_model(kind) && !op_waits_outside(kind));
	ck_assert(!op_returns_error(kind) && !op_returns_negative(kind));
	ck_assert(!op_takes(OP_KINDS, false) && !op_waits(OP_KINDS) && !op_waits((enum op_kind) - 1));
}
END_TEST

SUITE("op", 0, NULL, NULL, TEST(test_names_lead_back), TEST(test_unknown_kinds_and_names),
      TEST(test_names_begin_with_the_class), TEST(test_second_objects),
      TEST_LOOP(test_columns_agree, OP_KINDS), TEST_LOOP(test_columns_follow_names, OP_KINDS),
      TEST(test_columns_of_added_kinds))
