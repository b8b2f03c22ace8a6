/*
 * Who looks at the states of executions sees under reduction, and with what follows equivalent beginnings left out, what there is to be
 * seen in all executions: random toy programs whose threads write variables between their operations.
 */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>

#include "supervisor/temporal/automaton.h"
#include "supervisor/temporal/state_graph.h"
#include "tests/table/brute.h"
#include "tests/table/crew.h"
#include "tests/table/kripke.h"
#include "tests/table/linearization.h"
#include "tests/table/random_formula.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS	 800
#define LTL_PROGRAMS	 2000
#define ENDLESS_PROGRAMS 1360
#define AT_RANDOM	 40
#define SEEN		 3   /* variables */
#define COURSE		 256 /* transitions at most */

/* One variable of each thread's own, so that no two of them race. */
static void write_own(struct table_body *body, uint32_t variable, int64_t value)
{
	table_add(body, TABLE_SET, 1, 0, value);
	table_add(body, TABLE_STORE, 1, variable, 0);
}

static void make_body(struct table_program *program, uint32_t variable, const uint32_t objects[3],
		      uint64_t *dice)
{
	struct table_body *body = table_body(program);
	int64_t value = 0;
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t o = roll(dice, 4);
		if (o < 2) {
			table_op(body, OP_MUTEX_LOCK, objects[o]);
			if (roll(dice, 2))
				write_own(body, variable, ++value);
			table_op(body, OP_MUTEX_UNLOCK, objects[o]);
		} else {
			table_op(body, roll(dice, 3) ? OP_SEM_POST : OP_SEM_TRYWAIT, objects[2]);
		}
		if (roll(dice, 2))
			write_own(body, variable, ++value);
	}
}

static void make_program(struct table_program *program, uint64_t seed)
{
	uint64_t dice = seed;
	*program = (struct table_program){0};
	const uint32_t objects[3] = {table_mutex(program, MUTEX_NORMAL), table_mutex(program, MUTEX_NORMAL),
				     table_sem(program, 1)};
	const uint32_t threads = 2 + roll(&dice, 2);
	for (uint32_t i = 0; i < threads; i++)
		make_body(program, table_variable(program, 0), objects, &dice);
}

struct observer {
	const struct table_machine *machine;
	int64_t before[SEEN];
	struct hash_set seen; /* all that was seen at once */
	int64_t forbidden[2]; /* what isn't to be seen of the first two variables */
	bool forbids;
	uint64_t violations, looks;
	/* Instead of all states only those are seen in which the first thread has just unlocked a mutex: the variables of the others then. */
	bool asserts, roams;
};

/* How often the first thread has come to its place, and what it has seen there. */
static void look_there(struct observer *observer, const struct trace *trace, struct sighting *sighting)
{
	const int64_t *now = observer->machine->state.variables;
	const struct transition *last = trace->length ? &trace->at[trace->length - 1] : NULL;
	uint64_t digest = 1;
	sighting->asserted = last && last->thread == 0 && last->op.kind == OP_MUTEX_UNLOCK;
	sighting->roams = observer->roams;
	sighting->roamed = observer->roams && sighting->asserted;
	sighting->asserted_changed =
	    !observer->roams && (now[1] != observer->before[1] || now[2] != observer->before[2]);
	for (size_t i = 0; i < trace->length; i++)
		digest += trace->at[i].thread == 0;
	digest = step_digest(step_digest(digest, (uint32_t)now[1], 0), (uint32_t)now[2], 0);
	if (sighting->asserted)
		hash_set_add(&observer->seen, digest | 1);
	memcpy(observer->before, now, sizeof observer->before);
}

static void look(void *context, struct execution *execution, const struct trace *trace, bool again,
		 struct sighting *sighting)
{
	struct observer *observer = context;
	const int64_t *now = observer->machine->state.variables;
	uint64_t digest = 1;
	(void)execution;
	ck_assert(!again);
	if (observer->asserts) {
		look_there(observer, trace, sighting);
		return;
	}
	for (uint32_t i = 0; i < SEEN; i++)
		digest = step_digest(digest, (uint32_t)now[i], 0);
	hash_set_add(&observer->seen, digest | 1);
	observer->looks++;
	sighting->changed = trace->length == 0 || memcmp(now, observer->before, sizeof observer->before) != 0;
	memcpy(observer->before, now, sizeof observer->before);
	sighting->violated =
	    observer->forbids && now[0] == observer->forbidden[0] && now[1] == observer->forbidden[1];
	sighting->number = 7;
	observer->violations += sighting->violated;
}

