/* Guesses of how large a search is, on trees of known size. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>

#include "supervisor/tree/estimate.h"
#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tree as the paths of its leaves, depth first. */
struct tree {
	struct estimate_branch *branches;
	size_t *ends; /* into branches */
	size_t room, leaves, leaves_room;
	bool too_large;
};

#define MOST_LEAVES 6000
#define MOST_DEPTH  400

static void tree_add(struct tree *tree, const struct estimate_branch *path, size_t length)
{
	size_t begin = tree->leaves ? tree->ends[tree->leaves - 1] : 0;
	tree->too_large |= tree->leaves == MOST_LEAVES;
	if (tree->too_large)
		return;
	if (tree->leaves == tree->leaves_room) {
		tree->leaves_room = 2 * tree->leaves_room + 64;
		tree->ends = reallocarray(tree->ends, tree->leaves_room, sizeof *tree->ends);
	}
	while (begin + length > tree->room) {
		tree->room = 2 * tree->room + 1024;
		tree->branches = reallocarray(tree->branches, tree->room, sizeof *tree->branches);
	}
	if (length)
		memcpy(tree->branches + begin, path, length * sizeof *path);
	tree->ends[tree->leaves++] = begin + length;
}

static void tree_release(struct tree *tree)
{
	free(tree->branches);
	free(tree->ends);
	*tree = (struct tree){0};
}

static void feed(struct estimate *estimate, const struct tree *tree, size_t leaf)
{
	size_t begin = leaf ? tree->ends[leaf - 1] : 0;
	estimate_add(estimate, tree->branches + begin, tree->ends[leaf] - begin);
}

