/*
 * back PROGRAM: what it costs to go backwards in a transition of 10^6 rounds of tests/targets/rounds.c: to the last write of
 * what is written once, and each round; to a breakpoint; over 1,500 hits of a watchpoint, one each
 * round, and over those of one whose instruction touches something else most of the time. As ratios to a plain replay of the schedule.
 */
#include "breakpoints/symbols.h"

#include <fmc/collect.h>
#include <fmc/player.h>
#include <fmc/timeline.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS "1000000"

extern char **environ;

struct bench {
	struct process_options options;
	struct process *process;
	struct finding found;
	struct schedule schedule;
	struct timeline *timeline;
	double replay;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "back: %s\n", what);
	exit(EXIT_FAILURE);
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct bench *bench = context;
	require(collect_finding(&bench->found, bench->process, execution, trace) == STATUS_OK, "no memory");
}

/* The first execution, and how long it takes. */
static void make_schedule(struct bench *bench)
{
	const struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = 1, .fair_k = 1}};
	const struct execution_watcher watcher = {.context = bench, .end = on_end};
	struct trace trace;
	enum status status;
	char why[256];
	bench->process = process_new(&bench->options, &status, why);
	require(bench->process, why);
	struct execution *execution = execution_new(process_machine(bench->process));
	trace_init(&trace);
	finding_init(&bench->found);
	execution_watch(execution, &watcher);
	double start = now();
	execution_run(execution, &plan, &trace);
	bench->replay = now() - start;
	schedule_init(&bench->schedule);
	require(schedule_from_finding(&bench->schedule, &bench->found) == STATUS_OK, "no memory");
	bench->schedule.header.fair_k = 1;
	execution_free(execution);
	process_free(bench->process);
	trace_release(&trace);
}

struct wanted {
	const char *name;
	uint64_t address;
};

static void take_symbol(void *context, const struct symbol *symbol)
{
	struct wanted *wanted = context;
	if (strcmp(symbol->name, wanted->name) == 0)
		wanted->address = symbol->address;
}

static uint64_t address_of(struct bench *bench, const char *name)
{
	struct modules modules = {0};
	struct wanted wanted = {.name = name};
	bool changed;
	const pid_t pid = target_pid(process_target(timeline_process(bench->timeline)));
	require(modules_update(&modules, pid, &changed) == STATUS_OK, "no modules");
	symbols_each(&modules.at[0], take_symbol, &wanted);
	modules_release(&modules);
	require(wanted.address != 0, name);
	return wanted.address;
}

static void go_to_end(struct bench *bench)
{
	struct move move;
	timeline_goto(bench->timeline, timeline_length(bench->timeline) + 1, &move);
	require(move.end == MOVE_END, move.why);
}

static void tell(const struct bench *bench, const char *what, double time)
{
	printf("%-22s %.2f s: ratio %.1f\n", what, time, time / bench->replay);
}

static void measure_write(struct bench *bench, const char *name, const char *what)
{
	struct move move;
	const uint64_t address = address_of(bench, name);
	go_to_end(bench);
	double start = now();
	require(timeline_last_touch(bench->timeline, address, 4, TIMELINE_WRITE, &move) == STATUS_OK,
		"no watchpoint can be had");
	require(move.end == MOVE_WATCHPOINT, move.why);
	tell(bench, what, now() - start);
}

static void measure_break(struct bench *bench)
{
	struct move move;
	timeline_break(bench->timeline, address_of(bench, "touch"));
	go_to_end(bench);
	double start = now();
	timeline_reverse_continue(bench->timeline, &move);
	require(move.end == MOVE_BREAKPOINT, move.why);
	tell(bench, "back to a breakpoint", now() - start);
	timeline_unbreak(bench->timeline, move.address);
}

/* Each of them a stop, as for a debugger that evaluates a condition. */
static void measure_hits(struct bench *bench, const char *name, int hits, const char *what)
{
	struct move move;
	const uint64_t address = address_of(bench, name);
	timeline_watch(bench->timeline, address, 4, TIMELINE_WRITE);
	go_to_end(bench);
	double start = now();
	for (int i = 0; i < hits; i++) {
		timeline_reverse_continue(bench->timeline, &move);
		require(move.end == MOVE_WATCHPOINT, move.why);
	}
	tell(bench, what, now() - start);
	timeline_unwatch(bench->timeline, address, 4, TIMELINE_WRITE);
}

int main(int argc, char **argv)
{
	require(argc == 2, "which program?");
	setvbuf(stdout, NULL, _IOLBF, 0);
	char *arguments[] = {argv[1], ROUNDS, NULL};
	struct bench bench = {.options = {.program = {.path = argv[1],
						      .arguments = arguments,
						      .environment = environ,
						      .input = -1,
						      .output = -1,
						      .error = -1},
					  .spin_ms = 200,
					  .capture = true}};
	enum status status;
	char why[256];
	make_schedule(&bench);
	const struct timeline_options options = {.process = bench.options};
	bench.timeline = timeline_new(&options, &bench.schedule, &status, why);
	require(bench.timeline, why);
	measure_write(&bench, "once", "last write, of one");
	measure_write(&bench, "often", "last write, of 10^6");
	measure_break(&bench);
	measure_hits(&bench, "often", 1500, "back over 1,500 hits");
	measure_hits(&bench, "table", 100, "100, 1,000 rounds apart");
	timeline_free(bench.timeline);
	finding_release(&bench.found);
	schedule_release(&bench.schedule);
	return EXIT_SUCCESS;
}