/* Everything that the strategy runs. */
static uint64_t run(const struct table_program *program, enum strategy strategy, struct observer *observer)
{
	const struct search_options options = {
	    .strategy = strategy, .fair_k = 1, .bound = UINT32_MAX, .cache = true, .sees_memory = true};
	struct search *search = search_new(&options);
	struct crew crew;
	struct trace trace;
	uint64_t executions = 0;
	struct search_progress progress;
	trace_init(&trace);
	crew_init(&crew, program, search, 1, 1);
	observer->machine = &crew.machine;
	const struct execution_monitor monitor = {.context = observer, .look = look};
	execution_observe(crew.execution, &monitor);
	hash_set_init(&observer->seen);
	while (crew_step(&crew, &trace)) {
		executions++;
		ck_assert(trace.observed);
		ck_assert(trace.end == END_EXIT || trace.end == END_DEADLOCK || trace.end == END_REDUNDANT ||
			  trace.end == END_VIOLATED);
		if (trace.end == END_VIOLATED) {
			ck_assert_int_eq(trace.end_value, 7);
			ck_assert_uint_eq(trace.end_thread, trace.at[trace.length - 1].thread);
		}
	}
	search_progress(search, &progress);
	ck_assert(progress.complete);
	trace_release(&trace);
	search_free(search);
	crew_release(&crew);
	return executions;
}

static const enum strategy reducing[] = {STRATEGY_SOURCE, STRATEGY_OPTIMAL, STRATEGY_CB, STRATEGY_DELAY,
					 STRATEGY_BPOR};
#define REDUCING (sizeof reducing / sizeof *reducing)

START_TEST(reduction_sees_all_that_there_is)
{
	struct table_program program;
	uint64_t all = 0, some[REDUCING] = {0};
	for (uint64_t seed = 1; seed <= enough_rounds(PROGRAMS); seed++) {
		struct observer whole = {.forbids = false};
		make_program(&program, seed);
		all += run(&program, STRATEGY_DFS, &whole);
		for (size_t s = 0; s < REDUCING; s++) {
			struct observer observer = {.forbids = false};
			some[s] += run(&program, reducing[s], &observer);
			ck_assert_msg(hash_set_subset(&whole.seen, &observer.seen) &&
					  whole.seen.count == observer.seen.count,
				      "program %lu: %s sees %zu of %zu", (unsigned long)seed,
				      strategy_name(reducing[s]), observer.seen.count, whole.seen.count);
			hash_set_release(&observer.seen);
		}
		hash_set_release(&whole.seen);
	}
	/* And still leaves something out. */
	ck_assert_uint_lt(some[0], all);
	ck_assert_uint_lt(some[1], all);
}
END_TEST

START_TEST(reduction_sees_all_that_there_is_at_places)
{
	struct table_program program;
	uint64_t all = 0, some[REDUCING] = {0}, seen = 0;
	for (uint64_t seed = 1; seed <= enough_rounds(PROGRAMS / 2); seed++) {
		struct observer whole = {.asserts = true};
		make_program(&program, seed);
		all += run(&program, STRATEGY_DFS, &whole);
		seen += whole.seen.count;
		for (size_t s = 0; s < REDUCING; s++) {
			struct observer observer = {.asserts = true, .roams = _i};
			some[s] += run(&program, reducing[s], &observer);
			ck_assert_msg(hash_set_subset(&whole.seen, &observer.seen) &&
					  whole.seen.count == observer.seen.count,
				      "program %lu: %s sees %zu of %zu", (unsigned long)seed,
				      strategy_name(reducing[s]), observer.seen.count, whole.seen.count);
			hash_set_release(&observer.seen);
		}
		hash_set_release(&whole.seen);
	}
	ck_assert_uint_gt(seen, 0);
	ck_assert_uint_lt(some[0], all);
	ck_assert_uint_lt(some[1], all);
}
END_TEST

