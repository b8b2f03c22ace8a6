/* Searches that are broken off, saved, loaded and gone on with; and bytes that nobody saved. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/search.h>

#include "tests/table/brute.h"
#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(what_is_saved_is_loaded)
{
	static const uint64_t numbers[] = {0,	      1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX - 1,
					   UINT64_MAX};
	static const int64_t signs[] = {0, -1, 1, 63, -64, -65, INT64_MAX, INT64_MIN};
	struct saver saver = {0};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		save_number(&saver, numbers[i]);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		save_signed(&saver, signs[i]);
	save_double(&saver, -1.5);
	save_text(&saver, NULL);
	save_text(&saver, "");
	save_text(&saver, "text");
	save_bytes(&saver, "a\0b", 3);
	ck_assert(!saver.failed);

	struct loader loader = {saver.at, saver.length, false};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		ck_assert_uint_eq(load_number(&loader), numbers[i]);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		ck_assert_int_eq(load_signed(&loader), signs[i]);
	ck_assert(load_double(&loader) == -1.5);
	ck_assert_ptr_null(load_text(&loader));
	char *empty = load_text(&loader), *text = load_text(&loader);
	ck_assert_str_eq(empty, "");
	ck_assert_str_eq(text, "text");
	size_t length;
	const void *bytes = load_bytes(&loader, &length);
	ck_assert_uint_eq(length, 3);
	ck_assert_mem_eq(bytes, "a\0b", 3);
	ck_assert(!loader.failed && loader.left == 0);
	ck_assert_uint_eq(load_number(&loader), 0);
	ck_assert(loader.failed);
	free(empty);
	free(text);
	saver_release(&saver);
}
END_TEST

START_TEST(parts_of_traces)
{
	const struct step step = {7, CHOICE_SPURIOUS};
	const struct op op = {.kind = OP_COND_TIMEDWAIT,
			      .flags = 1,
			      .object = 3,
			      .object2 = NO_OBJECT,
			      .arg = -5,
			      .place = UINT64_C(0x7fffffff0000)};
	const struct access accesses[] = {{touch_key(TOUCH_OBJECT, 9), TOUCH_ADD, 0},
					  {touch_key(TOUCH_ALL, 0), TOUCH_READ, TOUCH_UNLIMITED}};
	struct saver saver = {0};
	save_step(&saver, &step);
	save_op(&saver, &op);
	save_accesses(&saver, (struct accesses){accesses, 2});
	struct loader loader = {saver.at, saver.length, false};
	struct step same_step = load_step(&loader);
	struct op same_op = load_op(&loader);
	struct footprint footprint = {0};
	load_footprint(&loader, &footprint);
	ck_assert(!loader.failed && loader.left == 0);
	ck_assert(same_step.thread == step.thread && same_step.choice == step.choice);
	ck_assert(same_op.kind == op.kind && same_op.flags == op.flags && same_op.object == op.object &&
		  same_op.object2 == op.object2 && same_op.arg == op.arg && same_op.place == op.place);
	ck_assert_uint_eq(footprint.length, 2);
	for (size_t a = 0; a < 2; a++)
		ck_assert(footprint.at[a].key == accesses[a].key &&
			  footprint.at[a].mode == accesses[a].mode &&
			  footprint.at[a].left == accesses[a].left);
	footprint_release(&footprint);
	saver_release(&saver);
}
END_TEST

/* Lengths and counts that the bytes can't fill, numbers of more than 64 bits, bytes that end within something. */
START_TEST(nonsense_is_refused)
{
	static const struct {
		const char *bytes;
		size_t length;
	} bad[] = {
	    {"", 0},
	    {"\x80", 1},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01", 11},
	};
	size_t length;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct loader loader = {(const unsigned char *)bad[i].bytes, bad[i].length, false};
		ck_assert_uint_eq(load_number(&loader), 0);
		ck_assert(loader.failed && loader.left == 0);
	}
	struct loader count = {(const unsigned char *)"\x03....", 5, false};
	ck_assert_uint_eq(load_count(&count, 2), 0);
	ck_assert(count.failed);
	struct loader bytes = {(const unsigned char *)"\x05....", 5, false};
	ck_assert_ptr_null(load_bytes(&bytes, &length));
	ck_assert_uint_eq(length, 0);
	ck_assert(bytes.failed);
	struct loader text = {(const unsigned char *)"\x01\x03"
						     "a\0b",
			      5, false};
	ck_assert_ptr_null(load_text(&text));
	ck_assert(text.failed);
	struct loader flag = {(const unsigned char *)"\x02", 1, false};
	ck_assert(!load_bool(&flag) && flag.failed);
}
END_TEST

