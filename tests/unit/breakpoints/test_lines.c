/* What is known of lines of memory, and that nothing is of a target that begins. */
#include "breakpoints/sampler/lines.h"
#include "breakpoints/sampler/sampler_state.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <sys/mman.h>

#define ADDRESS UINT64_C(0x7ffff7a01238)

static struct sampler sampler;

/* As fmc shares it with targets, and as nothing can be given back of it. */
static const int kinds[] = {MAP_SHARED | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS};

static void use_memory(int kind)
{
	void *at = mmap(NULL, sizeof(*sampler.shared), PROT_READ | PROT_WRITE, kind, -1, 0);
	ck_assert_ptr_ne(at, MAP_FAILED);
	sampler.shared = at;
	sampler.settled_length = 0;
}

static void release(void)
{
	munmap(sampler.shared, sizeof(*sampler.shared));
	sampler.shared = NULL;
}

/* Another sampler, which knows nothing of it, has settled something. */
START_TEST(nothing_is_left_of_an_earlier_target)
{
	use_memory(kinds[_i]);
	lines_settle(&sampler, ADDRESS, 8, true);
	ck_assert(lines_have(sampler.shared, ADDRESS, 8, true));
	sampler.settled_length = 0;
	lines_forget(&sampler);
	ck_assert(lines_have(sampler.shared, ADDRESS, 8, true));
	lines_begin(&sampler);
	ck_assert(!lines_have(sampler.shared, ADDRESS, 8, true));
	for (size_t i = 0; i < LINE_WORDS; i++)
		ck_assert_uint_eq(sampler.shared->lines[i], 0);
	release();
}
END_TEST

START_TEST(what_is_settled_after_that_is_forgotten_at_the_next_turn)
{
	use_memory(kinds[_i]);
	lines_begin(&sampler);
	lines_settle(&sampler, ADDRESS, 8, true);
	ck_assert(lines_have(sampler.shared, ADDRESS, 8, true));
	ck_assert(!lines_have(sampler.shared, ADDRESS, 8, false));
	lines_forget(&sampler);
	ck_assert(!lines_have(sampler.shared, ADDRESS, 8, true));
	release();
}
END_TEST

SUITE("lines", 60, NULL, NULL,
      TEST_LOOP(nothing_is_left_of_an_earlier_target, sizeof(kinds) / sizeof(kinds[0])),
      TEST_LOOP(what_is_settled_after_that_is_forgotten_at_the_next_turn, sizeof(kinds) / sizeof(kinds[0])))
