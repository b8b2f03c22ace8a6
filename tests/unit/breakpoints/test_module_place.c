/* The place of an instruction in a module's file, as text. */
#include "tests/unit/suite.h"

#include <fmc/breakpoints/module_place.h>

#include <string.h>

/* All of the text is a place. */
static bool parse(const char *text, struct module_place *place)
{
	const char *rest;
	return module_place_parse(text, place, &rest) && *rest == '\0';
}

START_TEST(what_is_written_is_read)
{
	static const struct module_place places[] = {
	    {"race", 0x11e0}, {"a b", 0}, {"c++filt", UINT64_MAX}, {"x+0x3", 7}};
	char text[MODULE_PLACE_TEXT + 2];
	const char *rest;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct module_place place;
		module_place_print(&places[i], text);
		ck_assert(parse(text, &place));
		ck_assert(module_place_equal(&place, &places[i]));
		strcat(text, " 7");
		ck_assert(module_place_parse(text, &place, &rest));
		ck_assert_str_eq(rest, " 7");
	}
}
END_TEST

static const char *const refused[] = {
    "",		 "race",     "race+",	  "race+0x",	"race+11e0", "+0x1",
    "race+0x1 ", "race+0xg", "race+0x-1", "race+0x0x1", "race+0x 1", "race+0x10000000000000000",
};

START_TEST(what_is_no_place_is_refused)
{
	struct module_place place;
	ck_assert_msg(!parse(refused[_i], &place), "%s", refused[_i]);
}
END_TEST

START_TEST(equal_places_have_both_equal)
{
	const struct module_place one = {"race", 1}, later = {"race", 2}, elsewhere = {"rac", 1};
	ck_assert(module_place_equal(&one, &one));
	ck_assert(!module_place_equal(&one, &later));
	ck_assert(!module_place_equal(&one, &elsewhere));
}
END_TEST

START_TEST(long_names_are_refused)
{
	char text[MODULE_PLACE_NAME + 8];
	struct module_place place;
	memset(text, 'a', sizeof text);
	strcpy(text + MODULE_PLACE_NAME - 1, "+0x1");
	ck_assert(parse(text, &place));
	strcpy(text + MODULE_PLACE_NAME, "+0x1");
	ck_assert(!parse(text, &place));
}
END_TEST

SUITE("module place", 0, NULL, NULL, TEST(what_is_written_is_read),
      TEST_LOOP(what_is_no_place_is_refused, sizeof refused / sizeof *refused),
      TEST(equal_places_have_both_equal), TEST(long_names_are_refused))
