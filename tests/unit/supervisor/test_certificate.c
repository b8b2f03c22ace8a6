/*
 * Certificates of searches on toy programs: whole ones are accepted, and of those from which an execution or all that begins with some
 * step has been taken, none is.
 */
#include <fmc/supervisor/certificate.h>
#include <fmc/supervisor/search.h>
#include <fmc/supervisor/states.h>

#include "tests/table/crew.h"
#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 40
#define MOST  40 /* executions of a search */

/* All executions of a search, and what it was told. */
struct executions {
	struct trace traces[MOST];
	struct policy policies[MOST];
	struct state_visit *visits[MOST]; /* of a search that leaves out what follows known states */
	size_t visits_length[MOST];
	size_t length;
	struct search_options options;
	struct search_progress progress;
};

static void executions_release(struct executions *all)
{
	for (size_t i = 0; i < all->length; i++) {
		trace_release(&all->traces[i]);
		free(all->visits[i]);
	}
	all->length = 0;
}

static void append(struct executions *all, const struct trace *trace, const struct states *states)
{
	const size_t i = all->length++;
	size_t length = 0;
	const struct state_visit *visits = states ? states_visits(states, &length) : NULL;
	trace_init(&all->traces[i]);
	ck_assert(trace_copy(&all->traces[i], trace));
	all->policies[i] = (struct policy){.ends_count = trace_outlives_main(trace)};
	all->visits[i] = calloc(length + 1, sizeof *all->visits[i]);
	if (length > 0)
		memcpy(all->visits[i], visits, length * sizeof *visits);
	all->visits_length[i] = length;
}

/* False: there are too many. */
static bool search_all(struct executions *all, const struct table_program *program,
		       const struct search_options *options, uint32_t out)
{
	struct search *search = search_new(options);
	struct crew crew;
	struct trace trace;
	trace_init(&trace);
	all->length = 0;
	all->options = *options;
	crew_init(&crew, program, search, out, 7);
	bool ends = false;
	while (all->length < MOST) {
		if (!crew_step(&crew, &trace)) {
			ends = true;
			break;
		}
		append(all, &trace, NULL);
	}
	search_progress(search, &all->progress);
	trace_release(&trace);
	crew_release(&crew);
	search_free(search);
	if (ends)
		return true;
	executions_release(all);
	return false;
}

struct pruning {
	struct states *states;
	const struct plan *plan;
};

static bool goes_on(void *context, struct execution *execution, const struct trace *trace)
{
	struct pruning *pruning = context;
	return trace->length < pruning->plan->prefix_length ||
	       !states_visited(pruning->states, execution, trace, &(struct state_beside){0, 0});
}

/* The same of one that leaves out what follows states that it has come to. */
static bool search_pruned(struct executions *all, const struct table_program *program,
			  const struct search_options *options)
{
	struct table_machine machine;
	struct search *search = search_new(options);
	struct plan plan;
	struct trace trace;
	struct pruning pruning = {states_new(), &plan};
	const struct execution_watcher watcher = {.context = &pruning, .decide = goes_on};
	table_machine_init(&machine, program);
	struct execution *execution = execution_new(&machine.machine);
	trace_init(&trace);
	execution_watch(execution, &watcher);
	all->length = 0;
	all->options = *options;
	bool ends = false;
	while (all->length < MOST && !ends) {
		ends = search_next(search, &plan) != SEARCH_PLAN;
		if (ends)
			break;
		states_begin(pruning.states);
		execution_run(execution, &plan, &trace);
		states_end(pruning.states);
		append(all, &trace, pruning.states);
		ck_assert(search_feed(search, plan.ticket, &trace) == STATUS_OK);
	}
	search_progress(search, &all->progress);
	trace_release(&trace);
	execution_free(execution);
	states_free(pruning.states);
	search_free(search);
	if (!ends)
		executions_release(all);
	return ends;
}

static enum certificate_method method_of(const struct executions *all)
{
	switch (all->options.strategy) {
	case STRATEGY_CB:
		return CERTIFICATE_BOUND;
	case STRATEGY_DFS:
		return CERTIFICATE_EVERY;
	case STRATEGY_DELAY:
		return CERTIFICATE_DELAYS;
	case STRATEGY_BPOR:
		return all->progress.reduced ? CERTIFICATE_CONSERVATIVE : CERTIFICATE_BOUND;
	default:
		return all->progress.reduced ? CERTIFICATE_REVERSAL : CERTIFICATE_EVERY;
	}
}

