/* The randomised strategies: what their papers promise, counted with fixed seeds. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>

#include "supervisor/policy/policy.h"
#include "supervisor/policy/random_profile.h"
#include "tests/table/brute.h"
#include "tests/table/crew.h"
#include "tests/table/table_random.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A machine, an execution over it and its trace, for one program. */
struct bench {
	struct table_machine machine;
	struct execution *execution;
	struct trace trace;
};

static void bench_open(struct bench *b, const struct table_program *p)
{
	table_machine_init(&b->machine, p);
	b->execution = execution_new(&b->machine.machine);
	trace_init(&b->trace);
}

static void bench_run(struct bench *b, const struct policy *policy)
{
	const struct plan plan = {.policy = *policy};
	execution_run(b->execution, &plan, &b->trace);
}

static void bench_close(struct bench *b)
{
	trace_release(&b->trace);
	execution_free(b->execution);
}

static uint64_t digest(const struct trace *trace)
{
	uint64_t d = 1;
	for (size_t i = 0; i < trace->length; i++)
		d = step_digest(d, trace->at[i].thread, trace->at[i].choice);
	return d;
}

/* How many of so many executions end that way, seeds from 1. */
static uint32_t hits(const struct table_program *p, struct policy policy, uint32_t executions,
		     enum end_reason end)
{
	struct bench b;
	uint32_t count = 0;
	bench_open(&b, p);
	for (policy.seed = 1; policy.seed <= executions; policy.seed++) {
		bench_run(&b, &policy);
		count += b.trace.end == end;
	}
	bench_close(&b);
	return count;
}

/* Fewer hits than any but one of some thousand series with probability p would have. */
static bool too_few(uint32_t count, uint32_t executions, double p)
{
	double mean = executions * p;
	return count < mean - 3 * sqrt(mean * (1 - p));
}

/* A thread that fails if each of its reads comes between two writes of the other one. */
static void between(struct table_program *p, uint32_t others, uint32_t reads)
{
	*p = (struct table_program){0};
	uint32_t x = table_variable(p, 0), jumps[4];
	struct table_body *writer = table_body(p), *reader = table_body(p);
	for (uint32_t i = 0; i < others; i++) {
		table_point(writer);
		table_point(reader);
	}
	for (uint32_t i = 0; i < reads; i++) {
		table_write(writer, x, i + 1);
		table_write(writer, x, 0);
		table_read(reader, 0, x);
		jumps[i] = (uint32_t)(table_jump(reader, TABLE_JUMP_NOT, 0, i + 1, 0) - reader->code);
	}
	table_add(reader, TABLE_CRASH, 0, 0, 0);
	for (uint32_t i = 0; i < reads; i++)
		reader->code[jumps[i]].target = reader->length;
}

/* ASPLOS 2010, Theorem 9: at least 1/(n k^(d-1)). */
START_TEST(pct_keeps_its_promise)
{
	struct table_program p;
	between(&p, 4, 1);
	struct policy policy = {.kind = POLICY_PCT, .fair_k = 1, .changes = 1, .length = 11};
	uint32_t n = 4000;
	uint32_t count = hits(&p, policy, n, END_SIGNAL);
	ck_assert_msg(!too_few(count, n, 1.0 / (2 * 11)), "depth 2: %u of %u", count, n);
	/* Without its change of priority, one thread simply comes before the other. */
	policy.changes = 0;
	ck_assert_uint_eq(hits(&p, policy, 200, END_SIGNAL), 0);

	table_philosophers(&p, 3, false);
	policy.changes = 1;
	policy.length = 12;
	count = hits(&p, policy, n, END_DEADLOCK);
	ck_assert_msg(!too_few(count, n, 1.0 / (3 * 12)), "deadlock: %u of %u", count, n);
	policy.changes = 0;
	ck_assert_uint_eq(hits(&p, policy, 200, END_DEADLOCK), 0);

	/* Writer, reader, writer, reader: three changes. */
	between(&p, 0, 2);
	policy.changes = 3;
	policy.length = 6;
	n = 10000;
	count = hits(&p, policy, n, END_SIGNAL);
	ck_assert_msg(!too_few(count, n, 1.0 / (2 * 6 * 6 * 6)), "depth 4: %u of %u", count, n);
	policy.changes = 2;
	ck_assert_uint_eq(hits(&p, policy, 2000, END_SIGNAL), 0);
}
END_TEST

