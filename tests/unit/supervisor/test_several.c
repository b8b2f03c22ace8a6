/* Searches by depth and by bound with several plans out at once: what is explored in the end is the same. */
#include <fmc/supervisor/happens_before.h>

#include "tests/table/brute.h"
#include "tests/table/crew.h"
#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>

/* So many random programs; ten times as many with FMC_TEST_LONG set. */
#define PROGRAMS 75
#define LIMIT	 1500
#define DEPTH	 40

static struct happens_before *hb;
static struct trace trace;

static void set_up(void)
{
	hb = happens_before_new();
	trace_init(&trace);
}

static void tear_down(void)
{
	trace_release(&trace);
	happens_before_free(hb);
}

struct seen {
	uint64_t executions;
	struct hash_set sequences, classes;
	bool gave_up;
	struct search_progress progress;
};

static void seen_release(struct seen *seen)
{
	hash_set_release(&seen->sequences);
	hash_set_release(&seen->classes);
}

static void note(struct seen *seen, bool fair)
{
	uint64_t sequence = 1;
	for (size_t i = 0; i < trace.length; i++)
		sequence = step_digest(sequence, trace.at[i].thread, trace.at[i].choice);
	hash_set_add(&seen->sequences, sequence);
	ck_assert(happens_before_start(hb, &trace, fair) && happens_before_push_all(hb));
	struct trace_hash class = happens_before_hash(hb, trace.length);
	hash_set_add(&seen->classes, class.low ^ class.high << 1 ^ trace.length);
	seen->executions++;
}

static void run(const struct table_program *program, const struct search_options *options, uint32_t size,
		struct seen *seen)
{
	struct search *search = search_new(options);
	struct crew crew;
	crew_init(&crew, program, search, size, size);
	*seen = (struct seen){0};
	hash_set_init(&seen->sequences);
	hash_set_init(&seen->classes);
	while (!seen->gave_up && crew_step(&crew, &trace) != 0) {
		note(seen, options->fair_k != 0);
		seen->gave_up = seen->executions == LIMIT;
	}
	ck_assert_int_eq(crew.status, STATUS_OK);
	search_progress(search, &seen->progress);
	crew_release(&crew);
	search_free(search);
}

static uint64_t programs(void)
{
	return largest(20 * PROGRAMS, PROGRAMS);
}

static bool equal(const struct hash_set *a, const struct hash_set *b)
{
	return a->count == b->count && hash_set_subset(a, b);
}

static uint32_t several(uint64_t seed)
{
	return 2 + (uint32_t)(seed % (CREW_MOST - 1));
}

/* Everything, once. */
static void compare_plain(enum strategy strategy)
{
	uint32_t compared = 0;
	for (uint64_t seed = 0; seed < programs(); seed++) {
		struct table_program program;
		table_random(&program, seed, seed % 2);
		const struct search_options options = {.strategy = strategy,
						       .bound = (uint32_t)(seed % 4),
						       .fair_k = (uint32_t)(seed % 3),
						       .max_depth = DEPTH};
		struct seen one, all;
		run(&program, &options, 1, &one);
		if (!one.gave_up) {
			run(&program, &options, several(seed), &all);
			ck_assert(one.progress.complete && all.progress.complete);
			ck_assert_uint_eq(all.executions, one.executions);
			ck_assert_uint_eq(all.sequences.count, one.executions);
			ck_assert(equal(&all.sequences, &one.sequences));
			ck_assert(all.progress.bound_met == one.progress.bound_met);
			seen_release(&all);
			compared++;
		}
		seen_release(&one);
	}
	ck_assert_uint_gt(compared, programs() / 3);
}

START_TEST(all_executions)
{
	compare_plain(STRATEGY_DFS);
	compare_plain(STRATEGY_CB);
	compare_plain(STRATEGY_DELAY);
}
END_TEST

/* Variables are read and written by code between operations, which no footprint knows of. */
static bool has_variables(const struct table_program *p)
{
	for (uint32_t b = 0; b < p->body_count; b++)
		for (uint32_t i = 0; i < p->bodies[b].length; i++)
			if (p->bodies[b].code[i].kind == TABLE_STORE)
				return true;
	return false;
}

/* With the cache: of each class within the bound one, whatever the order in which states were come to. */
static void compare_cached(enum strategy strategy)
{
	uint64_t fewer = 0;
	uint32_t compared = 0;
	for (uint64_t seed = 0; seed < programs(); seed++) {
		struct table_program program;
		table_random(&program, seed, false);
		if (has_variables(&program))
			continue;
		struct search_options options = {.strategy = strategy,
						 .bound = (uint32_t)(seed % 3),
						 .fair_k = (uint32_t)(seed / 3 % 3),
						 .max_depth = DEPTH,
						 .sees_memory = true};
		struct seen plain, cached;
		run(&program, &options, 1, &plain);
		if (!plain.gave_up) {
			options.cache = true;
			run(&program, &options, several(seed), &cached);
			ck_assert(cached.progress.complete);
			ck_assert_msg(equal(&cached.classes, &plain.classes),
				      "seed %lu: %zu classes, with the cache %zu", seed, plain.classes.count,
				      cached.classes.count);
			ck_assert(hash_set_subset(&cached.sequences, &plain.sequences));
			fewer += plain.executions - cached.executions;
			seen_release(&cached);
			compared++;
		}
		seen_release(&plain);
	}
	ck_assert_uint_gt(compared, programs() / 4);
	ck_assert_uint_gt(fewer, programs() / 5);
}

START_TEST(all_classes)
{
	compare_cached(STRATEGY_CB);
	compare_cached(STRATEGY_DELAY);
}
END_TEST

SUITE("several", 600, set_up, tear_down, TEST(all_executions), TEST(all_classes))
