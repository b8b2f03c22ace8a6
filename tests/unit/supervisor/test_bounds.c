/* Bounded strategies against enumeration: which executions, which Mazurkiewicz traces, which ends. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/search.h>

#include "supervisor/order/model_replay.h"
#include "supervisor/order/visited.h"
#include "tests/table/brute.h"
#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS 300
#define LIMIT	 3500
#define DEPTH	 60

static struct table_machine machine;
static struct execution *execution;
static struct happens_before *hb;
static struct trace trace;

static void use(const struct table_program *p)
{
	table_machine_init(&machine, p);
}

static void set_up(void)
{
	static const struct table_program nothing;
	table_machine_init(&machine, &nothing);
	execution = execution_new(&machine.machine);
	hb = happens_before_new();
	trace_init(&trace);
}

static void tear_down(void)
{
	trace_release(&trace);
	happens_before_free(hb);
	execution_free(execution);
}

/* What a search came by. */
struct seen {
	uint64_t executions;
	struct hash_set sequences, traces, finals;
	bool complete, gave_up, reduced;
	uint64_t redundant;
};

static void seen_init(struct seen *seen)
{
	*seen = (struct seen){0};
	hash_set_init(&seen->sequences);
	hash_set_init(&seen->traces);
	hash_set_init(&seen->finals);
}

static void seen_release(struct seen *seen)
{
	hash_set_release(&seen->sequences);
	hash_set_release(&seen->traces);
	hash_set_release(&seen->finals);
}

static uint64_t trace_digest(size_t length)
{
	ck_assert(happens_before_start(hb, &trace, true) && happens_before_push_all(hb));
	struct trace_hash hash = happens_before_hash(hb, length);
	return hash.low ^ hash.high << 1 ^ length;
}

/* The execution just run. */
static void note(struct seen *seen)
{
	uint64_t sequence = 1;
	for (size_t i = 0; i < trace.length; i++)
		sequence = step_digest(sequence, trace.at[i].thread, trace.at[i].choice);
	seen->executions++;
	hash_set_add(&seen->sequences, sequence);
	hash_set_add(&seen->traces, trace_digest(trace.length));
	hash_set_add(&seen->finals,
		     state_digest(execution_model(execution), &machine.state) * 31 + trace.end);
}

static void run(const struct search_options *options, struct seen *seen)
{
	struct search *search = search_new(options);
	struct plan plan;
	seen_init(seen);
	while (search_next(search, &plan)) {
		if (seen->executions == LIMIT) {
			seen->gave_up = true;
			break;
		}
		execution_run(execution, &plan, &trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &trace), STATUS_OK);
		note(seen);
	}
	struct search_progress progress;
	search_progress(search, &progress);
	seen->complete = progress.complete;
	seen->redundant = progress.redundant;
	seen->reduced = progress.reduced;
	search_free(search);
}

static bool equal(const struct hash_set *a, const struct hash_set *b)
{
	return a->count == b->count && hash_set_subset(a, b);
}

/* Variables are read and written by code between operations, which no footprint knows of. */
static bool has_variables(const struct table_program *p)
{
	for (uint32_t b = 0; b < p->body_count; b++)
		for (uint32_t i = 0; i < p->bodies[b].length; i++) {
			if (p->bodies[b].code[i].kind == TABLE_STORE)
				return true;
		}
	return false;
}

/* The next random program without variables, from this seed on. */
static void next_program(struct table_program *p, uint64_t *seed)
{
	do
		table_random(p, (*seed)++, false);
	while (has_variables(p));
}

static uint32_t programs(void)
{
	return enough_rounds(PROGRAMS);
}

static void compare_cached(enum strategy strategy, uint64_t *pruned)
{
	struct table_program p;
	uint64_t seed = 1;
	uint32_t compared = 0;
	for (uint32_t i = 0; i < programs(); i++) {
		next_program(&p, &seed);
		use(&p);
		for (uint32_t bound = 0; bound < 3; bound++) {
			struct search_options options = {.strategy = strategy,
							 .bound = bound,
							 .fair_k = 1,
							 .max_depth = DEPTH,
							 .sees_memory = true};
			struct seen plain, cached;
			run(&options, &plain);
			options.cache = true;
			run(&options, &cached);
			if (!plain.gave_up) {
				ck_assert_msg(equal(&plain.traces, &cached.traces),
					      "seed %lu, bound %u: %zu traces, with the cache %zu", seed - 1,
					      bound, plain.traces.count, cached.traces.count);
				ck_assert(equal(&plain.finals, &cached.finals));
				ck_assert(cached.complete);
				ck_assert(hash_set_subset(&cached.sequences, &plain.sequences));
				*pruned += plain.executions - cached.executions;
				compared++;
			}
			seen_release(&plain);
			seen_release(&cached);
		}
	}
	ck_assert_uint_gt(compared, 2 * programs());
}

