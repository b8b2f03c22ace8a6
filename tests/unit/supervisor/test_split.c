/* Searches that are divided among shards, on toy programs: together they run what one search runs. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/search.h>

#include "tests/table/crew.h"
#include "tests/table/mazurkiewicz.h"
#include "tests/table/table_random.h"
#include "tests/unit/break_off.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* What some searches have run. */
struct result {
	uint64_t executions; /* those that count; with source and optimal those of one class once */
	uint64_t run;	     /* all */
	uint64_t most;	     /* of these, by one search */
	uint64_t again;	     /* of a class that was there */
	bool complete, alike;
	uint64_t split;
	struct hash_set known; /* the executions: by their class or, with dfs and at random, by their steps */
};

static uint64_t digest_steps(const struct trace *trace)
{
	uint64_t digest = UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = 0; i < trace->length; i++) {
		const struct step step = transition_step(&trace->at[i]);
		digest ^= (uint64_t)step.thread << 32 | (uint32_t)step.choice;
		digest *= UINT64_C(0xbf58476d1ce4e5b9);
		digest ^= digest >> 29;
	}
	return digest | 1;
}

static uint64_t digest_of(const struct trace *trace, enum strategy strategy, struct happens_before *order)
{
	if (strategy != STRATEGY_SOURCE && strategy != STRATEGY_OPTIMAL)
		return digest_steps(trace);
	happens_before_start(order, trace, false);
	happens_before_push_all(order);
	return happens_before_hash(order, trace->length).low | 1;
}

/* One search, of which so many plans are out; with several it is broken off now and then. `most`: of executions that count. */
static void run(const struct table_program *program, const struct search_options *options, uint32_t out,
		uint64_t most, struct result *result)
{
	struct search *search = search_new(options);
	struct happens_before *order = happens_before_new();
	struct search_progress progress;
	struct crew crew;
	struct trace trace;
	uint64_t counted = 0, run = 0;
	trace_init(&trace);
	crew_init(&crew, program, search, out, 1);
	while (counted < most && crew_step(&crew, &trace)) {
		ck_assert(trace.end != END_ERROR && trace.end != END_DIVERGED);
		run++;
		if (!crew.elsewhere && trace.end != END_REDUNDANT) {
			bool fresh =
			    hash_set_add(&result->known, digest_of(&trace, options->strategy, order));
			result->executions += fresh || options->strategy == STRATEGY_DFS;
			result->again += !fresh;
		}
		counted += !crew.elsewhere;
		if (out > 1 && run % UNBROKEN == 0)
			search = break_off(search, options, &crew);
	}
	ck_assert_int_eq(crew.status, STATUS_OK);
	search_progress(search, &progress);
	if (out == 1)
		ck_assert_uint_eq(progress.executions, counted);
	result->alike = result->alike && (!result->run || progress.split == result->split);
	result->complete = result->complete && progress.complete;
	result->split = progress.split;
	result->run += run;
	result->most = run > result->most ? run : result->most;
	trace_release(&trace);
	happens_before_free(order);
	search_free(search);
	crew_release(&crew);
}

static void result_init(struct result *result)
{
	*result = (struct result){.complete = true, .alike = true};
	hash_set_init(&result->known);
}

static void run_shards(const struct table_program *program, struct search_options options, uint32_t shards,
		       uint32_t out, struct result *result)
{
	result_init(result);
	for (uint32_t shard = 0; shard < shards; shard++) {
		options.shard = shard;
		options.shards = shards;
		run(program, &options, out, UINT64_MAX, result);
	}
}

/* As many executions as one search has, the same ones, and none that it hasn't. */
static void expect_split(const struct table_program *program, const struct search_options *options,
			 uint32_t shards, uint32_t out, const struct result *whole)
{
	struct result split;
	run_shards(program, *options, shards, out, &split);
	if (getenv("VERBOSE"))
		printf("%s, %u shards: %llu executions of %llu, %llu run, %llu at most by one, %llu twice\n",
		       strategy_name(options->strategy), shards, (unsigned long long)split.executions,
		       (unsigned long long)whole->executions, (unsigned long long)split.run,
		       (unsigned long long)split.most, (unsigned long long)split.again);
	ck_assert(split.complete);
	ck_assert(split.alike);
	ck_assert_uint_eq(split.executions, whole->executions);
	ck_assert(hash_set_subset(&split.known, &whole->known) &&
		  hash_set_subset(&whole->known, &split.known));
	hash_set_release(&split.known);
}