static bool reduces(enum certificate_method method)
{
	return method == CERTIFICATE_REVERSAL || method == CERTIFICATE_CONSERVATIVE;
}

/* What another run of fmc goes on with. */
static struct certificate_recorder *pass_on(struct certificate_recorder *recorder)
{
	struct saver saver = {0};
	certificate_recorder_save(recorder, &saver);
	certificate_recorder_free(recorder);
	ck_assert(!saver.failed);
	struct loader loader = {saver.at, saver.length, false};
	recorder = certificate_recorder_load(&loader);
	ck_assert_ptr_nonnull(recorder);
	ck_assert_uint_eq(loader.left, 0);
	saver_release(&saver);
	return recorder;
}

/* Of the executions those that are to be kept; NULL: all. False: there are none, or no certificate is to be had of them. */
static bool certify(const struct executions *all, const bool *keep, struct certificate *certificate)
{
	struct certificate_recorder *recorder = certificate_recorder_new();
	for (size_t i = 0; i < all->length; i++) {
		if (i == all->length / 2)
			recorder = pass_on(recorder);
		if (!keep || keep[i])
			certificate_record(recorder, &all->traces[i], &all->policies[i], all->visits[i],
					   all->visits_length[i]);
	}
	const bool made =
	    !certificate_refuses(recorder) && certificate_recorder_finish(recorder, certificate);
	certificate_recorder_free(recorder);
	if (!made)
		return false;
	certificate->method = method_of(all);
	certificate->bound = all->options.bound;
	certificate->fair_k = all->options.fair_k;
	certificate->max_depth = all->options.max_depth;
	certificate->sees_memory = all->options.sees_memory;
	return true;
}

/* Check some of the executions; STATUS_NOT_FOUND: there is no certificate of them. */
static enum status judge(const struct executions *all, const bool *keep, struct certificate_report *report)
{
	struct certificate certificate;
	*report = (struct certificate_report){0};
	if (!certify(all, keep, &certificate))
		return STATUS_NOT_FOUND;
	const enum status status = certificate_check(&certificate, true, report);
	certificate_release(&certificate);
	return status;
}

struct counts {
	uint32_t certificates, removed, executions;
	uint64_t reversals;
};

/* Is this one of the executions the only one of its Mazurkiewicz trace? */
static bool is_needed(const struct executions *all, const struct certificate *certificate, size_t i)
{
	uint32_t alike = 0;
	uint64_t own = 0;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t e = 0; e < certificate->ends_length; e++) {
			size_t at;
			if (pass == 0 && certificate_same(certificate, e, &all->traces[i], &at))
				own = certificate->ends[e].trace;
			alike += pass == 1 && certificate->ends[e].trace == own;
		}
	return alike == 1 && all->traces[i].end != END_REDUNDANT;
}

static void steps_of(const struct trace *trace, struct step steps[256])
{
	ck_assert_uint_lt(trace->length, 256);
	for (size_t i = 0; i < trace->length; i++)
		steps[i] = transition_step(&trace->at[i]);
}

static bool is_cut(const struct executions *all)
{
	for (size_t i = 0; i < all->length; i++)
		if (end_reason_loops(all->traces[i].end) || all->traces[i].end == END_DEPTH)
			return true;
	return false;
}

/* Does one of the executions begin with these steps? */
static bool begins(const struct trace *trace, const struct step *steps, size_t length)
{
	size_t i = 0;
	while (i < length && i < trace->length && step_equal(steps[i], transition_step(&trace->at[i])))
		i++;
	return i == length;
}

