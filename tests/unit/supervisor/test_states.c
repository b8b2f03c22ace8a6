/* Distinct states: as many as running every order of a random program's steps comes by, with whatever search finds them all. */
#include <fmc/supervisor/search.h>
#include <fmc/supervisor/states.h>

#include <stdio.h>
#include <stdlib.h>

#include "../../table/brute.h"
#include "../../table/table_random.h"
#include "../rounds.h"
#include "../suite.h"

#define PROGRAMS largest(400, 240)
#define DEPTH	 40
#define LIMIT	 3000
#define SOME	 400

struct counting {
	struct states *states;
	const struct plan *plan;
	bool prunes;
	uint64_t limit;	       /* of executions */
	uint64_t endless;      /* executions that go on for ever, although they are fair */
	struct hash_set known; /* by another digest, as they are come by */
	struct table_machine machine;
};

static void know(struct counting *c, const struct execution *execution)
{
	hash_set_add(&c->known, state_digest(execution_model(execution), &c->machine.state));
}

static bool on_decide(void *context, struct execution *execution, const struct trace *trace)
{
	struct counting *c = context;
	ck_assert(states_see(c->states, execution, trace));
	know(c, execution);
	const struct state_beside beside = {0};
	return !c->prunes || trace->length < c->plan->prefix_length ||
	       !states_visited(c->states, execution, trace, &beside);
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct counting *c = context;
	if (trace->end != END_DEADLOCK && trace->end != END_EXIT && trace->end != END_DEPTH)
		return;
	ck_assert(states_see(c->states, execution, trace));
	know(c, execution);
}

/* Executions that it took. */
static uint64_t run(struct counting *c, const struct table_program *program,
		    const struct search_options *options, struct hash_set *finals)
{
	struct plan plan;
	struct trace trace;
	uint64_t executions = 0;
	struct search *search = search_new(options);
	table_machine_init(&c->machine, program);
	struct execution *execution = execution_new(&c->machine.machine);
	const struct execution_watcher watcher = {.context = c, .decide = on_decide, .end = on_end};
	c->plan = &plan;
	c->states = states_new();
	hash_set_init(&c->known);
	trace_init(&trace);
	execution_watch(execution, &watcher);
	while (executions < c->limit && search_next(search, &plan) == SEARCH_PLAN) {
		states_begin(c->states);
		execution_run(execution, &plan, &trace);
		states_end(c->states);
		c->endless += trace.end == END_LIVELOCK;
		if (trace.end == END_DEADLOCK || trace.end == END_EXIT)
			hash_set_add(finals, state_digest(execution_model(execution), &c->machine.state));
		ck_assert(search_feed(search, plan.ticket, &trace) == STATUS_OK);
		executions++;
	}
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
	return executions;
}

static void end(struct counting *c)
{
	states_free(c->states);
	hash_set_release(&c->known);
}

static bool enumerate(struct brute *brute, const struct table_program *program, uint32_t fair_k)
{
	*brute = (struct brute){.program = program, .fair_k = fair_k, .max_depth = DEPTH, .limit = LIMIT};
	brute_run(brute);
	return !brute->gave_up && !brute->cut;
}

static void compare(const struct table_program *program, const struct brute *brute, uint32_t fair_k,
		    uint64_t *pruned)
{
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = fair_k, .max_depth = DEPTH};
	for (int prunes = 0; prunes < 2; prunes++) {
		struct counting c = {.prunes = prunes, .limit = UINT64_MAX};
		struct hash_set finals;
		hash_set_init(&finals);
		const uint64_t executions = run(&c, program, &options, &finals);
		const struct states_count count = states_count(c.states);
		ck_assert(!count.failed);
		ck_assert_uint_eq(count.executions, executions);
		ck_assert(prunes ? executions <= brute->executions : executions == brute->executions);
		ck_assert_uint_eq(count.states, c.known.count);
		ck_assert_uint_eq(count.states, brute->states.count);
		ck_assert(hash_set_subset(&brute->states, &c.known));
		ck_assert(hash_set_subset(&brute->finals, &finals));
		*pruned += count.pruned;
		hash_set_release(&finals);
		end(&c);
	}
}

START_TEST(random_programs_have_the_states_of_brute_force)
{
	uint32_t compared = 0;
	uint64_t pruned = 0;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct table_program program;
		struct brute brute;
		const uint32_t fair_k = (uint32_t)(seed % 3);
		table_random(&program, seed, seed % 2);
		if (enumerate(&brute, &program, fair_k)) {
			compare(&program, &brute, fair_k, &pruned);
			compared++;
		}
		brute_release(&brute);
	}
	ck_assert_uint_gt(compared, PROGRAMS / 4);
	ck_assert_uint_gt(pruned, compared);
}
END_TEST