/* T1 is first at the lock although it has ten operations to do before: 1 in 12, by the priorities drawn. */
START_TEST(pos_does_not_favour_short_ways)
{
	struct table_program p = {0};
	uint32_t m = table_mutex(&p, MUTEX_NORMAL), x = table_variable(&p, 0);
	struct table_body *near = table_body(&p), *far = table_body(&p);
	table_op(near, OP_MUTEX_LOCK, m);
	table_add(near, TABLE_LOAD, 0, x, 0);
	uint32_t skip = table_jump(near, TABLE_JUMP_NOT, 0, 1, 0) - near->code;
	table_add(near, TABLE_CRASH, 0, 0, 0);
	near->code[skip].target = near->length;
	table_op(near, OP_MUTEX_UNLOCK, m);
	for (int i = 0; i < 10; i++)
		table_point(far);
	table_op(far, OP_MUTEX_LOCK, m);
	table_add(far, TABLE_SET, 0, 0, 1);
	table_add(far, TABLE_STORE, 0, x, 0);
	table_op(far, OP_MUTEX_UNLOCK, m);

	struct policy policy = {.kind = POLICY_POS, .fair_k = 1};
	uint32_t count = hits(&p, policy, 4000, END_SIGNAL);
	ck_assert_msg(!too_few(count, 4000, 1.0 / 12), "pos: %u of 4000", count);
	policy.kind = POLICY_RANDOM;
	count = hits(&p, policy, 4000, END_SIGNAL);
	ck_assert_msg(too_few(count, 4000, 1.0 / 100), "random: %u of 4000", count);
}
END_TEST

/* Two conflicting operations have no favourite order, whatever was drawn before: priorities are renewed. */
START_TEST(pos_renews_priorities_at_races)
{
	struct table_program p = {0};
	uint32_t m = table_mutex(&p, MUTEX_NORMAL);
	for (int t = 0; t < 2; t++) {
		struct table_body *b = table_body(&p);
		for (int i = 0; i < 3; i++)
			table_op(b, OP_MUTEX_INIT, m);
	}
	struct bench b;
	struct policy policy = {.kind = POLICY_POS, .fair_k = 1};
	uint32_t switches = 0, chances = 0;
	bench_open(&b, &p);
	for (policy.seed = 1; policy.seed <= 2000; policy.seed++) {
		bench_run(&b, &policy);
		for (size_t i = 1; i < b.trace.length; i++) {
			if (b.trace.at[i].alternatives < 2)
				continue;
			chances++;
			switches += b.trace.at[i].thread != b.trace.at[i - 1].thread;
		}
	}
	bench_close(&b);
	ck_assert_msg(!too_few(switches, chances, 0.5), "%u switches of %u", switches, chances);
	ck_assert_msg(!too_few(chances - switches, chances, 0.5), "%u switches of %u", switches, chances);
}
END_TEST

#define MOST_ORDERS 512

/* Pearson's chi-squared of the orders that so many executions show, against all orders being equally likely. */
static double chi_squared(struct bench *b, struct policy *policy, uint32_t executions, uint32_t orders)
{
	struct hash_set seen;
	static uint64_t known[MOST_ORDERS];
	static uint32_t count[MOST_ORDERS];
	uint32_t length = 0;
	memset(count, 0, sizeof count);
	hash_set_init(&seen);
	for (policy->seed = 1; policy->seed <= executions; policy->seed++) {
		bench_run(b, policy);
		uint64_t d = digest(&b->trace);
		if (hash_set_add(&seen, d)) {
			ck_assert_uint_lt(length, orders);
			known[length++] = d;
		}
		uint32_t i = 0;
		while (known[i] != d)
			i++;
		count[i]++;
	}
	hash_set_release(&seen);
	double expected = (double)executions / orders, sum = 0;
	for (uint32_t i = 0; i < orders; i++)
		sum += (count[i] - expected) * (count[i] - expected) / expected;
	return sum;
}

