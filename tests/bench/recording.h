#ifndef FMC_TESTS_BENCH_RECORDING_H
#define FMC_TESTS_BENCH_RECORDING_H

#include "breakpoints/symbols/symbols.h"

#include <fmc/replay/player.h>
#include <fmc/replay/timeline.h>
#include <fmc/supervisor/collect.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The schedule of a program's first execution, and what it was made with. */
struct recording {
	struct process_options options; /* to be filled in before */
	struct process *process;
	struct execution *execution;
	struct trace trace;
	struct finding found;
	struct schedule schedule;
};

/* In seconds. */
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
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(EXIT_FAILURE);
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct recording *recording = context;
	require(collect_finding(&recording->found, recording->process, execution, trace) == STATUS_OK,
		"no memory");
}

/* How long the execution took is returned. */
static double record(struct recording *recording)
{
	const struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = 1, .fair_k = 1}};
	const struct execution_watcher watcher = {.context = recording, .end = on_end};
	enum status status;
	char why[256];
	recording->process = process_new(&recording->options, &status, why);
	require(recording->process, why);
	recording->execution = execution_new(process_machine(recording->process));
	trace_init(&recording->trace);
	finding_init(&recording->found);
	execution_watch(recording->execution, &watcher);
	const double start = now();
	execution_run(recording->execution, &plan, &recording->trace);
	const double took = now() - start;
	schedule_init(&recording->schedule);
	require(schedule_from_finding(&recording->schedule, &recording->found) == STATUS_OK, "no memory");
	recording->schedule.header.fair_k = 1;
	return took;
}

/* The process is over, its schedule stays. */
static void end_recording(struct recording *recording)
{
	execution_free(recording->execution);
	process_free(recording->process);
	trace_release(&recording->trace);
}

static void recording_release(struct recording *recording)
{
	finding_release(&recording->found);
	schedule_release(&recording->schedule);
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

/* Of a function or variable of the program. */
static uint64_t address_of(struct timeline *timeline, const char *name)
{
	struct modules modules = {0};
	struct wanted wanted = {.name = name};
	bool changed;
	const pid_t pid = target_pid(process_target(timeline_process(timeline)));
	require(modules_update(&modules, pid, &changed) == STATUS_OK, "no modules");
	(void)symbols_each(&modules.at[0], take_symbol, &wanted); /* only how long it takes */
	modules_release(&modules);
	require(wanted.address != 0, name);
	return wanted.address;
}

#endif
