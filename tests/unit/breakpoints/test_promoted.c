/* The table of promoted instructions, and one as a schedule writes it. */
#include "tests/unit/suite.h"

#include <fmc/breakpoints/promoted.h>

#include <stdio.h>
#include <string.h>

START_TEST(what_is_written_is_read)
{
	static const struct promoted_place places[] = {
	    {"race", 0x11e0}, {"a b", 0}, {"c++filt", UINT64_MAX}, {"x+0x3", 7}};
	char text[PROMOTED_TEXT];
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct promoted_place place;
		promoted_print(&places[i], text);
		ck_assert(promoted_parse(text, &place));
		ck_assert_str_eq(place.module, places[i].module);
		ck_assert_uint_eq(place.offset, places[i].offset);
	}
}
END_TEST

static const char *const refused[] = {
    "",		 "race",     "race+",	  "race+0x",	"race+11e0", "+0x1",
    "race+0x1 ", "race+0xg", "race+0x-1", "race+0x0x1", "race+0x 1", "race+0x10000000000000000",
};

START_TEST(what_is_no_place_is_refused)
{
	struct promoted_place place;
	ck_assert_msg(!promoted_parse(refused[_i], &place), "%s", refused[_i]);
}
END_TEST

START_TEST(long_names_are_refused)
{
	char text[PROMOTED_MODULE + 8];
	struct promoted_place place;
	memset(text, 'a', sizeof text);
	strcpy(text + PROMOTED_MODULE - 1, "+0x1");
	ck_assert(promoted_parse(text, &place));
	strcpy(text + PROMOTED_MODULE, "+0x1");
	ck_assert(!promoted_parse(text, &place));
}
END_TEST

START_TEST(each_is_there_once)
{
	static struct promoted table;
	struct promoted_place place = {.module = "race"};
	for (place.offset = 0; place.offset < PROMOTED_MOST; place.offset++) {
		ck_assert(!promoted_has(&table, "race", place.offset));
		ck_assert(promoted_add(&table, &place));
		ck_assert(!promoted_add(&table, &place));
	}
	ck_assert(promoted_has(&table, "race", 3));
	ck_assert(!promoted_has(&table, "rac", 3));
	ck_assert(!promoted_add(&table, &place));
	ck_assert_uint_eq(table.length, PROMOTED_MOST);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("promoted");
	TCase *all = tcase_create("promoted");
	tcase_add_test(all, what_is_written_is_read);
	tcase_add_loop_test(all, what_is_no_place_is_refused, 0, (int)(sizeof refused / sizeof *refused));
	tcase_add_test(all, long_names_are_refused);
	tcase_add_test(all, each_is_there_once);
	suite_add_tcase(suite, all);
	return suite_run(suite);
}
