/* Lists of exit statuses and signals: of good ends, and of signals from outside. */
#include <fmc/supervisor/arrivals.h>
#include <fmc/supervisor/good_ends.h>
#include <fmc/supervisor/trace.h>

#include <check.h>
#include <signal.h>
#include <stdlib.h>

static bool expects(const struct good_ends *ends, enum end_reason end, int value)
{
	const struct trace trace = {.end = end, .end_value = value};
	return good_ends_expect(ends, &trace);
}

START_TEST(lists_say_what_they_took)
{
	struct good_ends ends = {0};
	char text[GOOD_ENDS_TEXT];
	ck_assert(good_ends_parse(&ends, "255,1,SIGTERM,64,SIGHUP,1"));
	good_ends_text(&ends, text);
	ck_assert_str_eq(text, "1,64,255,SIGHUP,SIGTERM");
	for (int status = 0; status < 256; status++)
		ck_assert_int_eq(expects(&ends, END_EXIT, status),
				 status == 0 || status == 1 || status == 64 || status == 255);
	for (int signal = 1; signal <= 64; signal++)
		ck_assert_int_eq(expects(&ends, END_SIGNAL, signal), signal == SIGTERM || signal == SIGHUP);
	ck_assert(!expects(&ends, END_DEADLOCK, 1));
}
END_TEST

START_TEST(arrivals_say_what_they_took)
{
	struct arrivals arrivals = {0};
	char text[ARRIVALS_TEXT];
	ck_assert(arrivals_parse(&arrivals, "SIGINT,TERM:2"));
	ck_assert(arrivals_parse(&arrivals, "SIGINT:T3"));
	ck_assert_uint_eq(arrivals.length, 3);
	ck_assert_int_eq(arrivals.at[1].signal, SIGTERM);
	ck_assert_uint_eq(arrivals.at[1].thread, 2);
	arrivals_text(&arrivals, text);
	ck_assert_str_eq(text, "INT,TERM:2,INT:3");
}
END_TEST

START_TEST(other_arrivals_are_refused)
{
	const char *const texts[] = {
	    "",	    "INT,",	"2",	     "KILL",	"STOP",
	    "INT:", "INT:0",	"INT:x",     "INT:1x",	"int",
	    ":1",   "INT:4097", "SIGSIGINT", "INT INT", "HUP,INT,QUIT,TERM,USR1,USR2,ALRM,CHLD,PIPE"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct arrivals arrivals = {0};
		ck_assert_msg(!arrivals_parse(&arrivals, texts[i]), "%s", texts[i]);
	}
}
END_TEST

START_TEST(zero_is_always_good)
{
	struct good_ends ends = {0};
	char text[GOOD_ENDS_TEXT];
	ck_assert(expects(&ends, END_EXIT, 0));
	good_ends_add(&ends, 3);
	ck_assert(expects(&ends, END_EXIT, 3));
	good_ends_remove(&ends, 3);
	ck_assert(!expects(&ends, END_EXIT, 3));
	good_ends_text(&ends, text);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(all_of_them_fit)
{
	struct good_ends ends = {.signals = UINT64_MAX};
	char text[GOOD_ENDS_TEXT];
	for (int status = 0; status < 256; status++)
		good_ends_add(&ends, status);
	good_ends_text(&ends, text);
	ck_assert(good_ends_parse(&ends, text));
}
END_TEST

START_TEST(other_lists_are_refused)
{
	static const char *const lists[] = {
	    "",	      ",",    "1,",  ",1", "256",     "-1", "+1",
	    "SIGFOO", "TERM", "SIG", "1 ", "sigterm", "1x", "99999999999999999999"};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct good_ends ends = {0};
		ck_assert_msg(!good_ends_parse(&ends, lists[i]), "'%s'", lists[i]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("good_ends");
	TCase *tcase = tcase_create("lists");
	tcase_add_test(tcase, lists_say_what_they_took);
	tcase_add_test(tcase, arrivals_say_what_they_took);
	tcase_add_test(tcase, other_arrivals_are_refused);
	tcase_add_test(tcase, zero_is_always_good);
	tcase_add_test(tcase, all_of_them_fit);
	tcase_add_test(tcase, other_lists_are_refused);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
