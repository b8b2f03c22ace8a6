/* Minimising on toy programs, against everything that they can do. */
#include <fmc/replay/minimize.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/finding.h>
#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/search.h>

#include "replay/minimize/deviations.h"
#include "replay/minimize/linearize.h"
#include "tests/table/table_random.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A toy program that is run again and again. */
struct bench {
	struct table_program program;
	struct table_machine machine;
	struct execution *execution;
	char wanted[512]; /* the failure that is looked for */
	uint64_t runs;
};

static void bench_init(struct bench *b)
{
	table_machine_init(&b->machine, &b->program);
	b->execution = execution_new(&b->machine.machine);
	b->wanted[0] = 0;
	b->runs = 0;
}

static void bench_release(struct bench *b)
{
	execution_free(b->execution);
}

/* What kind of failure, and where every thread stands. */
static void sign(const struct trace *trace, char text[512])
{
	size_t length = (size_t)snprintf(text, 512, "%d %d", (int)finding_classify(trace), trace->end_value);
	for (uint32_t t = 0; t < trace->threads_length && trace->end == END_DEADLOCK; t++)
		length += (size_t)snprintf(text + length, 512 - length, " %u:%u",
					   trace->threads[t].pending.kind, trace->threads[t].pending.object);
}

static enum minimize_end judge(const struct bench *b, const struct trace *trace)
{
	char text[512];
	if (finding_classify(trace) == FINDING_NONE)
		return trace->end == END_EXIT ? MINIMIZE_GOOD : MINIMIZE_UNKNOWN;
	sign(trace, text);
	return strcmp(text, b->wanted) == 0 ? MINIMIZE_SAME : MINIMIZE_OTHER;
}

static enum minimize_end run(void *context, const struct plan *plan, struct trace *trace)
{
	struct bench *b = context;
	b->runs++;
	execution_run(b->execution, plan, trace);
	ck_assert_int_ne(trace->end, END_ERROR);
	return judge(b, trace);
}

static struct step *steps_of(const struct trace *trace)
{
	struct step *steps = calloc(trace->length + 1, sizeof *steps);
	for (size_t i = 0; i < trace->length; i++)
		steps[i] = transition_step(&trace->at[i]);
	return steps;
}

/* What all executions that begin with a prefix come to. */
struct everything {
	uint64_t executions, good, same;
	uint32_t least;	 /* preemptions of those that are the same */
	size_t shortest; /* transitions of those */
};

#define TOO_MANY 2000

/* Depth first without any cleverness; false: too many. */
static bool run_everything(struct bench *b, const struct step *prefix, size_t length, uint64_t depth,
			   struct everything *all)
{
	struct trace trace;
	trace_init(&trace);
	size_t room = 4096;
	struct step *steps = calloc(room, sizeof *steps);
	uint32_t *tried = calloc(room, sizeof *tried);
	for (size_t i = 0; i < length; i++)
		steps[i] = prefix[i];
	*all = (struct everything){.least = UINT32_MAX, .shortest = SIZE_MAX};
	size_t fixed = length;
	bool more = true;
	while (more && all->executions < TOO_MANY) {
		/* The prefix, then always the first alternative: one transition more each time. */
		struct plan plan = {steps, length, .policy = {.fair_k = 1, .max_depth = depth}};
		execution_run(b->execution, &plan, &trace);
		ck_assert_uint_lt(trace.length, room);
		if (trace.length > length) {
			const struct alternative *a = trace.alternatives + trace.at[length].first_alternative;
			steps[length] = a->step;
			tried[length++] = 1;
			continue;
		}
		enum minimize_end end = judge(b, &trace);
		all->executions++;
		all->good += end == MINIMIZE_GOOD;
		all->same += end == MINIMIZE_SAME;
		if (end == MINIMIZE_SAME && trace.preemptions < all->least)
			all->least = trace.preemptions;
		if (end == MINIMIZE_SAME && trace.length < all->shortest)
			all->shortest = trace.length;
		more = false;
		while (length > fixed && !more) {
			const struct transition *last = &trace.at[length - 1];
			more = tried[length - 1] < last->alternatives;
			if (more)
				steps[length - 1] =
				    trace.alternatives[last->first_alternative + tried[length - 1]++].step;
			else
				length--;
		}
	}
	free(steps);
	free(tried);
	trace_release(&trace);
	return !more;
}

