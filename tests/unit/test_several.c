/* Searches with several plans out at once, whose traces come back in any order. */
#include <fmc/execution.h>
#include <fmc/search.h>

#include "tests/table/brute.h"
#include "tests/table/table_random.h"

#include <check.h>
#include <stdlib.h>

/* So many random programs; ten times as many with FMC_TEST_LONG set. */
#define PROGRAMS 150
#define LIMIT	 1500
#define DEPTH	 40
#define MOST_OUT 8

static struct table_machine machine;
static struct execution *execution;
static struct trace trace;

static void set_up(void)
{
	static const struct table_program nothing;
	table_machine_init(&machine, &nothing);
	execution = execution_new(&machine.machine);
	trace_init(&trace);
}

static void tear_down(void)
{
	trace_release(&trace);
	execution_free(execution);
}

struct seen {
	uint64_t executions;
	struct hash_set sequences;
	bool gave_up;
	struct search_progress progress;
};

static void seen_release(struct seen *seen)
{
	hash_set_release(&seen->sequences);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void run_plan(struct search *search, const struct plan *plan, struct seen *seen)
{
	execution_run(execution, plan, &trace);
	ck_assert_int_eq(search_feed(search, plan->ticket, &trace), STATUS_OK);
	uint64_t sequence = 1;
	for (size_t i = 0; i < trace.length; i++)
		sequence = step_digest(sequence, trace.at[i].thread, trace.at[i].choice);
	hash_set_add(&seen->sequences, sequence);
	seen->executions++;
}

/* Keep up to `most` plans out, and take one of them at random each time. */
static void run(const struct search_options *options, size_t most, uint64_t seed, struct seen *seen)
{
	struct search *search = search_new(options);
	struct plan out[MOST_OUT];
	size_t length = 0;
	enum search_answer answer = SEARCH_PLAN;
	*seen = (struct seen){0};
	hash_set_init(&seen->sequences);
	while (!seen->gave_up) {
		while (length < most && (answer = search_next(search, &out[length])) == SEARCH_PLAN)
			length++;
		/* What is out may show more. */
		ck_assert(answer != SEARCH_OVER || length == 0);
		if (length == 0)
			break;
		size_t next = next_random(&seed) % length;
		run_plan(search, &out[next], seen);
		out[next] = out[--length];
		seen->gave_up = seen->executions == LIMIT;
	}
	ck_assert(seen->gave_up || answer == SEARCH_OVER);
	search_progress(search, &seen->progress);
	search_free(search);
}

static uint64_t programs(void)
{
	return getenv("FMC_TEST_LONG") ? 10 * PROGRAMS : PROGRAMS;
}

static bool equal(const struct hash_set *a, const struct hash_set *b)
{
	return a->count == b->count && hash_set_subset(a, b);
}

/* Everything, once. */
static void compare_plain(enum strategy strategy, uint32_t bound)
{
	uint32_t compared = 0;
	for (uint64_t seed = 0; seed < programs(); seed++) {
		struct table_program program;
		table_random(&program, seed, seed % 2);
		table_machine_init(&machine, &program);
		const struct search_options options = {
		    .strategy = strategy, .bound = bound, .fair_k = (uint32_t)(seed % 3), .max_depth = DEPTH};
		struct seen one, several;
		run(&options, 1, seed, &one);
		size_t most = 2 + seed % (MOST_OUT - 1);
		if (!one.gave_up) {
			run(&options, most, seed, &several);
			ck_assert(one.progress.complete && several.progress.complete);
			ck_assert_uint_eq(several.executions, one.executions);
			ck_assert(equal(&several.sequences, &one.sequences));
			ck_assert_uint_eq(several.sequences.count, several.executions);
			ck_assert(several.progress.bound_met == one.progress.bound_met);
			seen_release(&several);
			compared++;
		}
		seen_release(&one);
	}
	ck_assert_uint_gt(compared, programs() / 3);
}

START_TEST(dfs)
{
	compare_plain(STRATEGY_DFS, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("several");
	TCase *cases = tcase_create("all");
	tcase_set_timeout(cases, 600);
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, dfs);
	suite_add_tcase(suite, cases);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
