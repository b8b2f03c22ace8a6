/*
 * Executions by the agent against the same by stops: the same plans of searches of samples give the same traces, byte by byte.
 */
#include <fmc/supervisor/engine.h>
#include <fmc/supervisor/search.h>
#include <fmc/supervisor/wire.h>

#include "supervisor/process/process.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACES 40

extern char **environ;

struct bench {
	char path[512];
	char *arguments[4];
	struct process *process;
	struct execution *execution;
	struct engine *engine;
	struct trace stops, inside;
	uint64_t compared;
	bool ran; /* the agent has run the plan */
};

/* Standard input of what is opened next. */
static int input = -1;

/* By stops it stands at its end. */
static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	const struct bench *b = context;
	char why[ENGINE_WHY];
	(void)execution;
	process_judge_uses(b->process, trace);
	if (b->ran)
		ck_assert_msg(engine_left_same(b->engine, why), "%s", why);
}

static void open_bench(struct bench *b, const char *folder, const char *name, const char *argument,
		       const char *more)
{
	char why[256];
	enum status status;
	*b = (struct bench){.arguments = {b->path, (char *)(uintptr_t)argument, (char *)(uintptr_t)more}};
	snprintf(b->path, sizeof b->path, "%s/%s", getenv(folder), name);
	const struct process_options options = {.program = {.path = b->path,
							    .arguments = b->arguments,
							    .environment = environ,
							    .input = input,
							    .output = -1,
							    .error = -1,
							    .keeps_numbers = true},
						.capture = true,
						.restores_files = true,
						.spin_ms = 200,
						.outside_ms = 1000};
	b->process = process_new(&options, &status, why);
	ck_assert_msg(b->process != NULL, "%s", why);
	b->execution = execution_new(process_machine(b->process));
	b->engine = engine_new(b->process, &(struct good_ends){.signals = 0}, false);
	engine_compares(b->engine);
	execution_watch(b->execution, &(struct execution_watcher){.context = b, .end = on_end});
	trace_init(&b->stops);
	trace_init(&b->inside);
}

static void close_bench(struct bench *b)
{
	engine_free(b->engine);
	execution_free(b->execution);
	process_free(b->process);
	trace_release(&b->stops);
	trace_release(&b->inside);
}

static void compare(struct bench *b)
{
	struct saver here = {0}, there = {0};
	wire_put_trace(&here, &b->stops);
	wire_put_trace(&there, &b->inside);
	ck_assert_uint_eq(trace_difference(&b->stops, &b->inside), SIZE_MAX);
	ck_assert_uint_eq(here.length, there.length);
	ck_assert_mem_eq(here.at, there.at, here.length);
	saver_release(&here);
	saver_release(&there);
	b->compared++;
}

/* Every plan of the search, up to so many, both ways. */
static void compare_search(struct bench *b, struct search_options options, uint64_t most)
{
	struct search *search = search_new(&options);
	struct plan plan;
	for (uint64_t i = 0; i < most && search_next(search, &plan); i++) {
		b->ran = engine_run(b->engine, &plan, &b->inside);
		execution_run(b->execution, &plan, &b->stops);
		if (b->ran)
			compare(b);
		else
			ck_assert(engine_stopped_as_begun(b->engine, &b->stops));
		if (search_feed(search, plan.ticket, &b->stops) != STATUS_OK)
			break;
	}
	search_free(search);
}