#define MOST_OUT 4

/* A program and what a search over it has run: sums over digests, which don't depend on their order. */
struct bench {
	struct table_machine machine;
	struct execution *execution;
	struct trace trace;
	uint64_t executions, sum;
};

static void bench_open(struct bench *b, const struct table_program *program)
{
	table_machine_init(&b->machine, program);
	b->execution = execution_new(&b->machine.machine);
	trace_init(&b->trace);
	b->executions = b->sum = 0;
}

static void bench_close(struct bench *b)
{
	trace_release(&b->trace);
	execution_free(b->execution);
}

static enum status run_plan(struct bench *b, struct search *search, const struct plan *plan)
{
	execution_run(b->execution, plan, &b->trace);
	uint64_t digest = 1;
	for (size_t i = 0; i < b->trace.length; i++)
		digest = step_digest(digest, b->trace.at[i].thread, b->trace.at[i].choice);
	b->executions++;
	b->sum += digest * digest;
	return search_feed(search, plan->ticket, &b->trace);
}

static void run_some(struct bench *b, struct search *search, uint64_t most)
{
	struct plan plan;
	for (uint64_t i = 0; i < most && search_next(search, &plan) == SEARCH_PLAN; i++)
		ck_assert_int_eq(run_plan(b, search, &plan), STATUS_OK);
}

/* Every second of so many plans is run, the others are out. */
static void leave_out(struct bench *b, struct search *search, size_t most)
{
	struct plan plans[2 * MOST_OUT];
	size_t length = 0;
	while (length < most && search_next(search, &plans[length]) == SEARCH_PLAN)
		length++;
	for (size_t i = 1; i < length; i += 2)
		ck_assert_int_eq(run_plan(b, search, &plans[i]), STATUS_OK);
}

static void save(const struct search *search, struct saver *saver)
{
	*saver = (struct saver){0};
	ck_assert(search_save(search, saver));
	ck_assert(!saver->failed);
}

static struct search *load(const struct search_options *options, const struct saver *saver)
{
	struct search *search = search_new(options);
	struct loader loader = {saver->at, saver->length, false};
	ck_assert_int_eq(search_load(search, &loader), STATUS_OK);
	ck_assert_uint_eq(loader.left, 0);
	return search;
}

/*
 * What is out when a search by reduction finds that it has to start over is wasted: the same number of executions
 * only with one out at a time. test_dpor breaks off with several.
 */
static size_t most_out(enum strategy strategy)
{
	return strategy == STRATEGY_SOURCE || strategy == STRATEGY_OPTIMAL ? 1 : 2 * MOST_OUT;
}

/* Broken off after `first` executions with several plans out, and again after `second`, then with one. */
static void break_off(struct bench *b, const struct search_options *options, uint64_t first, uint64_t second,
		      uint64_t most, struct search_progress *progress)
{
	struct saver saver;
	struct search *search = search_new(options);
	for (int part = 0; part < 2; part++) {
		run_some(b, search, part ? second : first);
		/* With the cache it depends on the order of traces which executions of a class are left out. */
		if (part == 0 && !options->cache)
			leave_out(b, search, most_out(options->strategy));
		save(search, &saver);
		search_free(search);
		search = load(options, &saver);
		saver_release(&saver);
	}
	run_some(b, search, most - b->executions);
	search_progress(search, progress);
	search_free(search);
}

static struct search_options options_of(enum strategy strategy, uint64_t seed)
{
	return (struct search_options){.strategy = strategy,
				       .bound = strategy == STRATEGY_PCT ? 3 : 2,
				       .cache = strategy == STRATEGY_CB && seed % 2,
				       .sees_memory = seed % 16 != 3,
				       .seed = seed,
				       .fair_k = 1,
				       .max_depth = 60};
}

#define MOST_EXECUTIONS 300