static void check_uniform(const struct table_program *p, uint32_t orders)
{
	struct bench b;
	bench_open(&b, p);
	struct policy policy = {.kind = POLICY_DEFAULT, .fair_k = 1};
	bench_run(&b, &policy);
	struct random_profile profile = {0};
	ck_assert(random_profile_make(&profile, &b.trace));
	policy = (struct policy){
	    .kind = POLICY_SURW, .fair_k = 1, .profile = &profile.profile, .group = EVERY_GROUP};
	double free = orders - 1, most = free + 4 * sqrt(2 * free);
	double chi = chi_squared(&b, &policy, 40 * orders, orders);
	ck_assert_msg(chi < most, "surw: chi-squared %g with %g degrees of freedom", chi, free);
	/* The test would notice: a plain walk isn't uniform. */
	policy.kind = POLICY_RANDOM;
	chi = chi_squared(&b, &policy, 40 * orders, orders);
	ck_assert_msg(chi > most, "random: chi-squared %g with %g degrees of freedom", chi, free);
	random_profile_release(&profile);
	bench_close(&b);
}

/* Figure 1 of the paper: two threads of five operations have 252 orders. */
START_TEST(surw_is_uniform)
{
	struct table_program p = {0};
	for (int t = 0; t < 2; t++) {
		struct table_body *b = table_body(&p);
		for (int i = 0; i < 5; i++)
			table_point(b);
	}
	check_uniform(&p, 252);
}
END_TEST

/* Three threads of different lengths: 9!/(2! 3! 4!) = 1260 are too many to draw often, 2, 2 and 3: 210. */
START_TEST(surw_is_uniform_with_unequal_threads)
{
	struct table_program p = {0};
	for (int t = 0; t < 3; t++) {
		struct table_body *b = table_body(&p);
		for (int i = 0; i < (t == 2 ? 3 : 2); i++)
			table_point(b);
	}
	check_uniform(&p, 210);
}
END_TEST

/* Create, then 3 points beside a start and 4 of the child: 8!/(3! 5!) = 56 orders. */
START_TEST(surw_counts_threads_to_be_born)
{
	struct table_program p = {0};
	struct table_body *parent = table_body(&p), *child = table_later(&p);
	table_point(parent);
	table_op(parent, OP_THREAD_CREATE, NO_OBJECT)->op.arg = child - p.bodies;
	for (int i = 0; i < 3; i++)
		table_point(parent);
	for (int i = 0; i < 4; i++)
		table_point(child);
	check_uniform(&p, 56);
}
END_TEST

/* A trace of so many transitions of T1 and of T2, which has something pending at its end unless it has exited. */
static void make_ending(struct trace *trace, size_t ones, size_t twos, bool exited)
{
	trace_init(trace);
	for (size_t i = 0; i < ones + twos; i++) {
		const struct transition transition = {
		    .thread = i < twos, .op = {.kind = OP_YIELD, .object = NO_OBJECT}, .created = NO_THREAD};
		ck_assert(trace_push(trace, &transition));
	}
	ck_assert(trace_push_thread(trace, &(struct thread_end){.pending = {.kind = OP_PROCESS_EXIT}}));
	ck_assert(
	    trace_push_thread(trace, &(struct thread_end){.pending = {.kind = exited ? OP_NONE : OP_YIELD}}));
	trace->end = END_EXIT;
}

/* Of an execution in which the end of the process cut threads short only until there is a better one. */
START_TEST(surw_prefers_whole_executions)
{
	static const struct {
		size_t ones, twos;
		bool exited;
		size_t length; /* of the profile afterwards */
	} steps[] = {{3, 1, false, 4}, {2, 1, false, 4}, {3, 4, false, 7},
		     {2, 3, true, 5},  {9, 9, false, 5}, {4, 4, true, 5}};
	struct random_profile profile = {0};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct trace trace;
		make_ending(&trace, steps[i].ones, steps[i].twos, steps[i].exited);
		ck_assert(random_profile_take(&profile, &trace));
		ck_assert_uint_eq(profile.length, steps[i].length);
		ck_assert_int_eq(profile.whole, i >= 3);
		trace_release(&trace);
	}
	random_profile_release(&profile);
}
END_TEST