START_TEST(reduction_finds_what_is_forbidden)
{
	struct table_program program;
	uint64_t found = 0;
	for (uint64_t seed = 1; seed <= enough_rounds(PROGRAMS); seed++) {
		struct observer whole = {.forbids = true, .forbidden = {(int64_t)seed % 3, 1}};
		make_program(&program, seed);
		run(&program, STRATEGY_DFS, &whole);
		found += whole.violations > 0;
		for (size_t s = 0; s < REDUCING; s++) {
			struct observer observer = {.forbids = true, .forbidden = {(int64_t)seed % 3, 1}};
			run(&program, reducing[s], &observer);
			ck_assert_msg((observer.violations > 0) == (whole.violations > 0), "program %lu: %s",
				      (unsigned long)seed, strategy_name(reducing[s]));
			hash_set_release(&observer.seen);
		}
		hash_set_release(&whole.seen);
	}
	ck_assert_uint_gt(found, 0);
}
END_TEST

/* Every state of an execution, in which propositions 3 i + k say that variable i is k. */
struct course {
	const struct table_machine *machine;
	int64_t before[SEEN];
	uint64_t states[COURSE];
};

static void look_on(void *context, struct execution *execution, const struct trace *trace, bool again,
		    struct sighting *sighting)
{
	struct course *course = context;
	const int64_t *now = course->machine->state.variables;
	(void)execution;
	(void)again;
	ck_assert_uint_lt(trace->length, COURSE);
	course->states[trace->length] = 0;
	for (uint32_t i = 0; i < SEEN; i++)
		course->states[trace->length] |= UINT64_C(1) << (3 * i + (uint32_t)now[i]);
	sighting->changed = trace->length == 0 || memcmp(now, course->before, sizeof course->before) != 0;
	memcpy(course->before, now, sizeof course->before);
}

#define FORMULAS 24

/* Which of the formulas some execution doesn't fulfil that stays in its last state, as bits. */
static uint32_t unfulfilled(const struct table_program *program, enum strategy strategy,
			    const struct formulas *formulas, const uint32_t wanted[FORMULAS])
{
	const struct search_options options = {
	    .strategy = strategy, .fair_k = 1, .bound = UINT32_MAX, .cache = true, .sees_memory = true};
	struct search *search = search_new(&options);
	struct crew crew;
	struct trace trace;
	struct course course = {0};
	uint32_t found = 0;
	trace_init(&trace);
	crew_init(&crew, program, search, 1, 1);
	course.machine = &crew.machine;
	const struct execution_monitor monitor = {.context = &course, .look = look_on};
	execution_observe(crew.execution, &monitor);
	while (crew_step(&crew, &trace))
		for (uint32_t f = 0; f < FORMULAS && trace.end != END_REDUNDANT; f++) {
			bool failed;
			if (!formula_fulfilled(formulas, wanted[f], course.states, trace.length + 1,
					       trace.length, &failed))
				found |= 1u << f;
			ck_assert(!failed);
		}
	trace_release(&trace);
	search_free(search);
	crew_release(&crew);
	return found;
}

START_TEST(reduction_finds_what_isnt_fulfilled)
{
	struct table_program program;
	struct formulas formulas;
	uint32_t wanted[FORMULAS], some = 0, none = 0;
	for (uint64_t seed = 1; seed <= enough_rounds(LTL_PROGRAMS); seed++) {
		uint64_t dice = seed;
		ck_assert(formulas_init(&formulas));
		for (uint32_t f = 0; f < FORMULAS; f++)
			wanted[f] = random_formula(&formulas, &dice, 3, 3 * SEEN, false);
		make_program(&program, seed);
		const uint32_t all = unfulfilled(&program, STRATEGY_DFS, &formulas, wanted);
		some += (uint32_t)__builtin_popcount(all);
		none += FORMULAS - (uint32_t)__builtin_popcount(all);
		for (size_t s = 0; s < REDUCING; s++)
			ck_assert_msg(unfulfilled(&program, reducing[s], &formulas, wanted) == all,
				      "program %lu: %s", (unsigned long)seed, strategy_name(reducing[s]));
		formulas_release(&formulas);
	}
	ck_assert_uint_ge(some + none, 2000);
	ck_assert_uint_gt(some, 0);
	ck_assert_uint_gt(none, 0);
}
END_TEST