static void compare(enum strategy strategy, uint64_t seed)
{
	struct search_options options = options_of(strategy, seed);
	struct search_progress whole, parts;
	struct table_program program;
	struct bench one, other;
	table_random(&program, seed, seed % 3 == 0);
	bench_open(&one, &program);
	struct search *search = search_new(&options);
	run_some(&one, search, MOST_EXECUTIONS);
	search_progress(search, &whole);
	search_free(search);
	if (strategy_random(strategy) || whole.complete) {
		bench_open(&other, &program);
		break_off(&other, &options, seed % 29, seed % 13, MOST_EXECUTIONS, &parts);
		const char *name = strategy_name(strategy);
		ck_assert_msg(other.executions == one.executions, "%s, seed %llu: %llu executions, not %llu",
			      name, (unsigned long long)seed, (unsigned long long)other.executions,
			      (unsigned long long)one.executions);
		ck_assert_msg(other.sum == one.sum, "%s, seed %llu: other executions", name,
			      (unsigned long long)seed);
		ck_assert(parts.complete == whole.complete && parts.bound == whole.bound &&
			  parts.bound_met == whole.bound_met && parts.executions == whole.executions &&
			  parts.cut_at_depth == whole.cut_at_depth && parts.redundant == whole.redundant &&
			  parts.reduced == whole.reduced && !parts.unreduced == !whole.unreduced);
		/* The same sums, in another order. */
		ck_assert(fabs(parts.estimate - whole.estimate) <= 1e-9 * whole.estimate);
		bench_close(&other);
	}
	bench_close(&one);
}

START_TEST(searches_go_on)
{
	for (enum strategy s = STRATEGY_DFS; s < STRATEGIES; s++)
		for (uint64_t seed = 0; seed < largest(150, 25) && strategy_saved(s); seed++)
			compare(s, seed);
}
END_TEST

START_TEST(only_the_same_search_goes_on)
{
	for (enum strategy s = STRATEGY_DFS; s < STRATEGIES; s++) {
		struct search_options options = options_of(s, 0);
		struct search *search = search_new(&options);
		struct saver saver = {0};
		ck_assert(search_save(search, &saver) == strategy_saved(s));
		search_free(search);
		for (int i = 0; i < 4; i++) {
			struct search_options other = options;
			other.seed += i == 0;
			other.fair_k += i == 1;
			other.max_depth += i == 2;
			if (i == 3)
				other.strategy = s == STRATEGY_DFS ? STRATEGY_RANDOM : STRATEGY_DFS;
			struct loader loader = {saver.at, saver.length, false};
			search = search_new(&other);
			ck_assert_int_eq(search_load(search, &loader), STATUS_MALFORMED);
			search_free(search);
		}
		saver_release(&saver);
	}
}
END_TEST

/* Whatever is accepted is searched for a while: plans may be impossible then, but no more. */
static void try_bytes(struct bench *b, const struct search_options *options, const unsigned char *bytes,
		      size_t length)
{
	/* Of exactly this size, so that reading after it is seen where memory is watched. */
	unsigned char *exact = malloc(length + !length);
	memcpy(exact, bytes, length);
	struct loader loader = {exact, length, false};
	struct search *search = search_new(options);
	enum status status = search_load(search, &loader);
	struct plan plan;
	ck_assert(status == STATUS_OK || status == STATUS_MALFORMED);
	free(exact);
	for (int i = 0; i < 8 && status == STATUS_OK && search_next(search, &plan) == SEARCH_PLAN; i++)
		(void)run_plan(b, search, &plan); /* only that it ends */
	search_free(search);
}

static void damage(const struct table_program *program, enum strategy strategy, uint64_t seed)
{
	struct search_options options = options_of(strategy, seed);
	struct saver saver;
	struct bench b;
	bench_open(&b, program);
	struct search *search = search_new(&options);
	run_some(&b, search, 5);
	leave_out(&b, search, 2 * MOST_OUT);
	save(search, &saver);
	search_free(search);
	if (seed == 10 && !strategy_random(strategy))
		ck_assert_uint_gt(saver.length, 200);
	for (size_t i = 0; i < saver.length; i += 1 + saver.length / largest(400, 80)) {
		unsigned char was = saver.at[i];
		try_bytes(&b, &options, saver.at, i);
		for (unsigned bit = 0; bit < 8; bit++) {
			saver.at[i] = (unsigned char)(was ^ 1u << bit);
			try_bytes(&b, &options, saver.at, saver.length);
		}
		saver.at[i] = was;
	}
	saver_release(&saver);
	bench_close(&b);
}

/* A program with loops, and one that is reduced without starting over. */
START_TEST(damaged_bytes_do_no_harm)
{
	struct table_program program;
	for (enum strategy s = STRATEGY_DFS; s < STRATEGIES; s++) {
		for (uint64_t seed = 5; seed <= 10 && strategy_saved(s); seed += 5) {
			table_random(&program, seed, seed == 5);
			damage(&program, s, seed);
		}
	}
}
END_TEST

SUITE("saved", 300, NULL, NULL, TEST(what_is_saved_is_loaded), TEST(parts_of_traces),
      TEST(nonsense_is_refused), TEST(searches_go_on), TEST(only_the_same_search_goes_on),
      TEST(damaged_bytes_do_no_harm))
