/* The strategies on toy programs, against counts that are known and against plain enumeration. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>

#include "supervisor/policy/policy.h"
#include "tests/table/brute.h"
#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* What a strategy's executions of a program came to. */
struct result {
	uint64_t executions;
	uint64_t deadlocks;
	uint64_t repeated; /* executions that had been run before */
	bool failed;	   /* search_feed() refused a trace */
	bool bounds_rise;  /* no execution costs less than an earlier one */
	uint64_t by_cost[BRUTE_COSTS];
	struct hash_set sequences;
	struct search_progress progress;
};

static void result_release(struct result *result)
{
	hash_set_release(&result->sequences);
}

static uint64_t sequence_digest(const struct trace *trace, uint64_t depth)
{
	uint64_t digest = 1;
	for (size_t i = 0; i < trace->length && (depth == 0 || i < depth); i++)
		digest = step_digest(digest, trace->at[i].thread, trace->at[i].choice);
	return digest;
}

/* Preemptions as the definition says, recounted from the sets alone; a transition after `depth` doesn't
 * count. */
static uint32_t count_preemptions(const struct trace *trace, uint64_t depth)
{
	uint32_t cost = 0;
	for (size_t i = 0; i < trace->length && (depth == 0 || i < depth); i++)
		cost += (trace->at[i].flags & TRANSITION_PREEMPTION) != 0;
	return cost;
}

/* Run the strategy to its end, or `most` executions of it. */
static void run(const struct table_program *program, const struct search_options *options, uint64_t most,
		struct result *result)
{
	struct table_machine machine;
	table_machine_init(&machine, program);
	struct execution *execution = execution_new(&machine.machine);
	struct search *search = search_new(options);
	struct trace trace;
	struct plan plan;
	uint32_t highest = 0;
	trace_init(&trace);
	*result = (struct result){.bounds_rise = true};
	hash_set_init(&result->sequences);
	while (result->executions < most && search_next(search, &plan)) {
		execution_run(execution, &plan, &trace);
		result->failed |=
		    search_feed(search, plan.ticket, &trace) != STATUS_OK || trace.end == END_ERROR;
		result->executions++;
		result->deadlocks += trace.end == END_DEADLOCK;
		result->repeated +=
		    !hash_set_add(&result->sequences, sequence_digest(&trace, options->max_depth));
		uint32_t cost = count_preemptions(&trace, options->max_depth);
		result->by_cost[cost < BRUTE_COSTS ? cost : BRUTE_COSTS - 1]++;
		result->bounds_rise &= cost >= highest;
		highest = cost > highest ? cost : highest;
	}
	search_progress(search, &result->progress);
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
}

static uint64_t count_dfs(const struct table_program *program, uint64_t *deadlocks)
{
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1};
	struct result result;
	run(program, &options, UINT64_MAX, &result);
	ck_assert(!result.failed && result.progress.complete && !result.progress.cut_at_depth);
	ck_assert_uint_eq(result.repeated, 0);
	ck_assert_uint_eq(result.executions, result.progress.executions);
	if (deadlocks)
		*deadlocks = result.deadlocks;
	result_release(&result);
	return result.executions;
}

/* Programs with known counts, without a main thread. */

static void counter(struct table_program *p, uint32_t threads, uint32_t rounds)
{
	*p = (struct table_program){0};
	uint32_t mutex = table_mutex(p, MUTEX_NORMAL), x = table_variable(p, 0);
	struct table_body *b = table_body(p);
	for (uint32_t i = 0; i < rounds; i++) {
		table_op(b, OP_MUTEX_LOCK, mutex);
		table_add(b, TABLE_LOAD, 0, x, 0);
		table_add(b, TABLE_ADD, 0, 0, 1);
		table_add(b, TABLE_STORE, 0, x, 0);
		table_op(b, OP_MUTEX_UNLOCK, mutex);
	}
	while (--threads)
		table_thread(p, b);
}

static void unlocked_counter(struct table_program *p, uint32_t threads)
{
	*p = (struct table_program){0};
	uint32_t x = table_variable(p, 0);
	struct table_body *b = table_body(p);
	table_read(b, 0, x);
	table_add(b, TABLE_ADD, 0, 0, 1);
	table_add(b, TABLE_SET, 1, 0, 0);
	table_point(b);
	table_add(b, TABLE_STORE, 0, x, 0);
	while (--threads)
		table_thread(p, b);
}