START_TEST(caching_loses_nothing)
{
	uint64_t pruned = 0;
	compare_cached(STRATEGY_CB, &pruned);
	ck_assert_uint_gt(pruned, programs());
}
END_TEST

START_TEST(caching_of_delays_loses_nothing)
{
	uint64_t pruned = 0;
	compare_cached(STRATEGY_DELAY, &pruned);
	ck_assert_uint_gt(pruned, programs() / 2);
}
END_TEST

/* Another algorithm for the same: the traces, the ends and whether anything is left within each bound. */
START_TEST(bpor_finds_the_same)
{
	struct table_program p;
	uint64_t seed = 1, fewer = 0;
	uint32_t compared = 0;
	for (uint32_t i = 0; i < programs(); i++) {
		next_program(&p, &seed);
		/* Whether one is open depends on what all other threads can do, which no footprint says. */
		for (uint32_t o = 0; o < p.object_count; o++)
			p.objects[o].spurious = 0;
		use(&p);
		for (uint32_t bound = 0; bound < 3; bound++) {
			struct search_options options = {.strategy = STRATEGY_CB,
							 .bound = bound,
							 .fair_k = 1,
							 .max_depth = DEPTH,
							 .sees_memory = true};
			struct seen plain, reduced;
			run(&options, &plain);
			options.strategy = STRATEGY_BPOR;
			run(&options, &reduced);
			if (!plain.gave_up) {
				ck_assert_msg(equal(&plain.traces, &reduced.traces),
					      "seed %lu, bound %u: %zu traces, by bpor %zu", seed - 1, bound,
					      plain.traces.count, reduced.traces.count);
				ck_assert(equal(&plain.finals, &reduced.finals));
				ck_assert(reduced.complete);
				ck_assert(hash_set_subset(&reduced.sequences, &plain.sequences));
				fewer += plain.executions - reduced.sequences.count;
				compared++;
			}
			seen_release(&plain);
			seen_release(&reduced);
		}
	}
	ck_assert_uint_gt(compared, 2 * programs());
	ck_assert_uint_gt(fewer, programs());
}
END_TEST

/* A futex call says that memory is shared unseen: then nothing is left out, and that is said. */
START_TEST(no_reduction_of_what_is_not_seen)
{
	static const enum strategy strategies[] = {STRATEGY_CB, STRATEGY_DELAY, STRATEGY_BPOR};
	struct table_program p = {0};
	uint32_t futex = table_futex(&p, table_variable(&p, 0)), mutex = table_mutex(&p, MUTEX_NORMAL);
	struct table_body *a = table_body(&p), *b = table_body(&p);
	for (int i = 0; i < 2; i++) {
		table_op(a, OP_MUTEX_LOCK, mutex);
		table_op(a, OP_MUTEX_UNLOCK, mutex);
		struct table_code *wake = table_op(b, OP_FUTEX_WAKE, futex);
		wake->op.arg = 1;
		wake->op.arg2 = 0xffffffff;
	}
	use(&p);
	for (size_t i = 0; i < 3; i++) {
		struct search_options options = {
		    .strategy = strategies[i], .bound = UINT32_MAX, .fair_k = 1, .cache = true};
		struct seen seen;
		run(&options, &seen);
		ck_assert_uint_eq(seen.sequences.count, 15);
		ck_assert(seen.complete && !seen.reduced);
		seen_release(&seen);
		options.sees_memory = true;
		run(&options, &seen);
		ck_assert_uint_lt(seen.executions, 15);
		ck_assert(seen.complete && seen.reduced);
		seen_release(&seen);
	}
}
END_TEST

/* Delays of the execution just run, by the definition: threads that the round robin comes by before. */
static uint32_t count_delays(void)
{
	uint32_t delays = 0, previous = 0;
	for (size_t i = 0; i < trace.length; i++) {
		const struct alternative *open = trace.alternatives + trace.at[i].first_alternative;
		/* 1 spurious wakeups, 2 time-outs, 3 progress */
		int best[TABLE_THREADS] = {0};
		for (uint32_t a = 0; a < trace.at[i].alternatives; a++) {
			int32_t choice = open[a].step.choice;
			int worth = choice >= 0 ? 3 : choice == CHOICE_TIMEOUT ? 2 : 1;
			int *known = &best[open[a].step.thread];
			*known = worth > *known ? worth : *known;
		}
		bool found = false;
		for (int worth = 3; worth > 0 && !found; worth--)
			for (uint32_t step = 0; step < TABLE_THREADS && !found; step++) {
				uint32_t t = (previous + step) % TABLE_THREADS;
				if (best[t] != worth)
					continue;
				found = t == trace.at[i].thread;
				delays += !found;
			}
		previous = trace.at[i].thread;
	}
	return delays;
}