/* Try for a unit of the semaphore again and again, and change the thread's own variable meanwhile, or not. */
static void try_for_ever(struct table_body *body, uint32_t sem, uint32_t variable, uint64_t *dice)
{
	const uint32_t head = body->length, how = roll(dice, 3);
	table_op(body, OP_SEM_TRYWAIT, sem);
	struct table_code *leave = table_jump(body, TABLE_JUMP_IF, 0, 0, 0);
	if (how == 2)
		write_own(body, variable, 1);
	table_op(body, OP_YIELD, NO_OBJECT);
	if (how > 0)
		write_own(body, variable, 2);
	table_jump(body, TABLE_JUMP, 0, 0, head);
	leave->target = body->length;
}

/* The first thread may never end, nor may those that wait for it; of some programs the second one goes round, too. */
static void make_endless_program(struct table_program *program, uint64_t seed)
{
	static const enum op_kind kinds[] = {OP_SEM_POST, OP_SEM_POST, OP_SEM_WAIT, OP_YIELD};
	uint64_t dice = seed;
	*program = (struct table_program){0};
	const uint32_t sems[2] = {table_sem(program, 0), table_sem(program, roll(&dice, 2))};
	const uint32_t variables[SEEN] = {table_variable(program, 0), table_variable(program, 0),
					  table_variable(program, 0)};
	struct table_body *first = table_body(program);
	for (uint32_t part = 0; part < 2; part++) {
		try_for_ever(first, sems[roll(&dice, 2)], variables[0], &dice);
		if (roll(&dice, 2))
			table_op(first, OP_SEM_POST, sems[roll(&dice, 2)]);
	}
	const uint32_t threads = 2 + roll(&dice, 2);
	for (uint32_t i = 1; i < threads; i++) {
		struct table_body *body = table_body(program);
		const bool round = i == 1 && threads == 2 && roll(&dice, 2);
		if (round)
			try_for_ever(body, sems[roll(&dice, 2)], variables[i], &dice);
		for (uint32_t part = round; part < 2; part++) {
			const enum op_kind kind = kinds[roll(&dice, 4)];
			table_op(body, kind, kind == OP_YIELD ? NO_OBJECT : sems[roll(&dice, 2)]);
			if (roll(&dice, 2))
				write_own(body, variables[i], part + 1);
		}
	}
}

/* What of an endless program's executions doesn't fulfil the formulas. */
struct endless {
	struct course course;
	const struct formulas *formulas;
	const uint32_t *wanted;
	const struct automaton *opposites; /* of the formulas' negations */
	uint64_t *sets[COURSE];		   /* after each state, their states, formula after formula */
	size_t words;
	bool counts; /* how often a state is repeated matters to some */
	struct state_graph *graph;
	uint32_t whole;	  /* states, if the executions have come to all; 0 */
	uint32_t through; /* formulas that some way through these doesn't fulfil */
	uint32_t found;
	uint64_t cycles, executions;
};

static void judge(struct endless *endless, size_t length, size_t loop)
{
	for (uint32_t f = 0; f < FORMULAS; f++) {
		bool failed = false;
		if (!(endless->found >> f & 1) &&
		    !formula_fulfilled(endless->formulas, endless->wanted[f], endless->course.states, length,
				       loop, &failed))
			endless->found |= 1u << f;
		ck_assert(!failed);
	}
}

static void step_all(struct endless *endless, size_t transitions)
{
	size_t at = 0;
	if (!endless->sets[transitions])
		endless->sets[transitions] = malloc(endless->words * sizeof **endless->sets);
	for (uint32_t f = 0; f < FORMULAS; f++) {
		const struct automaton *automaton = &endless->opposites[f];
		uint64_t first[AUTOMATON_MOST / 64];
		automaton_begin(automaton, first);
		automaton_step(automaton, transitions ? endless->sets[transitions - 1] + at : first,
			       endless->course.states[transitions], endless->sets[transitions] + at);
		at += automaton_words(automaton);
	}
}