static void producer_consumer(struct table_program *p, uint32_t items, uint32_t capacity)
{
	*p = (struct table_program){0};
	uint32_t mutex = table_mutex(p, MUTEX_NORMAL);
	uint32_t room = table_sem(p, capacity), full = table_sem(p, 0);
	for (int side = 0; side < 2; side++) {
		struct table_body *b = table_body(p);
		for (uint32_t i = 0; i < items; i++) {
			table_op(b, OP_SEM_WAIT, side ? full : room);
			table_op(b, OP_MUTEX_LOCK, mutex);
			table_point(b);
			table_op(b, OP_MUTEX_UNLOCK, mutex);
			table_op(b, OP_SEM_POST, side ? room : full);
		}
	}
}

/* One thread holds a mutex with a ceiling while `setters` others each set that. */
static void ceilings(struct table_program *p, uint32_t setters)
{
	*p = (struct table_program){0};
	uint32_t mutex = table_mutex(p, MUTEX_NORMAL | MUTEX_PRIORITY | MUTEX_CEILING);
	struct table_body *holder = table_body(p);
	table_op(holder, OP_MUTEX_LOCK, mutex);
	table_op(holder, OP_MUTEX_UNLOCK, mutex);
	for (uint32_t i = 0; i < setters; i++)
		table_op(table_body(p), OP_MUTEX_SETPRIOCEILING, mutex)->op.arg = 10 + i;
}

START_TEST(known_counts)
{
	struct table_program p;
	uint64_t deadlocks;
	table_philosophers(&p, 3, false);
	ck_assert_uint_eq(count_dfs(&p, &deadlocks), 396);
	ck_assert_uint_gt(deadlocks, 0);
	table_philosophers(&p, 3, true);
	count_dfs(&p, &deadlocks);
	ck_assert_uint_eq(deadlocks, 0);
	counter(&p, 3, 2);
	ck_assert_uint_eq(count_dfs(&p, NULL), 90);
	unlocked_counter(&p, 3);
	ck_assert_uint_eq(count_dfs(&p, NULL), 90);
	producer_consumer(&p, 3, 2);
	ck_assert_uint_eq(count_dfs(&p, NULL), 2704);
	if (largest(4, 3) == 4) {
		table_philosophers(&p, 4, false);
		ck_assert_uint_eq(count_dfs(&p, NULL), 104704);
	}
	/* Nobody gets between a lock and its unlock: the orders of four and of five things. */
	ceilings(&p, 3);
	ck_assert_uint_eq(count_dfs(&p, &deadlocks), 24);
	ck_assert_uint_eq(deadlocks, 0);
	ceilings(&p, 4);
	ck_assert_uint_eq(count_dfs(&p, NULL), 120);
}
END_TEST

/* Table 2.4, "traces at most k": lock sections can only be interleaved as wholes, so these are executions
 * too. */
START_TEST(known_counts_within_bounds)
{
	static const uint64_t most[] = {6, 24, 60, 90};
	struct table_program p;
	counter(&p, 3, 2);
	for (uint32_t bound = 0; bound < 4; bound++) {
		struct search_options options = {.strategy = STRATEGY_CB, .bound = bound, .fair_k = 1};
		struct result result;
		run(&p, &options, UINT64_MAX, &result);
		ck_assert_uint_eq(result.repeated, 0);
		ck_assert_uint_eq(result.executions, most[bound]);
		result_release(&result);
	}
}
END_TEST

#define PROGRAMS largest(700, 300)
#define DEPTH	 22
#define LIMIT	 1500

static bool enumerate(const struct table_program *program, uint32_t fair_k, struct brute *brute)
{
	*brute = (struct brute){.program = program, .fair_k = fair_k, .max_depth = DEPTH, .limit = LIMIT};
	brute_run(brute);
	return !brute->gave_up;
}

static void same_as_enumeration(const struct table_program *program, uint32_t fair_k,
				const struct brute *brute)
{
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = fair_k, .max_depth = DEPTH};
	struct result dfs, cb;
	run(program, &options, UINT64_MAX, &dfs);
	ck_assert(!dfs.failed && dfs.progress.complete);
	ck_assert_uint_eq(dfs.repeated, 0);
	ck_assert_uint_eq(dfs.executions, brute->executions);
	ck_assert(hash_set_subset(&dfs.sequences, &brute->sequences));
	ck_assert_uint_eq(memcmp(dfs.by_cost, brute->by_cost, sizeof dfs.by_cost), 0);

	options.strategy = STRATEGY_CB;
	options.bound = UINT32_MAX;
	run(program, &options, UINT64_MAX, &cb);
	ck_assert(!cb.failed && cb.progress.complete && !cb.progress.bound_met && cb.bounds_rise);
	ck_assert_uint_eq(cb.repeated, 0);
	ck_assert_uint_eq(cb.executions, brute->executions);
	ck_assert(hash_set_subset(&cb.sequences, &brute->sequences));
	ck_assert_uint_eq(memcmp(cb.by_cost, brute->by_cost, sizeof cb.by_cost), 0);
	result_release(&cb);

	uint64_t within = 0;
	for (uint32_t bound = 0; bound < 3; bound++) {
		within += brute->by_cost[bound];
		options.bound = bound;
		run(program, &options, UINT64_MAX, &cb);
		ck_assert(cb.progress.complete);
		ck_assert_uint_eq(cb.executions, within);
		ck_assert_uint_eq(memcmp(cb.by_cost, brute->by_cost, (bound + 1) * sizeof *cb.by_cost), 0);
		ck_assert(cb.progress.bound_met == (within < brute->executions));
		result_release(&cb);
	}
	result_release(&dfs);
}

