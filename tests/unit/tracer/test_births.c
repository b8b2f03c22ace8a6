/* The order in which threads were made, from their numbers and ages. */
#include "tests/unit/suite.h"
#include "tracer/proc/births.h"

#define RANGE 32768
#define MAIN  500

struct line {
	pid_t tid;
	uint64_t started;
};

static void check_order(const struct line *lines, size_t length, const pid_t *wanted)
{
	struct birth births[8];
	for (size_t i = 0; i < length; i++)
		births[i] = (struct birth){lines[i].tid, lines[i].started, i};
	births_order(births, length, MAIN, RANGE);
	for (size_t i = 0; i < length; i++) {
		ck_assert_int_eq(births[i].tid, wanted[i]);
		ck_assert_int_eq(lines[births[i].index].tid, wanted[i]);
	}
}

START_TEST(older_threads_go_first_whatever_their_numbers)
{
	const struct line lines[] = {{301, 30}, {500, 10}, {400, 20}, {20000, 25}};
	check_order(lines, 4, (pid_t[]){500, 400, 20000, 301});
}
END_TEST

START_TEST(numbers_of_one_tick_go_up)
{
	const struct line lines[] = {{503, 10}, {502, 10}, {501, 10}, {500, 10}};
	check_order(lines, 4, (pid_t[]){500, 501, 502, 503});
}
END_TEST

START_TEST(numbers_of_one_tick_go_on_at_the_lowest)
{
	const struct line lines[] = {{302, 20}, {32767, 20}, {301, 20}, {500, 10}, {32766, 20}, {600, 21}};
	check_order(lines, 6, (pid_t[]){500, 32766, 32767, 301, 302, 600});
}
END_TEST

/* All numbers were given out since the process began. */
START_TEST(numbers_of_one_tick_may_pass_the_main_thread)
{
	const struct line lines[] = {{501, 90}, {499, 90}, {500, 10}, {31000, 50}};
	check_order(lines, 4, (pid_t[]){500, 31000, 499, 501});
}
END_TEST

START_TEST(numbers_alone_begin_after_the_main_thread)
{
	const struct line lines[] = {{400, 0}, {500, 0}, {32000, 0}, {501, 0}, {399, 0}};
	check_order(lines, 5, (pid_t[]){500, 501, 32000, 399, 400});
	const struct line low[] = {{400, 0}, {500, 0}, {300, 0}};
	check_order(low, 3, (pid_t[]){500, 300, 400});
}
END_TEST

START_TEST(there_is_a_range)
{
	ck_assert_int_gt(births_range(), 300);
	births_order(NULL, 0, MAIN, RANGE);
}
END_TEST

SUITE("births", 0, NULL, NULL, TEST(older_threads_go_first_whatever_their_numbers),
      TEST(numbers_of_one_tick_go_up), TEST(numbers_of_one_tick_go_on_at_the_lowest),
      TEST(numbers_of_one_tick_may_pass_the_main_thread), TEST(numbers_alone_begin_after_the_main_thread),
      TEST(there_is_a_range))
