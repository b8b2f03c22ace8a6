/*
 * walk STEPS: what it costs to walk a schedule of some 2,000 transitions of tests/bench/steps.c: going to a transition at random,
 * and back over 1,000 of them to a breakpoint, as ratios to one plain replay of the schedule in the same run.
 */
#include "breakpoints/symbols.h"

#include <fmc/collect.h>
#include <fmc/player.h>
#include <fmc/timeline.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GOTOS	101
#define REPLAYS 21
#define BACK	1000

extern char **environ;

struct bench {
	struct process_options options;
	struct process *process;
	struct execution *execution;
	struct trace trace;
	struct finding found;
	struct schedule schedule;
	struct timeline *timeline;
	double replay;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "walk: %s\n", what);
	exit(EXIT_FAILURE);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct bench *bench = context;
	require(collect_finding(&bench->found, bench->process, execution, trace) == STATUS_OK, "no memory");
}

static void make_schedule(struct bench *bench)
{
	const struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = 1, .fair_k = 1}};
	const struct execution_watcher watcher = {.context = bench, .end = on_end};
	enum status status;
	char why[256];
	bench->process = process_new(&bench->options, &status, why);
	require(bench->process, why);
	bench->execution = execution_new(process_machine(bench->process));
	trace_init(&bench->trace);
	finding_init(&bench->found);
	execution_watch(bench->execution, &watcher);
	execution_run(bench->execution, &plan, &bench->trace);
	schedule_init(&bench->schedule);
	require(schedule_from_finding(&bench->schedule, &bench->found) == STATUS_OK, "no memory");
	bench->schedule.header.fair_k = 1;
}

/* The median of some replays; the first ones make the process's beginning. */
static void measure_replay(struct bench *bench)
{
	double times[REPLAYS];
	size_t differs_at;
	char why[256];
	for (int i = -3; i < REPLAYS; i++) {
		double start = now();
		require(player_run(bench->execution, &bench->schedule, false, NULL, &bench->trace,
				   &differs_at, why) == STATUS_OK,
			why);
		if (i >= 0)
			times[i] = now() - start;
	}
	qsort(times, REPLAYS, sizeof *times, by_value);
	bench->replay = times[REPLAYS / 2];
}

static void measure_goto(struct bench *bench)
{
	double times[GOTOS];
	struct move move;
	uint32_t random = 1;
	for (int i = 0; i < GOTOS; i++) {
		random = random * 1664525u + 1013904223u;
		size_t part = 1 + (random >> 8) % bench->schedule.length;
		double start = now();
		timeline_goto(bench->timeline, part, &move);
		times[i] = now() - start;
		require(move.end == MOVE_DONE, move.why);
	}
	qsort(times, GOTOS, sizeof *times, by_value);
	printf("goto at random         median %.2f ms, worst %.2f ms: ratios %.2f, %.2f\n", times[GOTOS / 2],
	       times[GOTOS - 1], times[GOTOS / 2] / bench->replay, times[GOTOS - 1] / bench->replay);
}

static void find_step(void *context, const struct symbol *symbol)
{
	if (strcmp(symbol->name, "step") == 0)
		*(uint64_t *)context = symbol->address;
}

static uint64_t step_address(struct bench *bench)
{
	struct modules modules = {0};
	uint64_t address = 0;
	bool changed;
	require(modules_update(&modules, target_pid(process_target(timeline_process(bench->timeline))),
			       &changed) == STATUS_OK,
		"no modules");
	symbols_each(&modules.at[0], find_step, &address);
	modules_release(&modules);
	return address;
}

/* To where the last thread began, from 1,000 transitions after that. */
static void measure_reverse(struct bench *bench)
{
	struct move move;
	timeline_break(bench->timeline, step_address(bench));
	timeline_goto(bench->timeline, 0, &move);
	for (int i = 0; i < 3; i++) {
		timeline_continue(bench->timeline, &move);
		require(move.end == MOVE_BREAKPOINT, "a thread's beginning isn't met");
	}
	size_t part = timeline_position(bench->timeline).part;
	timeline_goto(bench->timeline, part + BACK, &move);
	require(move.end == MOVE_DONE, "the schedule is too short");
	double start = now();
	timeline_reverse_continue(bench->timeline, &move);
	double time = now() - start;
	require(move.end == MOVE_BREAKPOINT && timeline_position(bench->timeline).part == part,
		"backwards another place is met");
	printf("reverse over %d      %.2f ms: ratio %.2f\n", BACK, time, time / bench->replay);
}

int main(int argc, char **argv)
{
	require(argc >= 2, "which program?");
	struct bench bench = {.options = {.program = {.path = argv[1],
						      .arguments = argv + 1,
						      .environment = environ,
						      .input = -1,
						      .output = -1,
						      .error = -1},
					  .capture = true}};
	enum status status;
	char why[256];
	make_schedule(&bench);
	measure_replay(&bench);
	execution_free(bench.execution);
	process_free(bench.process);
	const struct timeline_options options = {.process = bench.options};
	double start = now();
	bench.timeline = timeline_new(&options, &bench.schedule, &status, why);
	require(bench.timeline, why);
	printf("replay of %zu        %.2f ms; made ready to be walked in %.2f ms\n", bench.schedule.length,
	       bench.replay, now() - start);
	measure_goto(&bench);
	measure_reverse(&bench);
	timeline_free(bench.timeline);
	finding_release(&bench.found);
	trace_release(&bench.trace);
	schedule_release(&bench.schedule);
	return EXIT_SUCCESS;
}