START_TEST(ceilings_as_enumerated)
{
	struct table_program p;
	struct brute brute;
	for (uint32_t setters = 1; setters <= 5; setters++) {
		ceilings(&p, setters);
		ck_assert(enumerate(&p, 1, &brute));
		same_as_enumeration(&p, 1, &brute);
		brute_release(&brute);
	}
}
END_TEST

START_TEST(random_programs)
{
	uint32_t compared = 0, cut = 0, deadlocking = 0;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct table_program program;
		struct brute brute;
		table_random(&program, seed, seed % 2);
		uint32_t fair_k = (uint32_t)(seed / 2 % 3);
		if (enumerate(&program, fair_k, &brute)) {
			same_as_enumeration(&program, fair_k, &brute);
			compared++;
			cut += brute.cut > 0;
			deadlocking += brute.deadlocks > 0;
		}
		brute_release(&brute);
	}
	/* The generator must make what the comparison is about. */
	ck_assert_uint_gt(compared, PROGRAMS / 3);
	ck_assert_uint_gt(cut, PROGRAMS / 50);
	ck_assert_uint_gt(deadlocking, PROGRAMS / 50);
}
END_TEST

START_TEST(random_walks_repeat_by_seed)
{
	struct table_program p;
	table_philosophers(&p, 5, false);
	struct search_options options = {.strategy = STRATEGY_RANDOM, .seed = 7, .fair_k = 1};
	struct result a, b, c;
	run(&p, &options, 50, &a);
	run(&p, &options, 50, &b);
	options.seed = 1000;
	run(&p, &options, 50, &c);
	ck_assert(!a.progress.complete);
	ck_assert(hash_set_subset(&a.sequences, &b.sequences) && hash_set_subset(&b.sequences, &a.sequences));
	ck_assert(!hash_set_subset(&c.sequences, &a.sequences));
	ck_assert_uint_gt(a.sequences.count, 40);
	result_release(&a);
	result_release(&b);
	result_release(&c);
}
END_TEST

static double probability_of(const struct trace *trace)
{
	double p = 1;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *t = &trace->at[i];
		const struct alternative *a = trace->alternatives + t->first_alternative;
		p *= policy_probability(a, t->alternatives, trace_taken(trace, i));
	}
	return p;
}

/* The executions that random walks are to have come by, and what the probabilities of all add up to. */
static double list_likely(const struct table_program *program, double least, struct hash_set *likely)
{
	struct table_machine machine;
	table_machine_init(&machine, program);
	struct execution *execution = execution_new(&machine.machine);
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1};
	struct search *search = search_new(&options);
	struct trace trace;
	struct plan plan;
	double sum = 0;
	hash_set_init(likely);
	trace_init(&trace);
	while (search_next(search, &plan)) {
		execution_run(execution, &plan, &trace);
		/* What it says of a trace is tested elsewhere. */
		(void)search_feed(search, plan.ticket, &trace);
		double p = probability_of(&trace);
		sum += p;
		if (p >= least)
			hash_set_add(likely, sequence_digest(&trace, 0));
	}
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
	return sum;
}

/* A walk takes each execution with the probability that its estimate is computed from. */
START_TEST(random_walks_reach_everything)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct table_program program;
		struct brute brute;
		table_random(&program, seed, false);
		if (enumerate(&program, 1, &brute) && brute.executions < 300 && brute.cut == 0) {
			struct search_options options = {
			    .strategy = STRATEGY_RANDOM, .seed = seed, .fair_k = 1};
			struct result result;
			struct hash_set likely;
			ck_assert_double_eq_tol(list_likely(&program, 1 / 100.0, &likely), 1, 1e-9);
			run(&program, &options, 2000, &result);
			ck_assert(hash_set_subset(&likely, &result.sequences));
			ck_assert(hash_set_subset(&result.sequences, &brute.sequences));
			hash_set_release(&likely);
			result_release(&result);
		}
		brute_release(&brute);
	}
}
END_TEST