/* The whole is accepted; without any execution that is needed it isn't. */
static void remove_each(const struct executions *all, uint64_t seed, struct counts *counts)
{
	struct certificate whole;
	struct certificate_report report;
	const char *name = strategy_name(all->options.strategy);
	/* What is after a cut isn't known, and a search that reduces doesn't call itself complete. */
	if ((reduces(method_of(all)) && is_cut(all)) || !certify(all, NULL, &whole))
		return;
	const enum status status = certificate_check(&whole, true, &report);
	ck_assert_msg(status == STATUS_OK, "%s, seed %llu: refused: %s", name, (unsigned long long)seed,
		      report.why);
	counts->certificates++;
	counts->executions += (uint32_t)all->length;
	counts->reversals += report.reversals;
	bool needed[MOST], keep[MOST];
	uint32_t several = 0;
	for (size_t i = 0; i < all->length; i++) {
		needed[i] = whole.method == CERTIFICATE_EVERY || is_needed(all, &whole, i);
		several += needed[i];
	}
	for (size_t i = 0; i < all->length && several > 1 && !is_cut(all); i++) {
		struct step steps[256];
		steps_of(&all->traces[i], steps);
		/* A search that starts over runs some twice. */
		for (size_t k = 0; k < all->length; k++)
			keep[k] = !begins(&all->traces[k], steps, all->traces[i].length);
		ck_assert_msg(!needed[i] || judge(all, keep, &report) != STATUS_OK,
			      "%s, seed %llu: without execution %zu of %zu it is accepted", name,
			      (unsigned long long)seed, i, all->length);
		counts->removed += needed[i];
		/* And some more. */
		for (size_t k = 0; k < all->length; k++)
			keep[k] = keep[k] && (k * 2654435761u + i + seed) >> 3 & 1;
		ck_assert_msg(!needed[i] || judge(all, keep, &report) != STATUS_OK,
			      "%s, seed %llu: without execution %zu of %zu and others it is accepted", name,
			      (unsigned long long)seed, i, all->length);
	}
	certificate_release(&whole);
}

static void try_program(const struct table_program *program, uint64_t seed, uint32_t fair_k, uint32_t depth,
			struct counts *counts)
{
	static const enum strategy strategies[] = {STRATEGY_OPTIMAL, STRATEGY_SOURCE, STRATEGY_DFS,
						   STRATEGY_CB,	     STRATEGY_DELAY,  STRATEGY_BPOR};
	struct executions all = {0};
	for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
		const struct search_options options = {.strategy = strategies[s],
						       .fair_k = fair_k,
						       .bound = (uint32_t)(seed % 3),
						       .cache = seed % 2,
						       .max_depth = depth,
						       .sees_memory = true};
		if (!search_all(&all, program, &options, 1 + seed % 3))
			continue;
		remove_each(&all, seed, counts);
		executions_release(&all);
	}
}

static void tell(const struct counts *counts)
{
	if (getenv("VERBOSE"))
		printf("%u certificates of %u executions, %u removed, %llu reversals\n", counts->certificates,
		       counts->executions, counts->removed, (unsigned long long)counts->reversals);
}

START_TEST(random_programs)
{
	struct counts counts = {0};
	for (uint64_t seed = 0; seed < enough_rounds(2400); seed++) {
		const bool loops = seed % 4 == 3;
		struct table_program program;
		table_random(&program, seed, loops);
		if (seed % 2)
			table_random_ends(&program, seed);
		try_program(&program, seed, seed % 3, loops ? DEPTH : 0, &counts);
	}
	tell(&counts);
	ck_assert_uint_gt(counts.certificates, 200);
	ck_assert_uint_gt(counts.removed, 1000);
}
END_TEST

/* All operations of semaphores and of barriers, whose waits commute until there is too little for all. */
START_TEST(random_semaphores_and_barriers)
{
	struct counts counts = {0};
	for (uint64_t seed = 0; seed < enough_rounds(2400); seed++) {
		struct table_program program;
		if (seed % 2)
			table_random_semaphores(&program, seed);
		else
			table_random_barriers(&program, seed);
		try_program(&program, seed, seed % 4 == 3, DEPTH, &counts);
	}
	tell(&counts);
	ck_assert_uint_gt(counts.certificates, 200);
	ck_assert_uint_gt(counts.removed, 1000);
}
END_TEST

/* Without everything that follows one step there is always an alternative missing that nothing replaces. */
static void remove_branches(const struct executions *all, uint64_t seed, uint32_t *removed)
{
	struct step steps[256];
	struct certificate_report report;
	for (size_t i = 1; i < all->length; i++) {
		const struct trace *trace = &all->traces[i];
		steps_of(trace, steps);
		for (size_t length = 1; length <= trace->length; length++) {
			bool keep[MOST];
			size_t with = 0;
			for (size_t k = 0; k < all->length; k++) {
				keep[k] = !begins(&all->traces[k], steps, length);
				with += !keep[k];
			}
			if (with == all->length)
				continue;
			ck_assert_msg(judge(all, keep, &report) != STATUS_OK,
				      "seed %llu: without %zu executions it is accepted",
				      (unsigned long long)seed, with);
			++*removed;
		}
	}
}