/* Each execution is run once, at the bound of its own delays. */
START_TEST(delays_are_bounded)
{
	struct table_program p;
	uint32_t compared = 0;
	for (uint64_t seed = 1; seed <= enough_rounds(300); seed++) {
		table_random(&p, seed, false);
		use(&p);
		struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1, .max_depth = DEPTH};
		struct search *search = search_new(&options);
		struct plan plan;
		uint64_t within[4] = {0}, executions = 0;
		while (executions < LIMIT && search_next(search, &plan)) {
			execution_run(execution, &plan, &trace);
			ck_assert_int_eq(search_feed(search, plan.ticket, &trace), STATUS_OK);
			executions++;
			for (uint32_t bound = count_delays(); bound < 4; bound++)
				within[bound]++;
		}
		search_free(search);
		if (executions == LIMIT)
			continue;
		compared++;
		options.strategy = STRATEGY_DELAY;
		for (options.bound = 0; options.bound < 4; options.bound++) {
			struct seen seen;
			run(&options, &seen);
			ck_assert_uint_eq(seen.executions, within[options.bound]);
			ck_assert_uint_eq(seen.sequences.count, seen.executions);
			ck_assert(seen.complete);
			seen_release(&seen);
		}
		ck_assert_uint_eq(within[0] > 0, 1);
	}
	ck_assert_uint_gt(compared, enough_rounds(150));
}
END_TEST

/* Bounded search by recursion, one execution for each state, with other rules for leaving states out. */
enum rule { RULE_NONE, RULE_NAIVE, RULE_CHEAPER, RULE_EXACT, RULE_SLEEP };

struct recursion {
	enum rule rule;
	uint32_t bound;
	struct seen *seen;
	struct hash_set states;
	struct visited visited;
	struct {
		uint64_t state;
		uint32_t cost;
	} cheapest[4096];
	size_t cheapest_length;
};

static bool cheaper_known(struct recursion *r, uint64_t state, uint32_t cost)
{
	for (size_t i = 0; i < r->cheapest_length; i++)
		if (r->cheapest[i].state == state) {
			bool known = r->cheapest[i].cost <= cost;
			if (!known)
				r->cheapest[i].cost = cost;
			return known;
		}
	r->cheapest[r->cheapest_length].state = state;
	r->cheapest[r->cheapest_length++].cost = cost;
	return false;
}

static bool left_out(struct recursion *r, size_t length, uint32_t cost, uint32_t last)
{
	uint64_t state = trace_digest(length);
	bool known = false;
	switch (r->rule) {
	case RULE_NAIVE:
		return !hash_set_add(&r->states, state);
	case RULE_CHEAPER:
		return cheaper_known(r, state, cost);
	case RULE_EXACT:
		ck_assert(visited_arrive(&r->visited, happens_before_hash(hb, length), cost, last, &known));
		return known;
	default:
		return false;
	}
}

#define MOST_STEPS 40

struct sleeping {
	struct step step;
	struct access accesses[12];
	uint32_t length;
};

/* Of the sleepers those that transition i doesn't disturb. */
static size_t still_asleep(const struct sleeping *from, size_t length, size_t i, struct sleeping *to)
{
	size_t left = 0;
	for (size_t s = 0; s < length; s++) {
		struct accesses sleeper = {from[s].accesses, from[s].length};
		if (from[s].step.thread != trace.at[i].thread &&
		    !dependence_disturbs(trace_accesses(&trace, i), sleeper, true))
			to[left++] = from[s];
	}
	return left;
}