/* Operations of other groups don't take part, and one group's orders stay uniform whatever surrounds them. */
START_TEST(surw_is_uniform_within_a_group)
{
	struct table_program p = {0};
	uint32_t sem = table_sem(&p, 0);
	for (int t = 0; t < 2; t++) {
		struct table_body *b = table_body(&p);
		for (int i = 0; i < 3; i++) {
			for (int j = 0; j < (t ? 1 : 4); j++)
				table_point(b);
			table_op(b, OP_SEM_POST, sem);
		}
	}
	struct bench b;
	bench_open(&b, &p);
	struct policy policy = {.kind = POLICY_DEFAULT, .fair_k = 1};
	bench_run(&b, &policy);
	struct random_profile profile = {0};
	ck_assert(random_profile_make(&profile, &b.trace));
	policy = (struct policy){.kind = POLICY_SURW, .fair_k = 1, .profile = &profile.profile, .group = sem};
	uint32_t count[64] = {0}, n = 4000;
	for (policy.seed = 1; policy.seed <= n; policy.seed++) {
		bench_run(&b, &policy);
		uint32_t order = 0;
		for (size_t i = 0; i < b.trace.length; i++)
			if (b.trace.at[i].op.kind == OP_SEM_POST)
				order = order * 2 + b.trace.at[i].thread;
		count[order]++;
	}
	double chi = 0;
	uint32_t orders = 0;
	for (uint32_t i = 0; i < 64; i++) {
		orders += count[i] > 0;
		chi += count[i] ? (count[i] - n / 20.0) * (count[i] - n / 20.0) / (n / 20.0) : 0;
	}
	ck_assert_uint_eq(orders, 20);
	ck_assert_msg(chi < 19 + 4 * sqrt(38), "chi-squared %g with 19 degrees of freedom", chi);
	random_profile_release(&profile);
	bench_close(&b);
}
END_TEST

/* Threads that are born one after the other, and how often each takes the one lock: one object has orders to draw. */
static void sections(struct table_program *p, const uint32_t *count, uint32_t threads)
{
	*p = (struct table_program){0};
	struct table_body *parent = table_body(p);
	uint32_t m = table_mutex(p, MUTEX_NORMAL);
	for (uint32_t t = 0; t < threads; t++) {
		struct table_body *child = table_later(p);
		table_op(parent, OP_THREAD_CREATE, NO_OBJECT)->op.arg = child - p->bodies;
		for (uint32_t i = 0; i < count[t]; i++) {
			table_op(child, OP_MUTEX_LOCK, m);
			table_op(child, OP_MUTEX_UNLOCK, m);
		}
	}
}

/* A profile of the default execution; the bench stays open. */
static void measure(struct bench *b, const struct table_program *p, struct random_profile *profile)
{
	struct policy policy = {.kind = POLICY_DEFAULT, .fair_k = 1};
	bench_open(b, p);
	bench_run(b, &policy);
	*profile = (struct random_profile){0};
	ck_assert(random_profile_make(profile, &b->trace));
}

/* Who takes the lock, one digit for each section, to a base above all threads. */
static uint32_t order_of_sections(const struct trace *trace, uint32_t base)
{
	uint32_t order = 0;
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].op.kind == OP_MUTEX_LOCK)
			order = order * base + trace->at[i].thread;
	return order;
}

/* 2, 2 and 1 sections: 5!/(2! 2! 1!) = 30 orders, though an unlock can't be out of turn and no thread is there at first. */
START_TEST(surw_is_uniform_over_sections)
{
	static const uint32_t count[] = {2, 2, 1};
	static uint32_t seen[1024];
	struct table_program p;
	struct bench b;
	struct random_profile profile;
	const uint32_t n = 3000, orders = 30;
	uint32_t found = 0;
	double chi = 0;
	sections(&p, count, 3);
	measure(&b, &p, &profile);
	struct policy policy = {.kind = POLICY_SURW, .fair_k = 1, .profile = &profile.profile};
	ck_assert_uint_eq(profile.contended_length, 10);
	policy.group = profile.contended[0];
	memset(seen, 0, sizeof seen);
	for (policy.seed = 1; policy.seed <= n; policy.seed++) {
		bench_run(&b, &policy);
		seen[order_of_sections(&b.trace, 4)]++;
	}
	for (uint32_t i = 0; i < 1024; i++) {
		const double off = seen[i] - (double)n / orders;
		found += seen[i] > 0;
		chi += seen[i] > 0 ? off * off / ((double)n / orders) : 0;
	}
	ck_assert_uint_eq(found, orders);
	ck_assert_msg(chi < 29 + 4 * sqrt(58), "chi-squared %g with 29 degrees of freedom", chi);
	random_profile_release(&profile);
	bench_close(&b);
}
END_TEST

