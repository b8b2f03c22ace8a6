/* Files of suppressions, and what their patterns are found in. */
#include "tests/unit/suite.h"

#include <fmc/supervisor/suppressions.h>

#include <check.h>
#include <stdio.h>
#include <unistd.h>

static struct suppressions suppressions;
static char why[SUPPRESSIONS_WHY];

static enum status parse(const char *text)
{
	suppressions_release(&suppressions);
	return suppressions_parse(&suppressions, text, strlen(text), why);
}

START_TEST(lines_are_taken_apart)
{
	ck_assert_int_eq(parse("# races that are known\n\n  race:update_cache  \r\n\t# more\nrace_top:^log"),
			 STATUS_OK);
	ck_assert_uint_eq(suppressions.length, 2);
	ck_assert_str_eq(suppressions.at[0].pattern, "update_cache");
	ck_assert_int_eq(suppressions.at[0].kind, SUPPRESSION_RACE);
	ck_assert_str_eq(suppressions.at[1].pattern, "^log");
	ck_assert_int_eq(suppressions.at[1].kind, SUPPRESSION_RACE_TOP);
	ck_assert_ptr_null(suppressions.others);
}
END_TEST

START_TEST(patterns_may_have_colons)
{
	ck_assert_int_eq(parse("race:cache::update\n"), STATUS_OK);
	ck_assert_str_eq(suppressions.at[0].pattern, "cache::update");
}
END_TEST

START_TEST(other_kinds_are_named_once)
{
	ck_assert_int_eq(parse("deadlock:a\nrace:b\nthread:c\ndeadlock:d\ndead:e\n"), STATUS_OK);
	ck_assert_uint_eq(suppressions.length, 1);
	ck_assert_str_eq(suppressions.others, "deadlock, thread, dead");
}
END_TEST

static const char *const malformed[][2] = {
    {"race:a\n\nupdate_cache\n", "line 3: there is no colon"},
    {"race:\n", "line 1: nothing stands behind the colon"},
    {"# a\n:update\n", "line 2: nothing stands before the colon"},
    {"Race me:update\n", "line 1: what stands before the colon is no kind of suppression"},
};

START_TEST(a_malformed_line_is_told)
{
	ck_assert_int_eq(parse(malformed[_i][0]), STATUS_MALFORMED);
	ck_assert_msg(strstr(why, malformed[_i][1]) == why, "%s", why);
}
END_TEST

START_TEST(what_is_no_text_is_refused)
{
	suppressions_release(&suppressions);
	ck_assert_int_eq(suppressions_parse(&suppressions, "race:a\0b\n", 9, why), STATUS_MALFORMED);
	ck_assert_str_eq(why, "line 1: it isn't text");
}
END_TEST

static const struct {
	const char *pattern, *name;
	bool matches;
} matches[] = {
    {"cache", "update_cache_slow", true},
    {"cache", "update", false},
    {"^update", "update_cache", true},
    {"^cache", "update_cache", false},
    {"cache$", "update_cache", true},
    {"update$", "update_cache", false},
    {"^update_cache$", "update_cache", true},
    {"^update_cache$", "update_cache_2", false},
    {"^update$", "update_update", false},
    {"up*che", "an_update_cache_slow", true},
    {"^up*che$", "update_cache", true},
    {"^up*che$", "update_cache_che", true},
    {"^up*che$", "upche", true},
    {"^up*pche$", "upche", false},
    {"up*up*x", "upupx", true},
    {"up*up*x", "upx", false},
    {"*", "", true},
    {"*", "anything", true},
    {"^*e$", "cache", true},
    {"^a*b*c$", "abbbc", true},
    {"^a*b*c$", "abbbd", false},
    {"^$", "", true},
    {"^$", "a", false},
    {"lib/*.c", "src/lib/a/b.c", true},
};

START_TEST(patterns_match)
{
	char line[64];
	snprintf(line, sizeof line, "race:%s", matches[_i].pattern);
	ck_assert_int_eq(parse(line), STATUS_OK);
	ck_assert_msg(suppressions_match(&suppressions, SUPPRESSION_RACE, matches[_i].name) ==
			  matches[_i].matches,
		      "%s in %s", matches[_i].pattern, matches[_i].name);
	ck_assert(!suppressions_match(&suppressions, SUPPRESSION_RACE_TOP, matches[_i].name));
	ck_assert(!suppressions_match(&suppressions, SUPPRESSION_RACE, NULL));
}
END_TEST

START_TEST(files_are_read)
{
	char path[] = "/tmp/fmc-suppressions-XXXXXX";
	int file = mkstemp(path);
	ck_assert_int_eq(write(file, "race:a\nrace\n", 12), 12);
	close(file);
	suppressions_release(&suppressions);
	ck_assert_int_eq(suppressions_read(&suppressions, path, why), STATUS_MALFORMED);
	ck_assert_msg(strstr(why, "line 2: ") == why, "%s", why);
	unlink(path);
	ck_assert_int_eq(suppressions_read(&suppressions, path, why), STATUS_SYSTEM);
	ck_assert_str_eq(why, "No such file or directory");
	ck_assert_int_eq(suppressions_read(&suppressions, "/", why), STATUS_SYSTEM);
	ck_assert_str_eq(why, "Is a directory");
	suppressions_release(&suppressions);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("suppressions");
	TCase *tcase = tcase_create("suppressions");
	tcase_add_test(tcase, lines_are_taken_apart);
	tcase_add_test(tcase, patterns_may_have_colons);
	tcase_add_test(tcase, other_kinds_are_named_once);
	tcase_add_loop_test(tcase, a_malformed_line_is_told, 0, sizeof malformed / sizeof *malformed);
	tcase_add_test(tcase, what_is_no_text_is_refused);
	tcase_add_loop_test(tcase, patterns_match, 0, sizeof matches / sizeof *matches);
	tcase_add_test(tcase, files_are_read);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