static void look_at_endless(void *context, struct execution *execution, const struct trace *trace, bool again,
			    struct sighting *sighting)
{
	struct endless *endless = context;
	look_on(&endless->course, execution, trace, again, sighting);
	step_all(endless, trace->length);
}

static void look_at_cycle(void *context, const struct trace *trace, struct sighting *sighting)
{
	struct endless *endless = context;
	endless->cycles++;
	judge(endless, trace->length, trace->loop_start);
	sighting->other = memcmp(endless->sets[trace->length], endless->sets[trace->loop_start],
				 endless->words * sizeof **endless->sets) != 0;
}

static void come_to(void *context, const struct trace *trace, const uint64_t before[3], const uint64_t now[3])
{
	struct endless *endless = context;
	state_graph_add(endless->graph, trace, before, now, endless->course.states[trace->length]);
}

static void look_through(struct endless *endless)
{
	endless->whole = (uint32_t)state_graph_whole(endless->graph);
	for (uint32_t f = 0; f < FORMULAS && endless->whole; f++) {
		const enum fair_paths answer = state_graph_accepted(endless->graph, &endless->opposites[f]);
		ck_assert_int_ne(answer, FAIR_PATHS_UNKNOWN);
		endless->through |= (uint32_t)(answer == FAIR_PATHS_SOME) << f;
	}
}

/* All executions of the search, or so many. */
static void run_search(const struct table_program *program, enum strategy strategy, struct endless *endless,
		       uint64_t most)
{
	const struct search_options options = {
	    .strategy = strategy, .fair_k = 1, .bound = UINT32_MAX, .cache = true, .sees_memory = true};
	struct search *search = search_new(&options);
	struct crew crew;
	struct trace trace;
	trace_init(&trace);
	crew_init(&crew, program, search, 1, 1);
	endless->course.machine = &crew.machine;
	const struct execution_monitor monitor = {.context = endless,
						  .look = look_at_endless,
						  .counts = endless->counts,
						  .cycle = look_at_cycle,
						  .come = come_to};
	execution_observe(crew.execution, &monitor);
	for (uint64_t i = 0; i < most && crew_step(&crew, &trace); i++) {
		endless->executions++;
		if (trace.end == END_EXIT || trace.end == END_DEADLOCK)
			judge(endless, trace.length + 1, trace.length);
	}
	trace_release(&trace);
	search_free(search);
	crew_release(&crew);
}

/* After all executions of the search as many at random may go what ways fairness has left out. */
static void run_endless(const struct table_program *program, enum strategy strategy, struct endless *endless,
			uint64_t at_random)
{
	endless->graph = state_graph_new();
	run_search(program, strategy, endless, UINT64_MAX);
	const uint32_t found = endless->found;
	run_search(program, STRATEGY_RANDOM, endless, at_random);
	endless->found = found;
	look_through(endless);
	state_graph_free(endless->graph);
	for (size_t i = 0; i < COURSE; i++)
		free(endless->sets[i]);
}

/* Formulas, and the automata of their negations. */
struct wanted {
	struct formulas formulas;
	uint32_t at[FORMULAS];
	struct automaton opposites[FORMULAS];
	size_t words;
};

static void make_wanted(struct wanted *wanted, uint64_t seed, bool counts)
{
	uint64_t dice = seed;
	ck_assert(formulas_init(&wanted->formulas));
	wanted->words = 0;
	for (uint32_t f = 0; f < FORMULAS; f++) {
		wanted->at[f] = random_formula(&wanted->formulas, &dice, counts ? 2 : 3, 3 * SEEN, counts);
		ck_assert_int_eq(automaton_make(&wanted->opposites[f], &wanted->formulas,
						formula_negate(&wanted->formulas, wanted->at[f])),
				 AUTOMATON_MADE);
		wanted->words += automaton_words(&wanted->opposites[f]);
	}
}