static uint64_t draw(uint64_t *seed)
{
	*seed += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t x = *seed;
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Families of trees. */
enum family {
	EVEN,	     /* all leaves in one depth, 1 to 3 branches a node */
	RAGGED,	     /* branches end anywhere */
	INTERLEAVED, /* the orders of the steps of three threads */
	CUT_SHORT,   /* the same, some of which end early */
	SHRINKING,   /* the later a branch, the smaller */
	FAMILIES
};

struct growth {
	enum family family;
	struct tree *tree;
	struct estimate_branch path[MOST_DEPTH];
};

/* `left`: steps of three threads, or the depth or budget that is left. */
static void grow(struct growth *growth, size_t length, uint64_t seed, const uint32_t left[3])
{
	bool threads = growth->family == INTERLEAVED || growth->family == CUT_SHORT;
	uint64_t random = draw(&seed);
	uint32_t degree = 1 + (uint32_t)(random % 3);
	bool leaf = left[0] <= (growth->family == SHRINKING) || growth->tree->too_large;
	if (threads) {
		degree = (left[0] > 0) + (left[1] > 0) + (left[2] > 0);
		leaf = !degree || (growth->family == CUT_SHORT && length > 6 && random % 10 == 0);
	} else if (growth->family == RAGGED) {
		leaf |= random / 3 % 300 < length;
	}
	if (leaf) {
		tree_add(growth->tree, growth->path, length);
		return;
	}
	for (uint32_t k = 0, thread = 0; k < degree; k++, thread++) {
		uint32_t next[3] = {left[0], left[1], left[2]};
		while (threads && next[thread] == 0)
			thread++;
		if (threads)
			next[thread]--;
		else if (growth->family == SHRINKING)
			next[0] = next[0] * (75 - 10 * k - (uint32_t)(draw(&seed) % 20)) / 100;
		else
			next[0]--;
		growth->path[length] = (struct estimate_branch){degree, k};
		grow(growth, length + 1, draw(&seed), next);
	}
}

/* A tree of this family with 100 leaves or more. False: this seed gives none. */
static bool make_tree(enum family family, uint64_t seed, struct tree *tree)
{
	static struct growth growth;
	*tree = (struct tree){0};
	growth.family = family;
	growth.tree = tree;
	uint32_t depth = family == EVEN ? 6 : family == SHRINKING ? 10 : family == RAGGED ? 10 : 2;
	uint32_t more = family == SHRINKING ? 100 : family == RAGGED ? 12 : family == EVEN ? 8 : 5;
	uint32_t left[3];
	for (int i = 0; i < 3; i++)
		left[i] = depth + (uint32_t)(draw(&seed) % more);
	grow(&growth, 0, draw(&seed), left);
	if (!tree->too_large && tree->leaves >= 100)
		return true;
	tree_release(tree);
	return false;
}

/* How guesses have fared. */
struct score {
	unsigned guesses, near, intervals, hits;
};

static void judge(struct score *score, const struct estimate_guess *guess, double truth)
{
	score->guesses++;
	score->near += guess->executions >= truth / 2 && guess->executions <= truth * 2;
	score->intervals += guess->high > 0;
	score->hits += guess->high > 0 && guess->low <= truth && truth <= guess->high;
}

static const double parts[] = {0.01, 0.03, 0.1, 0.3, 0.6};
#define PARTS (sizeof parts / sizeof *parts)

/* Look at the guess when each of the parts has been run. */
static void follow(const struct tree *tree, struct score scores[PARTS])
{
	struct estimate *estimate = estimate_new(ESTIMATE_FIXED);
	struct estimate_guess guess;
	size_t part = 0;
	for (size_t i = 0; i < tree->leaves; i++) {
		feed(estimate, tree, i);
		for (; part < PARTS && (double)(i + 1) >= parts[part] * (double)tree->leaves; part++) {
			estimate_guess(estimate, &guess);
			ck_assert(guess.executions > (double)i);
			judge(&scores[part], &guess, (double)tree->leaves);
		}
	}
	estimate_guess(estimate, &guess);
	ck_assert(guess.executions == (double)tree->leaves);
	ck_assert(guess.low == guess.executions && guess.high == guess.executions);
	estimate_free(estimate);
}

static void print_scores(const char *what, const struct score scores[PARTS])
{
	for (size_t i = 0; i < PARTS; i++)
		printf("%s, %g %% run: %u guesses, within a factor of 2: %.0f %%; interval: %.0f %%, holds: "
		       "%.0f %%\n",
		       what, 100 * parts[i], scores[i].guesses, 100.0 * scores[i].near / scores[i].guesses,
		       100.0 * scores[i].intervals / scores[i].guesses,
		       100.0 * scores[i].hits / fmax(1, scores[i].intervals));
}

/* What tree/estimate.h promises. */
static void demand(const struct score scores[PARTS])
{
	struct score all = {0};
	for (size_t i = 0; i < PARTS; i++) {
		if (scores[i].intervals >= 20)
			ck_assert_uint_ge(100 * scores[i].hits, 85 * scores[i].intervals);
		all.hits += scores[i].hits;
		all.intervals += scores[i].intervals;
	}
	ck_assert_uint_ge(all.intervals, 20);
	ck_assert_uint_ge(10 * all.hits, 9 * all.intervals);
	ck_assert_uint_ge(2 * scores[2].near, scores[2].guesses);
	ck_assert_uint_ge(10 * scores[3].near, 6 * scores[3].guesses);
	ck_assert_uint_ge(10 * scores[4].near, 7 * scores[4].guesses);
}

START_TEST(random_trees)
{
	static const char *const names[FAMILIES] = {"even", "ragged", "interleaved", "cut short",
						    "shrinking"};
	struct score scores[PARTS] = {0};
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct tree tree;
		if (!make_tree((enum family)_i, seed, &tree))
			continue;
		follow(&tree, scores);
		tree_release(&tree);
	}
	print_scores(names[_i], scores);
	ck_assert_uint_ge(scores[0].guesses, 50);
	demand(scores);
}
END_TEST

/* The path of an execution in the tree of dfs. */
static void add_execution(struct tree *tree, const struct trace *trace)
{
	struct estimate_branch path[MOST_DEPTH];
	ck_assert_uint_le(trace->length, MOST_DEPTH);
	for (size_t i = 0; i < trace->length; i++)
		path[i] = (struct estimate_branch){trace->at[i].alternatives, trace_taken(trace, i)};
	tree_add(tree, path, trace->length);
}