/* False: it has too many executions. */
static bool expect(const struct table_program *program, enum strategy strategy, uint64_t most, bool fair)
{
	static const uint32_t counts[] = {2, 5};
	const struct search_options options = {
	    .strategy = strategy, .fair_k = fair, .sees_memory = true, .max_depth = 100};
	struct result whole;
	result_init(&whole);
	run(program, &options, 1, most, &whole);
	const bool complete = whole.complete;
	for (size_t i = 0; complete && i < sizeof counts / sizeof *counts; i++)
		expect_split(program, &options, counts[i], i == 1 ? 4 : 1, &whole);
	hash_set_release(&whole.known);
	return complete;
}

START_TEST(reductions)
{
	struct table_program p;
	for (uint32_t n = 4; n <= largest(10, 7); n++) {
		table_philosophers(&p, n, false);
		ck_assert(expect(&p, STRATEGY_OPTIMAL, 10000, true));
		ck_assert(expect(&p, STRATEGY_SOURCE, 100000, true));
	}
	/* Nothing commutes. */
	p = (struct table_program){0};
	uint32_t mutex = table_mutex(&p, MUTEX_NORMAL);
	struct table_body *b = table_body(&p);
	table_op(b, OP_MUTEX_LOCK, mutex);
	table_op(b, OP_MUTEX_UNLOCK, mutex);
	for (int i = 1; i < 6; i++)
		table_thread(&p, b);
	ck_assert(expect(&p, STRATEGY_OPTIMAL, 10000, true));
}
END_TEST

START_TEST(all_executions)
{
	struct table_program p;
	table_philosophers(&p, 3, false);
	ck_assert(expect(&p, STRATEGY_DFS, 10000, true));
}
END_TEST

/* Programs whose threads wait, try, time out and yield. */
START_TEST(random_programs)
{
	uint32_t compared = 0;
	for (uint64_t seed = 1; seed <= enough_rounds(800); seed++) {
		struct table_program p;
		table_random(&p, seed, false);
		for (enum strategy strategy = STRATEGY_SOURCE; strategy <= STRATEGY_OPTIMAL; strategy++)
			compared += expect(&p, strategy, 400, false);
		compared += expect(&p, STRATEGY_DFS, 400, false);
	}
	ck_assert_uint_gt(compared, 0);
}
END_TEST

/* So many by numbers: what one search has run first is what its shards have, each its share. */
START_TEST(by_numbers)
{
	static const enum strategy strategies[] = {STRATEGY_RANDOM, STRATEGY_PCT, STRATEGY_POS,
						   STRATEGY_SURW};
	enum { SHARDS = 3, EACH = 100 };
	struct table_program p;
	table_philosophers(&p, 5, false);
	for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
		struct search_options options = {.strategy = strategies[s], .bound = 3, .fair_k = 1};
		struct result whole, split;
		result_init(&whole);
		result_init(&split);
		run(&p, &options, 1, SHARDS * EACH, &whole);
		options.shards = SHARDS;
		for (options.shard = 0; options.shard < SHARDS; options.shard++)
			run(&p, &options, 1, EACH, &split);
		ck_assert_uint_gt(whole.executions, EACH);
		ck_assert(hash_set_subset(&split.known, &whole.known) &&
			  hash_set_subset(&whole.known, &split.known));
		hash_set_release(&whole.known);
		hash_set_release(&split.known);
	}
}
END_TEST

/* Nobody has the others' parts. */
START_TEST(shares_are_shares)
{
	struct table_program p;
	struct result whole, one;
	struct search_options options = {.strategy = STRATEGY_OPTIMAL, .fair_k = 1, .sees_memory = true};
	table_philosophers(&p, 9, false);
	result_init(&whole);
	run(&p, &options, 1, UINT64_MAX, &whole);
	options.shards = 2;
	for (options.shard = 0; options.shard < 2; options.shard++) {
		result_init(&one);
		run(&p, &options, 1, UINT64_MAX, &one);
		ck_assert_uint_lt(one.run, whole.run);
		ck_assert_uint_lt(one.executions, whole.executions);
		hash_set_release(&one.known);
	}
	hash_set_release(&whole.known);
}
END_TEST

SUITE("split", 300, NULL, NULL, TEST(reductions), TEST(all_executions), TEST(random_programs),
      TEST(by_numbers), TEST(shares_are_shares))
