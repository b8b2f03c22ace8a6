/* The table of loops' heads, and heads as text. */
#include "tests/unit/suite.h"

#include <fmc/breakpoints/loops.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *text;
	struct loop loop;
} heads[] = {
    {"a+0x0 1", {{"a", 0}, 1, 0}},
    {"spins+0x1206 512", {{"spins", 0x1206}, 512, 0}},
    {"libc.so.6+0x7ff0 2147483647 from 12", {{"libc.so.6", 0x7ff0}, INT32_MAX, 12}},
    {"my program+0xab 3", {{"my program", 0xab}, 3, 0}},
    {"libstdc++.so+0x12 +0xffffffffffffffff 4 from 18446744073709551615",
     {{"libstdc++.so+0x12 ", UINT64_MAX}, 4, UINT64_MAX}},
};

static void same(const struct loop *a, const struct loop *b)
{
	ck_assert_str_eq(a->head.module, b->head.module);
	ck_assert_uint_eq(a->head.offset, b->head.offset);
	ck_assert_uint_eq(a->rounds, b->rounds);
	ck_assert_uint_eq(a->from, b->from);
}

START_TEST(what_is_printed_is_parsed)
{
	char text[LOOP_TEXT];
	struct loop loop;
	loop_print(&heads[_i].loop, text);
	ck_assert_str_eq(text, heads[_i].text);
	ck_assert(loop_parse(text, &loop));
	same(&loop, &heads[_i].loop);
}
END_TEST

START_TEST(the_longest_name_is_parsed)
{
	struct loop longest = {.head.offset = UINT64_MAX, .rounds = INT32_MAX, .from = UINT64_MAX}, loop;
	char text[LOOP_TEXT], more[LOOP_TEXT + 10];
	memset(longest.head.module, 'm', MODULE_PLACE_NAME - 1);
	loop_print(&longest, text);
	ck_assert(loop_parse(text, &loop));
	same(&loop, &longest);
	snprintf(more, sizeof more, "m%s", text);
	ck_assert(!loop_parse(more, &loop));
}
END_TEST

static const char *const wrong[] = {
    "",
    "a",
    "a+0x1",
    "a+0x1 ",
    "+0x1 1",
    "a+1 1",
    "a+0x 1",
    "a+0xg 1",
    "a+0x-1 1",
    "a+0x 1 1",
    "a+0x10000000000000000 1",
    "a+0x1,1",
    "a+0x1 0",
    "a+0x1 -1",
    "a+0x1 +1",
    "a+0x1 2147483648",
    "a+0x1 f",
    "a+0x1 1 2",
    "a+0x1 1from 2",
    "a+0x1 1 from",
    "a+0x1 1 from2",
    "a+0x1 1 from -2",
    "a+0x1 1 from 2 3",
    "a+0x1 1 from 18446744073709551616",
};

START_TEST(anything_else_is_refused)
{
	struct loop loop;
	ck_assert_msg(!loop_parse(wrong[_i], &loop), "'%s'", wrong[_i]);
}
END_TEST

START_TEST(each_is_there_once)
{
	struct loops loops = {0};
	struct loop other = heads[1].loop;
	ck_assert(loops_add(&loops, &heads[1].loop));
	other.rounds = 7;
	other.from = 9;
	ck_assert(!loops_add(&loops, &other));
	other.head.offset++;
	ck_assert(loops_add(&loops, &other));
	ck_assert(loops_add(&loops, &heads[2].loop));
	ck_assert_uint_eq(loops_length(&loops), 3);
	same(&loops.at[0], &heads[1].loop);
	same(&loops.at[1], &other);
	same(&loops.at[2], &heads[2].loop);
}
END_TEST

START_TEST(there_are_no_more_than_have_room)
{
	struct loops loops = {0};
	struct loop loop = heads[0].loop;
	for (uint32_t i = 0; i < LOOPS_MOST; i++, loop.head.offset++)
		ck_assert(loops_add(&loops, &loop));
	ck_assert(!loops_add(&loops, &loop));
	ck_assert_uint_eq(loops_length(&loops), LOOPS_MOST);
}
END_TEST

/* What one process finds, another one sees, and both may add at once. */
START_TEST(processes_share_a_table)
{
	struct loops *shared = loops_shared();
	int status;
	ck_assert_ptr_nonnull(shared);
	pid_t child = fork();
	struct loop loop = heads[0].loop;
	loop.rounds = child ? 1 : 2;
	for (uint32_t i = 0; i < LOOPS_MOST; i++, loop.head.offset++)
		loops_add(shared, &loop);
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_uint_eq(loops_length(shared), LOOPS_MOST);
	for (uint32_t i = 0; i < LOOPS_MOST; i++)
		for (uint32_t k = 0; k < i; k++)
			ck_assert_uint_ne(shared->at[i].head.offset, shared->at[k].head.offset);
	loops_release(shared);
	loops_release(NULL);
}
END_TEST

/* It was killed in the middle of adding: others aren't kept waiting for ever. */
START_TEST(who_is_gone_holds_nobody_up)
{
	struct loops loops = {.busy = 1};
	ck_assert(loops_add(&loops, &heads[0].loop));
	ck_assert_uint_eq(loops.busy, 0);
}
END_TEST

SUITE("loops", 0, NULL, NULL, TEST_LOOP(what_is_printed_is_parsed, sizeof heads / sizeof heads[0]),
      TEST(the_longest_name_is_parsed), TEST_LOOP(anything_else_is_refused, sizeof wrong / sizeof wrong[0]),
      TEST(each_is_there_once), TEST(there_are_no_more_than_have_room), TEST(processes_share_a_table),
      TEST(who_is_gone_holds_nobody_up))
