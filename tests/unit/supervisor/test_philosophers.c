#include <check.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>
#include <fmc/supervisor/search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/table/brute.h"
#include "tests/unit/suite.h"

/*
 * Exhaustive search of a real process against brute force on the same program as a table: the philosophers
 * sample. Same number of executions, same set of states (pending operation of each thread, holder of each
 * fork), same final states.
 */
extern char **environ;

#define FORKS_MOST 8
#define FORK_BYTES 40 /* sizeof(pthread_mutex_t) of the target */

struct survey {
	struct process *process; /* NULL: a table, whose objects are the forks in their order */
	uint64_t forks;		 /* address of the first one */
	uint32_t philosophers;
	struct hash_set states, finals, sequences;
	uint64_t executions, deadlocks;
};

static uint64_t fold(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return (digest ^ digest >> 31) + 1;
}

/* A fork's place on the table: the same for both machines. */
static uint64_t fork_of(const struct survey *survey, uint32_t object)
{
	if (object == NO_OBJECT || !survey->process)
		return object;
	uint64_t address = process_object(survey->process, object);
	ck_assert_uint_ge(address, survey->forks);
	ck_assert_uint_lt((address - survey->forks) / FORK_BYTES, survey->philosophers);
	return (address - survey->forks) / FORK_BYTES;
}

static uint64_t state_of(const struct survey *survey, const struct model *model)
{
	uint64_t holders[FORKS_MOST], digest = 1;
	for (uint32_t i = 0; i < FORKS_MOST; i++)
		holders[i] = NO_THREAD;
	for (uint32_t object = 0; object < model_objects(model); object++)
		holders[fork_of(survey, object)] = model_holder(model, object);
	for (uint32_t t = 0; t < model_threads(model); t++) {
		const struct op *op = model_pending(model, t);
		digest = fold(digest, op->kind);
		if (op_class(op->kind) == CLASS_MUTEX)
			digest = fold(digest, fork_of(survey, op->object));
		else if (op_class(op->kind) == CLASS_THREAD && op->kind != OP_THREAD_CREATE)
			digest = fold(digest, op->object);
	}
	for (uint32_t i = 0; i < FORKS_MOST; i++)
		digest = fold(digest, holders[i]);
	return digest;
}

static bool on_transition(void *context, struct execution *execution, const struct trace *trace)
{
	struct survey *survey = context;
	/* The last transition ends the process: no state of the program is left. */
	if (trace->at[trace->length - 1].op.kind != OP_PROCESS_EXIT)
		hash_set_add(&survey->states, state_of(survey, execution_model(execution)));
	return true;
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct survey *survey = context;
	uint64_t digest = 1;
	for (size_t i = 0; i < trace->length; i++)
		digest = step_digest(digest, trace->at[i].thread, trace->at[i].choice);
	ck_assert_msg(hash_set_add(&survey->sequences, digest), "an execution was run twice");
	survey->executions++;
	survey->deadlocks += trace->end == END_DEADLOCK;
	ck_assert(trace->end == END_DEADLOCK || trace->end == END_EXIT);
	if (trace->end == END_DEADLOCK)
		hash_set_add(&survey->finals, state_of(survey, execution_model(execution)));
}

static void explore(struct survey *survey, struct machine *machine)
{
	const struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1};
	struct execution_watcher watcher = {.context = survey, .transition = on_transition, .end = on_end};
	struct execution *execution = execution_new(machine);
	struct search *search = search_new(&options);
	struct search_progress progress;
	struct trace trace;
	struct plan plan;
	hash_set_init(&survey->states);
	hash_set_init(&survey->finals);
	hash_set_init(&survey->sequences);
	trace_init(&trace);
	execution_watch(execution, &watcher);
	while (search_next(search, &plan)) {
		execution_run(execution, &plan, &trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &trace), STATUS_OK);
	}
	search_progress(search, &progress);
	ck_assert(progress.complete);
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
}

static void release(struct survey *survey)
{
	hash_set_release(&survey->states);
	hash_set_release(&survey->finals);
	hash_set_release(&survey->sequences);
}