static void recurse(struct recursion *r, struct step *steps, size_t length, uint32_t cost,
		    const struct sleeping *asleep, size_t sleepers)
{
	const struct plan plan = {.prefix = steps, .prefix_length = length, .policy = {.fair_k = 1}};
	execution_run(execution, &plan, &trace);
	if (trace.length == length) {
		note(r->seen);
		return;
	}
	uint32_t count = trace.at[length].alternatives, last = NO_THREAD;
	struct alternative open[16];
	ck_assert(count <= 16 && length < MOST_STEPS);
	memcpy(open, trace.alternatives + trace.at[length].first_alternative, count * sizeof *open);
	for (uint32_t a = 0; a < count; a++)
		if (open[a].preemption)
			last = trace.at[length - 1].thread;
	if (left_out(r, length, cost, last))
		return;
	struct sleeping now[16], next[16];
	if (sleepers > 0)
		memcpy(now, asleep, sleepers * sizeof *now);
	/* What costs nothing first. */
	for (uint32_t k = 0; k < 2 * count; k++) {
		const struct alternative *a = &open[k % count];
		if (a->preemption != k / count || cost + a->preemption > r->bound)
			continue;
		bool sleeps = false;
		for (size_t s = 0; s < sleepers; s++)
			sleeps |=
			    now[s].step.thread == a->step.thread && now[s].step.choice == a->step.choice;
		if (sleeps)
			continue;
		steps[length] = a->step;
		const struct plan try = {
		    .prefix = steps, .prefix_length = length + 1, .policy = {.fair_k = 1}};
		execution_run(execution, &try, &trace);
		struct accesses accesses = trace_accesses(&trace, length);
		struct sleeping one = {.step = a->step, .length = accesses.length};
		ck_assert_uint_le(accesses.length, 12);
		memcpy(one.accesses, accesses.at, accesses.length * sizeof *one.accesses);
		size_t left = still_asleep(now, sleepers, length, next);
		recurse(r, steps, length + 1, cost + a->preemption, next, left);
		if (r->rule == RULE_SLEEP && sleepers < 16)
			now[sleepers++] = one;
	}
}

static void run_recursion(enum rule rule, uint32_t bound, struct seen *seen)
{
	static struct recursion r;
	struct step steps[MOST_STEPS + 1];
	memset(&r, 0, sizeof r);
	r.rule = rule;
	r.bound = bound;
	r.seen = seen;
	hash_set_init(&r.states);
	seen_init(seen);
	recurse(&r, steps, 0, 0, NULL, 0);
	hash_set_release(&r.states);
	visited_release(&r.visited);
}

/* Does one of some small programs lose Mazurkiewicz traces by a rule? */
static bool finds_loser(enum rule rule, uint32_t bound, uint32_t programs)
{
	struct table_program p;
	uint64_t seed = 1;
	uint32_t compared = 0;
	bool loses = false;
	while (!loses && compared < programs) {
		next_program(&p, &seed);
		use(&p);
		struct search_options options = {.strategy = STRATEGY_CB, .bound = bound, .fair_k = 1};
		struct seen all, seen;
		run(&options, &all);
		if (all.executions > 4 && all.executions < 150) {
			run_recursion(rule, bound, &seen);
			ck_assert(hash_set_subset(&seen.traces, &all.traces));
			loses = !hash_set_subset(&all.traces, &seen.traces);
			compared++;
			seen_release(&seen);
		}
		seen_release(&all);
	}
	return loses;
}

/* The rules that are complete, and those that look as if they were. */
START_TEST(unsound_rules_lose_traces)
{
	for (uint32_t bound = 0; bound < 3; bound++) {
		ck_assert(!finds_loser(RULE_NONE, bound, enough_rounds(60)));
		ck_assert(!finds_loser(RULE_EXACT, bound, enough_rounds(60)));
	}
	ck_assert(finds_loser(RULE_NAIVE, 1, 200));
	ck_assert(finds_loser(RULE_CHEAPER, 1, 200));
	ck_assert(finds_loser(RULE_SLEEP, 0, 200));
	ck_assert(finds_loser(RULE_SLEEP, 1, 200));
}
END_TEST

static void counter(struct table_program *p)
{
	*p = (struct table_program){0};
	uint32_t mutex = table_mutex(p, MUTEX_NORMAL);
	struct table_body *b = table_body(p);
	for (uint32_t i = 0; i < 2; i++) {
		table_op(b, OP_MUTEX_LOCK, mutex);
		table_op(b, OP_MUTEX_UNLOCK, mutex);
	}
	table_thread(p, b);
	table_thread(p, b);
}

/* The step is taken after i steps: does it touch what was foreseen? False: the execution doesn't tell. */
static bool compare_foreseen(struct step *steps, size_t i, struct step step, uint32_t fair_k,
			     const struct footprint *foreseen)
{
	steps[i] = step;
	const struct plan plan = {
	    .prefix = steps, .prefix_length = i + 1, .policy = {.fair_k = fair_k, .max_depth = DEPTH}};
	execution_run(execution, &plan, &trace);
	/* What it does to the priorities is known at the next transition. */
	if (trace.length < i + 2)
		return false;
	struct accesses touched = trace_accesses(&trace, i);
	ck_assert_uint_eq(touched.length, foreseen->length);
	for (uint32_t a = 0; a < touched.length; a++)
		ck_assert(touched.at[a].key == foreseen->at[a].key &&
			  touched.at[a].mode == foreseen->at[a].mode);
	return true;
}