/* Does the last thread come after somebody's first section and before anybody's second one? */
static bool comes_between(const struct trace *trace, uint32_t last)
{
	uint32_t sections_of[32] = {0}, begun = 0;
	for (size_t i = 0; i < trace->length; i++) {
		const uint32_t t = trace->at[i].thread;
		if (trace->at[i].op.kind != OP_MUTEX_LOCK)
			continue;
		if (t == last || ++sections_of[t] == 2)
			return t == last && begun > 0;
		begun++;
	}
	return false;
}

/*
 * Of w writers with two sections each so many orders put a reader between all first sections begun and all second ones:
 * the sum over j of the probability that the first j sections are of different writers, over the reader's 2w + 1 places.
 */
static double between_all(uint32_t writers)
{
	double different = 1, sum = 0;
	for (uint32_t i = 0; i < writers; i++) {
		different *= 2.0 * (writers - i) / (2 * writers - i);
		sum += different;
	}
	return sum / (2 * writers + 1);
}

/* A reader among ten threads, as in samples/reorder_many: the search's own draws of groups, too. */
START_TEST(surw_finds_what_comes_between_all)
{
	static const uint32_t count[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 1};
	const uint32_t n = 2000, threads = sizeof count / sizeof *count;
	struct table_program p;
	struct bench b;
	struct random_profile profile;
	uint32_t within_group = 0, drawn = 0;
	sections(&p, count, threads);
	measure(&b, &p, &profile);
	struct policy policy = {.kind = POLICY_SURW, .fair_k = 1, .profile = &profile.profile};
	for (policy.seed = 1; policy.seed <= n; policy.seed++) {
		policy.group = profile.contended[0];
		bench_run(&b, &policy);
		within_group += comes_between(&b.trace, threads);
		policy.group = random_profile_draw(&profile, policy.seed);
		bench_run(&b, &policy);
		drawn += comes_between(&b.trace, threads);
	}
	const double promised = between_all(threads - 1);
	ck_assert_msg(!too_few(within_group, n, promised) && !too_few(n - within_group, n, 1 - promised),
		      "%u of %u, promised %g", within_group, n, promised);
	/* Three of four executions draw the lock. */
	ck_assert_msg(!too_few(drawn, n, promised * 3 / 4), "%u of %u by the search's draws", drawn, n);
	random_profile_release(&profile);
	bench_close(&b);
}
END_TEST

/* Objects of one thread, and threads, have one order: none of them is drawn. */
START_TEST(surw_draws_what_has_orders)
{
	struct table_program p;
	struct bench b;
	struct random_profile profile;
	static const uint32_t count[] = {1, 1};
	uint32_t every = 0;
	sections(&p, count, 2);
	const uint32_t own = table_mutex(&p, MUTEX_NORMAL);
	for (int i = 0; i < 20; i++)
		table_op(&p.bodies[0], i % 2 ? OP_MUTEX_UNLOCK : OP_MUTEX_LOCK, own);
	measure(&b, &p, &profile);
	for (uint64_t seed = 1; seed <= 400; seed++) {
		const uint32_t group = random_profile_draw(&profile, seed);
		every += group == EVERY_GROUP;
		ck_assert(group == EVERY_GROUP || group == profile.contended[0]);
	}
	ck_assert_msg(every > 60 && every < 140, "%u of 400 draw every operation", every);
	random_profile_release(&profile);
	bench_close(&b);
}
END_TEST