static void lay_table(struct table_program *program, uint32_t n)
{
	uint32_t forks[FORKS_MOST];
	for (uint32_t i = 0; i < n; i++)
		forks[i] = table_mutex(program, MUTEX_NORMAL);
	struct table_body *main_body = table_body(program);
	for (uint32_t i = 0; i < n; i++)
		table_op(main_body, OP_THREAD_CREATE, NO_OBJECT)->op.arg = i + 1;
	for (uint32_t i = 0; i < n; i++)
		table_op(main_body, OP_THREAD_JOIN, i + 1);
	table_op(main_body, OP_PROCESS_EXIT, NO_OBJECT);
	for (uint32_t i = 0; i < n; i++) {
		struct table_body *eat = table_later(program);
		uint32_t left = forks[i], right = forks[(i + 1) % n];
		table_op(eat, OP_MUTEX_LOCK, left);
		table_op(eat, OP_MUTEX_LOCK, right);
		table_op(eat, OP_MUTEX_UNLOCK, right);
		table_op(eat, OP_MUTEX_UNLOCK, left);
	}
}

static void same_set(const struct hash_set *a, const struct hash_set *b)
{
	ck_assert_uint_eq(a->count, b->count);
	ck_assert(hash_set_subset(a, b));
}

/* The first execution touches every fork: the lowest address is that of the first one. */
static void find_forks(struct survey *survey)
{
	const struct plan plan = {.policy = {.kind = POLICY_DEFAULT, .fair_k = 1}};
	struct execution *execution = execution_new(process_machine(survey->process));
	struct trace trace;
	trace_init(&trace);
	execution_run(execution, &plan, &trace);
	ck_assert_int_eq(trace.end, END_EXIT);
	survey->forks = UINT64_MAX;
	for (uint32_t object = 0; object < survey->philosophers; object++)
		if (process_object(survey->process, object) < survey->forks)
			survey->forks = process_object(survey->process, object);
	trace_release(&trace);
	execution_free(execution);
}

static void survey_process(struct survey *survey, enum origin_kind kind)
{
	char path[512], number[16], why[256];
	char *arguments[] = {path, number, NULL};
	enum status status;
	snprintf(path, sizeof path, "%s/philosophers", getenv("FMC_TEST_SAMPLES"));
	snprintf(number, sizeof number, "%u", survey->philosophers);
	const struct process_options options = {.program = {.path = path,
							    .arguments = arguments,
							    .environment = environ,
							    .input = -1,
							    .output = -1,
							    .error = -1},
						.origin = kind};
	survey->process = process_new(&options, &status, why);
	ck_assert_msg(survey->process != NULL, "%s", why);
	find_forks(survey);
	explore(survey, process_machine(survey->process));
	process_free(survey->process);
}

static void compare(uint32_t n, enum origin_kind kind)
{
	struct table_program program = {0};
	struct table_machine machine;
	struct survey table = {.philosophers = n}, process = {.philosophers = n};
	lay_table(&program, n);
	struct brute brute = {.program = &program, .fair_k = 1, .max_depth = 1000, .limit = UINT64_MAX};
	brute_run(&brute);
	table_machine_init(&machine, &program);
	explore(&table, &machine.machine);
	ck_assert_uint_eq(table.executions, brute.executions);
	ck_assert_uint_eq(table.deadlocks, brute.deadlocks);
	ck_assert_uint_gt(table.deadlocks, 0);
	same_set(&table.sequences, &brute.sequences);
	survey_process(&process, kind);
	ck_assert_uint_eq(process.deadlocks, table.deadlocks);
	same_set(&process.sequences, &table.sequences);
	same_set(&process.states, &table.states);
	same_set(&process.finals, &table.finals);
	release(&table);
	release(&process);
	brute_release(&brute);
}

START_TEST(two_philosophers_by_exec)
{
	compare(2, ORIGIN_EXEC);
}
END_TEST

START_TEST(two_philosophers_by_copy)
{
	compare(2, ORIGIN_COPY);
}
END_TEST

/* Half a million executions: minutes, so with FMC_TEST_LONG only, which `make check-long` sets. */
START_TEST(three_philosophers)
{
	compare(3, ORIGIN_COPY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("philosophers");
	TCase *two = tcase_create("two");
	tcase_set_timeout(two, 120);
	tcase_add_test(two, two_philosophers_by_exec);
	tcase_add_test(two, two_philosophers_by_copy);
	suite_add_tcase(suite, two);
	if (getenv("FMC_TEST_LONG")) {
		TCase *three = tcase_create("three");
		tcase_set_timeout(three, 3600);
		tcase_add_test(three, three_philosophers);
		suite_add_tcase(suite, three);
	}
	return suite_run(suite);
}