START_TEST(alternatives)
{
	struct executions all = {0};
	uint32_t removed = 0;
	for (uint64_t seed = 0; seed < enough_rounds(1600); seed++) {
		/* Of cb and delay one alternative may stand for another. */
		static const enum strategy strategies[] = {STRATEGY_OPTIMAL, STRATEGY_DFS, STRATEGY_BPOR};
		const struct search_options options = {
		    .strategy = strategies[seed % 3], .bound = (uint32_t)(seed % 4), .sees_memory = true};
		struct table_program program;
		table_random(&program, seed, false);
		if (!search_all(&all, &program, &options, 1))
			continue;
		/* Where wakeup trees aren't used some executions are found twice. */
		bool whole = all.length > 1 && all.progress.redundant == 0;
		for (size_t i = 0; i < all.length; i++)
			for (size_t a = 0; a < all.traces[i].alternatives_length; a++)
				whole &= all.traces[i].alternatives[a].step.choice != CHOICE_SPURIOUS;
		for (size_t i = 0; i < all.length; i++)
			whole &= all.traces[i].end == END_EXIT || all.traces[i].end == END_DEADLOCK;
		if (whole)
			remove_branches(&all, seed, &removed);
		executions_release(&all);
	}
	if (getenv("VERBOSE"))
		printf("%u alternatives removed\n", removed);
	ck_assert_uint_gt(removed, 1000);
}
END_TEST

/* Of searches that leave out what follows known states: executions that are cut lead to one that isn't. */
START_TEST(pruned)
{
	struct executions all = {0};
	struct counts counts = {0};
	uint32_t removed = 0, cut = 0;
	for (uint64_t seed = 0; seed < enough_rounds(4800); seed++) {
		const bool loops = seed % 4 == 3;
		const struct search_options options = {.strategy = STRATEGY_DFS,
						       .fair_k = seed % 3,
						       .max_depth = loops ? DEPTH : 0,
						       .sees_memory = true};
		struct table_program program;
		table_random(&program, seed, loops);
		if (!search_pruned(&all, &program, &options))
			continue;
		/* What the depth ends is seen less of from a state that is come to late. */
		if (is_cut(&all)) {
			executions_release(&all);
			continue;
		}
		for (size_t i = 0; i < all.length; i++)
			cut += all.traces[i].end == END_REDUNDANT;
		remove_each(&all, seed, &counts);
		if (all.length > 1)
			remove_branches(&all, seed, &removed);
		executions_release(&all);
	}
	if (getenv("VERBOSE"))
		printf("%u certificates of %u executions, %u of these cut; %u alternatives removed\n",
		       counts.certificates, counts.executions, cut, removed);
	ck_assert_uint_gt(counts.certificates, 100);
	ck_assert_uint_gt(cut, counts.certificates);
	ck_assert_uint_gt(removed, 1000);
}
END_TEST

/* The counts of programs whose executions are known are those of their certificates. */
START_TEST(closed_forms)
{
	for (uint32_t n = 2; n <= 5; n++) {
		const struct search_options options = {.strategy = STRATEGY_OPTIMAL, .fair_k = 1};
		struct executions all = {0};
		struct certificate_report report;
		struct table_program program;
		table_philosophers(&program, n, false);
		ck_assert(search_all(&all, &program, &options, 1));
		ck_assert_int_eq(judge(&all, NULL, &report), STATUS_OK);
		ck_assert_uint_eq(report.executions, (1u << n) - 1);
		executions_release(&all);
	}
}
END_TEST

/* Nothing to show, and executions that aren't of one program. */
START_TEST(refusals)
{
	const struct search_options options = {.strategy = STRATEGY_OPTIMAL, .fair_k = 1};
	struct certificate_recorder *recorder = certificate_recorder_new();
	struct executions all = {0};
	struct table_program program;
	ck_assert_ptr_nonnull(certificate_refuses(recorder));
	table_philosophers(&program, 2, false);
	ck_assert(search_all(&all, &program, &options, 1));
	certificate_record(recorder, &all.traces[0], &all.policies[0], NULL, 0);
	ck_assert_ptr_null(certificate_refuses(recorder));
	struct trace *other = &all.traces[1];
	ck_assert_uint_gt(other->length, 1);
	other->at[0].births += 1;
	certificate_record(recorder, other, &all.policies[1], NULL, 0);
	ck_assert_ptr_nonnull(certificate_refuses(recorder));
	certificate_recorder_clear(recorder);
	ck_assert_ptr_nonnull(certificate_refuses(recorder));
	certificate_recorder_free(recorder);
	executions_release(&all);
}
END_TEST

SUITE("certificate", 600, NULL, NULL, TEST(random_programs), TEST(random_semaphores_and_barriers),
      TEST(alternatives), TEST(pruned), TEST(closed_forms), TEST(refusals))
