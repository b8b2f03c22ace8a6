/* Searches whose workers search parts of them by themselves: what is explored is what one search explores, by brute force as well. */
#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>

#include "tests/table/gang.h"
#include "tests/table/mazurkiewicz.h"
#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define LIMIT 1500
#define DEPTH 40

/* What has been run. */
struct seen {
	const struct table_program *program;
	bool classes; /* executions are told apart by their class, */
	bool brute;   /* as by brute force */
	struct hash_set known;
	uint64_t executions, again, redundant;
	struct search_progress progress;
	enum status status;
	uint64_t lost, told;
};

static struct happens_before *order;

static void set_up(void)
{
	order = happens_before_new();
}

static void tear_down(void)
{
	happens_before_free(order);
}

static uint64_t class_of(const struct trace *trace)
{
	ck_assert(happens_before_start(order, trace, false) && happens_before_push_all(order));
	return happens_before_hash(order, trace->length).low | 1;
}

static void note(void *context, const struct trace *trace)
{
	struct seen *seen = context;
	static struct step steps[4 * DEPTH];
	uint64_t digest = 1, final;
	ck_assert_uint_le(trace->length, 4 * DEPTH);
	seen->redundant += trace->end == END_REDUNDANT;
	if (trace->end == END_REDUNDANT)
		return;
	for (size_t i = 0; i < trace->length; i++) {
		steps[i] = transition_step(&trace->at[i]);
		digest = step_digest(digest, steps[i].thread, steps[i].choice);
	}
	if (seen->brute)
		digest = mazurkiewicz_digest(seen->program, steps, trace->length, &final);
	else if (seen->classes)
		digest = class_of(trace);
	seen->executions++;
	seen->again += !hash_set_add(&seen->known, digest);
}

static void seen_init(struct seen *seen, const struct table_program *program, enum strategy strategy)
{
	*seen = (struct seen){.program = program, .classes = strategy != STRATEGY_DFS};
	hash_set_init(&seen->known);
}

/* By one search. False: these are too many executions. */
static bool run_alone(const struct table_program *program, const struct search_options *options,
		      struct seen *seen)
{
	struct search *search = search_new(options);
	struct table_machine machine;
	struct trace trace;
	struct plan plan;
	uint64_t left = LIMIT;
	seen_init(seen, program, options->strategy);
	trace_init(&trace);
	table_machine_init(&machine, program);
	struct execution *execution = execution_new(&machine.machine);
	while (left > 0 && search_next(search, &plan) == SEARCH_PLAN) {
		execution_run(execution, &plan, &trace);
		note(seen, &trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &trace), STATUS_OK);
		left--;
	}
	search_progress(search, &seen->progress);
	execution_free(execution);
	trace_release(&trace);
	search_free(search);
	return seen->progress.complete;
}

/* Go on with what was saved of the search; what workers have done since they got their parts is lost. */
static void break_off(struct gang *gang, const struct search_options *options)
{
	struct saver saver = {0};
	ck_assert(search_save(gang->search, &saver) && !saver.failed);
	gang_forget(gang);
	search_free(gang->search);
	gang->search = search_new(options);
	struct loader loader = {saver.at, saver.length, false};
	ck_assert_int_eq(search_load(gang->search, &loader), STATUS_OK);
	ck_assert_uint_eq(loader.left, 0);
	saver_release(&saver);
}

/* How a search is divided. */
struct manner {
	uint32_t workers, returns, losses;
	uint32_t breaks; /* broken off after so many steps; 0: never */
	uint32_t alone;	 /* after so many steps what is left is run without any parts; 0: never */
};

/* What has come back by now and what was given are plans again. */
static void go_on_alone(struct gang *gang, struct seen *seen)
{
	struct trace trace;
	struct plan plan;
	trace_init(&trace);
	while (search_next(gang->search, &plan) == SEARCH_PLAN) {
		execution_run(gang->execution, &plan, &trace);
		note(seen, &trace);
		ck_assert_int_eq(search_feed(gang->search, plan.ticket, &trace), STATUS_OK);
	}
	trace_release(&trace);
}

/* `seen` has been initialised. */
static void run_divided(const struct table_program *program, const struct search_options *options,
			const struct manner *manner, uint64_t seed, struct seen *seen)
{
	struct gang gang;
	uint32_t breaks = 0;
	gang_init(&gang, program, search_new(options), manner->workers, seed);
	gang.returns = manner->returns;
	gang.losses = manner->losses;
	gang.note = note;
	gang.context = seen;
	for (uint64_t steps = 1; gang_step(&gang); steps++) {
		/* Seldom enough to come to an end. */
		if (!manner->breaks || breaks == 20 || steps % manner->breaks != 0)
			continue;
		break_off(&gang, options);
		breaks++;
		if (manner->alone && steps >= manner->alone) {
			go_on_alone(&gang, seen);
			break;
		}
	}
	search_progress(gang.search, &seen->progress);
	seen->status = gang.status;
	seen->lost = gang.lost;
	seen->told = gang.told;
	search_free(gang.search);
	gang_release(&gang);
}