/* The first random execution that fails; sets what is looked for. */
static bool find_failure(struct bench *b, uint64_t depth, struct trace *trace)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct plan plan = {
		    .policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1, .max_depth = depth}};
		execution_run(b->execution, &plan, trace);
		if (finding_classify(trace) == FINDING_NONE)
			continue;
		sign(trace, b->wanted);
		return true;
	}
	return false;
}

/* The result replays, and each of its deviations is needed. */
static void check_minimal(struct bench *b, const struct minimized *result)
{
	struct trace trace;
	struct deviations list = {0};
	trace_init(&trace);
	struct step *steps = steps_of(&result->trace);
	struct plan plan = {steps, result->trace.length, .policy = result->policy};
	ck_assert_int_eq(run(b, &plan, &trace), MINIMIZE_SAME);
	ck_assert_uint_eq(trace_difference(&trace, &result->trace), SIZE_MAX);
	free(steps);

	ck_assert(deviations_from_trace(&list, &result->trace));
	ck_assert_uint_eq(list.length, result->deviations);
	struct deviation *some = calloc(list.length + 1, sizeof *some);
	for (size_t left_out = 0; left_out <= list.length; left_out++) {
		size_t length = 0;
		for (size_t i = 0; i < list.length; i++)
			if (i != left_out)
				some[length++] = list.at[i];
		qsort(some, length, sizeof *some, deviation_compare);
		plan = (struct plan){.policy = result->policy};
		plan.policy.kind = POLICY_DEVIATIONS;
		plan.policy.deviations = some;
		plan.policy.deviations_length = length;
		enum minimize_end end = run(b, &plan, &trace);
		if (left_out == list.length) {
			/* All of them are the schedule. */
			ck_assert_uint_eq(trace_difference(&trace, &result->trace), SIZE_MAX);
			continue;
		}
		struct minimize_size size = minimize_measure(&trace);
		bool worse =
		    size.preemptions > result->after.preemptions ||
		    (size.preemptions == result->after.preemptions && size.switches > result->after.switches);
		ck_assert(end != MINIMIZE_SAME || worse);
	}
	free(some);
	deviations_release(&list);
	trace_release(&trace);
}

/* The critical transition against all continuations of the prefixes around it. */
static void check_critical(struct bench *b, const struct minimized *result)
{
	struct everything all;
	struct step *steps = steps_of(&result->trace);
	ck_assert_uint_lt(result->critical, result->trace.length);
	ck_assert(run_everything(b, steps, result->critical, 0, &all));
	ck_assert_uint_gt(all.good, 0);
	ck_assert(run_everything(b, steps, result->critical + 1, 0, &all));
	if (result->critical_proven)
		ck_assert_uint_eq(all.good, 0);
	free(steps);
	/* The passing execution parts from the failing one just there. */
	ck_assert_int_eq(judge(b, &result->passing), MINIMIZE_GOOD);
	for (size_t i = 0; i < result->critical; i++) {
		ck_assert_uint_eq(result->passing.at[i].thread, result->trace.at[i].thread);
		ck_assert_int_eq(result->passing.at[i].choice, result->trace.at[i].choice);
	}
	const struct transition *p = &result->passing.at[result->critical],
				*f = &result->trace.at[result->critical];
	ck_assert(p->thread != f->thread || p->choice != f->choice);
}

/* How many programs had what. */
struct tally {
	unsigned failing, smaller, fewer, critical, certified, never, saved, shorter;
};

/* The fewest transitions, which are those of the shortest of all executions. True: fewer than with the fewest preemptions. */
static bool shorten(struct bench *b, const struct trace *failed, uint64_t seed, const struct everything *all)
{
	const struct minimize_runner runner = {b, run, NULL};
	const struct minimize_options options = {
	    .policy = {.fair_k = 1}, .seed = seed, .sees_memory = true, .depth = true};
	struct minimized result;
	struct trace trace;
	trace_init(&trace);
	minimized_init(&result);
	ck_assert_int_eq(minimize(&runner, &options, failed, &result), STATUS_OK);
	ck_assert_uint_eq(result.trace.length, all->shortest);
	ck_assert_uint_eq(result.after.transitions, all->shortest);
	ck_assert_uint_eq(result.least_transitions, all->shortest);
	ck_assert_uint_eq(result.fewest_preemptions.preemptions, all->least);
	struct step *steps = steps_of(&result.trace);
	const struct plan plan = {steps, result.trace.length, .policy = result.policy};
	ck_assert_int_eq(run(b, &plan, &trace), MINIMIZE_SAME);
	free(steps);
	const bool shorter = result.after.transitions < result.fewest_preemptions.transitions;
	minimized_release(&result);
	trace_release(&trace);
	return shorter;
}

