/*
 * search STRATEGY PROGRAM EXECUTIONS: microseconds of processor time that a search itself takes for each transition, over so many
 * executions of a table program: a depth, of two threads that lock and unlock one mutex in turn, or "philosophers:N". With "coordinate"
 * after that: for each execution, with all that the process does which plans for workers, plans to bytes, traces from bytes, classes
 * counted. With "parts:WORKERS:EXECUTIONS": the same for simulated workers that search parts by themselves, so many executions at a time, or an
 * eighth while somebody has nothing to do.
 */
#include "tests/table/gang.h"
#include "tests/table/table.h"
#include <fmc/supervisor/coverage.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>
#include <fmc/supervisor/wire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void make_program(struct table_program *program, int64_t depth)
{
	uint32_t mutex = table_mutex(program, MUTEX_NORMAL);
	struct table_body *body = table_body(program);
	table_op(body, OP_MUTEX_LOCK, mutex);
	table_op(body, OP_MUTEX_UNLOCK, mutex);
	table_add(body, TABLE_ADD, 1, 0, 1);
	table_jump(body, TABLE_JUMP_NOT, 1, depth / 4, 0);
	table_thread(program, body);
}

/* False: there is no such program. */
static bool find_program(struct table_program *program, const char *text)
{
	const char *number = strchr(text, ':');
	const long n = atol(number ? number + 1 : text);
	if (n <= 0 || (number && strncmp(text, "philosophers:", (size_t)(number + 1 - text)) != 0))
		return false;
	if (number)
		table_philosophers(program, (uint32_t)n, true);
	else
		make_program(program, n);
	return true;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* The microseconds that go into what passes between the search and a worker, whose part isn't counted. */
static double pass_on(const struct plan *plan, struct trace *trace, struct coverage *coverage)
{
	struct saver sent = {0}, received = {0};
	wire_put_trace(&received, trace);
	double start = now();
	wire_put_plan(&sent, plan);
	struct loader loader = {received.at, received.length, false};
	if (!wire_get_trace(&loader, trace) || !coverage_note(coverage, trace))
		exit(EXIT_FAILURE);
	double spent = now() - start;
	saver_release(&sent);
	saver_release(&received);
	return spent;
}

static double measure(struct search *search, const struct table_program *program, uint64_t executions,
		      bool coordinates)
{
	struct table_machine machine;
	struct trace trace;
	struct plan plan;
	struct coverage coverage;
	uint64_t transitions = 0, run = 0;
	double spent = 0;
	coverage_init(&coverage);
	table_machine_init(&machine, program);
	struct execution *execution = execution_new(&machine.machine);
	trace_init(&trace);
	for (; run < executions; run++) {
		double start = now();
		if (!search_next(search, &plan))
			break;
		spent += now() - start;
		execution_run(execution, &plan, &trace);
		transitions += trace.length;
		if (coordinates)
			spent += pass_on(&plan, &trace, &coverage);
		start = now();
		if (search_feed(search, plan.ticket, &trace) != STATUS_OK) {
			fputs("search: a trace was refused\n", stderr);
			exit(EXIT_FAILURE);
		}
		spent += now() - start;
	}
	trace_release(&trace);
	execution_free(execution);
	coverage_release(&coverage);
	return spent / (double)(coordinates ? run : transitions);
}

struct counted {
	struct coverage coverage;
	uint64_t executions;
	double spent;
};

/* Only the class of most executions goes to the process that coordinates. */
static void count_class(void *context, const struct trace *trace)
{
	struct counted *counted = context;
	struct trace_hash class;
	if (!coverage_class(&counted->coverage, trace, &class))
		exit(EXIT_FAILURE);
	double start = now();
	(void)coverage_count(&counted->coverage, class);
	counted->spent += now() - start;
	counted->executions++;
}

static double measure_parts(struct search *search, const struct table_program *program, uint64_t executions,
			    uint32_t workers, uint64_t lease)
{
	struct gang gang;
	struct counted counted = {0};
	coverage_init(&counted.coverage);
	gang_init(&gang, program, search, workers, 1);
	gang.lease = lease;
	gang.note = count_class;
	gang.context = &counted;
	while (counted.executions < executions && gang_step(&gang))
		;
	double spent = gang.spent * 1e6 + counted.spent;
	gang_release(&gang);
	coverage_release(&counted.coverage);
	return spent / (double)counted.executions;
}

int main(int argc, char **argv)
{
	unsigned workers;
	unsigned long lease;
	static struct table_program program;
	struct search_options options = {.fair_k = 1};
	const bool coordinates = argc == 5 && strcmp(argv[4], "coordinate") == 0;
	const bool parts = argc == 5 && sscanf(argv[4], "parts:%u:%lu", &workers, &lease) == 2 &&
			   workers > 0 && workers <= GANG_MOST;
	if (argc != 4 + coordinates + parts || !strategy_parse(argv[1], &options) ||
	    !find_program(&program, argv[2])) {
		fputs("usage: search STRATEGY DEPTH|philosophers:N EXECUTIONS "
		      "[coordinate|parts:WORKERS:EXECUTIONS]\n",
		      stderr);
		return 2;
	}
	struct search *search = search_new(&options);
	if (!search)
		return EXIT_FAILURE;
	const uint64_t executions = strtoull(argv[3], NULL, 10);
	if (parts)
		printf("%.3f\n", measure_parts(search, &program, executions, workers, lease));
	else
		printf("%.3f\n", measure(search, &program, executions, coordinates));
	search_free(search);
	return EXIT_SUCCESS;
}