static void release_wanted(struct wanted *wanted)
{
	for (uint32_t f = 0; f < FORMULAS; f++)
		automaton_release(&wanted->opposites[f]);
	formulas_release(&wanted->formulas);
}

/* Which of them some fair path through the program's states doesn't fulfil. */
static uint32_t unfulfilled_by_states(struct kripke *kripke, const struct table_program *program,
				      const struct wanted *wanted)
{
	uint32_t found = 0;
	ck_assert(kripke_of_program(kripke, program));
	for (uint32_t n = 0; n < kripke->length; n++)
		for (uint32_t i = 0; i < SEEN; i++)
			kripke->nodes[n].letter |= UINT64_C(1) << (3 * i + (uint32_t)kripke->variables[n][i]);
	for (uint32_t f = 0; f < FORMULAS; f++)
		found |= (uint32_t)kripke_accepted(kripke, &wanted->opposites[f]) << f;
	kripke_release(kripke);
	return found;
}

static struct endless endless_of(const struct table_program *program, enum strategy strategy,
				 const struct wanted *wanted, bool counts, uint64_t at_random)
{
	struct endless endless = {.formulas = &wanted->formulas,
				  .wanted = wanted->at,
				  .opposites = wanted->opposites,
				  .words = wanted->words,
				  .counts = counts};
	run_endless(program, strategy, &endless, at_random);
	return endless;
}

/*
 * The executions of an endless program, cut where a state comes again and nothing that a formula could tell apart comes of another round, show
 * which formulas its states can't fulfil; and so do those that are left under reduction. One in four programs is asked for formulas with X, of which
 * those are missed that only more rounds break than fairness allows; not by the graph that the executions draw, if it is whole.
 */
START_TEST(reduction_has_the_cycles_that_there_are)
{
	struct table_program program;
	struct wanted wanted;
	struct kripke *kripke = malloc(sizeof *kripke);
	uint64_t cycles = 0, broken = 0, pairs = 0, whole = 0;
	for (uint64_t seed = 1; seed <= enough_rounds(ENDLESS_PROGRAMS); seed++) {
		const bool counts = seed % 4 == 0;
		make_wanted(&wanted, seed, counts);
		make_endless_program(&program, seed);
		const uint32_t there_are = unfulfilled_by_states(kripke, &program, &wanted);
		const struct endless all = endless_of(&program, STRATEGY_DFS, &wanted, counts, AT_RANDOM);
		ck_assert_msg((all.found & ~there_are) == 0 && (counts || all.found == there_are),
			      "program %lu: executions break %#x, states %#x", (unsigned long)seed, all.found,
			      there_are);
		ck_assert_msg(!all.whole || all.through == there_are,
			      "program %lu: the graph of executions breaks %#x, states %#x",
			      (unsigned long)seed, all.through, there_are);
		whole += all.whole > 0;
		cycles += all.cycles;
		broken += (uint64_t)__builtin_popcount(all.found);
		pairs += FORMULAS;
		for (size_t s = 0; s < REDUCING; s++) {
			const struct endless some = endless_of(&program, reducing[s], &wanted, counts, 0);
			ck_assert_msg(some.found == all.found, "program %lu: %s finds %#x of %#x",
				      (unsigned long)seed, strategy_name(reducing[s]), some.found, all.found);
		}
		release_wanted(&wanted);
	}
	free(kripke);
	if (getenv("VERBOSE"))
		printf("%lu formulas broken, of %lu programs all states were come to\n",
		       (unsigned long)broken, (unsigned long)whole);
	ck_assert_uint_ge(pairs, 2000);
	ck_assert_uint_gt(whole, 0);
	ck_assert_uint_gt(cycles, 0);
	ck_assert_uint_gt(broken, 0);
}
END_TEST

SUITE("observe", 120, NULL, NULL, TEST(reduction_sees_all_that_there_is),
      TEST_LOOP(reduction_sees_all_that_there_is_at_places, 2), TEST(reduction_finds_what_is_forbidden),
      TEST(reduction_finds_what_isnt_fulfilled), TEST(reduction_has_the_cycles_that_there_are))