/* What a strategy runs: a digest of so many executions. */
static uint64_t series(const struct table_program *p, const struct search_options *options, uint32_t most,
		       struct search_progress *progress)
{
	struct bench b;
	struct plan plan;
	uint64_t all = 0;
	struct search *search = search_new(options);
	bench_open(&b, p);
	for (uint32_t i = 0; i < most && search_next(search, &plan); i++) {
		execution_run(b.execution, &plan, &b.trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &b.trace), STATUS_OK);
		all = all * 31 + digest(&b.trace);
	}
	search_progress(search, progress);
	search_free(search);
	bench_close(&b);
	return all;
}

START_TEST(same_seed_same_schedules)
{
	static const enum strategy random[] = {STRATEGY_RANDOM, STRATEGY_PCT, STRATEGY_POS, STRATEGY_SURW,
					       STRATEGY_RECUR};
	struct table_program p;
	struct search_progress progress;
	uint32_t differ = 0;
	for (uint64_t seed = 0; seed < 50; seed++) {
		table_random(&p, seed, true);
		for (size_t s = 0; s < 5; s++) {
			struct search_options options = {
			    .strategy = random[s], .bound = 3, .seed = seed, .fair_k = 1, .max_depth = 60};
			uint64_t first = series(&p, &options, 20, &progress);
			ck_assert_uint_eq(series(&p, &options, 20, &progress), first);
			ck_assert(!progress.complete);
			ck_assert_uint_eq(progress.executions, 20);
			options.seed += 1000;
			differ += series(&p, &options, 20, &progress) != first;
		}
	}
	ck_assert_uint_gt(differ, 150);
}
END_TEST

#define SERIES 90

/* Digests of executions by their tickets, with so many out at once. */
static void crew_series(const struct table_program *p, const struct search_options *options, uint32_t size,
			uint64_t digests[SERIES])
{
	struct search *search = search_new(options);
	struct crew crew;
	struct trace trace;
	trace_init(&trace);
	crew_init(&crew, p, search, size, options->seed);
	for (int left = SERIES; left > 0;) {
		uint64_t ticket = crew_step(&crew, &trace);
		ck_assert_uint_ge(ticket, 1);
		if (ticket > SERIES)
			continue;
		digests[ticket - 1] = digest(&trace);
		left--;
	}
	ck_assert_int_eq(crew.status, STATUS_OK);
	crew_release(&crew);
	trace_release(&trace);
	search_free(search);
}

/* Whatever else is out, and in whatever order the traces come: the same walks with the same tickets. */
START_TEST(several_out_are_the_same_walks)
{
	static const enum strategy random[] = {STRATEGY_RANDOM, STRATEGY_PCT, STRATEGY_POS, STRATEGY_SURW,
					       STRATEGY_RECUR};
	uint64_t alone[SERIES], several[SERIES] = {0};
	struct table_program p;
	for (uint64_t seed = 0; seed < 60; seed++) {
		table_random(&p, seed, seed % 2);
		for (size_t s = 0; s < 5; s++) {
			struct search_options options = {
			    .strategy = random[s], .bound = 3, .seed = seed, .fair_k = 1, .max_depth = 60};
			crew_series(&p, &options, 1, alone);
			crew_series(&p, &options, 2 + seed % (CREW_MOST - 1), several);
			ck_assert_mem_eq(several, alone, sizeof alone);
		}
	}
}
END_TEST

/* Knuth's estimate after 2,000 walks, against the counts by enumeration. */
START_TEST(estimates_are_near)
{
	static const struct {
		uint32_t philosophers;
		double executions;
	} known[] = {{3, 396}, {4, 104704}};
	struct table_program p;
	struct search_progress progress;
	struct search_options options = {.strategy = STRATEGY_RANDOM, .seed = 1, .fair_k = 1};
	for (size_t i = 0; i < 2; i++) {
		table_philosophers(&p, known[i].philosophers, false);
		series(&p, &options, 2000, &progress);
		double truth = known[i].executions;
		ck_assert_msg(progress.estimate > truth / 2 && progress.estimate < truth * 2, "%g for %g",
			      progress.estimate, truth);
		ck_assert(progress.estimate_low < truth && truth < progress.estimate_high);
		ck_assert(progress.estimate_low < progress.estimate &&
			  progress.estimate < progress.estimate_high);
		ck_assert(progress.estimate_high < 3 * progress.estimate_low);
	}
}
END_TEST

