/* Expressions: against C's own results, on a program's variables, and what is said of bad ones. */
#include "tests/unit/suite.h"

#include <fmc/breakpoints/expression.h>
#include <fmc/breakpoints/place.h>

#include <stdio.h>

static bool read_nothing(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	(void)address;
	(void)to;
	(void)size;
	return false;
}

/* T2 is at whatever is asked, and has exited; nothing is so of others. */
static bool answer(void *context, const struct expression_atom *atom)
{
	(void)context;
	return atom->thread == 1;
}

static bool holds(const char *text, char why[EXPRESSION_WHY])
{
	const struct expression_world world = {.read = read_nothing, .atom = answer};
	struct expression_problem problem;
	struct places *places = places_new();
	struct expression *expression = expression_parse(text, &problem);
	ck_assert_msg(expression, "%s: column %zu: %s", text, problem.column, problem.text);
	ck_assert_msg(expression_bind(expression, places, &problem), "%s: column %zu: %s", text,
		      problem.column, problem.text);
	bool result = expression_true(expression, &world, why);
	expression_free(expression);
	places_free(places);
	return result;
}

/* The compiler's value of it, and its text. */
#define CASE(expression)                                                                                     \
	{                                                                                                    \
#expression, (long long)(expression)                                                         \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Woverflow"
static const struct {
	const char *text;
	long long value;
} cases[] = {
    CASE(1 + 2 * 3 - 4 / 2 % 3),
    CASE(10 - 4 - 3),
    CASE((10 - 4) * -3),
    CASE(7 / -2),
    CASE(-7 % 3),
    CASE(1 << 4 | 3 & 6 ^ 5),
    CASE(0x10 >> 2 << 1),
    CASE(-16 >> 2),
    CASE(~5),
    CASE(!5 + !0),
    CASE(1 < 2 == 1),
    CASE(1   ? 2
	 : 0 ? 3
	     : 4),
    CASE(0   ? 2
	 : 0 ? 3
	     : 4),
    CASE(0 || 1 && 0),
    CASE((0 || 1) && 1),
    CASE(-1 < 1u),
    CASE(-1 < 1),
    CASE(-1L < 1u),
    CASE(-1 < 1ul),
    CASE(4294967295u + 1),
    CASE(4294967295u + 1L),
    CASE(0xffffffff + 1),
    CASE(2147483648 - 1),
    CASE(0x7fffffffffffffff > 0),
    CASE((unsigned char)300),
    CASE((signed char)200),
    CASE((short)70000),
    CASE((char)'a' + '\n'),
    CASE((unsigned short)-1),
    CASE((int)3.9 + (int)-3.9),
    CASE(1.5 * 2 == 3),
    CASE(1 / 2.0 > 0.49 && 1 / 2.0 < 0.51),
    CASE(0.1f == 0.1),
    CASE((float)0.1 == 0.1f),
    CASE(-1.5 < 0 ? 1 : 2),
    CASE((unsigned)-1 / 2),
    CASE((long)-1 / 2),
    CASE(3 - -3),
    CASE(- -3),
    CASE(010 + 0x1F),
    CASE(1e3 == 1000),
};
#pragma GCC diagnostic pop

#define CASES (sizeof cases / sizeof *cases)

START_TEST(constants_are_those_of_c)
{
	char text[160], why[EXPRESSION_WHY];
	snprintf(text, sizeof text, "(%s) == %lldL", cases[_i].text, cases[_i].value);
	ck_assert_msg(holds(text, why), "%s isn't %lld", cases[_i].text, cases[_i].value);
}
END_TEST

START_TEST(what_cant_be_evaluated_is_false)
{
	char why[EXPRESSION_WHY];
	ck_assert(!holds("1 / (2 - 2) == 0", why));
	ck_assert_str_eq(why, "a division by 0");
	ck_assert(!holds("!(1 % 0)", why));
	ck_assert(!holds("*(int *)0x1000 == *(int *)0x1000", why));
	ck_assert_str_eq(why, "nothing is at 0x1000");
	ck_assert(holds("0 && 1 / 0 || 1 || 1 / 0", why));
	ck_assert(!*why);
	ck_assert(!holds("1 == 2", why));
	ck_assert(!*why);
}
END_TEST

START_TEST(threads_are_asked_about)
{
	char why[EXPRESSION_WHY];
	ck_assert(holds("exited(T2) && !exited(T1)", why));
	ck_assert(holds("at(T2, consume) && at(T2, file.c:42) && at( T2 , bank::account::pay )", why));
	ck_assert(!holds("at(T3, consume)", why));
}
END_TEST

static const struct {
	const char *text;
	size_t column;
	const char *problem; /* a part of it */
} bad[] = {
    {"", 1, "a variable or a number is missing at the end"},
    {"1 +", 4, "missing at the end"},
    {"1 + * ", 7, "missing"},
    {"(1", 3, "')' is missing"},
    {"1)", 2, "an operator or the end is expected, not ')'"},
    {"1 2", 3, "an operator or the end"},
    {"x = 1", 3, "'=' would change the program: to compare is =="},
    {"x += 1", 3, "'+=' would change"},
    {"x++", 2, "'++' would change"},
    {"--x", 1, "'--' would change"},
    {"1 <<= 2", 3, "'<<=' would change"},
    {"next(1)", 1, "next() would be a call"},
    {"x.next(1)", 7, "can't be called"},
    {"exited(2)", 8, "a thread, as T2 is expected"},
    {"exited(T0)", 8, "a thread"},
    {"holds(T2)", 9, "','"},
    {"at(T2, )", 8, "a function, or a line"},
    {"x[1", 4, "']' is missing"},
    {"x.", 3, "the name of a member"},
    {"a ? b", 6, "':' is missing"},
    {"1 # 2", 3, "'#' means nothing"},
    {"'ab'", 1, "one character"},
    {"'a", 1, "isn't closed"},
    {"12x", 1, "no number"},
    {"99999999999999999999", 1, "no number"},
    {"a::", 2, "'::' without a name"},
    {"(int 3)", 6, "')' after the type"},
    {"x, y", 2, "an operator or the end"},
};

START_TEST(bad_ones_are_told_with_their_column)
{
	struct expression_problem problem;
	struct expression *expression = expression_parse(bad[_i].text, &problem);
	ck_assert_msg(!expression, "%s", bad[_i].text);
	ck_assert_msg(strstr(problem.text, bad[_i].problem), "%s: %s", bad[_i].text, problem.text);
	ck_assert_msg(problem.column == bad[_i].column, "%s: column %zu: %s", bad[_i].text, problem.column,
		      problem.text);
}
END_TEST

START_TEST(types_that_dont_fit_are_told)
{
	static const char *const texts[] = {"1.5 % 2 == 0",  "~1.5 == 0", "*3 == 0",  "&3 == 0",
					    "1.5 << 2 == 0", "3[1] == 0", "3.x == 0", "holds(T1, 3)"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct expression_problem problem;
		struct places *places = places_new();
		struct expression *expression = expression_parse(texts[i], &problem);
		/* "3.x" is no number. */
		ck_assert_msg(!expression || !expression_bind(expression, places, &problem), "%s", texts[i]);
		ck_assert(*problem.text);
		expression_free(expression);
		places_free(places);
	}
}
END_TEST

START_TEST(deep_ones_are_refused)
{
	struct expression_problem problem;
	static char text[100001];
	memset(text, '(', sizeof text - 1);
	ck_assert(!expression_parse(text, &problem));
	memset(text, '-', sizeof text - 1);
	ck_assert(!expression_parse(text, &problem));
	for (size_t i = 0; i + 1 < sizeof text; i += 2)
		memcpy(text + i, "1?", 2);
	ck_assert(!expression_parse(text, &problem));
}
END_TEST

SUITE("expression", 0, NULL, NULL, TEST_LOOP(constants_are_those_of_c, CASES),
      TEST(what_cant_be_evaluated_is_false), TEST(threads_are_asked_about),
      TEST_LOOP(bad_ones_are_told_with_their_column, sizeof bad / sizeof *bad),
      TEST(types_that_dont_fit_are_told), TEST(deep_ones_are_refused))
