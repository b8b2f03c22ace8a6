/* The table of promoted instructions. */
#include "tests/unit/suite.h"

#include <fmc/breakpoints/promoted.h>

#define MANY 1000

/* In an order of its own: backwards by sevens, so that each comes once. */
static struct module_place place_of(uint64_t i)
{
	return (struct module_place){.module = "race", .offset = (MANY - 1 - i) * 7 % MANY};
}

START_TEST(each_is_there_once)
{
	struct promoted table = {0};
	for (uint64_t i = 0; i < MANY; i++) {
		const struct module_place place = place_of(i);
		ck_assert(!promoted_has(&table, "race", place.offset));
		ck_assert(promoted_add(&table, &place));
		ck_assert(!promoted_add(&table, &place));
	}
	ck_assert_uint_eq(table.length, MANY);
	for (uint64_t i = 0; i < MANY; i++)
		ck_assert(promoted_has(&table, "race", i) && table.at[i].offset == i);
	ck_assert(!promoted_has(&table, "race", MANY));
	ck_assert(!promoted_has(&table, "rac", 3));
	promoted_release(&table);
}
END_TEST

START_TEST(modules_are_apart)
{
	struct promoted one = {0}, other = {0};
	const struct module_place in_b = {.module = "b", .offset = 1}, in_a = {.module = "a", .offset = 1};
	ck_assert(promoted_add(&one, &in_b));
	ck_assert(promoted_add(&other, &in_a) && promoted_add(&other, &in_b));
	ck_assert(promoted_add_all(&one, &other));
	ck_assert_uint_eq(one.length, 2);
	ck_assert(promoted_has(&one, "a", 1) && promoted_has(&one, "b", 1));
	promoted_release(&one);
	promoted_release(&other);
}
END_TEST

SUITE("promoted", 0, NULL, NULL, TEST(each_is_there_once), TEST(modules_are_apart))