static void minimize_random(uint64_t seed, struct tally *tally)
{
	struct bench *b = calloc(1, sizeof *b);
	struct trace failed;
	struct everything all;
	trace_init(&failed);
	table_random(&b->program, seed, false);
	bench_init(b);
	if (find_failure(b, 0, &failed) && run_everything(b, NULL, 0, 0, &all)) {
		const struct minimize_runner runner = {b, run, NULL};
		const struct minimize_options options = {
		    .policy = {.fair_k = 1}, .seed = seed, .sees_memory = true};
		struct minimized result;
		minimized_init(&result);
		ck_assert_int_eq(minimize(&runner, &options, &failed, &result), STATUS_OK);
		ck_assert(result.minimal && !result.cut);
		ck_assert_uint_le(result.after.preemptions, result.before.preemptions);
		ck_assert_uint_eq(result.after.preemptions, result.trace.preemptions);
		check_minimal(b, &result);
		ck_assert_uint_eq(result.after.preemptions, all.least);
		ck_assert_uint_eq(result.least_preemptions, all.least);
		ck_assert_int_eq(result.critical_known, all.good > 0);
		ck_assert_int_eq(result.never_good, all.good == 0);
		ck_assert_int_eq(result.critical_proven, result.critical_known);
		if (result.critical_known)
			check_critical(b, &result);
		tally->failing++;
		tally->smaller += result.after.switches < result.before.switches;
		tally->fewer += result.after.preemptions < result.before.preemptions;
		tally->critical += result.critical_known && result.critical + 1 < result.trace.length;
		tally->certified += result.least_preemptions > 0;
		tally->never += result.never_good;
		tally->saved += result.known > 0;
		minimized_release(&result);
		tally->shorter += shorten(b, &failed, seed, &all);
	}
	bench_release(b);
	trace_release(&failed);
	free(b);
}

START_TEST(test_random_programs)
{
	struct tally tally = {0};
	for (uint64_t seed = 0; seed < 60; seed++)
		minimize_random((uint64_t)_i * 1000 + seed, &tally);
	/* The programs are what the test takes them for. */
	ck_assert_uint_gt(tally.failing, 10);
	ck_assert_uint_gt(tally.smaller, 0);
	ck_assert_uint_gt(tally.fewer, 0);
	ck_assert_uint_gt(tally.critical, 0);
}
END_TEST

/* The fewest switches of any order, by trying all. */
static size_t fewest(const struct partial_order *po, const uint32_t *index, uint32_t *done, size_t count,
		     uint32_t last)
{
	if (count == po->length)
		return 0;
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < po->length; i++) {
		uint32_t t = po->thread[i];
		bool possible = index[i] == done[t];
		for (uint32_t u = 0; u < po->threads; u++)
			possible &= u == t || po->clocks[i * po->threads + u] <= done[u];
		if (!possible)
			continue;
		done[t]++;
		size_t switches = fewest(po, index, done, count + 1, t) + (last != NO_THREAD && last != t);
		done[t]--;
		best = switches < best ? switches : best;
	}
	return best;
}

/* The partial order of a trace, with its memory. */
struct order_of_trace {
	struct partial_order po;
	uint32_t *thread, *clocks, *index;
};

static struct trace_hash order_init(struct order_of_trace *o, const struct trace *trace)
{
	struct happens_before *hb = happens_before_new();
	ck_assert(happens_before_start(hb, trace, true) && happens_before_push_all(hb));
	uint32_t threads = happens_before_threads(hb);
	o->thread = calloc(trace->length + 1, sizeof *o->thread);
	o->index = calloc(trace->length + 1, sizeof *o->index);
	o->clocks = calloc(trace->length * threads + 1, sizeof *o->clocks);
	for (size_t i = 0; i < trace->length; i++) {
		o->thread[i] = trace->at[i].thread;
		const uint32_t *clock = happens_before_clock(hb, i);
		o->index[i] = clock[o->thread[i]] - 1; /* how many of its thread come before it */
		memcpy(o->clocks + i * threads, clock, threads * sizeof *o->clocks);
	}
	o->po = (struct partial_order){trace->length, threads, o->thread, o->clocks};
	struct trace_hash hash = happens_before_hash(hb, trace->length);
	happens_before_free(hb);
	return hash;
}

static void order_release(struct order_of_trace *o)
{
	free(o->thread);
	free(o->clocks);
	free(o->index);
}

