/* The table of promoted instructions. */
#include "tests/unit/suite.h"

#include <fmc/breakpoints/promoted.h>

START_TEST(each_is_there_once)
{
	static struct promoted table;
	struct module_place place = {.module = "race"};
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

SUITE("promoted", 0, NULL, NULL, TEST(each_is_there_once))