/* Samples, arguments, how many plans of which search, and how many of these the agent has to run at least. */
static const struct sample {
	const char *name, *argument, *more;
	enum strategy strategy;
	uint64_t most, least;
} samples[] = {
    {"philosophers_mut", "4", NULL, STRATEGY_OPTIMAL, 100, 22},
    {"philosophers_mut", "5", "unguarded", STRATEGY_OPTIMAL, 100, 28},
    {"philosophers_mut", "3", NULL, STRATEGY_RANDOM, 50, 48},
    {"fair_philosophers", NULL, NULL, STRATEGY_POS, 50, 40},
    {"buffer", NULL, NULL, STRATEGY_OPTIMAL, 100, 6},
    {"cpp_queue", NULL, NULL, STRATEGY_OPTIMAL, 100, 4},
    {"philosophers", NULL, NULL, STRATEGY_OPTIMAL, 100, 4},
    {"philosophers_sem", NULL, NULL, STRATEGY_OPTIMAL, 100, 4},
    {"semaphores", NULL, NULL, STRATEGY_OPTIMAL, 20, 4},
    {"rwlock", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    {"simple_barrier", NULL, NULL, STRATEGY_OPTIMAL, 20, 3},
    {"once", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    {"c11_threads", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    /* Files that it reads, and deadlocks. */
    {"checksum", "samples/texts", "2", STRATEGY_OPTIMAL, 40, 38},
    {"lost_wakeup", NULL, NULL, STRATEGY_RANDOM, 10, 8},
    /* Time-outs, sleeps, clocks. */
    {"timedwait", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    {"timed_lock", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    {"gives_up", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    {"sleeps_twice", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    /* Futexes, spin locks, choices, accesses that the program tells of, atomic instructions that are no operations. */
    {"futex_mutex", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    {"spinlock", NULL, NULL, STRATEGY_RANDOM, 20, 18},
    {"choose", NULL, NULL, STRATEGY_RANDOM, 10, 8},
    {"readers", NULL, NULL, STRATEGY_RANDOM, 10, 8},
    {"barrier", NULL, NULL, STRATEGY_RANDOM, 10, 8},
    /* Objects that are made anew, and what no program may do. */
    {"reused_memory", NULL, NULL, STRATEGY_RANDOM, 10, 8},
    {"misuse", NULL, NULL, STRATEGY_RANDOM, 10, 8},
    /* Threads that unwind, by a library that is loaded then, and the end of the main one before the process's. */
    {"cancel", NULL, NULL, STRATEGY_RANDOM, 12, 9},
    {"cancel", "careless", NULL, STRATEGY_RANDOM, 12, 9},
    {"cancel", "semaphore", NULL, STRATEGY_RANDOM, 12, 9},
    {"main_exits", NULL, NULL, STRATEGY_RANDOM, 12, 9},
    {"main_exits", "join", NULL, STRATEGY_RANDOM, 12, 9},
    {"main_exits", "leave", NULL, STRATEGY_RANDOM, 12, 9},
    {"main_exits", "hold", NULL, STRATEGY_OPTIMAL, 12, 4},
};

START_TEST(same_traces)
{
	const struct sample *sample = &samples[_i];
	struct bench b;
	open_bench(&b, "FMC_TEST_SAMPLES", sample->name, sample->argument, sample->more);
	compare_search(&b,
		       (struct search_options){.strategy = sample->strategy, .fair_k = 1, .max_depth = 10000},
		       sample->most);
	const struct engine_account account = engine_account(b.engine);
	ck_assert_uint_eq(account.run, b.compared);
	ck_assert((account.refused > 0) == (*account.why != '\0'));
	ck_assert_uint_ge(b.compared, sample->least);
	/* One at each place of libc's where there is a system call that these programs come to. */
	if (account.refused == 0)
		ck_assert_uint_le(account.calls, PLACES);
	close_bench(&b);
}
END_TEST

/*
 * Memory that the program maps: executions begin without it, wherever they begin, and what is given out is zeros. What it changes of what was there at first,
 * memory, handlers of signals and open files, is as it was.
 */
START_TEST(put_back)
{
	static const enum strategy strategies[] = {STRATEGY_OPTIMAL, STRATEGY_DFS, STRATEGY_RANDOM};
	struct bench b;
	open_bench(&b, "FMC_TEST_TARGETS", _i < 3 ? "maps" : "undone", NULL, NULL);
	const struct search_options options = {
	    .strategy = strategies[_i % 3], .fair_k = 1, .max_depth = 10000};
	compare_search(&b, options, largest(60, 12));
	const struct engine_account account = engine_account(b.engine);
	ck_assert_msg(account.refused == 0, "%s", account.why);
	ck_assert_uint_eq(account.run, b.compared);
	ck_assert_uint_ge(b.compared, 4);
	close_bench(&b);
}
END_TEST

static void make_file(const char *path)
{
	FILE *file = fopen(path, "w");
	ck_assert(file && fputs("before", file) >= 0 && fclose(file) == 0);
}

static void expect_file(const char *path)
{
	char bytes[16] = "";
	FILE *file = fopen(path, "r");
	ck_assert(file && fgets(bytes, sizeof bytes, file) && fclose(file) == 0);
	ck_assert_str_eq(bytes, "before");
}

/* Files that it writes are as they were, and by stops it finds them so, too; where another thread asks for one's name, or it is read as well, it isn't written inside. */
START_TEST(written)
{
	static const char *const ways[] = {"0", "1", "2", "3", "4", "0s", "5"};
	const bool asked = _i >= 5;
	char folder[] = "/tmp/fmc-written.XXXXXX", file[64], made[80];
	struct bench b;
	ck_assert(mkdtemp(folder) != NULL);
	snprintf(file, sizeof file, "%s/file", folder);
	snprintf(made, sizeof made, "%s.made", file);
	make_file(file);
	open_bench(&b, "FMC_TEST_TARGETS", "writes", file, ways[_i]);
	compare_search(&b,
		       (struct search_options){.strategy = _i % 2 ? STRATEGY_DFS : STRATEGY_RANDOM,
					       .fair_k = 1,
					       .max_depth = 10000},
		       8);
	const struct engine_account account = engine_account(b.engine);
	ck_assert_msg(asked || account.refused == 0, "%s", account.why);
	ck_assert_uint_eq(account.run, b.compared);
	ck_assert(asked || b.compared >= 2);
	ck_assert(!asked || b.compared < 6);
	ck_assert_int_eq(b.stops.end, END_EXIT);
	ck_assert_int_eq(b.stops.end_value, 0);
	close_bench(&b);
	expect_file(file);
	ck_assert(access(made, F_OK) != 0 && unlink(file) == 0 && rmdir(folder) == 0);
}
END_TEST

static bool tells_of_closing(const struct process *process)
{
	return strstr(process_uncontrolled(process), "descriptors that one thread closes") != NULL;
}

/* Where threads use what another one closes it is closed inside, too, and where nothing orders them that is told for the same plans. */
START_TEST(closings)
{
	const bool ordered = _i == 1;
	struct bench b;
	struct plan plan;
	uint64_t ran = 0, told = 0;
	char path[] = "/tmp/fmc-closes.XXXXXX";
	const int made = mkstemp(path);
	ck_assert(made >= 0 && write(made, "12", 2) == 2 && close(made) == 0);
	input = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert(input >= 0);
	open_bench(&b, "FMC_TEST_TARGETS", "closes", ordered ? "ordered" : NULL, NULL);
	struct search *search =
	    search_new(&(struct search_options){.strategy = STRATEGY_DFS, .fair_k = 1, .max_depth = 10000});
	for (int i = 0; i < 40 && search_next(search, &plan); i++) {
		*b.process->uncontrolled = '\0';
		b.ran = engine_run(b.engine, &plan, &b.inside);
		const bool inside = tells_of_closing(b.process);
		*b.process->uncontrolled = '\0';
		execution_run(b.execution, &plan, &b.stops);
		ck_assert(!b.ran || inside == tells_of_closing(b.process));
		ran += b.ran;
		told += b.ran && inside;
		ck_assert_int_eq(search_feed(search, plan.ticket, &b.stops), STATUS_OK);
	}
	ck_assert_msg(ran >= 4, "%s", engine_account(b.engine).why);
	ck_assert(ordered ? told == 0 : told > 0);
	search_free(search);
	close_bench(&b);
	ck_assert(close(input) == 0 && unlink(path) == 0);
	input = -1;
}
END_TEST

/* What the C++ library counts is looked at each time, wherever the execution begins. */
START_TEST(counters)
{
	struct bench b;
	open_bench(&b, "FMC_TEST_TARGETS", "counted", _i % 2 ? "streams" : NULL, NULL);
	const struct search_options options = {
	    .strategy = _i < 2 ? STRATEGY_RANDOM : STRATEGY_DFS, .fair_k = 1, .max_depth = 10000};
	compare_search(&b, options, 12);
	const struct engine_account account = engine_account(b.engine);
	ck_assert_msg(account.refused == 0, "%s", account.why);
	ck_assert_uint_ge(b.compared, 4);
	close_bench(&b);
}
END_TEST

/* Where two descriptors read on in one file neither's place is a number of its own. */
START_TEST(one_place)
{
	struct bench b;
	const struct plan plan = {.policy = {.kind = POLICY_DEFAULT, .fair_k = 1, .max_depth = 10000}};
	open_bench(&b, "FMC_TEST_TARGETS", "undone", "double", NULL);
	for (int i = 0; i < 4; i++) {
		ck_assert(!engine_run(b.engine, &plan, &b.inside));
		execution_run(b.execution, &plan, &b.stops);
		ck_assert_int_eq(b.stops.end, END_EXIT);
		ck_assert_int_eq(b.stops.end_value, 0);
	}
	ck_assert_str_eq(engine_account(b.engine).why, "system call 0");
	close_bench(&b);
}
END_TEST

/* What is a crash by stops isn't seen as anything else inside: nothing is mapped after a stack. */
START_TEST(overflow)
{
	struct bench b;
	const struct plan plan = {.policy = {.kind = POLICY_DEFAULT, .fair_k = 1, .max_depth = 10000}};
	open_bench(&b, "FMC_TEST_TARGETS", "overflow", NULL, NULL);
	for (int i = 0; i < 4; i++) {
		ck_assert(!engine_run(b.engine, &plan, &b.inside));
		execution_run(b.execution, &plan, &b.stops);
		ck_assert_int_eq(b.stops.end, END_SIGNAL);
	}
	const struct engine_account account = engine_account(b.engine);
	ck_assert_uint_eq(account.refused, 2);
	ck_assert_str_eq(account.why, "signal 11");
	close_bench(&b);
}
END_TEST

/* Which ends are good may come to be known in the middle of a search. */
START_TEST(good_ends)
{
	struct bench b;
	const struct plan plan = {.policy = {.kind = POLICY_DEFAULT, .fair_k = 1, .max_depth = 10000}};
	const int statuses[] = {0, 4, 0};
	open_bench(&b, "FMC_TEST_TARGETS", "hostile", "exit_in", NULL);
	/* Where executions begin is known after two. */
	execution_run(b.execution, &plan, &b.stops);
	execution_run(b.execution, &plan, &b.stops);
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		struct good_ends ends = {.signals = 0};
		good_ends_add(&ends, statuses[i]);
		execution_expect(b.execution, &ends);
		engine_expect(b.engine, &ends);
		b.ran = engine_run(b.engine, &plan, &b.inside);
		execution_run(b.execution, &plan, &b.stops);
		ck_assert_msg(b.ran, "%s", engine_account(b.engine).why);
		compare(&b);
		ck_assert_int_eq(b.stops.end_value, 4);
		ck_assert_int_eq(b.inside.good_end, statuses[i] == 4);
	}
	close_bench(&b);
}
END_TEST

/* What the program does to the agent's memory is noticed, or ends the attempt: by stops it does nothing, and so it is counted. */
START_TEST(intruder)
{
	static const struct {
		const char *wants, *why, *other;
	} cases[] = {
	    {"region", "it writes where it has no business", NULL},
	    /* Of the agent's own: where things are is written over, too, and how many there are, which may take longer than it has. */
	    {"trace", "signal 11", "a thread runs on without an operation"},
	    {"code", "signal 11", NULL},
	    {"protect", "system call 10", NULL},
	    {"unmap", "system call 11", NULL},
	    {"jump", "signal 11", NULL},
	};
	struct bench b;
	const struct plan plan = {.policy = {.kind = POLICY_DEFAULT, .fair_k = 1, .max_depth = 10000}};
	open_bench(&b, "FMC_TEST_TARGETS", "intruder", cases[_i].wants, NULL);
	for (int i = 0; i < 5; i++) {
		ck_assert(!engine_run(b.engine, &plan, &b.inside));
		execution_run(b.execution, &plan, &b.stops);
		ck_assert_int_eq(b.stops.end, END_EXIT);
		ck_assert_int_eq(b.stops.end_value, 0);
	}
	const struct engine_account account = engine_account(b.engine);
	ck_assert_uint_ge(account.refused, 1);
	if (!cases[_i].other || strcmp(account.why, cases[_i].other) != 0)
		ck_assert_str_eq(account.why, cases[_i].why);
	close_bench(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("engine");
	TCase *tests = tcase_create("engine");
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, same_traces, 0, sizeof samples / sizeof *samples);
	tcase_add_loop_test(tests, put_back, 0, 6);
	tcase_add_loop_test(tests, written, 0, 7);
	tcase_add_loop_test(tests, closings, 0, 2);
	tcase_add_loop_test(tests, counters, 0, 4);
	tcase_add_test(tests, one_place);
	tcase_add_test(tests, overflow);
	tcase_add_test(tests, good_ends);
	tcase_add_loop_test(tests, intruder, 0, 6);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