/* Steps beside a trace touch what model_replay_foresee() says that they would. */
START_TEST(footprints_are_foreseen)
{
	struct model_replay *replay = model_replay_new();
	struct footprint footprint = {0};
	struct trace base;
	uint64_t compared = 0, open = 0;
	trace_init(&base);
	for (uint64_t seed = 0; seed < programs(); seed++) {
		struct table_program p;
		struct step steps[2 * DEPTH];
		uint32_t fair_k = (uint32_t)(seed / 2 % 3);
		table_random(&p, seed, seed % 2);
		use(&p);
		const struct plan plan = {
		    .policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = fair_k, .max_depth = DEPTH}};
		execution_run(execution, &plan, &trace);
		ck_assert(trace_copy(&base, &trace));
		ck_assert(model_replay_start(replay, &base, fair_k));
		for (size_t i = 0; i < base.length && i < DEPTH; i++) {
			model_replay_goto(replay, i);
			const struct alternative *a = base.alternatives + base.at[i].first_alternative;
			for (uint32_t k = 0; k < base.at[i].alternatives; k++, open++)
				if (model_replay_foresee(replay, &a[k].step, &footprint))
					compared += compare_foreseen(steps, i, a[k].step, fair_k, &footprint);
			steps[i] = (struct step){base.at[i].thread, base.at[i].choice};
		}
	}
	ck_assert_uint_gt(compared, open / 2);
	trace_release(&base);
	footprint_release(&footprint);
	model_replay_free(replay);
}
END_TEST

static struct table_body *access_memory(struct table_program *p, uint32_t object, enum op_kind kind)
{
	struct table_body *b = table_body(p);
	struct table_code *access = table_op(b, kind, object);
	access->op.arg = 4;
	access->op.arg2 = 4096;
	return b;
}

/* One writes what eight read. */
static void readers(struct table_program *p)
{
	*p = (struct table_program){0};
	uint32_t memory = table_object(p, CLASS_MEMORY, 0, 0);
	access_memory(p, memory, OP_MEMORY_WRITE);
	struct table_body *reader = access_memory(p, memory, OP_MEMORY_READ);
	for (int i = 1; i < 8; i++)
		table_thread(p, reader);
}

static void check_counts(enum strategy strategy, uint32_t bound, size_t traces, uint64_t executions)
{
	struct search_options options = {
	    .strategy = strategy, .bound = bound, .fair_k = 1, .cache = true, .sees_memory = true};
	struct seen seen;
	run(&options, &seen);
	ck_assert_uint_eq(seen.traces.count, traces);
	ck_assert_msg(seen.executions <= executions, "%lu executions", seen.executions);
	ck_assert(seen.complete);
	seen_release(&seen);
}

/* Traces within the bound; at most so many executions, dead ends included. */
START_TEST(golden_counts)
{
	struct table_program p;
	table_philosophers(&p, 5, false);
	use(&p);
	check_counts(STRATEGY_CB, 0, 30, 80);
	check_counts(STRATEGY_CB, 1, 31, 672);
	check_counts(STRATEGY_CB, 2, 31, 987);
	check_counts(STRATEGY_DELAY, 2, 16, 87);
	readers(&p);
	use(&p);
	check_counts(STRATEGY_CB, 0, 256, 3281);
	counter(&p);
	use(&p);
	check_counts(STRATEGY_CB, 0, 6, 6);
	check_counts(STRATEGY_CB, 1, 24, 24);
	check_counts(STRATEGY_CB, 2, 60, 60);
	check_counts(STRATEGY_CB, 3, 90, 90);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bounds");
	TCase *cases = tcase_create("all");
	tcase_set_timeout(cases, 600);
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, caching_loses_nothing);
	tcase_add_test(cases, caching_of_delays_loses_nothing);
	tcase_add_test(cases, bpor_finds_the_same);
	tcase_add_test(cases, no_reduction_of_what_is_not_seen);
	tcase_add_test(cases, delays_are_bounded);
	tcase_add_test(cases, unsound_rules_lose_traces);
	tcase_add_test(cases, footprints_are_foreseen);
	tcase_add_test(cases, golden_counts);
	suite_add_tcase(suite, cases);
	return suite_run(suite);
}