/* Another order of the same trace: it runs, ends in the same way and is the same trace. */
static void check_linearized(struct bench *b, const struct trace *trace, const size_t *order,
			     struct trace_hash hash)
{
	struct trace again;
	struct order_of_trace o;
	trace_init(&again);
	struct step *steps = calloc(trace->length + 1, sizeof *steps);
	for (size_t k = 0; k < trace->length; k++)
		steps[k] = (struct step){trace->at[order[k]].thread, trace->at[order[k]].choice};
	struct plan plan = {steps, trace->length, .policy = {.fair_k = 1}};
	execution_run(b->execution, &plan, &again);
	ck_assert_int_eq(again.end, trace->end);
	ck_assert_uint_eq(again.length, trace->length);
	struct trace_hash same = order_init(&o, &again);
	ck_assert(same.low == hash.low && same.high == hash.high);
	order_release(&o);
	free(steps);
	trace_release(&again);
}

START_TEST(test_linearize)
{
	unsigned looked_at = 0, improved = 0;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct bench *b = calloc(1, sizeof *b);
		struct trace trace;
		trace_init(&trace);
		table_random(&b->program, (uint64_t)_i * 1000 + seed, false);
		bench_init(b);
		struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1}};
		execution_run(b->execution, &plan, &trace);
		bool ends = trace.end == END_EXIT || trace.end == END_DEADLOCK;
		if (ends && trace.length > 0 && trace.length <= 11) {
			struct order_of_trace o;
			size_t order[16];
			bool exact;
			struct trace_hash hash = order_init(&o, &trace);
			uint32_t done[TABLE_THREADS] = {0};
			ck_assert(linearize(&o.po, order, &exact));
			ck_assert(exact);
			check_linearized(b, &trace, order, hash);
			ck_assert_uint_eq(linearize_switches(&o.po, order),
					  fewest(&o.po, o.index, done, 0, NO_THREAD));
			looked_at++;
			improved += linearize_switches(&o.po, order) < minimize_measure(&trace).switches;
			order_release(&o);
		}
		bench_release(b);
		trace_release(&trace);
		free(b);
	}
	ck_assert_uint_gt(looked_at, 50);
	ck_assert_uint_gt(improved, 10);
}
END_TEST

/* One thread waits for what never comes, with yields; others do what has nothing to do with it. */
START_TEST(test_loop)
{
	struct bench *b = calloc(1, sizeof *b);
	struct trace failed;
	uint32_t flag = table_variable(&b->program, 0), other = table_variable(&b->program, 0);
	table_spin(table_body(&b->program), flag, 1, OP_YIELD);
	for (int t = 0; t < 2; t++) {
		struct table_body *body = table_body(&b->program);
		for (int i = 0; i < 4; i++)
			table_write(body, other, i);
	}
	trace_init(&failed);
	bench_init(b);
	ck_assert(find_failure(b, 1000, &failed));
	ck_assert_int_eq(failed.end, END_LIVELOCK);
	ck_assert_uint_ge(failed.length, 1000);
	const struct minimize_runner runner = {b, run, NULL};
	const struct minimize_options options = {.policy = {.fair_k = 1, .max_depth = 1000},
						 .executions = 300};
	struct minimized result;
	minimized_init(&result);
	ck_assert_int_eq(minimize(&runner, &options, &failed, &result), STATUS_OK);
	ck_assert_int_eq(result.trace.end, END_LIVELOCK);
	ck_assert_uint_lt(result.trace.length, 50);
	ck_assert_uint_lt(result.policy.max_depth, 50);
	ck_assert_uint_eq(result.after.preemptions, 0);
	/* Nobody can end well, but loops that were cut are no proof of it. */
	ck_assert(!result.critical_known && !result.critical_proven);
	check_minimal(b, &result);
	minimized_release(&result);
	trace_release(&failed);
	bench_release(b);
	free(b);
}
END_TEST

/* A budget of time of which only what needn't be run uses anything. */
struct hourglass {
	struct bench *bench;
	const struct minimized *result;
	uint64_t most;
};

static enum minimize_end run_timed(void *context, const struct plan *plan, struct trace *trace)
{
	const struct hourglass *h = context;
	return run(h->bench, plan, trace);
}

static double run_down(void *context)
{
	const struct hourglass *h = context;
	return h->result->known >= h->most ? 1 : 0;
}