static void explore(const struct table_program *program, struct tree *tree)
{
	const struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1};
	struct table_machine machine;
	table_machine_init(&machine, program);
	struct execution *execution = execution_new(&machine.machine);
	struct search *search = search_new(&options);
	struct trace trace;
	struct plan plan;
	trace_init(&trace);
	*tree = (struct tree){0};
	while (!tree->too_large && search_next(search, &plan) == SEARCH_PLAN) {
		execution_run(execution, &plan, &trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &trace), STATUS_OK);
		add_execution(tree, &trace);
	}
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
}

START_TEST(random_programs)
{
	struct score scores[PARTS] = {0};
	for (uint64_t seed = 1; seed <= largest(200, 120); seed++) {
		struct table_program program;
		struct tree tree;
		table_random(&program, seed, false);
		explore(&program, &tree);
		if (!tree.too_large && tree.leaves >= 100)
			follow(&tree, scores);
		tree_release(&tree);
	}
	print_scores("programs", scores);
	ck_assert_uint_ge(scores[0].guesses, 50);
	demand(scores);
}
END_TEST

/* Run a reduced search to its end, and return how many executions that were; with scores also judge its guesses. */
static uint64_t reduce(const struct table_program *program, uint64_t truth, struct score scores[PARTS])
{
	const struct search_options options = {
	    .strategy = STRATEGY_OPTIMAL, .fair_k = 1, .sees_memory = true};
	struct table_machine machine;
	table_machine_init(&machine, program);
	struct execution *execution = execution_new(&machine.machine);
	struct search *search = search_new(&options);
	struct search_progress progress = {0};
	struct trace trace;
	struct plan plan;
	size_t part = 0;
	trace_init(&trace);
	while (progress.executions < MOST_LEAVES && search_next(search, &plan) == SEARCH_PLAN) {
		execution_run(execution, &plan, &trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &trace), STATUS_OK);
		search_progress(search, &progress);
		for (; truth && part < PARTS && (double)progress.executions >= parts[part] * (double)truth;
		     part++) {
			const struct estimate_guess guess = {progress.estimate, progress.estimate_low,
							     progress.estimate_high};
			judge(&scores[part], &guess, (double)truth);
		}
	}
	search_progress(search, &progress);
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
	return progress.complete ? progress.executions : 0;
}

START_TEST(reductions)
{
	struct score scores[PARTS] = {0};
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct table_program program;
		table_random(&program, seed, false);
		uint64_t truth = reduce(&program, 0, NULL);
		if (truth >= 50)
			reduce(&program, truth, scores);
	}
	print_scores("reductions", scores);
	ck_assert_uint_ge(scores[0].guesses, 50);
	demand(scores);
}
END_TEST

START_TEST(in_any_order)
{
	struct tree tree;
	for (uint64_t seed = 0; !make_tree(INTERLEAVED, seed, &tree); seed++)
		;
	struct estimate *forth = estimate_new(ESTIMATE_FIXED), *back = estimate_new(ESTIMATE_FIXED);
	struct estimate_guess a, b;
	size_t from = tree.leaves / 3, to = tree.leaves / 2;
	for (size_t i = from; i < to; i++) {
		feed(forth, &tree, i);
		feed(back, &tree, to - 1 - (i - from));
	}
	estimate_guess(forth, &a);
	estimate_guess(back, &b);
	ck_assert_double_eq_tol(a.executions, b.executions, 1e-6 * a.executions);
	ck_assert_double_eq_tol(a.high, b.high, 1e-6 * a.high);
	estimate_free(forth);
	estimate_free(back);
	tree_release(&tree);
}
END_TEST