/* The end of a thread's budget is no deadlock, and a deadlock before it is one. */
START_TEST(threads_have_budgets)
{
	struct table_program p;
	table_philosophers(&p, 2, false);
	struct policy policy = {.kind = POLICY_RANDOM, .fair_k = 1, .max_thread_depth = 2};
	ck_assert_uint_gt(hits(&p, policy, 200, END_DEADLOCK), 0);
	ck_assert_uint_gt(hits(&p, policy, 200, END_THREAD_DEPTH), 0);
	ck_assert_uint_eq(hits(&p, policy, 200, END_EXIT), 0);
	policy.max_thread_depth = 4;
	ck_assert_uint_gt(hits(&p, policy, 200, END_DEADLOCK), 0);
	ck_assert_uint_eq(hits(&p, policy, 200, END_THREAD_DEPTH), 0);

	/* Every execution within the budget of 1: either order of the two first operations. */
	p = (struct table_program){0};
	table_point(table_body(&p));
	table_point(&p.bodies[0]);
	table_thread(&p, &p.bodies[0]);
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1, .max_thread_depth = 1};
	struct search_progress progress;
	series(&p, &options, 100, &progress);
	ck_assert(progress.complete);
	ck_assert_uint_eq(progress.executions, 2);
	ck_assert_uint_eq(progress.cut_at_depth, 2);
}
END_TEST

/* A process that ends while a thread is held has been cut too. */
START_TEST(what_is_held_back_is_told)
{
	struct table_program p = {0};
	struct table_body *quits = table_body(&p), *works = table_body(&p);
	table_op(quits, OP_PROCESS_EXIT, NO_OBJECT);
	for (int i = 0; i < 3; i++)
		table_point(works);
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1, .max_thread_depth = 2};
	struct search_progress progress;
	series(&p, &options, 100, &progress);
	ck_assert_uint_eq(progress.executions, 3);
	ck_assert_uint_eq(progress.cut_at_depth, 1);
}
END_TEST

static bool parses(const char *text, enum strategy strategy, uint32_t bound)
{
	struct search_options options = {0};
	char back[32];
	if (!strategy_parse(text, &options) || options.strategy != strategy || options.bound != bound)
		return false;
	strategy_describe(&options, back);
	struct search_options again = {0};
	return strategy_parse(back, &again) && again.strategy == strategy && again.bound == bound;
}

START_TEST(names)
{
	struct search_options options = {0};
	ck_assert(parses("delay:2", STRATEGY_DELAY, 2) && parses("delay", STRATEGY_DELAY, UINT32_MAX));
	ck_assert(parses("pct", STRATEGY_PCT, 3) && parses("pct:1", STRATEGY_PCT, 1));
	ck_assert(parses("recur", STRATEGY_RECUR, UINT32_MAX));
	ck_assert(parses("pos", STRATEGY_POS, UINT32_MAX) && parses("surw", STRATEGY_SURW, UINT32_MAX));
	ck_assert(!strategy_parse("pct:0", &options) && !strategy_parse("pct:34", &options));
	ck_assert(!strategy_parse("pos:1", &options) && !strategy_parse("random:2", &options));
	ck_assert(strategy_random(STRATEGY_SURW) && !strategy_random(STRATEGY_DELAY));
	ck_assert(strategy_bounded(STRATEGY_DELAY) && !strategy_bounded(STRATEGY_DFS));
}
END_TEST

SUITE("strategies", 300, NULL, NULL, TEST(pct_keeps_its_promise), TEST(pos_does_not_favour_short_ways),
      TEST(pos_renews_priorities_at_races), TEST(surw_is_uniform), TEST(surw_is_uniform_with_unequal_threads),
      TEST(surw_counts_threads_to_be_born), TEST(surw_is_uniform_within_a_group),
      TEST(surw_is_uniform_over_sections), TEST(surw_finds_what_comes_between_all),
      TEST(surw_draws_what_has_orders), TEST(surw_prefers_whole_executions), TEST(same_seed_same_schedules),
      TEST(several_out_are_the_same_walks), TEST(estimates_are_near), TEST(threads_have_budgets),
      TEST(what_is_held_back_is_told), TEST(names))