/* Where a fair execution goes on for ever one is found, too, that is cut at no state on its way round. */
START_TEST(cycles_are_met)
{
	uint32_t endless = 0, compared = 0;
	for (uint64_t seed = 0; seed < PROGRAMS / 4; seed++) {
		const struct search_options options = {
		    .strategy = STRATEGY_DFS, .fair_k = 1 + seed % 2, .max_depth = DEPTH};
		struct table_program program;
		struct counting c[2] = {{.limit = SOME}, {.prunes = true, .limit = SOME}};
		uint64_t executions[2];
		table_random(&program, seed, true);
		for (int i = 0; i < 2; i++) {
			struct hash_set finals;
			hash_set_init(&finals);
			executions[i] = run(&c[i], &program, &options, &finals);
			hash_set_release(&finals);
			end(&c[i]);
		}
		ck_assert_msg(executions[1] == SOME || c[0].endless == 0 || c[1].endless > 0,
			      "seed %llu: of %llu executions %llu go on for ever, of %llu none",
			      (unsigned long long)seed, (unsigned long long)executions[0],
			      (unsigned long long)c[0].endless, (unsigned long long)executions[1]);
		ck_assert(executions[0] == SOME || c[0].endless > 0 || c[1].endless == 0);
		compared += executions[1] < SOME && c[0].endless > 0;
		endless += c[1].endless > 0;
	}
	if (getenv("VERBOSE"))
		printf("%u of %u programs endless, %u of them all run\n", endless, PROGRAMS / 4, compared);
	ck_assert_uint_gt(compared, 5);
	ck_assert_uint_gt(endless, compared);
}
END_TEST

/* Two threads of n statements have (n + 1)^2 states, however many orders there are ([ONEPAGE] 6). */
START_TEST(two_threads_of_statements)
{
	for (uint32_t n = 3; n <= 8; n++) {
		struct table_program program = {0};
		struct search_options options = {.strategy = STRATEGY_DFS};
		struct counting c = {.prunes = true, .limit = UINT64_MAX};
		struct hash_set finals;
		for (int side = 0; side < 2; side++) {
			struct table_body *body = table_body(&program);
			for (uint32_t i = 0; i < n; i++)
				table_point(body);
		}
		hash_set_init(&finals);
		const uint64_t executions = run(&c, &program, &options, &finals);
		ck_assert_uint_eq(states_count(c.states).states, (n + 1) * (n + 1));
		ck_assert_uint_eq(finals.count, 1);
		ck_assert_uint_le(executions, (n + 1) * (n + 1));
		hash_set_release(&finals);
		end(&c);
	}
}
END_TEST

/* What an execution has come to that is begun anew is not explored: it goes through the same states again, and others through the rest. */
START_TEST(begun_anew)
{
	struct table_program program;
	const struct search_options options = {.strategy = STRATEGY_DFS};
	struct counting c = {.prunes = true, .limit = UINT64_MAX};
	struct search *search = search_new(&options);
	struct plan plan;
	struct trace once, anew;
	size_t length = 0, again = 0;
	table_philosophers(&program, 3, false);
	table_machine_init(&c.machine, &program);
	struct execution *execution = execution_new(&c.machine.machine);
	const struct execution_watcher watcher = {.context = &c, .decide = on_decide, .end = on_end};
	c.plan = &plan;
	c.states = states_new();
	hash_set_init(&c.known);
	trace_init(&once);
	trace_init(&anew);
	execution_watch(execution, &watcher);
	ck_assert_int_eq(search_next(search, &plan), SEARCH_PLAN);
	states_begin(c.states);
	execution_run(execution, &plan, &once);
	ck_assert_ptr_nonnull(states_visits(c.states, &length));
	execution_run(execution, &plan, &anew);
	ck_assert_ptr_nonnull(states_visits(c.states, &again));
	states_end(c.states);
	ck_assert_int_ne(once.end, END_REDUNDANT);
	ck_assert_int_eq(anew.end, once.end);
	ck_assert_uint_eq(anew.length, once.length);
	ck_assert_uint_eq(length, once.length);
	ck_assert_uint_eq(again, length);
	ck_assert_uint_eq(states_count(c.states).pruned, 0);
	/* By now they are known. */
	states_begin(c.states);
	execution_run(execution, &plan, &anew);
	ck_assert_int_eq(anew.end, END_REDUNDANT);
	trace_release(&once);
	trace_release(&anew);
	search_free(search);
	execution_free(execution);
	end(&c);
}
END_TEST

SUITE("states", 300, NULL, NULL, TEST(random_programs_have_the_states_of_brute_force),
      TEST(two_threads_of_statements), TEST(begun_anew), TEST(cycles_are_met))