/* Philosophers who do what concerns nobody between one fork and the other. */
static void set_table(struct table_program *p, uint32_t seats)
{
	uint32_t forks[8], own;
	for (uint32_t i = 0; i < seats; i++)
		forks[i] = table_mutex(p, MUTEX_NORMAL);
	for (uint32_t i = 0; i < seats; i++) {
		uint32_t mine[] = {forks[i], forks[(i + 1) % seats]};
		struct table_body *body = table_body(p);
		own = table_mutex(p, MUTEX_NORMAL);
		for (int k = 0; k < 2; k++) {
			table_op(body, OP_MUTEX_LOCK, mine[k]);
			for (int n = 0; n < 4; n++) {
				table_op(body, OP_MUTEX_LOCK, own);
				table_op(body, OP_MUTEX_UNLOCK, own);
			}
		}
		table_op(body, OP_MUTEX_UNLOCK, mine[1]);
		table_op(body, OP_MUTEX_UNLOCK, mine[0]);
	}
}

/* When time is up, nothing goes on, also not what needs no executions. */
START_TEST(test_time_is_up)
{
	struct bench *b = calloc(1, sizeof *b);
	struct trace failed;
	trace_init(&failed);
	set_table(&b->program, 4);
	bench_init(b);
	ck_assert(find_failure(b, 0, &failed));
	for (uint64_t most = 1; most <= 20; most++) {
		struct minimized result;
		struct hourglass h = {b, &result, most};
		const struct minimize_runner runner = {&h, run_timed, run_down};
		const struct minimize_options options = {
		    .policy = {.fair_k = 1}, .executions = 400, .sees_memory = true};
		minimized_init(&result);
		ck_assert_int_eq(minimize(&runner, &options, &failed, &result), STATUS_OK);
		ck_assert(most > 1 || result.cut);
		ck_assert_uint_le(result.known, most);
		minimized_release(&result);
	}
	bench_release(b);
	trace_release(&failed);
	free(b);
}
END_TEST

/* Without a budget nothing is claimed and nothing is changed. */
START_TEST(test_no_budget)
{
	struct bench *b = calloc(1, sizeof *b);
	struct trace failed;
	trace_init(&failed);
	uint64_t seed = 0;
	bool found = false;
	while (!found) {
		table_random(&b->program, seed++, false);
		bench_init(b);
		found = find_failure(b, 0, &failed) && failed.preemptions > 0;
		if (!found)
			bench_release(b);
	}
	const struct minimize_runner runner = {b, run, NULL};
	const struct minimize_options options = {.policy = {.fair_k = 1}, .executions = 1};
	struct minimized result;
	minimized_init(&result);
	ck_assert_int_eq(minimize(&runner, &options, &failed, &result), STATUS_OK);
	ck_assert(result.cut && !result.minimal && !result.never_good && !result.critical_proven);
	ck_assert_uint_eq(result.least_preemptions, 0);
	ck_assert_uint_le(result.executions, 1);
	ck_assert_uint_le(result.after.preemptions, failed.preemptions);
	minimized_release(&result);
	trace_release(&failed);
	bench_release(b);
	free(b);
}
END_TEST

/* Too many states for the exact way: the order is still one of the partial order, with every transition. */
START_TEST(test_linearize_large)
{
	enum { THREADS = 12, EACH = 8, LENGTH = THREADS * EACH };
	static uint32_t thread[LENGTH], clocks[LENGTH * THREADS];
	static size_t order[LENGTH];
	for (uint32_t i = 0; i < LENGTH; i++) {
		thread[i] = i % THREADS;
		clocks[i * THREADS + i % THREADS] = i / THREADS + 1;
		/* Every other transition waits for the left neighbour's one before. */
		if (i / THREADS % 2)
			clocks[i * THREADS + (i + 1) % THREADS] = i / THREADS;
	}
	const struct partial_order po = {LENGTH, THREADS, thread, clocks};
	bool exact, seen[LENGTH] = {false};
	uint32_t done[THREADS] = {0};
	ck_assert(linearize(&po, order, &exact));
	ck_assert(!exact);
	for (size_t k = 0; k < LENGTH; k++) {
		size_t i = order[k];
		ck_assert(!seen[i]);
		seen[i] = true;
		for (uint32_t u = 0; u < THREADS; u++)
			ck_assert_uint_le(clocks[i * THREADS + u], done[u] + (u == thread[i]));
		done[thread[i]]++;
	}
	ck_assert_uint_lt(linearize_switches(&po, order), LENGTH - 1);
}
END_TEST

SUITE("minimize", 120, NULL, NULL, TEST_LOOP(test_random_programs, 6), TEST_LOOP(test_linearize, 3),
      TEST(test_loop), TEST(test_time_is_up), TEST(test_no_budget), TEST(test_linearize_large))
