/* Functions that stop in the middle and go on. */
#include "replay/timeline/coroutine.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>

struct count {
	struct coroutine *self;
	int said, most;
};

static void count(void *context)
{
	struct count *c = context;
	for (int i = 1; i <= c->most; i++) {
		c->said = i;
		coroutine_yield(c->self);
	}
}

START_TEST(test_goes_on_where_it_stopped)
{
	struct count one = {.most = 3}, other = {.most = 2};
	one.self = coroutine_new(count, &one);
	other.self = coroutine_new(count, &other);
	ck_assert(coroutine_resume(one.self));
	ck_assert(coroutine_resume(other.self));
	ck_assert(coroutine_resume(one.self));
	ck_assert_int_eq(one.said, 2);
	ck_assert_int_eq(other.said, 1);
	ck_assert(coroutine_resume(one.self));
	ck_assert(!coroutine_resume(one.self));
	ck_assert(!coroutine_resume(one.self));
	ck_assert(coroutine_resume(other.self));
	ck_assert(!coroutine_resume(other.self));
	coroutine_free(one.self);
	coroutine_free(other.self);
}
END_TEST

START_TEST(test_never_begun)
{
	struct count one = {.most = 3};
	one.self = coroutine_new(count, &one);
	coroutine_free(one.self);
	ck_assert_int_eq(one.said, 0);
}
END_TEST

SUITE("coroutine", 0, NULL, NULL, TEST(test_goes_on_where_it_stopped), TEST(test_never_begun))