static const struct manner manners[] = {
    {1, 0, 0, 0, 0}, {2, 5, 0, 0, 0}, {3, 3, 0, 0, 0},	{7, 2, 0, 0, 0}, {2, 4, 9, 0, 0},  {7, 6, 7, 0, 0},
    {1, 3, 0, 5, 0}, {3, 5, 0, 7, 0}, {7, 5, 9, 11, 0}, {4, 1, 0, 0, 0}, {3, 3, 0, 6, 12}, {2, 4, 0, 9, 9},
};

#define MANNERS (sizeof manners / sizeof *manners)

static void expect_same(const struct seen *alone, const struct seen *divided, enum strategy strategy,
			uint64_t seed, size_t m)
{
	ck_assert_int_eq(divided->status, STATUS_OK);
	ck_assert(divided->progress.complete);
	ck_assert_msg(hash_set_subset(&alone->known, &divided->known) &&
			  divided->known.count == alone->known.count,
		      "%s, seed %lu, manner %zu: %zu different executions, alone %zu",
		      strategy_name(strategy), seed, m, divided->known.count, alone->known.count);
	ck_assert_uint_eq(divided->progress.executions, divided->executions + divided->redundant);
	ck_assert_uint_eq(divided->progress.redundant, divided->redundant);
	/* Of each class one, but where the search has started over. */
	if (alone->again == 0)
		ck_assert_msg(divided->again == 0 || divided->progress.unreduced || alone->progress.unreduced,
			      "%s, seed %lu, manner %zu: %lu executions again", strategy_name(strategy), seed,
			      m, divided->again);
}

/* Returns whether the program is small enough to be compared. */
static bool compare(const struct table_program *program, const struct search_options *options, uint64_t seed,
		    size_t from, size_t to)
{
	struct seen alone, divided;
	const bool whole = run_alone(program, options, &alone);
	for (size_t m = from; m < to && whole; m++) {
		seen_init(&divided, program, options->strategy);
		run_divided(program, options, &manners[m], seed * MANNERS + m, &divided);
		expect_same(&alone, &divided, options->strategy, seed, m);
		hash_set_release(&divided.known);
	}
	hash_set_release(&alone.known);
	return whole;
}

static void compare_random(enum strategy strategy)
{
	uint32_t compared = 0;
	const uint64_t programs = enough_rounds(800);
	for (uint64_t seed = 0; seed < programs; seed++) {
		struct table_program program;
		const struct search_options options = {.strategy = strategy,
						       .fair_k = (uint32_t)(seed % 3),
						       .sees_memory = seed % 8 != 7,
						       .max_depth = DEPTH};
		table_random(&program, seed, false);
		compared += compare(&program, &options, seed, seed % MANNERS, seed % MANNERS + 1);
	}
	ck_assert_uint_gt(compared, programs / 4);
}

START_TEST(random_dfs)
{
	compare_random(STRATEGY_DFS);
}
END_TEST

START_TEST(random_source)
{
	compare_random(STRATEGY_SOURCE);
}
END_TEST

START_TEST(random_optimal)
{
	compare_random(STRATEGY_OPTIMAL);
}
END_TEST

/* By any manner. */
START_TEST(philosophers)
{
	struct table_program p;
	struct search_options options = {.fair_k = 1, .sees_memory = true, .max_depth = 100};
	for (uint32_t n = 3; n <= 6; n++) {
		table_philosophers(&p, n, false);
		for (options.strategy = STRATEGY_SOURCE; options.strategy <= STRATEGY_OPTIMAL;
		     options.strategy++)
			ck_assert(compare(&p, &options, n, 0, MANNERS));
	}
	options.strategy = STRATEGY_DFS;
	table_philosophers(&p, 3, false);
	ck_assert(compare(&p, &options, 1, 0, MANNERS));
}
END_TEST

/* Against the classes that there are, counted without any search. */
START_TEST(by_brute_force)
{
	uint32_t compared = 0;
	for (uint64_t seed = 1; seed <= enough_rounds(800); seed++) {
		struct table_program program;
		struct seen divided;
		const struct search_options options = {
		    .strategy = STRATEGY_OPTIMAL, .sees_memory = true, .max_depth = DEPTH};
		table_random(&program, seed, false);
		struct mazurkiewicz all = {.program = &program, .limit = 3000, .max_depth = DEPTH};
		mazurkiewicz_run(&all);
		if (!all.gave_up && !all.crashes && !all.spurious && !all.yields_twice) {
			seen_init(&divided, &program, STRATEGY_OPTIMAL);
			divided.brute = true;
			run_divided(&program, &options, &manners[seed % MANNERS], seed, &divided);
			if (!divided.progress.unreduced && !divided.progress.cut_at_depth) {
				ck_assert(divided.progress.complete);
				ck_assert_uint_eq(divided.known.count, all.traces.count);
				ck_assert(hash_set_subset(&divided.known, &all.traces));
				compared++;
			}
			hash_set_release(&divided.known);
		}
		mazurkiewicz_release(&all);
	}
	ck_assert_uint_gt(compared, 10);
}
END_TEST

SUITE("parts", 300, set_up, tear_down, TEST(random_dfs), TEST(random_source), TEST(random_optimal),
      TEST(philosophers), TEST(by_brute_force))
