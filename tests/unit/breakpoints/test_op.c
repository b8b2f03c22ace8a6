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
		ck_assert_ptr_nonnull(name);
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
	    {OP_COND_WAIT, CLASS_COND, CLASS_MUTEX},	     {OP_COND_TIMEDWAIT, CLASS_COND, CLASS_MUTEX},
	    {OP_COND_ASLEEP, CLASS_COND, CLASS_MUTEX},	     {OP_COND_RELOCK, CLASS_COND, CLASS_MUTEX},
	    {OP_FUTEX_REQUEUE, CLASS_FUTEX, CLASS_FUTEX},    {OP_FUTEX_WAKE_OP, CLASS_FUTEX, CLASS_FUTEX},
	    {OP_THREAD_START, CLASS_NONE, CLASS_NONE},	     {OP_MUTEX_LOCK, CLASS_MUTEX, CLASS_NONE},
	    {OP_COND_SIGNAL, CLASS_COND, CLASS_NONE},	     {OP_PROCESS_EXIT, CLASS_NONE, CLASS_NONE},
	    {OP_THREAD_TIMEDJOIN, CLASS_THREAD, CLASS_NONE},
	};
	unsigned pairs = 0;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		ck_assert_uint_eq(op_class(expected[i].kind), expected[i].class);
		ck_assert_uint_eq(op_class2(expected[i].kind), expected[i].class2);
	}
	for (unsigned kind = 0; kind < OP_KINDS; kind++)
		pairs += op_class2((enum op_kind)kind) != CLASS_NONE;
	ck_assert_uint_eq(pairs, 6);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("op");
	TCase *tcase = tcase_create("table");
	tcase_add_test(tcase, test_names_lead_back);
	tcase_add_test(tcase, test_unknown_kinds_and_names);
	tcase_add_test(tcase, test_names_begin_with_the_class);
	tcase_add_test(tcase, test_second_objects);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