/* With seeds given nothing here depends on chance: within a factor of two of the true number. */
START_TEST(estimates)
{
	struct table_program p;
	struct result result;
	producer_consumer(&p, 3, 2);
	struct search_options options = {.strategy = STRATEGY_RANDOM, .seed = 1, .fair_k = 1};
	run(&p, &options, 500, &result);
	ck_assert_double_gt(result.progress.estimate, 2704 / 2.0);
	ck_assert_double_lt(result.progress.estimate, 2704 * 2.0);
	result_release(&result);
	options.strategy = STRATEGY_DFS;
	run(&p, &options, 1000, &result);
	ck_assert(!result.progress.complete);
	ck_assert_double_gt(result.progress.estimate, 2704 / 2.0);
	ck_assert_double_lt(result.progress.estimate, 2704 * 2.0);
	ck_assert(result.progress.estimate_low <= 2704 && 2704 <= result.progress.estimate_high);
	ck_assert(result.progress.estimate_low >= 1000);
	result_release(&result);
	run(&p, &options, 3000, &result);
	ck_assert(result.progress.complete);
	ck_assert_double_eq(result.progress.estimate, 2704);
	ck_assert_double_eq(result.progress.estimate_low, 2704);
	ck_assert_double_eq(result.progress.estimate_high, 2704);
	result_release(&result);
}
END_TEST

/* A hundred threads of five operations have more executions than a double can count. */
START_TEST(no_estimate_beyond_all_numbers)
{
	struct table_program p = {0};
	struct result result;
	uint32_t mutex = table_mutex(&p, MUTEX_NORMAL);
	struct table_body *body = table_body(&p);
	for (int i = 0; i < 5; i++)
		table_op(body, OP_MUTEX_TRYLOCK, mutex);
	for (int t = 1; t < 100; t++)
		table_thread(&p, body);
	const struct search_options options = {.strategy = STRATEGY_RANDOM, .seed = 1};
	run(&p, &options, 3, &result);
	ck_assert_uint_eq(result.executions, 3);
	ck_assert_double_eq(result.progress.estimate, 0);
	ck_assert_double_eq(result.progress.estimate_high, 0);
	result_release(&result);
}
END_TEST

/* A target whose second execution is another one. */
START_TEST(divergence_is_noticed)
{
	struct table_program p, other;
	table_philosophers(&p, 3, false);
	table_philosophers(&other, 2, false);
	struct table_machine machine;
	table_machine_init(&machine, &p);
	struct execution *execution = execution_new(&machine.machine);
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1};
	struct search *search = search_new(&options);
	struct trace trace;
	struct plan plan;
	trace_init(&trace);
	ck_assert(search_next(search, &plan));
	execution_run(execution, &plan, &trace);
	ck_assert_int_eq(search_feed(search, plan.ticket, &trace), STATUS_OK);
	machine.program = &other;
	uint64_t diverged = 0;
	while (search_next(search, &plan)) {
		execution_run(execution, &plan, &trace);
		diverged += search_feed(search, plan.ticket, &trace) == STATUS_DIVERGED;
	}
	struct search_progress progress;
	search_progress(search, &progress);
	ck_assert_uint_gt(diverged, 0);
	ck_assert(!progress.complete);
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
}
END_TEST

START_TEST(strategy_names)
{
	struct search_options options;
	ck_assert(strategy_parse("dfs", &options) && options.strategy == STRATEGY_DFS);
	ck_assert(strategy_parse("random", &options) && options.strategy == STRATEGY_RANDOM);
	ck_assert(strategy_parse("cb", &options) && options.strategy == STRATEGY_CB &&
		  options.bound == UINT32_MAX);
	ck_assert(strategy_parse("cb:12", &options) && options.bound == 12);
	static const char *const wrong[] = {
	    "", "d", "dfsx", "dfs:1", "cb:", "cb:x", "cb:-1", "cb:4294967296", "cb:1 "};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert(!strategy_parse(wrong[i], &options));
	ck_assert_str_eq(strategy_name(STRATEGY_CB), "cb");
}
END_TEST

SUITE("search", 60, NULL, NULL, TEST(known_counts), TEST(known_counts_within_bounds),
      TEST(ceilings_as_enumerated), TEST(random_programs), TEST(random_walks_repeat_by_seed),
      TEST(random_walks_reach_everything), TEST(estimates), TEST(no_estimate_beyond_all_numbers),
      TEST(divergence_is_noticed), TEST(strategy_names))
