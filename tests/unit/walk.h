#ifndef FMC_TESTS_WALK_H
#define FMC_TESTS_WALK_H

/* A timeline over a schedule of a sample, found at random: what tests of walking begin with. */
#include "breakpoints/symbols/symbols.h"

#include <check.h>
#include <fmc/replay/timeline.h>
#include <fmc/supervisor/collect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>

extern char **environ;

struct walk {
	char *arguments[4];
	struct schedule schedule;
	struct timeline *timeline;
	struct move move;
	struct finding found; /* while searching */
	struct process *process;
	struct loops loops;
};

static struct process_options walk_options(struct walk *walk)
{
	return (struct process_options){.program = {.path = walk->arguments[0],
						    .arguments = walk->arguments,
						    .environment = environ,
						    .input = -1,
						    .output = -1,
						    .error = -1},
					.capture = true,
					.spin_ms = 20,
					.loops = &walk->loops};
}

static void walk_on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct walk *walk = context;
	finding_release(&walk->found);
	finding_init(&walk->found);
	ck_assert_int_eq(collect_finding(&walk->found, walk->process, execution, trace), STATUS_OK);
}

/* The first random execution that ends in this kind of failure. */
static void walk_search(struct walk *walk, enum finding_kind kind)
{
	const struct process_options options = walk_options(walk);
	enum status status;
	char why[256];
	struct trace trace;
	trace_init(&trace);
	walk->process = process_new(&options, &status, why);
	ck_assert_msg(walk->process != NULL, "%s", why);
	struct execution *execution = execution_new(process_machine(walk->process));
	const struct execution_watcher watcher = {.context = walk, .end = walk_on_end};
	execution_watch(execution, &watcher);
	finding_init(&walk->found);
	for (uint64_t seed = 1; seed < 2000; seed++) {
		const struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1}};
		execution_run(execution, &plan, &trace);
		if (walk->found.kind == kind)
			break;
	}
	ck_assert_int_eq(walk->found.kind, kind);
	schedule_init(&walk->schedule);
	ck_assert_int_eq(schedule_from_finding(&walk->schedule, &walk->found), STATUS_OK);
	walk->schedule.header.fair_k = 1;
	walk->schedule.header.program = strdup(walk->arguments[0]);
	finding_release(&walk->found);
	trace_release(&trace);
	execution_free(execution);
	process_free(walk->process);
}

static void walk_open(struct walk *walk, const char *sample, const char *argument, enum finding_kind kind)
{
	const char *folder = getenv("FMC_TEST_SAMPLES");
	enum status status;
	char why[256];
	ck_assert_ptr_nonnull(folder);
	*walk = (struct walk){0};
	ck_assert_int_gt(asprintf(&walk->arguments[0], "%s/%s", folder, sample), 0);
	walk->arguments[1] = argument ? strdup(argument) : NULL;
	walk_search(walk, kind);
	const struct timeline_options options = {.process = walk_options(walk)};
	walk->timeline = timeline_new(&options, &walk->schedule, &status, why);
	ck_assert_msg(walk->timeline != NULL, "%s: %s", sample, why);
}

static void walk_close(struct walk *walk)
{
	timeline_free(walk->timeline);
	schedule_release(&walk->schedule);
	free(walk->arguments[0]);
	free(walk->arguments[1]);
}

struct wanted_symbol {
	const char *name;
	uint64_t address;
};

static inline void take_symbol(void *context, const struct symbol *symbol)
{
	struct wanted_symbol *wanted = context;
	if (strcmp(symbol->name, wanted->name) == 0)
		wanted->address = symbol->address;
}

/* Where the program has this. */
static inline uint64_t symbol(const struct walk *walk, const char *name)
{
	struct modules modules = {0};
	struct wanted_symbol wanted = {.name = name};
	bool changed;
	pid_t pid = target_pid(process_target(timeline_process(walk->timeline)));
	ck_assert_int_eq(modules_update(&modules, pid, &changed), STATUS_OK);
	ck_assert_int_eq(symbols_each(&modules.at[0], take_symbol, &wanted), STATUS_OK);
	modules_release(&modules);
	ck_assert_uint_ne(wanted.address, 0);
	return wanted.address;
}

static inline uint64_t pc(struct walk *walk, uint32_t thread)
{
	struct user_regs_struct registers;
	ck_assert_int_eq(timeline_registers(walk->timeline, thread, &registers), STATUS_OK);
	return registers.rip;
}

static inline int value(struct walk *walk, uint64_t address)
{
	int word;
	ck_assert_uint_eq(timeline_read(walk->timeline, address, &word, sizeof word), sizeof word);
	return word;
}

#define EXPECT(walk, what)                                                                                   \
	ck_assert_msg((walk).move.end == (what), "%d instead of " #what ": %s", (walk).move.end,             \
		      (walk).move.why)

#endif