/* A binary tree of which nothing but the branch taken is known at first. */
START_TEST(growing)
{
	enum { DEPTH = 8 };
	struct estimate *estimate = estimate_new(ESTIMATE_GROWING);
	struct estimate_guess guess;
	for (uint32_t leaf = 0; leaf < 1u << DEPTH; leaf++) {
		struct estimate_branch path[DEPTH];
		for (uint32_t i = 0; i < DEPTH; i++) {
			uint32_t taken = leaf >> (DEPTH - 1 - i) & 1;
			path[i] = (struct estimate_branch){i > 0 || taken ? 2 : 1, taken};
		}
		estimate_add(estimate, path, DEPTH);
		estimate_guess(estimate, &guess);
		ck_assert_double_eq(guess.executions,
				    leaf < 1u << (DEPTH - 1) ? 1 << (DEPTH - 1) : 1 << DEPTH);
	}
	estimate_free(estimate);
}
END_TEST

/* The first branch wasn't done when it was left. */
START_TEST(out_of_order)
{
	struct estimate *estimate = estimate_new(ESTIMATE_GROWING);
	struct estimate_guess guess;
	static const uint32_t taken[][2] = {{0, 0}, {1, 0}, {0, 1}};
	for (int i = 0; i < 3; i++) {
		const struct estimate_branch path[] = {{2, taken[i][0]}, {2, taken[i][1]}};
		estimate_add(estimate, path, 2);
		estimate_guess(estimate, &guess);
		ck_assert((guess.executions > 0) == (i < 2));
	}
	estimate_stop(estimate);
	estimate_add(estimate, (const struct estimate_branch[]){{3, 0}}, 1);
	estimate_guess(estimate, &guess);
	ck_assert(guess.executions == 0);
	estimate_clear(estimate);
	estimate_add(estimate, (const struct estimate_branch[]){{3, 0}}, 1);
	estimate_guess(estimate, &guess);
	ck_assert_double_eq(guess.executions, 3);
	estimate_free(estimate);
}
END_TEST

START_TEST(nothing_known)
{
	struct estimate *estimate = estimate_new(ESTIMATE_FIXED);
	struct estimate_guess guess;
	estimate_guess(estimate, &guess);
	ck_assert(guess.executions == 0 && guess.low == 0 && guess.high == 0);
	const struct estimate_branch path[] = {{3, 1}, {1, 0}, {2, 0}};
	estimate_add(estimate, path, 3);
	estimate_guess(estimate, &guess);
	ck_assert_double_eq(guess.executions, 6);
	ck_assert(guess.low == 0 && guess.high == 0);
	estimate_free(estimate);
}
END_TEST

/* A path so long that the tree's size is no number any more. */
START_TEST(beyond_numbers)
{
	static struct estimate_branch path[2000];
	for (size_t i = 0; i < 2000; i++)
		path[i] = (struct estimate_branch){2, 0};
	struct estimate *estimate = estimate_new(ESTIMATE_FIXED);
	struct estimate_guess guess;
	estimate_add(estimate, path, 2000);
	path[1999].taken = 1;
	estimate_add(estimate, path, 2000);
	estimate_guess(estimate, &guess);
	ck_assert(guess.executions == 0 && guess.high == 0);
	estimate_free(estimate);
}
END_TEST

/* As long a path as the longest executions have; quadratic work on it would never end. */
START_TEST(a_long_path_is_cleared)
{
	const size_t length = 300000;
	struct estimate_branch *path = calloc(length, sizeof *path);
	struct estimate *estimate = estimate_new(ESTIMATE_FIXED);
	ck_assert(path && estimate);
	for (size_t i = 0; i < length; i++)
		path[i] = (struct estimate_branch){2, 0};
	estimate_add(estimate, path, length);
	estimate_free(estimate);
	free(path);
}
END_TEST

SUITE("estimate", 200, NULL, NULL, TEST_LOOP(random_trees, FAMILIES), TEST(random_programs),
      TEST(a_long_path_is_cleared), TEST(reductions), TEST(in_any_order), TEST(growing), TEST(out_of_order),
      TEST(nothing_known), TEST(beyond_numbers))
